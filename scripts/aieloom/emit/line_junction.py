"""What the template of a streaming PL kernel with several inlets or outlets prints: flat values, taken from the plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aieloom.emit.pl import (
    FROM_BITS,
    StepView,
    element_templates,
    element_values,
    lane_bits,
    step_view,
)
from aieloom.emit.streaming import StreamingView, streaming_view
from aieloom.emit.task_views import body_lines, call_lines
from aieloom.model.tensor import TensorType
from aieloom.pl.kernel import Inlet, LineJunction, Outlet, PlKernel
from aieloom.pl.lines.junction import JOINED, ROWS, WORKED
from aieloom.pl.lines.memory import FIFO_DEPTH
from aieloom.pl.lines.schedule import SETTLE_CYCLES
from aieloom.pl.lines.streamable import joins_channels
from aieloom.pl.streams import by_row, is_by_row
from aieloom.plan.wire import port_names


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """A stream of beats between tasks."""

    name: str
    bits: int
    depth: int
    what: str
    storage: tuple[str, ...]  # () for a short one


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveView:
    """A task between a port and a queue, of which another PL kernel has the other end."""

    index: int
    bits: int
    beats: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InputView:
    """An input of the join."""

    index: int
    type: str
    row_beats: int  # of a row of all its channels
    comma: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkView:
    """The task that gives every outlet each beat."""

    parameters: tuple[str, ...]
    beats: int
    row: str
    outlets: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskView:
    """A task between the parts."""

    name: str
    function: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineJunctionView:
    """A streaming PL kernel with several inlets or outlets."""

    name: str
    why: tuple[str, ...]
    settle: int
    element_templates: tuple[str, ...]
    functions: tuple[StepView, ...]
    join: tuple[StepView, ...]  # one, or none
    join_template: str
    join_function: str
    join_parameters: tuple[str, ...]
    inputs: tuple[InputView, ...]
    beats: int
    height: int
    lanes: int
    row: str
    type: str
    from_bits: str
    to_bits: str
    lane_bits: str
    bring: tuple[MoveView, ...]
    send: tuple[MoveView, ...]
    forks: tuple[ForkView, ...]
    parts: tuple[StreamingView, ...]
    signature: tuple[str, ...]
    ports: tuple[str, ...]
    queues: tuple[QueueView, ...]
    tasks: tuple[TaskView, ...]


def line_junction_view(gap: PlKernel) -> LineJunctionView:
    """Return what the template prints."""
    made = gap.junction
    assert made is not None
    row, last = by_row(made.joined), made.middle.outlets[0].port if made.middle else JOINED
    wide = row.dtype is not gap.x.dtype
    join = gap.join
    return LineJunctionView(
        name=gap.name,
        why=gap.why,
        settle=SETTLE_CYCLES,
        element_templates=element_templates(gap, inside=True),
        functions=tuple(step_view(s) for s in made.functions),
        join=(step_view(join),) if join else (),
        join_template=f"streaming_join_{'channels' if join and joins_channels(join) else 'places'}.j2",
        join_function=f"{join.function}_of" if join else "",
        join_parameters=body_lines(
            [
                *(f"hls::stream<{_row(i.x)}>& kept_{n}" for n, i in enumerate(gap.inlets)),
                f"hls::stream<{_row(made.joined)}>& joined",
            ]
        ),
        inputs=tuple(
            InputView(
                index=n,
                type=_row(i.x),
                row_beats=by_row(i.x).words // i.x.shape[1],
                comma=", " if n + 1 < len(gap.inlets) else "",
            )
            for n, i in enumerate(gap.inlets)
        ),
        beats=row.words,
        height=made.joined.shape[1],
        lanes=row.bits // (8 * row.dtype.bytes),
        row=_row(made.joined),
        from_bits="as_float" if wide else FROM_BITS[row.dtype],
        to_bits="float_bits" if wide else "as_bits",
        lane_bits=lane_bits(row.dtype),
        type=element_values(gap)["type"],
        bring=tuple(_move(n, i.x) for n, i in enumerate(gap.inlets) if is_by_row(i.streams)),
        send=tuple(_move(n, gap.y) for n, o in enumerate(gap.outlets) if is_by_row(o.streams)),
        forks=_forks(gap),
        parts=tuple(streaming_view(p, what) for p, what in _parts(gap, made)),
        signature=body_lines([*_ports(gap)]),
        ports=tuple(_names(gap)),
        queues=tuple(_queues(gap, made)),
        tasks=tuple(_tasks(gap, last)),
    )


def _row(tensor: TensorType) -> str:
    """Return the type of a tensor's beats."""
    return f"Row<{by_row(tensor).bits}>"


def _move(number: int, tensor: TensorType) -> MoveView:
    streams = by_row(tensor)
    return MoveView(index=number, bits=streams.bits, beats=streams.words)


def _forks(gap: PlKernel) -> tuple[ForkView, ...]:
    if len(gap.outlets) == 1:
        return ()
    given = tuple(range(len(gap.outlets)))
    row = _row(gap.y)
    parameters = ["rows", *(f"given_{o}" for o in given)]
    return (
        ForkView(
            parameters=body_lines([f"hls::stream<{row}>& {p}" for p in parameters]),
            beats=by_row(gap.y).words,
            row=row,
            outlets=given,
        ),
    )


def _parts(gap: PlKernel, made: LineJunction) -> Iterator[tuple[PlKernel, str]]:
    """Yield the parts, each with what it does."""
    for inlet, part in zip(gap.inlets, made.entries, strict=True):
        if part:
            yield part, f"Brings what {inlet.producer} sends in order of rows"
    if made.middle:
        yield made.middle, "Works on what is joined"
    for outlet, part in zip(gap.outlets, made.exits, strict=True):
        if part:
            yield part, f"Keeps the lines that {outlet.reader} reads"


def _ports(gap: PlKernel) -> Iterator[str]:
    """Yield the kernel's parameters."""
    assert gap.junction is not None
    ends: list[tuple[Inlet | Outlet, PlKernel | None, str]] = [
        *((i, p, "InWord") for i, p in zip(gap.inlets, gap.junction.entries, strict=True)),
        *((o, p, "OutWord") for o, p in zip(gap.outlets, gap.junction.exits, strict=True)),
    ]
    for end, part, word in ends:
        plain = part is None or is_by_row(end.streams)
        kind = f"ap_axiu<{end.streams.bits}, 0, 0, 0>" if plain or part is None else f"{part.name}::{word}"
        for name in port_names(end.port, end.streams.streams):
            yield f"hls::stream<{kind}>& {name}"


def _names(gap: PlKernel) -> Iterator[str]:
    """Yield the names of its ports."""
    ends: tuple[Inlet | Outlet, ...] = (*gap.inlets, *gap.outlets)
    for end in ends:
        yield from port_names(end.port, end.streams.streams)


def _queues(gap: PlKernel, made: LineJunction) -> Iterator[QueueView]:
    for number, (inlet, queue) in enumerate(zip(gap.inlets, made.kept, strict=False)):
        what = f"what {inlet.producer} sends; {queue.images} image(s) of it wait for the others"
        yield QueueView(
            name=f"kept_{number}", bits=queue.bits, depth=queue.depth, what=what, storage=(queue.storage,)
        )
    if gap.join is None and is_by_row(gap.inlets[0].streams):
        yield _short(ROWS, gap.inlets[0].x, "what comes")
    yield _short(JOINED, made.joined, "what leaves, or is worked on")
    if made.middle:
        yield _short(WORKED, gap.y, "what leaves")
    for number, (outlet, queue) in enumerate(zip(gap.outlets, made.given, strict=False)):
        what = f"an image for {outlet.reader}, whatever the others do"
        yield QueueView(
            name=f"given_{number}", bits=queue.bits, depth=queue.depth, what=what, storage=(queue.storage,)
        )


def _short(name: str, tensor: TensorType, what: str) -> QueueView:
    return QueueView(name=name, bits=by_row(tensor).bits, depth=FIFO_DEPTH, what=what, storage=())


def _tasks(gap: PlKernel, last: str) -> Iterator[TaskView]:
    several = len(gap.outlets) > 1
    for number, inlet in enumerate(gap.inlets):
        if is_by_row(inlet.streams):
            to = f"kept_{number}" if gap.join else ROWS
            yield _task(f"bring_{number}", f"bring_{number}", [inlet.port, to])
    if gap.join:
        yield _task("join", "join_beats", [*(f"kept_{n}" for n in range(len(gap.inlets))), JOINED])
    if several:
        yield _task("fork", "fork_beats", [last, *(f"given_{n}" for n in range(len(gap.outlets)))])
    for number, outlet in enumerate(gap.outlets):
        if is_by_row(outlet.streams):
            yield _task(
                f"send_{number}", f"send_{number}", [f"given_{number}" if several else last, outlet.port]
            )


def _task(name: str, function: str, arguments: list[str]) -> TaskView:
    return TaskView(name=name, function=function, arguments=call_lines(arguments))
