"""What every stage may ask of an operator; what only some have is a protocol of the stage that asks (plan/operators.py).

How far a layer sees is, along an axis, a `Span`: output `j` reads the inputs `j * stride - before` to
`j * stride - before + kernel - 1` and is then shown `up` times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from aieloom.network.tensor import ParameterType, TensorType
from aieloom.spec.network import LayerSpec, MappingSpec
from aieloom.spec.types import DataType


@dataclass(frozen=True, slots=True)
class Span:
    """What one output of a layer sees along an axis."""

    kernel: int = 1
    stride: int = 1
    before: int = 0  # padding in front
    up: int = 1


POINT = (Span(), Span())  # each output sees the input in its own place
Reach = tuple[Span, Span]  # vertical, horizontal


class Operator(Protocol):
    """An operator: its keys in network.yaml, its shapes, what it may run on. `spec` is its own layer_model."""

    name: ClassVar[str]
    any_shape: ClassVar[bool]
    only_moves: ClassVar[bool]
    keeps_quantisation: ClassVar[bool]

    @property
    def layer_model(self) -> type[LayerSpec]:
        """The keys of its layers."""
        ...

    @property
    def mapping_model(self) -> type[MappingSpec]:
        """The keys of their mappings."""
        ...

    def infer(self, spec: Any, x: TensorType) -> TensorType:
        """Return the output's type, or raise ShapeError."""
        ...

    def infer_join(self, spec: Any, xs: tuple[TensorType, ...]) -> TensorType:
        """Return the output's type of all inputs, or raise ShapeError."""
        ...

    def parameters(self, spec: Any, x: TensorType) -> tuple[ParameterType, ...]:
        """Return the trained tensors that the layer needs."""
        ...

    def renames(self, spec: Any) -> tuple[int, int, int] | None:
        """Return the input's axes in the output's order, of an operator that only gives its values another shape."""
        ...

    def reach(self, spec: Any) -> Reach | None:
        """Return what one output pixel sees of the input; None when that may be all of it."""
        ...

    def processor_reason(self, dtype: DataType) -> str:
        """Return why a layer of such elements can only run on the processor; empty when it need not."""
        ...


Operators = Mapping[str, Operator]
