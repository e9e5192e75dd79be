"""A kernel of line buffers as an instantiation of the library in pl_templates/lib: traits from the plan, queues, tasks.

A part reads its inlet, does layers that see neighbours one behind another, and writes its outlet; tasks that move rows stand
between parts. What a layer does with a value is printed by its own template, and handed to the library as a type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aieloom.cpp_text import View, trait_lines
from aieloom.emit.kernel.elements import type_of
from aieloom.emit.kernel.ends import order_of
from aieloom.emit.kernel.policies import PLAIN, SPACE, Policies
from aieloom.emit.kernel.tasks import body_lines, call_view, queue_view, row_queue
from aieloom.emit.movers import declared, elements
from aieloom.layout.grid import RowGrid, word_block
from aieloom.network.tensor import TensorType
from aieloom.ops.integer_pairs import IntegerSum
from aieloom.pl.kernel import PlKernel
from aieloom.pl.line_store import FORK, MERGE, LinePart, LineStage, LineStore
from aieloom.pl.lines.memory import FIFO_DEPTH
from aieloom.pl.lines.schedule import SETTLE_CYCLES
from aieloom.pl.lines.shape import levels_of
from aieloom.pl.lines.streamable import joins_channels
from aieloom.pl.steps import BEATS, RESULTS, PlStep
from aieloom.pl.streams import TiledStreams, by_row, is_by_row
from aieloom.products.strategy import strategy_of
from aieloom.spec.types import DataType

ELEMENTS = {
    DataType.FLOAT32: "Float",
    DataType.BFLOAT16: "Bfloat16",
    DataType.INT8: "Int8",
    DataType.INT16: "Int16",
}
WRITES = {
    "lanes": "write_lane_lines",
    "rows": "write_lines",
    "tiled": "write_columns",
}  # by the order of what leaves
ROWS = {  # the traits of tiles of whole rows
    "lanes": "kOutRounds kOutRows kOutHeight kOutPasses kOutLines kOutBlocks kOutColumns kOutBlockRows kOutBlockCols kOutStrip",
    "rows": "kOutRounds kOutRows kOutHeight kOutChannels kOutLines kOutLineWords",
}
# traits as most line buffers and windows have them: LineTraits, WindowTraits
USUAL = dict.fromkeys(("kSkew", "kZero", "kPaddingX", "kPaddingY", "kTop", "kLeft"), 0)
USUAL |= dict.fromkeys(("kReaders", "kTogether", "kBeatApart", "kWordApart", "kStep", "kWriters"), 1)
USUAL |= dict.fromkeys(("kOutLinks", "kStrideY", "kStrideX", "kUpY", "kUpX"), 1)
FUNCTION_DEPTH = 32  # cycles of a function of a value at most (estimate)


def inside(tensor: TensorType) -> str:
    """Return the element of a tensor inside a kernel."""
    return ELEMENTS[tensor.dtype] if tensor.quant is not None else "Float"


def _unlike(values: dict[str, int], note: str = "") -> list[str]:
    """Return the lines of those traits that differ from what the library's LineTraits and WindowTraits say."""
    return trait_lines({n: v for n, v in values.items() if v != USUAL.get(n)}, note)


def _flag(name: str, value: object) -> list[str]:
    return [f"static constexpr bool {name} = true;"] if value else []


def _storage(storage: str) -> list[str]:
    return [f"using Storage = {storage.title()};"] if storage != "lutram" else []


def base(kind: str, function: str, *ends: str) -> str:
    """Return the elements that traits inherit: inside, what becomes of each value, what comes and what leaves."""
    names = [kind, function, *ends] if set(ends) - {kind} else [kind, function]
    return f"Elements<{', '.join(names if names[1:] != [PLAIN] else names[:1])}>"


def library_view(kernel: PlKernel, store: LineStore) -> View:
    """Return what the template prints."""
    ends = {e.port: e.streams for e in kernel.inlets} | {e.port: e.streams for e in kernel.outlets}
    ports = {name: elements(name, s.streams) for name, s in ends.items()}
    policies = Policies()
    made = [*(_Part(p, ports, policies).view for p in store.parts), *_moves(kernel, store, policies)]
    return View(
        headers=sorted({h for m in made for h in m.headers}),
        space=SPACE,
        functions=policies.functions,
        types=policies.types,
        structs=[s for m in made for s in m.structs],
        queues=[*map(row_queue, store.queues), *(q for m in made for q in m.queues)],
        tasks=[t for m in made for t in m.tasks],
        signature=body_lines([declared(name, s.streams, s.bits) for name, s in ends.items()]),
        ports=tuple(ends),
    )


class _Part:
    """A part as it is printed: traits of its stages and of its line buffer, queues, tasks."""

    def __init__(self, part: LinePart, ports: Mapping[str, list[str]], policies: Policies) -> None:
        self.part, self.policies, self.name = part, policies, part.name.title()
        self.levels, self.late = levels_of(part.steps, part.outlet.streams)
        self.from_port, self.to_port = part.inlet.port in ports, part.outlet.port in ports
        self.ins = ports.get(part.inlet.port, [part.inlet.port])
        self.outs = ports.get(part.outlet.port, [part.outlet.port])
        self.kind, self.type = inside(part.inlet.x), type_of(part.inlet.x)
        self.stages = part.tasks.stages
        # what takes beats: each stage, then the line buffer; and the queue that each takes them from
        self.takers = [*(f"{self.name}Stage{n}" for n in range(len(self.stages))), self.name]
        self.given = [*(f"{part.name}_to_{s.step.layer}" for s in self.stages), f"{part.name}_beats"]
        self.structs: list[View] = []
        self.queues: list[View] = []
        self.tasks: list[View] = []
        self.headers = {"inputs", "outputs"}
        for number in range(len(self.takers)):
            self._traits(number)
        bands = self._read()
        for number, stage in enumerate(self.stages):
            bands = self._stage(number, stage, bands)
        self._write(bands)

    @property
    def view(self) -> View:
        """Return it."""
        return View(structs=self.structs, queues=self.queues, tasks=self.tasks, headers=self.headers)

    def _task(self, name: str, function: str, arguments: list[str]) -> None:
        self.tasks.append(call_view(f"{self.part.name}_{name}", function, arguments))

    def _queue(self, kind: str, name: str, count: int | None = None) -> None:
        size = f"[{count}]" if count else ""
        self.queues.append(queue_view(kind, f"{self.part.name}_{name}", FIFO_DEPTH, size=size))

    def _traits(self, number: int) -> None:
        """Add the traits of what takes beats: of stage `number`, or of the line buffer behind all of them."""
        part, plan, name, last = self.part, self.part.tasks, self.takers[number], number == len(self.stages)
        what = part.what if last else f"What {self.stages[number].step.layer} sees"
        function = self.policies.values(
            f"{name}Value", "Each value that comes", self.levels[number].functions, self.type
        )
        come = ELEMENTS[part.inlet.dtype] if number == 0 else self.kind
        leave = ELEMENTS[part.outlet.dtype] if last else self.kind
        x = part.holds if last else self.stages[number].step.x
        stage, beat = None if last else self.stages[number], plan.beat if last else self.stages[number].beat
        image = dict(zip(("kChannels", "kHeight", "kWidth"), x.shape, strict=True))
        image |= {"kReaders": plan.readers, "kTogether": plan.together, "kSetChannels": plan.channels}
        lines = _unlike(image | {"kBeat": beat, "kBeatApart": plan.apart[0] if last else 1})
        lines += trait_lines(self._comes() if number == 0 else {})
        lines += self._window(stage, self.levels[number + 1].functions) if stage else self._ring()
        inherits = f"{base(self.kind, function, come, leave)}, {'Line' if last else 'Window'}Traits"
        self.structs.append(View(what=what, name=name, lines=lines, base=inherits))

    def _comes(self) -> dict[str, int]:
        """Return the traits of what comes."""
        plan, source = self.part.tasks, self.part.inlet.streams
        if not isinstance(source, TiledStreams):
            return {"kInBits": source.bits}
        grid, (m, _, n) = source.grid, source.grid.mmul
        rows, steps = (1, grid.tile_n // n)
        if isinstance(grid, RowGrid) and grid.strips:
            rows, steps = grid.out_rows, grid.strips.steps
        return {
            "kInBits": source.bits,
            "kInRounds": grid.rounds,
            "kInGroups": grid.groups,
            "kInShare": grid.parts // plan.readers,
            "kInTileM": grid.tile_m,
            "kInTileRows": rows,
            "kInSteps": steps,
            "kInBlockRows": m,
            "kInBlockCols": n,
        }

    def _ring(self) -> list[str]:
        """Return the traits of the line buffer, and of the words that leave."""
        part, plan, sink = self.part, self.part.tasks, self.part.outlet.streams
        padding = sink.window.padding[1] if isinstance(sink, TiledStreams) else 0
        ring = {"kRows": plan.rows, "kBanks": plan.banks, "kStep": plan.step, "kSkew": plan.skew or 0}
        zero = int(part.y.zero) if part.y.quant is not None else 0
        word = {"kOutBits": sink.bits, "kPixels": plan.pixels, "kWordApart": plan.apart[1], "kZero": zero}
        return [
            *_unlike(ring, f"memories of {plan.depth} values"),
            *_storage(plan.storage),
            *_flag("kOwnRows", plan.own_rows),
            *_unlike(word | {"kPaddingX": padding, "kWriters": sink.streams}),
            *self._leaves(),
        ]

    def _leaves(self) -> list[str]:
        """Return the traits of the order in which words leave."""
        part, sink, lanes = self.part, self.part.outlet.streams, self.part.outlet.lanes
        if is_by_row(sink):
            return []
        if not isinstance(sink, TiledStreams):
            rounds = {"kOutRounds": len(part.tasks.needs)}
            return trait_lines(
                rounds | dict(zip(("kOutChannels", "kOutHeight", "kOutWidth"), part.y.shape, strict=True))
            )
        grid, window = sink.grid, sink.window
        seen = {"kStrideY": window.stride[0], "kPaddingY": window.padding[0]}
        if isinstance(grid, RowGrid):
            known = {c.name: c.value for c in strategy_of(grid).input_tiles(sink, lanes)}
            return _unlike({n: known[n] for n in ROWS[grid.order].split()} | seen)
        block, loops = word_block(grid, lanes), [i.name for i in grid.input.loops]
        return [
            *_unlike(
                {
                    "kOutRounds": grid.rounds,
                    "kOutPasses": grid.passes,
                    "kOutLinks": grid.cascade,
                    "kOutTileK": grid.tile_k,
                    "kOutTileN": grid.tile_n,
                    "kOutBlockRows": block.rows,
                    "kOutBlockCols": block.cols,
                    "kOutHeight": window.out_height,
                    "kOutWidth": window.out_width,
                    "kKernelY": window.kernel[0],
                    "kKernelX": window.kernel[1],
                    "kStrideX": window.stride[1],
                    **seen,
                }
            ),
            *_flag("kByColumn", block.by_column),
            *_flag("kColumnsInside", loops.index("kt") < loops.index("nt")),
        ]

    def _window(self, stage: LineStage, behind: Sequence[PlStep]) -> list[str]:
        """Return the traits of a layer that sees neighbours, or of passes; the functions `behind` are in its last task."""
        lines, passes, more = stage.step.lines, stage.step.passes, FUNCTION_DEPTH * len(behind)
        if passes:
            depths = {f"k{t.name.title()}Depth": 2 * t.depth + SETTLE_CYCLES for t in passes.tasks}
            depths[list(depths)[-1]] += more
            return trait_lines({"kSumCycles": next(t.ii for t in passes.tasks if t.name == "sums"), **depths})
        if stage.whole:
            return trait_lines({"kTakeCycles": stage.take_cycles})
        assert lines is not None
        pairs = {"kKernel": lines.kernel, "kStride": lines.stride, "kUp": lines.up}
        window = {f"{n}{axis}": v for n, pair in pairs.items() for axis, v in zip("YX", pair, strict=True)}
        _, height, width = stage.step.y.shape
        depth = SETTLE_CYCLES + lines.kernel[0] * lines.kernel[1] * lines.cycles + more
        return [
            *trait_lines({"kRows": stage.rows, "kBanks": stage.banks}, f"memories of {stage.depth} values"),
            *_storage(stage.storage),
            *_flag("kWraps", stage.wraps),
            *_unlike(window | {"kTop": lines.before[0], "kLeft": lines.before[1]}),
            *trait_lines({"kOutHeight": height, "kOutBeats": width // stage.out_beat, "kPipeline": depth}),
        ]

    def _read(self) -> str:
        """Add the readers; return the bands in which their rows come."""
        plan, source, name, into = self.part.tasks, self.part.inlet.streams, self.takers[0], self.given[0]
        self._queue(f"Beat<{name}>", into.removeprefix(f"{self.part.name}_"))
        if not isinstance(source, TiledStreams):
            word = f", Axis<{source.bits}>" if self.from_port and source.by_row else ""
            reads = f"read_rows<{name}{word}>" if source.by_row else f"read_image<{name}>"
            self._task("read", reads, [*self.ins, into])
            return f"RowBands<{name}>" if source.by_row else f"PlainImage<{name}>"
        grid, share = source.grid, source.grid.parts // plan.readers
        bands = f"{'LaneTiles' if grid.strips else 'PixelTiles'}<{name}>"
        if plan.readers > 1:
            self._queue(f"Beat<{name}, {name}::kTogether>", "came", plan.readers)
        for r in range(plan.readers):
            firsts = range(r * share, grid.groups * grid.parts, grid.parts)  # of a group
            to = f"{self.part.name}_came[{r}]" if plan.readers > 1 else into
            read = [self.ins[first + p] for first in firsts for p in range(share)]
            reader = f"TileReader<{name}, {bands}{f', {r}' if r else ''}>::run"
            self._task(f"read_{r}", reader, [*read, to])
        if plan.readers > 1:
            self._task("gather", f"gather_beats<{name}, {bands}>", [f"{self.part.name}_came", into])
        return bands

    def _stage(self, number: int, stage: LineStage, bands: str) -> str:
        """Add a stage's tasks; return the bands in which its results come."""
        name, behind, layer = self.takers[number], self.takers[number + 1], stage.step.layer
        took, made = self.given[number : number + 2]
        self._queue(f"Beat<{behind}>", made.removeprefix(f"{self.part.name}_"))
        policy = self.policies.fold(stage.step)
        self.headers.add("windows")
        if stage.step.passes:
            self._passes(stage, name, behind, policy)
            return f"ChannelBeats<{behind}>"
        folds = "fold_image" if stage.whole else "fold_windows"
        self._task(f"do_{layer}", f"{folds}<{name}, {bands}, {policy}, {behind}>", [took, made])
        return f"RowBands<{behind}>"

    def _passes(self, stage: LineStage, name: str, behind: str, policy: str) -> None:
        """Add the tasks and queues of a layer that goes over all channels several times."""
        layer, passes, tag = stage.step.layer, stage.step.passes, self.part.name
        assert passes is not None
        self.headers.add("softmax")
        for queue, kept in zip(passes.queues, stage.queues, strict=True):
            kind = "float" if queue.is_float else self.type
            more = {"what": kept.what, "storage": kept.storage}
            self.queues.append(queue_view(kind, f"{tag}_{kept.name}", kept.depth, **more))
        number = self.takers.index(name)
        ends = {BEATS: self.given[number], RESULTS: self.given[number + 1]}
        traits = {"sums": name, "shares": f"{name}, {policy}, {behind}"}
        for task in passes.tasks:
            queues = [ends.get(q, f"{tag}_{layer}_{q}") for q in (*task.takes, *task.gives)]
            self._task(
                f"do_{layer}_{task.name}",
                f"{task.name}<{traits.get(task.name, f'{name}, {policy}')}>",
                queues,
            )

    def _write(self, bands: str) -> None:
        """Add the writers, to which rows come in such bands."""
        sink, name, beats = self.part.outlet.streams, self.name, self.given[-1]
        if is_by_row(sink):
            word = f", Axis<{sink.bits}>" if self.to_port else ""
            self._task("write", f"write_rows<{name}, {bands}{word}>", [beats, *self.outs])
        elif not isinstance(sink, TiledStreams):
            reorder = self.policies.places(f"{name}Place", "Where a result's value lies", self.late)
            more = f", {reorder}" if reorder else ""
            self._task("write", f"write_plain<{name}, {bands}{more}>", [beats, *self.outs])
        else:
            queues = [beats]
            if len(self.outs) > 1:
                queues = elements(f"{self.part.name}_shared", len(self.outs))
                self._queue(f"Beat<{name}>", "shared", len(self.outs))
                self._task("share", f"share_beats<{name}, {bands}>", [beats, f"{self.part.name}_shared"])
            for w, (queue, out) in enumerate(zip(queues, self.outs, strict=True)):
                writes = f"{WRITES[order_of(sink)]}<{name}, {bands}{f', {w}' if w else ''}>"
                self._task(f"write_{w}", writes, [queue, out])


def _moves(kernel: PlKernel, store: LineStore, policies: Policies) -> Iterator[View]:
    """Yield the tasks that move rows, and the traits of a join."""
    for move in store.moves:
        rows = by_row(move.tensors[0])
        ends = [*move.takes, *move.gives]
        if move.kind == MERGE and kernel.join:
            yield _join(kernel.join, store, policies, ends)
            continue
        size = f"{rows.bits}, {rows.words}"
        called = (
            f"ForkRows<{size}, {len(move.gives)}>::run" if move.kind == FORK else f"{move.kind}_rows<{size}>"
        )
        task = call_view(f"task_{move.name}", called, ends)
        yield View(structs=(), queues=(), tasks=[task], headers=["join"])


def _join(join: PlStep, store: LineStore, policies: Policies, ends: list[str]) -> View:
    """Return the task of a join and its traits."""
    joined, kind = by_row(join.y), type_of(join.x)
    function = policies.values("JoinValue", "Each value that is joined", store.functions, kind)
    lines, at = trait_lines({"kBits": joined.bits, "kWords": joined.words}), join.detail
    what, headers = f"What {join.layer} joins", ["join"]
    if joins_channels(join):
        tensors = (join.x, *join.others)
        lines = trait_lines({"kBits": joined.bits, "kHeight": join.y.shape[1]})
        words = [by_row(t).words // t.shape[1] for t in tensors]
        given = [f"Channels<{n}, {p}>" for n, p in zip(words, policies.join(join, kind), strict=True)]
        called = f"JoinChannels<Join, {', '.join(given)}>::run"
    elif isinstance(at, IntegerSum):
        lines += _sum_traits(at)
        called, headers = "join_rows<Join, TfliteAdd<Join>>", ["join", "requantise"]
    else:
        called = f"join_rows<Join, {policies.join(join, kind)[0]}>"
    struct = View(what=what, name="Join", lines=lines, base=base(inside(join.x), function))
    return View(structs=[struct], queues=(), tasks=[call_view("task_join", called, ends)], headers=headers)


def _sum_traits(at: IntegerSum) -> list[str]:
    """Return the traits of a sum of elements: both inputs at one scale, added, and scaled back."""
    terms = {"A": at.a, "B": at.b, "Y": at.y}
    scale = {"kLeft": at.left, "kSign": 1 if at.sign == "+" else -1}
    zeros = {"kZeroA": at.zero_a, "kZeroB": at.zero_b, "kZeroY": at.zero, "kLow": at.low, "kHigh": at.high}
    return [
        *trait_lines(scale | {f"kShift{n}": t.shift for n, t in terms.items()}),
        *trait_lines({f"kMultiplier{n}": t.multiplier for n, t in terms.items()}),
        *trait_lines(zeros),
    ]
