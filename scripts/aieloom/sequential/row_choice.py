"""Which layers of whole rows of floats the row unit takes, and how many units stand beside an engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aieloom.network.layers import Network
from aieloom.pl.steps import PlStep
from aieloom.plan.processor import PsStep
from aieloom.sequential.engine import Element
from aieloom.sequential.heads_cost import row_cost
from aieloom.sequential.row_unit import RowStep, RowUnit, float_row_step, widths
from aieloom.sequential.steps import ConvStep, Step
from aieloom.spec.board import Board

UNITS = (4, 2, 1)


def unit_widths(steps: tuple[Step, ...], board: Board, element: Element) -> tuple[RowUnit, ...]:
    """Return one row unit with the memories that steps need, the widest first; none where there is no need or room."""
    rows = [s for s in steps if isinstance(s, RowStep)]
    heads = [s.heads for s in steps if isinstance(s, ConvStep) and s.heads]
    if not rows and not heads:
        return ()
    one = RowUnit(
        units=1,
        most_words=max((s.form.words for s in rows), default=1),
        held_words=max((h.held_words for h in heads), default=0),
        most_sums=max((max(h.tokens, h.other_width) for h in heads), default=0),
        element=element,
    )
    return (one,) if element == "int8" else widths(one, board)


def fitted(one: RowUnit, *, room_dsp: float, room_lut: float) -> RowUnit:
    """Return as many row units as there is room for, one at least."""
    found = [replace(one, units=n) for n in UNITS]
    return next((u for u in found if u.dsp <= room_dsp and u.lut <= room_lut), found[-1])


def with_float_rows(
    steps: tuple[Step, ...],
    network: Network,
    board: Board,
    element: Element,
    on_processor: Callable[[PlStep | PsStep], float | None],
    *,
    batch: int,
    start_us: float,
) -> tuple[Step, ...]:
    """Return the steps with rows of floats where the unit is the faster one by the model.

    `on_processor` is a layer's modelled time there, of a batch in microseconds; None of one that stays there.
    """
    layers = {layer.name: layer for layer in network.layers}
    found: dict[str, tuple[RowStep, float]] = {}
    for step in steps if element != "int8" else ():
        layer = layers.get(step.layer)
        if layer is None or not isinstance(step, PlStep | PsStep):
            continue
        row, us = float_row_step(step, layer, element), on_processor(step)
        if row and us is not None:
            found[step.layer] = (row, us)
    units = unit_widths(tuple(row for row, _ in found.values()), board, element)
    taken = {
        name: row
        for name, (row, us) in found.items()
        if units and row_cost(row, units[0], board, batch, start_us).total_us < us
    }
    return tuple(taken.get(s.layer, s) for s in steps)
