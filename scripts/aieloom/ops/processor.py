"""Operators on the processor: `ps_step`, beside `pl_step` of ops/pl.py; mapping and base of those that it alone has."""

from __future__ import annotations

from typing import Generic, Literal, TypeVar

from pydantic import Field

from aieloom.ops.registry import Operator
from aieloom.plan.on_processor import HOST, LOGIC, ps_step
from aieloom.spec.network import LayerSpec, MappingSpec
from aieloom.spec.types import DataType

__all__ = ["HOST", "LOGIC", "PsMapping", "PsOnly", "ps_step"]

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
