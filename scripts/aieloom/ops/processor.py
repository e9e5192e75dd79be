"""Operators on the processor: `ps_step`, beside `pl_step` of ops/pl.py; mapping and base of those that it alone has."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import Field

from aieloom.network.layers import Layer
from aieloom.ops.pl import Form, template_of
from aieloom.ops.registry import Operator
from aieloom.plan.on_processor import HOST, LOGIC, ps_step
from aieloom.plan.processor import WHOLE, PsStep
from aieloom.spec.network import LayerSpec, MappingSpec, NetworkSpec
from aieloom.spec.types import DataType

__all__ = ["HOST", "LOGIC", "Form", "PsMapping", "PsOnly", "ps_step"]

SpecT = TypeVar("SpecT", bound=LayerSpec)


class PsMapping(MappingSpec):
    """How a layer is put on the processor."""

    engine: Literal["ps"] = Field(default="ps", description="where the layer runs: the processor")


class PsOnly(Operator[SpecT, PsMapping], Generic[SpecT]):
    """Base of operators that run on the processor alone; `form` and `hardware` say what they do."""

    kind: ClassVar[str] = WHOLE

    def form(self, spec: SpecT, at: Layer) -> Form:
        """Return what the host program does."""
        raise NotImplementedError

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return the step in the host program, which is given all trained tensors of the layer."""
        own: Any = at.spec
        form = self.form(own, at)
        return ps_step(
            spec,
            at,
            kind=self.kind,
            template=form.template or template_of(self, "ps/"),
            detail=form.detail,
            why=form.why,
            operations=form.operations,
            weights=tuple(p.name for p in at.parameters),
        )

    def processor_reason(self, dtype: DataType) -> str:
        """Return that nothing else has it."""
        return f"op {self.name} runs on the processor only"
