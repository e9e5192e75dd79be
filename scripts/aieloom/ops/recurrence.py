"""What recurrences share: rows of gates' inputs, each step after the one before, on the processor.

What the inputs give to the gates is a product of all steps at once: a dense layer before it, which an engine multiplies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Layer, ShapeError
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops.processor import PsOnly, ps_step
from aieloom.plan.processor import WHOLE, PsStep
from aieloom.spec.network import NetworkSpec, ParametricLayerSpec
from aieloom.spec.types import Flag, Positive

if TYPE_CHECKING:
    import torch


class RecurrentSpec(ParametricLayerSpec):
    """The keys of a recurrence."""

    hidden: Positive
    reverse: Flag = Field(default=False, description="whether it begins at the last step")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """What the templates print; of a GRU one of `after` and `before` has an entry."""

    hidden: int
    gates: int
    steps: int
    reverse: bool
    after: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


SpecT = TypeVar("SpecT", bound=RecurrentSpec)


class Recurrent(PsOnly[SpecT], Generic[SpecT]):
    """Base of recurrences of so many `gates`, `times` in words."""

    gates: ClassVar[int]
    times: ClassVar[str]

    def infer(self, spec: SpecT, x: TensorType) -> TensorType:
        """Return h of every step.

        Raises:
            ShapeError: the input is no gates.
        """
        if x.shape[0] != self.gates * spec.hidden:
            text = f"hidden: {spec.hidden} has gates of {self.gates * spec.hidden} features, the input {x.shape[0]}"
            raise ShapeError(text, f"put a dense layer of {self.times} times hidden: before it")
        return TensorType((spec.hidden, x.pixels, 1), x.dtype, rows=True)

    def parameters(self, spec: SpecT, x: TensorType) -> tuple[ParameterType, ...]:
        """Return the weight by which h goes to the gates, PyTorch's weight_hh."""
        return (ParameterType("weight", (self.gates * spec.hidden, spec.hidden)),)

    def optional(self, spec: SpecT) -> dict[str, tuple[str, ...]]:
        """Return what of the template is optional: `after` and `before`."""
        return {}

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return the steps, one after another."""
        own = self.layer_model.model_validate(at.spec)
        hidden, steps, gates = own.hidden, at.x.pixels, self.gates
        detail = Recurrence(
            hidden=hidden, gates=gates * hidden, steps=steps, reverse=own.reverse, **self.optional(own)
        )
        products = f"{steps} steps of {gates * hidden} x {hidden} products"
        return ps_step(
            spec,
            at,
            kind=WHOLE,
            template=f"ps/{self.name}.h.j2",
            detail=detail,
            why=f"{self.name}: {products}, sums in order; functions in float64, rounded once",
            operations=2 * gates * steps * hidden * hidden,
            weights=tuple(p.name for p in at.parameters),
        )


def steps_of(x: torch.Tensor, *, reverse: bool) -> tuple[torch.Tensor, ...]:
    """Return the gates' inputs of each step, `(n, features)`, in the order in which they are taken."""
    return x.flatten(2).unbind(2)[:: -1 if reverse else 1]


def sums(weight: Values, h: Values) -> Values:
    """Return sums of products in order of h's features, each rounded: `(n, rows of weight)`."""
    found = np.zeros((len(h), len(weight)), h.dtype)
    for k in range(weight.shape[1]):
        found += weight[:, k] * h[:, k, None]
    return found
