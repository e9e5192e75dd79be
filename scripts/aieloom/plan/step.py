"""A step of a plan: one layer's work on an image, wherever it is done."""

from __future__ import annotations

from typing import Protocol

from aieloom.network.tensor import TensorType
from aieloom.pl.steps import PlStep
from aieloom.plan.processor import PsStep


class Step(Protocol):
    """What the references, the report and the search for a layer ask of any step."""

    @property
    def name(self) -> str:
        """The layer that it stands for."""
        ...

    @property
    def op(self) -> str:
        """The layer's operator."""
        ...

    @property
    def layer_index(self) -> int:
        """The layer's place in the network."""
        ...

    @property
    def x(self) -> TensorType:
        """The type of its first input."""
        ...

    @property
    def y(self) -> TensorType:
        """The type of its result."""
        ...

    @property
    def inputs(self) -> tuple[str, ...]:
        """The layers that it reads, or INPUT."""
        ...

    @property
    def others(self) -> tuple[TensorType, ...]:
        """Types of its inputs behind the first."""
        ...

    @property
    def logic(self) -> PlStep | None:
        """Itself, where it is a layer on programmable logic."""
        ...

    @property
    def host(self) -> PsStep | None:
        """Itself, where it is a layer on the processor."""
        ...

    @property
    def fused(self) -> tuple[str, ...]:
        """The layers that it does beside its own, the last of which gives its result."""
        ...
