"""Which layers of whole rows of floats the row unit takes, and how many units stand beside an engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from aieloom.errors import CannotFit
from aieloom.layout.channel_words import LANES, words_of
from aieloom.matrix_engine.block import Budget
from aieloom.network.layers import Layer, Network
from aieloom.network.scaled import MOST_ELEMENTS
from aieloom.ops.attention import Attention, AttentionSpec
from aieloom.plan.processor import Function
from aieloom.sequential.engine import Element
from aieloom.sequential.float_rows import float_row
from aieloom.sequential.heads_cost import row_cost
from aieloom.sequential.row_unit import INTERVALS, RowStep, RowUnit, float_row_step, has_room, widths
from aieloom.sequential.steps import Step, products_of
from aieloom.spec.board import Board
from aieloom.spec.network import NetworkSpec
from aieloom.words import duration

UNITS = (4, 2, 1)
# of a board's block RAMs what a head takes is half at most: an engine and movers need some too
MEMORY_SHARE = 2


def unit_widths(steps: tuple[Step, ...], board: Board, element: Element) -> tuple[RowUnit, ...]:
    """Return one row unit with the memories that steps need, the widest first; none where there is no need or room."""
    words = max((s.words for s in steps), default=0)
    heads = [s.heads for s in products_of(steps) if s.heads]
    if not words and not heads:
        return ()
    one = RowUnit(
        units=1,
        most_words=words or 1,
        held_words=max((h.held_words for h in heads), default=0),
        most_sums=max((max(h.tokens, h.other_width) for h in heads), default=0),
        element=element,
    )
    return (one,) if element == "int8" else widths(one, board)


def fitted(ones: Sequence[RowUnit], room: Budget, masters: float = math.inf) -> RowUnit | None:
    """Return as many row units as there is room for, of the widest that has room; None where none has.

    So many `masters` of the network on chip are left for their ports.
    """
    found = (replace(one, units=n) for one in ones for n in UNITS)
    return next((u for u in found if _has(room, u) and u.masters <= masters), None)


def fitting(ones: Sequence[RowUnit], room: Budget) -> tuple[RowUnit, ...]:
    """Return those of the units for which there is room."""
    return tuple(u for u in ones if _has(room, u))


def no_unit(
    ones: Sequence[RowUnit], board: Board, room: Budget, masters: float, spec: NetworkSpec
) -> CannotFit:
    """Return what tells, with the numbers, that a board has no room for a row unit beside what else stands there."""
    least = ones[-1]
    if _has(room, least):
        text = (
            f"a row unit takes {least.masters} masters of the network on chip for its ports to memory; of {board.name}'s "
            f"the engine and other units leave {max(masters, 0):g}"
        )
        remedy = "give attention, or other layers of long rows, engine: ps, or use a smaller engine"
        return CannotFit(spec.source.problem("noc-1", ("layers",), text, remedy))
    keeps = f", which keeps {least.held_words * LANES:,} values of a head" if least.held_words else ""
    text = (
        f"the logic of {board.name} has no room for a row unit{keeps}: it takes {least.bram} block RAMs, {least.dsp} DSP and "
        f"{least.lut} LUT, and beside the engine and other units there are {room.bram}, {room.dsp} and {room.lut}"
    )
    remedy = (
        "give attention, or other layers of long rows, engine: ps, or use a smaller engine or a larger board"
    )
    return CannotFit(spec.source.problem("sequential-2", ("layers",), text, remedy))


def _has(room: Budget, unit: RowUnit) -> bool:
    return unit.dsp <= room.dsp and unit.lut <= room.lut and unit.bram <= room.bram


def heads_apart(board: Board, element: Element, layer: Layer) -> str:
    """Return why attention in floats is the processor's; empty where an engine and the row unit take it."""
    spec = layer.spec
    assert isinstance(spec, AttentionSpec)
    if spec.factor <= 0:
        return f"with a factor of {spec.factor:g} the largest score has not the largest share"
    apart = Attention().why_apart(layer)
    if apart or not has_room(board, integers=False):
        return apart or f"the logic of {board.name} has no room for a row unit of floats"
    keys = layer.xs[1].pixels
    one = RowUnit(
        units=1,
        most_words=words_of(keys),
        held_words=words_of(keys) * spec.width,
        element=element,
        interval=INTERVALS[-1],
    )
    if MEMORY_SHARE * one.bram <= board.logic.bram36:
        return ""
    head = f"{keys:,} keys or values of {spec.width} features of a head"
    return f"{head} take {one.bram} block RAMs of a row unit, more than half of {board.name}'s {board.logic.bram36}"


def with_float_rows(
    steps: tuple[Step, ...],
    network: Network,
    board: Board,
    element: Element,
    on_processor: Callable[[Function], float | None],
    *,
    batch: int,
    start_us: float,
) -> tuple[Step, ...]:
    """Return the steps with rows of floats where the unit is the faster one by the model.

    `on_processor` is a layer's modelled time there, of a batch in microseconds; None of one that stays there.
    """
    layers = {layer.name: layer for layer in network.layers}
    found: dict[str, tuple[RowStep, float]] = {}
    apart: dict[str, str] = {}
    for step in steps if element != "int8" else ():
        layer = layers.get(step.layer)
        called = step.called
        if layer is None or called is None:
            continue
        row, us = float_row_step(called, layer, element), on_processor(called)
        if row and us is not None:
            found[step.layer] = (row, us)
        whole = float_row(layer)
        if whole and whole.channels > MOST_ELEMENTS and us is not None:
            apart[step.layer] = f"rows of {whole.channels:,} elements: the row unit takes {MOST_ELEMENTS:,}"
    units = unit_widths(tuple(row for row, _ in found.values()), board, element)
    taken = {}
    for name, (row, us) in found.items():
        there = row_cost(row, units[0], board, batch, start_us).total_us if units else us
        if there < us:
            taken[name] = row
        elif units:
            apart[name] = (
                f"the row unit takes {duration(there)} for a batch, the processor {duration(us)} (modelled)"
            )
        else:
            apart[name] = f"the logic of {board.name} has no room for a row unit of floats"
    return tuple(taken.get(s.layer, _because(s, apart.get(s.layer))) for s in steps)


def _because(step: Step, why: str | None) -> Step:
    """Return a step on the processor with the reason for it."""
    host = step.called and step.called.host
    return replace(host, reason=why) if why and host else step
