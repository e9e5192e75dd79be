"""What a step of the plan computes, for floats and for elements alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from aieloom.arrays import Values
from aieloom.network.elements import meaning, to_elements
from aieloom.network.layers import Parameters
from aieloom.network.tensor import TensorType
from aieloom.ops.registry import REGISTRY
from aieloom.pl.steps import REORDER, ElementTable, LineTable
from aieloom.plan.operators import Computed, IntegerComputed
from aieloom.plan.processor import PsStep
from aieloom.plan.step import Step
from aieloom.spec.network import INPUT
from aieloom.spec.types import DataType

if TYPE_CHECKING:  # seconds of start-up, and not everybody has it
    pass

StepT = TypeVar("StepT", bound=Step)
TensorT = TypeVar("TensorT")
Given: TypeAlias = Values | tuple[Values, ...]  # what a layer reads: its one input, or the inputs of a join


def forward(step: Step, trained: Parameters, x: Given) -> Values:
    """Return what a step of the plan makes of `x`: float32 or float64 values, or elements; of a join, a tuple of them."""
    if step.host:
        return processor_values(step.host, trained, x)
    operator, logic = REGISTRY[step.op], step.logic
    if logic and logic.x.quant and logic.kind != REORDER:
        if isinstance(logic.detail, ElementTable | LineTable):
            assert not isinstance(x, tuple)
            from aieloom.plan.element_tables import looked_up  # noqa: PLC0415 - of integers alone

            return looked_up(logic.detail, x)
        assert isinstance(operator, IntegerComputed)  # else its layers are on the processor
        return operator.integer(logic, x)
    assert isinstance(operator, Computed)
    return operator.hardware(step, trained, x)


def processor_values(step: PsStep, trained: Parameters, x: Given) -> Values:
    """Return what a layer on the processor makes of `x`, in the precision of `x`."""
    operator = REGISTRY[step.op]
    with np.errstate(all="ignore"):
        if isinstance(operator, ProcessorForm):
            return operator.processor(step, trained, x)
        assert isinstance(operator, Computed)
        return operator.hardware(step, trained, x)


@runtime_checkable
class ProcessorForm(Protocol):
    """An operator that computes otherwise on the processor than on programmable logic."""

    def processor(self, plan: PsStep, params: Parameters, x: Any) -> Values:
        """Return what the host program computes."""
        ...


class Reader(Protocol):
    """A layer or step: what it reads."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The layers that it reads, or INPUT."""
        ...


class Passing(Generic[TensorT]):
    """The tensors on their way through a network: each is kept until its last reader has taken it."""

    def __init__(self, readers: Iterable[Reader], x: TensorT) -> None:
        self._left = Counter(name for reader in readers for name in reader.inputs)
        self._made: dict[str, TensorT] = {INPUT: x}

    def take(self, reader: Reader) -> TensorT | tuple[TensorT, ...]:
        """Return what a layer or step is given: its one input, or the tuple of a join's inputs."""
        values = tuple(self._made[name] for name in reader.inputs)
        for name in reader.inputs:
            self._left[name] -= 1
            if not self._left[name]:
                del self._made[name]
        return values if len(values) > 1 else values[0]

    def put(self, name: str, result: TensorT) -> None:
        """Add the result of layer `name`."""
        self._made[name] = result


def evaluate(
    steps: Sequence[StepT], parameters: Mapping[str, Parameters], x: Values
) -> Iterator[tuple[StepT, Given, Values]]:
    """Yield each step of a plan with what it is given and what it makes of it.

    `x` is the network's input: elements, or float32 where layers run on the processor.
    """
    passing, made = Passing(steps, x), _types(steps)
    for step in steps:
        given = _handed(passing.take(step), [made[name] for name in step.inputs], step)
        result = forward(step, trained_of(step, parameters), given)
        passing.put(step.name, result)
        yield step, given, result


def _types(steps: Sequence[Step]) -> dict[str, TensorType | None]:
    """Return the types of all tensors; None of an input that is of its readers' type."""
    x = next((replace(s.x, dtype=DataType.FLOAT32, quant=None) for s in steps if s.host), None)
    return {INPUT: x, **{step.name: step.y for step in steps}}


def _handed(given: Given, made: Sequence[TensorType | None], step: Step) -> Given:
    """Return what a step is given as its own type: tensors change it between processor and device."""
    wanted = (step.x, *step.others)
    values = given if isinstance(given, tuple) else (given,)
    found = tuple(_changed(v, m, w) for v, m, w in zip(values, made, wanted, strict=True))
    return found if len(made) > 1 else found[0]


def _changed(values: Values, made: TensorType | None, wanted: TensorType) -> Values:
    if made is None or made.dtype is wanted.dtype:
        return values
    return meaning(values, made) if wanted.dtype is DataType.FLOAT32 else to_elements(values, wanted)


def trained_of(step: Step, parameters: Mapping[str, Parameters]) -> Parameters:
    """Return a step's tensors."""
    return parameters.get(step.name, {})
