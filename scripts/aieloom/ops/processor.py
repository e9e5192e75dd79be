"""Operators on the processor: `ps_step`, beside `pl_step` of ops/pl.py; bases of those that it alone has, or has in floats."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import Field

from aieloom.network.layers import Layer
from aieloom.ops.pl import Form, OnLogic, no_form, template_of
from aieloom.ops.registry import Operator
from aieloom.plan.on_processor import HOST, LOGIC, ps_step
from aieloom.plan.processor import WHOLE, PsStep
from aieloom.spec.network import LayerSpec, MappingSpec, NetworkSpec
from aieloom.spec.types import FLOATS, DataType

__all__ = ["HOST", "LOGIC", "FloatOnly", "Form", "PsMapping", "PsOnly", "ps_step"]

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
        return _step(self, spec, at, self.form(own, at), self.kind)

    def processor_reason(self, dtype: DataType) -> str:
        """Return that nothing else has it."""
        return f"op {self.name} runs on the processor only"


class FloatOnly(OnLogic[SpecT], Generic[SpecT]):
    """Base of operators whose form on programmable logic is of floats; in a network of integers they run on the processor."""

    def form_ps(self, spec: SpecT, at: Layer) -> Form:
        """Return what the host program does."""
        raise NotImplementedError

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return the step in the host program."""
        own: Any = at.spec
        return _step(self, spec, at, self.form_ps(own, at), WHOLE)

    def processor_reason(self, dtype: DataType) -> str:
        """Return that there is no form of integers."""
        return "" if dtype in FLOATS else no_form(self.name, dtype)


def _step(operator: Operator[Any, Any], spec: NetworkSpec, at: Layer, form: Form, kind: str) -> PsStep:
    """Return the step that does what `form` says."""
    return ps_step(
        spec,
        at,
        kind=kind,
        template=form.template or template_of(operator, "ps/", ".h"),
        detail=form.detail,
        why=form.why,
        operations=form.operations,
        weights=tuple(p.name for p in at.parameters),
    )
