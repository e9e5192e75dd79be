"""What the planner asks of those operators that have it: their ways onto the device."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from aieloom.arrays import Values
from aieloom.layout.grid import Window
from aieloom.model.network import Layer
from aieloom.model.operator import Operator
from aieloom.model.tensor import TensorType
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


__all__ = [
    "ArrayOperator",
    "Computed",
    "ExactOperator",
    "IntegerComputed",
    "IntegerOperator",
    "LogicOperator",
    "Operator",
    "PrintedOperator",
    "ProcessorOperator",
    "ProductOperator",
]
