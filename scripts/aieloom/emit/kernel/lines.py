"""What the templates of a PL kernel print of parts with line buffers, and of the tasks and queues between them."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.cpp_text import View
from aieloom.emit.kernel.elements import FROM_BITS, TO_BITS, lane_bits, type_of
from aieloom.emit.kernel.part import part_view
from aieloom.emit.kernel.tasks import body_lines, call_view, row_queue
from aieloom.emit.steps import step_view
from aieloom.network.tensor import TensorType
from aieloom.pl.kernel import PlKernel
from aieloom.pl.line_store import BRING, FORK, MERGE, SEND, LineStore, Move
from aieloom.pl.lines.schedule import SETTLE_CYCLES
from aieloom.pl.lines.streamable import joins_channels
from aieloom.pl.steps import PlStep
from aieloom.pl.streams import by_row, values_of_beat


def lines_view(kernel: PlKernel, store: LineStore) -> View:
    """Return what the templates print."""
    inner = frozenset(q.name for q in store.queues)
    parts = tuple(part_view(p, inner) for p in store.parts)
    moves = {kind: [m for m in store.moves if m.kind == kind] for kind in (BRING, MERGE, FORK, SEND)}
    return View(
        settle=SETTLE_CYCLES,  # steps from a beat's coming until it may be read
        join=_join(kernel, kernel.join, store, moves[MERGE][0]) if kernel.join else None,
        bring=tuple(map(_port_move, moves[BRING])),
        send=tuple(map(_port_move, moves[SEND])),
        fork=_fork(moves[FORK][0]) if moves[FORK] else None,
        parts=parts,
        rows=bool(store.queues),  # there are queues of rows between parts and tasks
        queues=(*map(row_queue, store.queues), *(q for p in parts for q in p.queues)),
        tasks=(*(c for p in parts for c in p.calls), *map(_task, store.moves)),
    )


def _row(tensor: TensorType) -> str:
    """Return the type of a tensor's beats."""
    return f"Row<{by_row(tensor).bits}>"


def _join(kernel: PlKernel, join: PlStep, store: LineStore, move: Move) -> View:
    joined = store.functions[-1].y if store.functions else join.y
    streams = by_row(joined)
    parameters = [
        *(f"hls::stream<{_row(i.x)}>& {queue}" for i, queue in zip(kernel.inlets, move.takes, strict=True)),
        f"hls::stream<{_row(joined)}>& {move.gives[0]}",
    ]
    return View(
        step=step_view(join),
        by_channels=joins_channels(join),
        function=f"{join.function}_of",
        functions=tuple(step_view(s) for s in store.functions),  # of each value behind it
        parameters=body_lines(parameters),
        inputs=tuple(_inputs(kernel)),
        row=_row(joined),  # the type of its beats
        beats=streams.words,
        height=joined.shape[1],
        lanes=values_of_beat(joined),
        type=type_of(kernel.x),
        from_bits=FROM_BITS[streams.dtype],
        to_bits=TO_BITS[streams.dtype],
        lane_bits=lane_bits(streams.dtype),
    )


def _inputs(kernel: PlKernel) -> Iterator[View]:
    for number, inlet in enumerate(kernel.inlets):
        yield View(
            index=number,
            type=_row(inlet.x),
            row_beats=by_row(inlet.x).words // inlet.x.shape[1],  # of a row of all its channels
            comma=", " if number + 1 < len(kernel.inlets) else "",
        )


def _port_move(move: Move) -> View:
    streams = by_row(move.tensors[0])
    return View(index=move.number, bits=streams.bits, beats=streams.words)


def _fork(move: Move) -> View:
    row = _row(move.tensors[0])
    parameters = [f"hls::stream<{row}>& {p}" for p in ("rows", *move.gives)]
    return View(
        parameters=body_lines(parameters), beats=by_row(move.tensors[0]).words, row=row, queues=move.gives
    )


def _task(move: Move) -> View:
    function = f"{move.kind}_beats" if move.kind in (MERGE, FORK) else move.name
    return call_view(f"task_{move.name}", function, [*move.takes, *move.gives])
