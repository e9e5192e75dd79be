"""Operators that the processor alone has: their mapping and their base."""

from __future__ import annotations

from typing import Generic, Literal, TypeVar

from pydantic import Field

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

    def processor_reason(self, dtype: DataType) -> str:
        """Return that nothing else has it."""
        return f"op {self.name} runs on the processor only"
