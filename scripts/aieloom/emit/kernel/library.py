"""A kernel of line buffers as an instantiation of the library in pl_templates/lib: traits from the plan, queues, tasks.

A part reads its inlet, does layers that see neighbours one behind another, and writes its outlet; tasks that move rows stand
between parts. What a layer does with a value is printed by its own template, and handed to the library as a type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aieloom.cpp_text import View, closed, trait_lines
from aieloom.emit.kernel.ends import (
    BY_ROW,
    PLAIN_ORDER,
    comes,
    elements_of,
    flag,
    image,
    leaves,
    order_of,
    tiles,
    unlike,
    word,
)
from aieloom.emit.kernel.policies import IN_PLACE, Policies
from aieloom.emit.kernel.tasks import call_view, queue_view, row_queue, type_of
from aieloom.emit.movers import declared, elements
from aieloom.pl.kernel import PlKernel
from aieloom.pl.line_store import FORK, MERGE, LinePart, LineStage, LineStore
from aieloom.pl.lines.memory import FIFO_DEPTH
from aieloom.pl.lines.schedule import SETTLE_CYCLES
from aieloom.pl.lines.shape import levels_of
from aieloom.pl.lines.streamable import joins_channels
from aieloom.pl.steps import BEATS, RESULTS, PlStep
from aieloom.pl.streams import TiledStreams, by_row

WRITES = {
    "lanes": "write_lane_lines",
    "rows": "write_lines",
    "tiled": "write_columns",
}  # by the order of what leaves
FUNCTION_DEPTH = 32  # cycles of a function of a value at most (estimate)


def _storage(storage: str) -> list[str]:
    return [f"using Storage = {storage.title()};"] if storage != "lutram" else []


def library_view(kernel: PlKernel, store: LineStore) -> View:
    """Return what the template prints."""
    ends = {e.port: e.streams for e in kernel.inlets} | {e.port: e.streams for e in kernel.outlets}
    ports = {name: elements(name, s.streams) for name, s in ends.items()}
    policies = Policies()
    made = [*(_Part(p, ports, policies).view for p in store.parts), *_moves(kernel, store, policies)]
    return View(
        headers=sorted({*policies.headers, *(h for m in made for h in m.headers)}),
        layers=policies.printed,
        structs=[s for m in made for s in m.structs],
        queues=[*map(row_queue, store.queues), *(q for m in made for q in m.queues)],
        tasks=[t for m in made for t in m.tasks],
        signature=closed([declared(name, s.streams, s.bits) for name, s in ends.items()], ") {"),
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
        self.type = type_of(part.inlet.x)
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
        function = self.policies.values(self.levels[number].functions, self.type)
        come = part.inlet.dtype if number == 0 else None
        leave = part.outlet.dtype if last else None
        x = part.holds if last else self.stages[number].step.x
        stage, beat = None if last else self.stages[number], plan.beat if last else self.stages[number].beat
        own = {"kReaders": plan.readers, "kTogether": plan.together, "kSetChannels": plan.channels}
        own |= {"kBeat": beat, "kBeatApart": plan.apart[0] if last else 1}
        own |= comes(part.inlet.streams, plan.readers) if number == 0 else {}
        lines = unlike(image(x.shape) | own)
        lines += self._window(stage, self.levels[number + 1].functions) if stage else self._ring()
        base = elements_of(part.inlet.x, function, come, leave)
        inherits = f"{base}, {'Line' if last else 'Window'}Traits"
        self.structs.append(View(what=what, head=f"{name} : {inherits}", lines=lines, aliases=()))

    def _ring(self) -> list[str]:
        """Return the traits of the line buffer, and of the words that leave."""
        part, plan, sink = self.part, self.part.tasks, self.part.outlet.streams
        ring = {"kRows": plan.rows, "kBanks": plan.banks, "kStep": plan.step, "kSkew": plan.skew or 0}
        return [
            *unlike(ring, f"memories of {plan.depth} values"),
            *_storage(plan.storage),
            *flag("kOwnRows", plan.own_rows),
            *unlike(word(sink, part.y, pixels=plan.pixels, apart=plan.apart[1])),
            *leaves(sink, part.y, part.outlet.lanes, len(plan.needs)),
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
            *flag("kWraps", stage.wraps),
            *unlike(window | {"kTop": lines.before[0], "kLeft": lines.before[1]}),
            *trait_lines({"kOutHeight": height, "kOutBeats": width // stage.out_beat, "kPipeline": depth}),
        ]

    def _read(self) -> str:
        """Add the readers; return the bands in which their rows come."""
        plan, source, name, into = self.part.tasks, self.part.inlet.streams, self.takers[0], self.given[0]
        self._queue(f"Beat<{name}>", into.removeprefix(f"{self.part.name}_"))
        if not isinstance(source, TiledStreams):
            axis = f", Axis<{source.bits}>" if self.from_port and source.by_row else ""
            reads = f"read_rows<{name}{axis}>" if source.by_row else f"read_image<{name}>"
            self._task("read", reads, [*self.ins, into])
            return f"RowBands<{name}>" if source.by_row else f"PlainImage<{name}>"
        grid, share = source.grid, source.grid.parts // plan.readers
        bands = tiles(source, name)
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
        order = order_of(sink)
        if order == BY_ROW:
            axis = f", Axis<{sink.bits}>" if self.to_port else ""
            self._task("write", f"write_rows<{name}, {bands}{axis}>", [beats, *self.outs])
        elif order == PLAIN_ORDER:
            reorder = self.policies.places(self.late)
            more = f", {reorder}" if reorder != IN_PLACE else ""
            self._task("write", f"write_plain<{name}, {bands}{more}>", [beats, *self.outs])
        else:
            queues = [beats]
            if len(self.outs) > 1:
                queues = elements(f"{self.part.name}_shared", len(self.outs))
                self._queue(f"Beat<{name}>", "shared", len(self.outs))
                self._task("share", f"share_beats<{name}, {bands}>", [beats, f"{self.part.name}_shared"])
            for w, (queue, out) in enumerate(zip(queues, self.outs, strict=True)):
                writes = f"{WRITES[order]}<{name}, {bands}{f', {w}' if w else ''}>"
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
    function = policies.values(store.functions, kind)
    if joins_channels(join):
        tensors = (join.x, *join.others)
        lines = trait_lines({"kBits": joined.bits, "kHeight": join.y.shape[1]})
        words = [by_row(t).words // t.shape[1] for t in tensors]
        given = [f"Channels<{n}, {p}>" for n, p in zip(words, policies.each(join), strict=True)]
        called = f"JoinChannels<Join, {', '.join(given)}>::run"
    else:
        lines = trait_lines({"kBits": joined.bits, "kWords": joined.words})
        called = f"join_rows<Join, {policies.pair(join, kind)}>"
    base = elements_of(join.x, function)
    struct = View(what=f"What {join.layer} joins", head=f"Join : {base}", lines=lines, aliases=())
    return View(structs=[struct], queues=(), tasks=[call_view("task_join", called, ends)], headers=["join"])
