"""What the planner asks of those operators that have it: their ways onto the device."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from aieloom.arrays import Values
from aieloom.layout.grid import Window
from aieloom.network.layers import Layer, Parameters
from aieloom.network.operator import Operator
from aieloom.network.tensor import Quantisation, TensorType
from aieloom.pl.steps import PlStep
from aieloom.plan.processor import PsStep
from aieloom.plan.product import Product
from aieloom.plan.types import AieLayerDraft
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec


@runtime_checkable
class ArrayOperator(Operator, Protocol):
    """An operator that runs on AI Engines."""

    def plan_aie(self, spec: NetworkSpec, device: Device, at: Layer, mapping: Any) -> AieLayerDraft:
        """Return the layer's draft, or raise CannotFit."""
        ...


@runtime_checkable
class ProductOperator(ArrayOperator, Protocol):
    """An operator of sums of products: its window, its cut over cores, its place in a chain of cores."""

    def window(self, spec: Any, x: TensorType) -> Window:
        """Return how the layer reads its input."""
        ...

    def groups(self, spec: Any) -> int:
        """Return in how many groups the channels are."""
        ...

    def product(self, spec: NetworkSpec, device: Device, at: Layer, mapping: Any) -> Product:
        """Return the layer as a product that strategies cut."""
        ...

    def alone(self, x: TensorType) -> TensorType:
        """Return its input as the first of several layers that follow each other on the array may take it."""
        ...


@runtime_checkable
class LogicOperator(Operator, Protocol):
    """An operator that runs on programmable logic."""

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: Any) -> PlStep:
        """Return what the layer does to the data that passes."""
        ...


@runtime_checkable
class ProcessorOperator(Operator, Protocol):
    """An operator with a form of its own for the processor."""

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return what the layer does in the host program."""
        ...


@runtime_checkable
class PrintedOperator(Protocol):
    """A window or a join whose detail a second template prints for the processor."""

    processor_template: str


@runtime_checkable
class IntegerComputed(Protocol):
    """What computes elements: an operator on programmable logic with a form of integers."""

    def integer(self, plan: PlStep, x: Any) -> Values:
        """Return what it computes; `x` is elements, or the tuple of a join's."""
        ...


@runtime_checkable
class IntegerOperator(IntegerComputed, Protocol):
    """One whose step is made of that on floats; others, as joins, plan the one on elements themselves."""

    def integer_step(self, step: PlStep) -> PlStep:
        """Return the step on elements."""
        ...


@runtime_checkable
class TurnOperator(Operator, Protocol):
    """An operator of whole rows that `execution: sequential` has in integers, with numbers of its own beside its elements."""

    def takes_turns(self, layer: Layer) -> bool:
        """Tell whether a layer, of floats still, has such a form."""
        ...

    def integers(self, layer: Layer, trained: Parameters) -> Parameters | None:
        """Return what the integer layer multiplies by; None where its scales leave no room."""
        ...

    def turn(self, layer: Layer) -> Any:
        """Return what the planner knows of the integer layer."""
        ...

    def in_turn(self, detail: Any, trained: Parameters, xs: tuple[Values, ...]) -> Values:
        """Return what the integer layer computes of elements."""
        ...


@runtime_checkable
class InnerOperator(Protocol):
    """One of those with tensors inside that are elements too, and operands that have to mean 0 by 0."""

    def inner(self, layer: Layer, xs: tuple[Values, ...]) -> tuple[Values, ...]:
        """Return the tensors inside, of the float layer: calibration sees what they reach."""
        ...

    def inner_quantisations(self, ranges: tuple[tuple[float, float], ...]) -> tuple[Quantisation, ...]:
        """Return what elements inside mean that reach so far."""
        ...

    def centred(self, layer: Layer) -> tuple[str, ...]:
        """Return the inputs whose elements mean 0 by 0."""
        ...


@runtime_checkable
class ExactOperator(Protocol):
    """A function of a value whose form on the device is an approximation."""

    def exact(self, x: Values) -> Values:
        """Return the function itself, of float64."""
        ...


@runtime_checkable
class Computed(Protocol):
    """What computes: its result in the precision of `x`, to the bit in float32."""

    def hardware(self, plan: Any, params: Any, x: Any) -> Values:
        """Return what the device computes."""
        ...
