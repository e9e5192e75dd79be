"""Kernels that keep lines: one part from inlet to outlet, or parts around tasks that move beats in order of rows.

So one is made where several tensors meet or part; and one of one inlet and one outlet where a direct convolution's lanes come,
layers see neighbours, and it is faster.

Why nothing waits for ever, whatever the other kernels are. Let image k be the first that not everything has finished, so that
no queue holds anything of an image before it. An inlet before a join has a queue for a whole image, and so has each of several
outlets: image k's beats always find room there. So such a kernel takes what comes at any inlet whatever comes at the others,
and gives at each outlet whatever the others do: less can make it wait than a kernel with frame buffers, which takes inlets and
serves outlets in an order, and the proof of `plan.graph` holds with it in such a kernel's place.

Why nothing waits in vain: as there, a branch that meets a longer one keeps an image more for each frame buffer that the longer
one has more; in the kernels and layers of a way that streams an image is but for a part of its interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from aieloom.network.tensor import TensorType
from aieloom.pl.ends import PING_PONG, Inlet, Outlet
from aieloom.pl.frames import PIPELINE_CYCLES
from aieloom.pl.kernel import PlKernel, Sketch
from aieloom.pl.line_store import BRING, FORK, LOOP_CYCLES, MERGE, SEND, LinePart, LineStore, Move, Queue
from aieloom.pl.lines.memory import FIFO_DEPTH, LUT_PER_READER, queue_of, table_bram
from aieloom.pl.lines.part import Wanted, part_of
from aieloom.pl.lines.shape import levels_of, sees_image
from aieloom.pl.lines.streamable import check_streamable
from aieloom.pl.steps import ELEMENTWISE, PlStep
from aieloom.pl.storage import Figures
from aieloom.pl.streams import TiledStreams, by_row, is_by_row, values_of_beat
from aieloom.spec.device import Device

ROWS, JOINED, WORKED = "rows", "joined", "worked"  # queues inside the kernel
Steps = tuple[PlStep, ...]


def line_kernel(device: Device, sketch: Sketch) -> PlKernel:
    """Return the kernel that does its steps with line buffers.

    Raises:
        CannotStream: one of its layers needs a frame buffer, or the readers do not divide the channels.
    """
    check_streamable(sketch.steps, sketch.outlets)
    if len(sketch.inlets) > 1 or len(sketch.outlets) > 1:
        return _around(device, sketch)
    if not lanes_into_windows(sketch):
        return _alone(device, sketch)
    rows = _around(device, sketch)
    if _folds_in_order(sketch):
        return rows
    return min(_alone(device, sketch), rows, key=lambda k: k.cycles)


def lanes_into_windows(sketch: Sketch) -> bool:
    """Tell whether lanes of a direct convolution come for layers that see neighbours: a part brings rows of them first."""
    source = sketch.inlets[0].streams
    if not isinstance(source, TiledStreams) or not source.grid.strips or not sketch.steps:
        return False
    sink = by_row(sketch.y) if len(sketch.outlets) > 1 else sketch.outlets[0].streams
    return any(level.window for level in levels_of(sketch.steps, sink)[0])


def _folds_in_order(sketch: Sketch) -> bool:
    """Tell whether lanes would come to a layer first that takes values in order: a fold of a whole image of floats, passes."""
    levels = levels_of(sketch.steps, sketch.outlets[0].streams)[0]
    first = next(level.window for level in levels if level.window)
    return first.passes is not None or (first.x.quant is None and sees_image(first))


def _alone(device: Device, sketch: Sketch) -> PlKernel:
    """Return the kernel that one part makes."""
    (inlet,), (outlet,) = sketch.inlets, sketch.outlets
    what = f"From what {inlet.producer} sends to what {outlet.reader} reads"
    part = part_of(
        device,
        Wanted(name="work", what=what, steps=sketch.steps, inlet=inlet, outlet=outlet, nearly=sketch.nearly),
    )
    return sketch.kernel(LineStore(parts=(part,)), part, inlets=sketch.inlets, outlets=(part.outlet,))


def _around(device: Device, sketch: Sketch) -> PlKernel:
    """Return the kernel whose parts stand around a join, a fork, or rows."""
    made = _Made.of(device, sketch)
    store, joined = made.store, made.joined
    per_value = (*((sketch.join,) if sketch.join else ()), *store.functions)  # steps of the join's task
    lanes = values_of_beat(joined)
    moved = [by_row(t).words + LOOP_CYCLES for t in (joined, sketch.y)]
    ends = len(sketch.inlets) + len(sketch.outlets)
    outlets = tuple(
        replace(o, storage=part.outlet.storage if (part := store.serving(o)) else "lutram")
        for o in sketch.outlets
    )
    figures = Figures(
        cycles=max(*moved, *(p.cycles for p in store.parts)),
        latency_cycles=_latency(made.entries)
        + (made.middle.latency_cycles if made.middle else 0)
        + _latency(made.exits),
        bram36=sum(p.bram36 for p in store.parts)
        + sum(q.bram36 for q in store.queues)
        + sum(table_bram(s, lanes) for s in per_value),
        uram288=sum(p.uram288 for p in store.parts) + sum(q.uram288 for q in store.queues),
        dsp=sum(p.dsp for p in store.parts) + lanes * sum(s.dsp for s in per_value),
        lut=sum(p.lut for p in store.parts) + ends * LUT_PER_READER + lanes * sum(s.lut for s in per_value),
        lutram=sum(p.lutram for p in store.parts),
        why=tuple(_why(sketch, store, joined)),
    )
    return sketch.kernel(store, figures, inlets=tuple(_inlets(sketch, store)), outlets=outlets)


@dataclass(frozen=True, slots=True)
class _Made:
    """What a kernel around rows consists of, and which of its parts stands where; None where none is needed."""

    store: LineStore
    joined: TensorType  # what comes from the join, or from the one inlet
    entries: tuple[LinePart | None, ...]
    middle: LinePart | None
    exits: tuple[LinePart | None, ...]

    @classmethod
    def of(cls, device: Device, sketch: Sketch) -> _Made:
        """Return it: entries put each inlet in order of rows, exits keep the lines that outlets need."""
        join, several = sketch.join, len(sketch.outlets) > 1
        first, lead, rest = _shared(sketch)
        done = lead or ((join,) if join else first)
        joined = done[-1].y if done else sketch.x
        parts = _Parts(device, sketch)
        entered = [f"joining_{i}" if join else JOINED for i in range(len(sketch.inlets))]
        entries = tuple(parts.entry(i, first, queue) for i, queue in enumerate(entered))
        inside = bool(rest) and (several or is_by_row(sketch.outlets[0].streams))
        middle = parts.middle(joined, rest) if inside else None
        last, y, left = (WORKED, sketch.y, ()) if middle else (JOINED, joined, rest)
        given = [f"forked_{o}" if several else last for o in range(len(sketch.outlets))]
        exits = tuple(parts.exit(o, queue, y, left) for o, queue in enumerate(given))
        store = LineStore(
            parts=tuple(p for p in (*entries, middle, *exits) if p),
            moves=tuple(_moves(sketch, joined, entries, entered=entered, last=last, given=given)),
            queues=tuple(_queues(device, sketch, joined, entries, last)),
            functions=lead,
        )
        return cls(store=store, joined=joined, entries=entries, middle=middle, exits=exits)


def _shared(sketch: Sketch) -> tuple[Steps, Steps, Steps]:
    """Return the steps of the one inlet's part, those of the join's task, and those behind."""
    if sketch.join:
        lead = tuple(takewhile(lambda s: s.kind == ELEMENTWISE, sketch.steps[1:]))
        return (), lead, sketch.steps[1 + len(lead) :]
    if len(sketch.inlets) == 1 and lanes_into_windows(sketch):
        return (), (), sketch.steps
    return sketch.steps, (), ()


@dataclass(frozen=True, slots=True)
class _Parts:
    """Makes the parts of a kernel."""

    device: Device
    sketch: Sketch

    def entry(self, number: int, steps: Steps, to: str) -> LinePart | None:
        """Return what brings an inlet in order of rows, and does `steps`; None where that is how it comes."""
        inlet = self.sketch.inlets[number]
        if is_by_row(inlet.streams) and not steps:
            return None
        y = steps[-1].y if steps else inlet.x
        source = replace(inlet, port=ROWS) if is_by_row(inlet.streams) else inlet
        what = f"Brings what {inlet.producer} sends in order of rows"
        return self._part(f"from{number}", what, source, steps, self._outlet(to, y))

    def middle(self, x: TensorType, steps: Steps) -> LinePart:
        """Return what does `steps` between the join and the outlets."""
        inlet, outlet = self._inlet(JOINED, x), self._outlet(WORKED, self.sketch.y)
        return self._part("work", "Works on what is joined", inlet, steps, outlet)

    def exit(self, number: int, source: str, x: TensorType, steps: Steps) -> LinePart | None:
        """Return what does `steps` and keeps the lines that an outlet needs; None where it needs none."""
        outlet = self.sketch.outlets[number]
        if is_by_row(outlet.streams):
            return None
        what = f"Keeps the lines that {outlet.reader} reads"
        return self._part(f"to{number}", what, self._inlet(source, x), steps, outlet)

    def _inlet(self, port: str, x: TensorType) -> Inlet:
        return Inlet(port=port, streams=by_row(x), x=x, producer=self.sketch.name)

    def _outlet(self, port: str, y: TensorType) -> Outlet:
        streams = by_row(y)
        return Outlet(
            port=port,
            streams=streams,
            dtype=streams.dtype,
            lanes=values_of_beat(y),
            storage="",
            reader=self.sketch.name,
        )

    def _part(self, name: str, what: str, inlet: Inlet, steps: Steps, outlet: Outlet) -> LinePart:
        wanted = Wanted(
            name=name, what=what, steps=steps, inlet=inlet, outlet=outlet, nearly=self.sketch.nearly
        )
        return part_of(self.device, wanted)


def _moves(
    sketch: Sketch,
    joined: TensorType,
    entries: Sequence[LinePart | None],
    *,
    entered: Sequence[str],
    last: str,
    given: Sequence[str],
) -> Iterator[Move]:
    """Yield the tasks that move beats: queues `entered` before the join, `last` before the fork, `given` behind it."""
    for number, (inlet, part, queue) in enumerate(zip(sketch.inlets, entries, entered, strict=True)):
        if is_by_row(inlet.streams):
            to = part.inlet.port if part else queue
            yield Move(kind=BRING, number=number, takes=(inlet.port,), gives=(to,), tensors=(inlet.x,))
    if sketch.join:
        xs = tuple(i.x for i in sketch.inlets)
        places = xs[0].shape == joined.shape  # joined place by place, else one after another
        yield Move(
            kind=MERGE, number=0, takes=tuple(entered), gives=(JOINED,), tensors=xs[:1] if places else xs
        )
    if len(given) > 1:
        yield Move(kind=FORK, number=0, takes=(last,), gives=tuple(given), tensors=(sketch.y,))
    for number, (outlet, queue) in enumerate(zip(sketch.outlets, given, strict=True)):
        if is_by_row(outlet.streams):
            yield Move(kind=SEND, number=number, takes=(queue,), gives=(outlet.port,), tensors=(sketch.y,))


def _queues(
    device: Device, sketch: Sketch, joined: TensorType, entries: Sequence[LinePart | None], last: str
) -> Iterator[Queue]:
    """Yield the queues: of images before a join and behind a fork, short ones elsewhere."""
    for number, inlet in enumerate(sketch.inlets if sketch.join else ()):
        images = inlet.depth - PING_PONG + 1
        what = f"what {inlet.producer} sends; {images} image(s) of it wait for the others"
        yield _of_images(device, f"joining_{number}", what, inlet.x, images)
    if any(part and part.inlet.port == ROWS for part in entries):
        yield _short(ROWS, sketch.x, "what comes")
    yield _short(JOINED, joined, "what leaves, or is worked on")
    if last == WORKED:
        yield _short(WORKED, sketch.y, "what leaves")
    for number, outlet in enumerate(sketch.outlets if len(sketch.outlets) > 1 else ()):
        what = f"an image for {outlet.reader}, whatever the others do"
        yield _of_images(device, f"forked_{number}", what, sketch.y, 1)


def _of_images(device: Device, name: str, what: str, tensor: TensorType, images: int) -> Queue:
    streams = by_row(tensor)
    depth = max(images * streams.words, FIFO_DEPTH)
    return queue_of(device, name, what, images=images, depth=depth, bits=streams.bits)


def _short(name: str, tensor: TensorType, what: str) -> Queue:
    return Queue(name=name, what=what, images=0, depth=FIFO_DEPTH, bits=by_row(tensor).bits, storage="lutram")


def _inlets(sketch: Sketch, store: LineStore) -> Iterator[Inlet]:
    """Yield the inlets with the images that wait in their queues."""
    if not sketch.join:
        yield from sketch.inlets
        return
    for inlet, queue in zip(sketch.inlets, store.images, strict=False):
        yield replace(inlet, depth=queue.images, storage=queue.storage)


def _latency(parts: Sequence[LinePart | None]) -> int:
    return max(p.latency_cycles if p else PIPELINE_CYCLES for p in parts)


def _why(sketch: Sketch, store: LineStore, joined: TensorType) -> Iterator[str]:
    """Yield what each part does, and what waits where."""
    yield from (f"{p.name}: {line}" for p in store.parts for line in p.why)
    before, behind = (sketch.inlets if sketch.join else ()), sketch.outlets
    for inlet, queue in zip(before, store.images, strict=False):
        yield (
            f"queue for what {inlet.producer} sends: {queue.images} image(s), {queue.depth} beats of {queue.bits} bits "
            f"in {queue.storage}"
        )
    for outlet, queue in zip(behind, store.images[len(before) :], strict=False):
        yield f"queue for {outlet.reader}: {queue.depth} beats of {queue.bits} bits in {queue.storage}"
    yield from sketch.join.why if sketch.join else ()
    yield f"{values_of_beat(joined)} value(s) a cycle join or part: {by_row(joined).words} cycles an image"
