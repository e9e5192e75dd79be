"""What each step of a network takes by the model, on the engine, unit or processor that has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from aieloom.network.layers import Network
from aieloom.plan.processor import Function, PsStep
from aieloom.sequential import array as on_aie
from aieloom.sequential import commands as c
from aieloom.sequential.array import ArrayEngine
from aieloom.sequential.array_cost import array_cost
from aieloom.sequential.cost import (
    conv_cost,
    images_cost,
    issues_cost,
    processor_cost,
    results_cost,
    spatial_cost,
    vector_cost,
)
from aieloom.sequential.engine import ConvEngine
from aieloom.sequential.heads_cost import heads_cost, row_cost
from aieloom.sequential.recurrent import RecurrentStep
from aieloom.sequential.recurrent_unit import RecurrentUnit, recurrent_cost
from aieloom.sequential.row_unit import RowStep, RowUnit
from aieloom.sequential.spatial import SpatialStep
from aieloom.sequential.steps import ConvStep, RoundStep, Step, is_by_place
from aieloom.sequential.vector import VectorForm, VectorUnit
from aieloom.spec.board import Board
from aieloom.units.types import VIEW, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """The engines and units of a design; None where it has none."""

    engine: ConvEngine
    unit: VectorUnit | None = None
    array: ArrayEngine | None = None
    row_unit: RowUnit | None = None
    recurrent: RecurrentUnit | None = None

    def cost(self, step: Step, form: VectorForm | None, batch: int) -> Turn:
        """Return what a step takes; `form` is what the vector unit is told of it, None of a step of another."""
        board = self.engine.board
        if form and self.unit:
            return vector_cost(
                step,
                form=form,
                unit=self.unit,
                board=board,
                mhz=self.engine.clock_mhz,
                batch=batch,
                start_us=0.0 if self.array else board.processor.kernel_start_us,
            )
        costs: Mapping[str, Callable[..., Turn]] = {
            ConvStep.unit: self._product,
            PsStep.unit: partial(processor_step_cost, board=board),
            RecurrentStep.unit: self._recurrence,
            RowStep.unit: self._rows,
            SpatialStep.unit: partial(spatial_cost, board=board),
        }
        return costs[step.unit](step, batch=batch)

    def _product(self, step: ConvStep, batch: int) -> Turn:
        if self.row_unit and step.heads:
            return heads_cost(step, self.engine, self.array, self.row_unit, batch)
        if self.array and on_aie.on_array(step):
            return array_cost(step, self.array, batch)
        return conv_cost(step, self.engine, batch)

    def _rows(self, step: RowStep, batch: int) -> Turn:
        assert self.row_unit
        board = self.engine.board
        start_us = 0.0 if self.array else board.processor.kernel_start_us
        return row_cost(step, self.row_unit, board, batch, start_us)

    def _recurrence(self, step: RecurrentStep, batch: int) -> Turn:
        assert self.recurrent
        return recurrent_cost(step, self.recurrent, batch)


def processor_step_cost(step: Function | RoundStep, board: Board, batch: int) -> Turn:
    """Return what a layer takes on the processor."""
    by_place = step.called is not None and is_by_place(step.called)
    laid = 0 if by_place else sum(t.elements for t in (step.x, *step.others, step.y))
    said = getattr(step, "operations", 0) or getattr(step, "cycles", 0)
    operations = max(int(said), step.y.elements)
    return processor_cost(step.layer, step.op, operations=operations, elements=laid, board=board, batch=batch)


def step_costs(
    steps: tuple[Step, ...], engines: Engines, forms: Mapping[str, VectorForm], network: Network, batch: int
) -> tuple[Turn, ...]:
    """Return what a batch's images, all steps but those that leave values where they lie, and the results take."""
    board = engines.engine.board
    pixels, integers = network.x.elements, engines.engine.element == "int8"
    return (
        images_cost(board, elements=pixels, laid=pixels, quantised=integers, batch=batch),
        *(engines.cost(s, forms.get(s.layer), batch) for s in steps if s.unit != VIEW),
        results_cost(board, elements=network.y.elements, batch=batch),
    )


def runs(held: Sequence[bool]) -> int:
    """Return how many times, in order, something begins to hold."""
    return sum(now and not before for before, now in zip([False, *held], held, strict=False))


def issued(turns: Sequence[Turn], engines: Engines, batch: int) -> tuple[Turn, ...]:
    """Return what it takes to issue a batch's commands for the array: the movers wait for them."""
    if not engines.array:
        return ()
    held = [turn.record for turn in turns if isinstance(turn.record, c.Sequenced)]
    begins = runs([isinstance(turn.record, c.Sequenced) for turn in turns])
    layers = sum(batch if isinstance(record, c.Heads) else 1 for record in held)
    board, sequencer = engines.engine.board, engines.array.sequencer
    return (issues_cost(board, sequencer, programs=begins, layers=layers),)
