"""A kernel of line buffers as an instantiation of the library in pl_templates/lib: traits from the plan, queues, tasks.

Where the library lacks what a kernel needs there is no such view: other templates print it in whole.
"""

from __future__ import annotations

from itertools import chain

from aieloom.cpp_text import View, trait_lines
from aieloom.emit.kernel.elements import padding_of
from aieloom.emit.kernel.ends import lies_apart, sink_view
from aieloom.emit.kernel.part_constants import part_constants, sink_constants, sink_order, source_constants
from aieloom.emit.kernel.tasks import QueueView, body_lines, call_view, row_queue
from aieloom.emit.movers import declared, elements
from aieloom.ops.integer_pairs import IntegerSum
from aieloom.pl.kernel import PlKernel
from aieloom.pl.line_store import FORK, MERGE, LinePart, LineStore, Move
from aieloom.pl.lines.memory import FIFO_DEPTH
from aieloom.pl.streams import TiledStreams, by_row, is_by_row
from aieloom.spec.types import DataType

AVERAGE = "ops/integer_avg_fold.h.j2"
TILES = "kInBits kInRounds kInGroups kInShare kInTileM kInTileRows kInBlockRows"
WRITES = {  # the order of what leaves: the task that writes it, and its traits
    "by_row": ("write_rows", ""),
    "lanes": (
        "write_lane_lines",
        "kOutRounds kOutRows kOutHeight kOutPasses kOutLines kOutBlocks kOutColumns kOutBlockRows kOutBlockCols "
        "kStrideY kPaddingY",
    ),
    "tiled": ("write_vector", "kOutRounds kOutPasses kOutTileK kOutTileN kOutBlockRows kOutBlockCols"),
}
BOTH = 2  # inlets of a join, outlets of a fork


def library_view(kernel: PlKernel, store: LineStore) -> View | None:
    """Return what the template prints; None where the library lacks something."""
    joins = not kernel.join or (isinstance(kernel.join.detail, IntegerSum) and len(kernel.inlets) == BOTH)
    forks = all(len(m.gives) == BOTH for m in store.moves if m.kind == FORK)
    eights = all(i.x.dtype is DataType.INT8 and i.x.quant for i in kernel.inlets)
    if not (eights and joins and forks and not store.functions and all(map(_has, store.parts))):
        return None
    ends = {e.port: e.streams for e in kernel.inlets} | {e.port: e.streams for e in kernel.outlets}
    ports = {name: elements(name, s.streams) for name, s in ends.items()}
    made = [*(_part(p, ports) for p in store.parts), *(_move(kernel, m) for m in store.moves)]
    return View(
        headers=sorted({h for m in made for h in m.headers}),
        structs=[s for m in made for s in m.structs],
        queues=[*map(row_queue, store.queues), *(q for m in made for q in m.queues)],
        tasks=[t for m in made for t in m.tasks],
        signature=body_lines([declared(name, s.streams, s.bits) for name, s in ends.items()]),
        ports=tuple(ends),
    )


def _has(part: LinePart) -> bool:
    """Tell whether the library has all that a part needs."""
    plan, source, sink, x = part.tasks, part.inlet.streams, part.outlet.streams, part.inlet.x
    known = source.bits == 8 * plan.stride * plan.together and len(part.steps) == len(plan.stages)
    if not known or (plan.skew is None and plan.banks > 1):
        return False
    if isinstance(source, TiledStreams):
        read = plan.channels * plan.together  # channels of a reader, by which a channel's number is divided
        comes = lies_apart(source) and source.grid.mmul[2] == plan.stride == plan.beat
        comes = comes and not plan.stages and (plan.readers == 1 or read & (read - 1) == 0)
    else:
        lines = [s.step.lines for s in plan.stages if s.whole and s.out_beat == 1]
        folds = len(lines) == len(plan.stages) and all(s and s.fold == AVERAGE for s in lines)
        comes = x.shape[2] % plan.stride == 0 and folds and (is_by_row(source) or not lines)
    if not isinstance(sink, TiledStreams):
        return comes and sink.by_row and plan.copies == 1
    if sink_order(sink) == "lanes":
        return comes and plan.pixels == sink.grid.mmul[2]
    plain = sink_order(sink) == "tiled" and not sink_view(part.outlet, part.y).by_column
    alone = sink.grid.cascade == 1 and sink.window.kernel == part.holds.shape[1:] == (1, 1)
    return comes and plain and alone


def _image(shape: tuple[int, ...]) -> dict[str, int]:
    return dict(zip(("kChannels", "kHeight", "kWidth"), shape, strict=True))


def _part(part: LinePart, ports: dict[str, list[str]]) -> View:
    """Return a part: a struct of traits, readers, what gives writers their beats, writers."""
    plan, source, sink, name = part.tasks, part.inlet.streams, part.outlet.streams, part.name.title()
    ins, outs = (ports.get(end.port, [end.port]) for end in (part.inlet, part.outlet))
    beats, came = f"{part.name}_beats", f"{part.name}_came"
    queues = [QueueView(type=f"Beat<{name}>", name=beats, size=f"[{len(outs)}]", depth=FIFO_DEPTH)]
    structs, headers, tasks, bands = [], {"inputs", "outputs"}, list[View](), "WholeImage"
    if isinstance(source, TiledStreams):
        bands, share = "LaneTiles", source.grid.parts // plan.readers
        gathers = plan.readers > 1 or len(outs) > 1
        for r in range(plan.readers):
            firsts = range(r * share, source.grid.groups * source.grid.parts, source.grid.parts)  # of a group
            read = [ins[first + p] for first in firsts for p in range(share)]
            into = f"{came}[{r}]" if gathers else f"{beats}[0]"
            tasks.append(_task(f"{part.name}_read_{r}", f"LaneTileReader<{name}, {r}>::run", [*read, into]))
        if gathers:
            kind = f"Beat<{name}, {name}::kTogether>"
            queues.insert(0, QueueView(type=kind, name=came, size=f"[{plan.readers}]", depth=FIFO_DEPTH))
            tasks.append(_task(f"{part.name}_gather", f"gather_beats<{name}>", [came, beats]))
    elif plan.stages:
        image, step, headers = f"{name}Image", plan.stages[0].step, {"pool", *headers}
        values = {**_image(step.x.shape), "kBits": source.bits, "kTakeCycles": plan.stages[0].take_cycles}
        lines = ["using Element = Int8;", *trait_lines(values)]
        structs = [View(what=f"What {step.layer} folds", name=image, lines=lines)]
        fold = f"Average<Int8, {step.x.shape[1] * step.x.shape[2]}>"
        tasks = [_task(f"{part.name}_{step.layer}", f"pool_image<{image}, {fold}, {name}>", [*ins, beats])]
    else:
        bands, reads = ("RowBands", "share_rows") if is_by_row(source) else (bands, "share_image")
        tasks = [_task(f"{part.name}_read", f"{reads}<{name}>", [*ins, beats])]
    for w, out in enumerate(outs):
        writes = f"{WRITES[sink_order(sink)][0]}<{name}, {bands}<{name}>{f', {w}' if w else ''}>"
        tasks.append(_task(f"{part.name}_write_{w}", writes, [f"{beats}[{w}]", out]))
    structs.append(View(what=part.what, name=name, lines=_traits_of(part)))
    return View(structs=structs, queues=queues, tasks=tasks, headers=headers)


def _traits_of(part: LinePart) -> list[str]:
    """Return the traits of a part: the image, what comes, beats, the ring, words, what leaves."""
    plan, source, sink = part.tasks, part.inlet.streams, part.outlet.streams
    found = (*part_constants(part), *source_constants(part), *sink_constants(part))
    values = {"kPaddingX": 0, "kTogether": 1, "kSkew": 0}
    values |= {"kBeatApart": plan.apart[0], "kWordApart": plan.apart[1]}
    values |= {c.name: c.value for c in found} | _image(part.holds.shape)
    values |= {"kReaders": plan.readers, "kOutGroups": sink.streams, "kZero": int(padding_of(part.y))}
    comes = TILES if isinstance(source, TiledStreams) else "" if plan.stages else "kInBits"
    together = {  # and what is said of them
        "kChannels kHeight kWidth kPaddingX": "",
        comes: "",
        "kReaders kTogether kSetChannels kBeat kBeatApart": "",
        "kRows kBanks kStep kSkew": f"memories of {plan.depth} values",
        "kOutBits kPixels kWordApart kZero kOutGroups": "",
        WRITES[sink_order(sink)][1]: "",
    }
    lines = [trait_lines({n: values[n] for n in names.split()}, note) for names, note in together.items()]
    own = f"static constexpr bool kOwnRows = {'true' if plan.own_rows else 'false'};"
    return ["using Element = Int8;", f"using Storage = {plan.storage.title()};", own, *chain(*lines)]


def _move(kernel: PlKernel, move: Move) -> View:
    """Return a task that moves rows, and the traits of a join."""
    rows, at = by_row(move.tensors[0]), kernel.join and kernel.join.detail
    ends = [*move.takes, *move.gives]
    if move.kind != MERGE or not isinstance(at, IntegerSum):
        task = _task(move.name, f"{move.kind}_rows<{rows.bits}, {rows.words}>", ends)
        return View(structs=(), queues=(), tasks=[task], headers=["join"])
    terms = {"A": at.a, "B": at.b, "Y": at.y}
    scale = {"kLeft": at.left, "kSign": 1 if at.sign == "+" else -1}
    scale |= {f"kShift{n}": t.shift for n, t in terms.items()}
    zeros = {"kZeroA": at.zero_a, "kZeroB": at.zero_b, "kZeroY": at.zero, "kLow": at.low, "kHigh": at.high}
    lines = [
        "using Element = Int8;",
        *trait_lines({"kBits": rows.bits, "kWords": rows.words, **scale}),
        *trait_lines({f"kMultiplier{n}": t.multiplier for n, t in terms.items()}),
        *trait_lines(zeros),
    ]
    joins = _task(move.name, "join_rows<Join, TfliteAdd<Join>>", ends)
    what = View(what="Both inputs at one scale, added, and scaled back", name="Join", lines=lines)
    return View(structs=[what], queues=(), tasks=[joins], headers=["join", "requantise"])


def _task(name: str, function: str, arguments: list[str]) -> View:
    return call_view(f"task_{name}", function, arguments)
