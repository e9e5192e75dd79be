"""gru: the recurrence of a gated recurrent unit over the rows of its gates' inputs, on the processor.

What the inputs give to the gates is a product of all steps at once: a dense layer before it, which an engine multiplies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops import exact
from aieloom.ops.processor import PsOnly, ps_step
from aieloom.ops.registry import operator
from aieloom.plan.processor import WHOLE, PsStep
from aieloom.spec.network import NetworkSpec, ParametricLayerSpec
from aieloom.spec.types import Flag, Positive

if TYPE_CHECKING:
    import torch

GATES = 3  # reset, update, new


class GruSpec(ParametricLayerSpec):
    """h of every step, from r, z = sigmoid(x[t] + weight h) and n = tanh(x[t] + r (weight h + bias)): h = (1 - z) n + z h.

    x is [steps, 3 * hidden], r, z and n in PyTorch's order: the inputs' product with weight_ih, and the biases but n's of h.
    """

    op: Literal["gru"]
    hidden: Positive = Field(description="features of h: a third of the input's")
    reset_after: Flag = Field(
        default=True,
        description="whether r is a factor of the product with h, as PyTorch's, else of h before it, without a bias",
    )

    reverse: Flag = Field(default=False, description="whether it begins at the last step")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """What the template prints; one of `after` and `before` has an entry."""

    hidden: int
    gates: int
    steps: int
    reverse: bool
    after: tuple[str, ...]
    before: tuple[str, ...]


@operator
class Gru(PsOnly[GruSpec]):
    """See GruSpec."""

    name = "gru"
    layer_model = GruSpec

    def infer(self, spec: GruSpec, x: TensorType) -> TensorType:
        """Return h of every step.

        Raises:
            ShapeError: the input is no gates.
        """
        if x.shape[0] != GATES * spec.hidden:
            text = (
                f"hidden: {spec.hidden} has gates of {GATES * spec.hidden} features, the input {x.shape[0]}"
            )
            raise ShapeError(text, "put a dense layer of three times hidden: before it")
        return TensorType((spec.hidden, x.pixels, 1), x.dtype, rows=True)

    def parameters(self, spec: GruSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return the weight by which h goes to the gates, PyTorch's weight_hh, and the last third of bias_hh."""
        weight = ParameterType("weight", (GATES * spec.hidden, spec.hidden))
        return (weight, ParameterType("bias", (spec.hidden,))) if spec.reset_after else (weight,)

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return the steps, one after another."""
        assert isinstance(at.spec, GruSpec)
        hidden, steps = at.spec.hidden, at.x.pixels
        names = tuple(p.name for p in at.parameters)
        detail = Recurrence(
            hidden=hidden,
            gates=GATES * hidden,
            steps=steps,
            reverse=at.spec.reverse,
            after=("bias",) if at.spec.reset_after else (),
            before=() if at.spec.reset_after else ("reset",),
        )
        why = f"gru: {steps} steps of {GATES * hidden} x {hidden} products, sums in order; functions in float64, rounded once"
        return ps_step(
            spec,
            at,
            kind=WHOLE,
            template="ps/gru.h.j2",
            detail=detail,
            why=why,
            operations=2 * GATES * steps * hidden * hidden,
            weights=names,
        )

    def torch_forward(self, spec: GruSpec, params: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch  # noqa: PLC0415 - seconds of start-up that only this reference needs

        h = x.new_zeros(len(x), spec.hidden)
        of_r, of_z, of_n = params["weight"].chunk(GATES, 0)
        made = []
        for gates in x.flatten(2).unbind(2)[:: -1 if spec.reverse else 1]:
            r, z, n = gates.chunk(GATES, 1)
            r, z = (r + h @ of_r.T).sigmoid(), (z + h @ of_z.T).sigmoid()
            new = r * (h @ of_n.T + params["bias"]) if spec.reset_after else (r * h) @ of_n.T
            h = (1 - z) * (n + new).tanh() + z * h
            made.append(h)
        return torch.stack(made[:: -1 if spec.reverse else 1], 2).unsqueeze(-1)

    def hardware(self, plan: PsStep, params: Parameters, x: Values) -> Values:
        """Return h: products summed in order of h's features, rounded each; what follows in float64, rounded once."""
        sizes = plan.read(Recurrence)
        hidden, after = sizes.hidden, bool(sizes.after)
        weight = params["weight"].astype(x.dtype)
        gates = x.reshape(*x.shape[:2], -1)
        h = np.zeros((len(x), hidden), x.dtype)
        y = np.empty((len(x), hidden, gates.shape[2]), x.dtype)

        for t in range(gates.shape[2])[:: -1 if sizes.reverse else 1]:
            both = gates[:, : 2 * hidden, t] + _sums(weight[: 2 * hidden], h)
            r, z = np.split(exact.sigmoid(both.astype(np.float64)), 2, axis=1)
            wide = h.astype(np.float64)
            if after:
                new = _sums(weight[2 * hidden :], h) + params["bias"].astype(x.dtype)
                new = r * new.astype(np.float64)
            else:
                new = _sums(weight[2 * hidden :], (r * wide).astype(x.dtype)).astype(np.float64)
            n = exact.tanh(gates[:, 2 * hidden :, t].astype(np.float64) + new)
            h = ((1.0 - z) * n + z * wide).astype(x.dtype)
            y[:, :, t] = h
        return y[..., None]


def _sums(weight: Values, h: Values) -> Values:
    """Return sums of products in order of h's features, each rounded: `(n, rows of weight)`."""
    found = np.zeros((len(h), len(weight)), h.dtype)
    for k in range(weight.shape[1]):
        found += weight[:, k] * h[:, k, None]
    return found
