"""Operators that the processor alone has: their mapping and their base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from pydantic import Field

from aieloom.model.reach import POINT, Reach
from aieloom.model.tensor import TensorType
from aieloom.ops.registry import Operator
from aieloom.spec.network import LayerSpec, MappingSpec
from aieloom.spec.types import DataType

SpecT = TypeVar("SpecT", bound=LayerSpec)


class PsMapping(MappingSpec):
    """How a layer is put on the processor."""

    engine: Literal["ps"] = Field(default="ps", description="where the layer runs: the processor")


class PsOnly(Operator[SpecT, PsMapping], Generic[SpecT]):
    """Base of operators that run on the processor alone; `plan_ps` and `processor` say what they do."""

    mapping_model = PsMapping

    def processor_reason(self, dtype: DataType) -> str:  # noqa: ARG002
        """Return that nothing else has it."""
        return f"op {self.name} runs on the processor only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pixels:
    """What a template prints that goes over the channels of each pixel."""

    channels: int
    pixels: int


class PixelsOnly(PsOnly[SpecT], Generic[SpecT]):
    """Base of those that give each pixel as many channels as it has, from its own alone."""

    def infer(self, spec: SpecT, x: TensorType) -> TensorType:  # noqa: ARG002
        """Return the input's type."""
        return x

    def reach(self, spec: SpecT) -> Reach:  # noqa: ARG002
        """Return that each value sees its own place."""
        return POINT

    def pixels(self, x: TensorType) -> Pixels:
        """Return what the template prints for an input."""
        channels, height, width = x.shape
        return Pixels(channels=channels, pixels=height * width)
