"""Streaming kernels where several tensors meet or part: streaming parts around tasks that move beats in row order.

One of a single way in and out is made so too where a direct convolution's lanes come, layers see neighbours, and it is faster.

Why nothing waits for ever, whatever the other kernels are. Let image k be the first that not everything has finished, so that
no queue holds anything of an image before it. An inlet before a join has a queue for a whole image, and so has each of several
outlets: image k's beats always find room there. So a junction takes what comes at any inlet whatever comes at the others, and
gives at each outlet whatever the others do: less can make it wait than a kernel with image buffers, which takes inlets and
serves outlets in an order, and the proof of `plan.graph` holds with it in such a kernel's place.

Why nothing waits in vain: as there, a branch that meets a longer one keeps an image more for each image buffer that the longer
one has more; in the kernels and layers of a way that streams an image is but for a part of its interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile

from aieloom.cpp_text import TemplateUse
from aieloom.model.tensor import TensorType
from aieloom.pl.frames import PIPELINE_CYCLES
from aieloom.pl.kernel import PING_PONG, Inlet, LineJunction, Outlet, PlKernel, Sketch
from aieloom.pl.line_store import LOOP_CYCLES, Queue
from aieloom.pl.lines.memory import FIFO_DEPTH, LUT_PER_READER, queue_of, table_bram
from aieloom.pl.lines.shape import levels_of, sees_image
from aieloom.pl.steps import ELEMENTWISE, JOIN, PlStep
from aieloom.pl.streams import TiledStreams, by_row, is_by_row
from aieloom.spec.device import Device

ROWS, JOINED, WORKED = "rows", "joined", "worked"  # streams inside the kernel
Planner = Callable[[Device, Sketch], PlKernel]


def junction_plan(device: Device, sketch: Sketch, plan_part: Planner) -> PlKernel:
    """Return the kernel of several inlets or outlets, each of whose parts `plan_part` plans.

    Raises:
        CannotStream: a part cannot be streaming.
    """
    join = sketch.steps[0] if sketch.steps and sketch.steps[0].kind == JOIN else None
    x, y = sketch.inlets[0].x, sketch.steps[-1].y if sketch.steps else sketch.inlets[0].x
    part = _Parts(device, sketch, plan_part)
    lead: tuple[PlStep, ...] = ()
    rest: tuple[PlStep, ...] = ()
    if join:
        lead = tuple(takewhile(lambda s: s.kind == ELEMENTWISE, sketch.steps[1:]))
        rest = sketch.steps[1 + len(lead) :]
        entries = tuple(part.entry(i, (), f"kept_{i}") for i in range(len(sketch.inlets)))
        joined = lead[-1].y if lead else join.y
    elif len(sketch.inlets) == 1 and lanes_into_windows(sketch):
        entries, joined, rest = (part.entry(0, (), JOINED),), x, sketch.steps
    else:
        entries, joined = (part.entry(0, sketch.steps, JOINED),), y
    several = len(sketch.outlets) > 1
    inside = bool(rest) and (several or is_by_row(sketch.outlets[0].streams))
    middle = part.middle(joined, y, rest) if inside else None
    last = WORKED if middle else JOINED
    exits = tuple(
        part.exit(i, y if middle else joined, () if middle else rest, f"given_{i}" if several else last)
        for i in range(len(sketch.outlets))
    )
    kept = tuple(_queue(device, i.x, i.depth - PING_PONG + 1) for i in sketch.inlets) if join else ()
    given = tuple(_queue(device, y, 1) for _ in sketch.outlets) if several else ()
    made = LineJunction(
        entries=entries, kept=kept, functions=lead, joined=joined, middle=middle, given=given, exits=exits
    )
    moved = [by_row(t).words + LOOP_CYCLES for t in (joined, y)]
    tasks = len(sketch.inlets) + len(sketch.outlets)
    return PlKernel(
        name=sketch.name,
        steps=sketch.steps,
        inlets=_inlets(sketch.inlets, kept),
        outlets=tuple(
            replace(o, storage=e.storage if e else "lutram")
            for o, e in zip(sketch.outlets, exits, strict=True)
        ),
        read_order=sketch.read_order,
        x=x,
        y=y,
        stages=(),
        holds=y,
        clock_mhz=sketch.clock_mhz,
        cycles=max(*moved, *(p.cycles for p in made.parts)),
        latency_cycles=_latency(entries) + (middle.latency_cycles if middle else 0) + _latency(exits),
        bram36=sum(p.bram36 for p in made.parts)
        + sum(q.bram36 for q in made.queues)
        + _tables(join, lead, joined),
        uram288=sum(p.uram288 for p in made.parts) + sum(q.uram288 for q in made.queues),
        dsp=sum(p.dsp for p in made.parts) + _lanes(joined) * sum(s.dsp for s in (*_one(join), *lead)),
        lut=sum(p.lut for p in made.parts)
        + tasks * LUT_PER_READER
        + _lanes(joined) * sum(s.lut for s in (*_one(join), *lead)),
        lutram=sum(p.lutram for p in made.parts),
        template=TemplateUse(template="streaming_junction.cpp.j2", output=f"src/pl/{sketch.name}.cpp"),
        why=tuple(_why(sketch, made)),
        junction=made,
    )


def lanes_into_windows(sketch: Sketch) -> bool:
    """Tell whether lanes of a direct convolution come for layers that see neighbours: a part brings rows of them first."""
    source = sketch.inlets[0].streams
    if not isinstance(source, TiledStreams) or not source.grid.stretches or not sketch.steps:
        return False
    several = len(sketch.outlets) > 1
    sink = by_row(sketch.steps[-1].y) if several else sketch.outlets[0].streams
    return any(level.window for level in levels_of(sketch.steps, sink)[0])


def folds_in_order(sketch: Sketch) -> bool:
    """Tell whether lanes would come to a layer first that takes values in order: a fold of a whole image of floats, passes."""
    levels = levels_of(sketch.steps, sketch.outlets[0].streams)[0]
    first = next(level.window for level in levels if level.window)
    return first.passes is not None or (first.x.quant is None and sees_image(first))


class _Parts:
    """Makes the streaming parts of a junction."""

    def __init__(self, device: Device, sketch: Sketch, plan_part: Planner) -> None:
        self.device, self.sketch, self.plan_part = device, sketch, plan_part

    def entry(self, number: int, steps: Sequence[PlStep], to: str) -> PlKernel | None:
        """Return what brings an inlet in row order, and does `steps`; None where that is how it comes."""
        inlet = self.sketch.inlets[number]
        if is_by_row(inlet.streams) and not steps:
            return None
        y = steps[-1].y if steps else inlet.x
        source = replace(inlet, port=ROWS) if is_by_row(inlet.streams) else inlet
        return self._plan(f"from{number}", source, steps, self._outlet(to, y))

    def middle(self, x: TensorType, y: TensorType, steps: Sequence[PlStep]) -> PlKernel:
        """Return what does `steps` between the join and the outlets."""
        return self._plan("work", self._inlet(JOINED, x), steps, self._outlet(WORKED, y))

    def exit(self, number: int, x: TensorType, steps: Sequence[PlStep], source: str) -> PlKernel | None:
        """Return what does `steps` and keeps the lines that an outlet needs; None where it needs none."""
        outlet = self.sketch.outlets[number]
        if is_by_row(outlet.streams):
            return None
        return self._plan(f"to{number}", self._inlet(source, x), steps, outlet)

    def _inlet(self, port: str, x: TensorType) -> Inlet:
        return Inlet(port=port, streams=by_row(x), x=x, producer=self.sketch.name)

    def _outlet(self, port: str, y: TensorType) -> Outlet:
        streams = by_row(y)
        return Outlet(
            port=port,
            streams=streams,
            dtype=streams.dtype,
            lanes=_lanes(y),
            storage="",
            reader=self.sketch.name,
        )

    def _plan(self, name: str, inlet: Inlet, steps: Sequence[PlStep], outlet: Outlet) -> PlKernel:
        sketch = replace(
            self.sketch, name=name, steps=tuple(steps), inlets=(inlet,), outlets=(outlet,), read_order=(0,)
        )
        return self.plan_part(self.device, sketch)


def _one(step: PlStep | None) -> tuple[PlStep, ...]:
    return (step,) if step else ()


def _lanes(tensor: TensorType) -> int:
    """Return the values of a beat."""
    streams = by_row(tensor)
    return streams.bits // (8 * streams.dtype.bytes)


def _tables(join: PlStep | None, lead: Sequence[PlStep], joined: TensorType) -> int:
    """Return the block RAMs of tables that a beat's values look into in the join's task."""
    return sum(table_bram(s, _lanes(joined)) for s in (*_one(join), *lead))


def _latency(parts: Sequence[PlKernel | None]) -> int:
    return max(p.latency_cycles if p else PIPELINE_CYCLES for p in parts)


def _inlets(inlets: Sequence[Inlet], kept: Sequence[Queue]) -> tuple[Inlet, ...]:
    """Return the inlets with the images that wait in their queues."""
    if not kept:
        return tuple(inlets)
    return tuple(replace(i, depth=q.images, storage=q.storage) for i, q in zip(inlets, kept, strict=True))


def _queue(device: Device, tensor: TensorType, images: int) -> Queue:
    """Return a queue of images."""
    streams = by_row(tensor)
    return queue_of(device, images, max(images * streams.words, FIFO_DEPTH), streams.bits)


def _why(sketch: Sketch, made: LineJunction) -> Sequence[str]:
    """Return what each part does, and what waits where."""
    lines = [f"{p.name}: {line}" for p in made.parts for line in p.why]
    for inlet, queue in zip(sketch.inlets, made.kept, strict=False):
        lines.append(
            f"queue for what {inlet.producer} sends: {queue.images} image(s), {queue.depth} beats of {queue.bits} bits "
            f"in {queue.storage}"
        )
    for outlet, queue in zip(sketch.outlets, made.given, strict=False):
        lines.append(
            f"queue for {outlet.reader}: {queue.depth} beats of {queue.bits} bits in {queue.storage}"
        )
    lines += [line for s in sketch.steps[:1] if s.kind == JOIN for line in s.why]
    return [
        *lines,
        f"{_lanes(made.joined)} value(s) a cycle join or part: {by_row(made.joined).words} cycles an image",
    ]
