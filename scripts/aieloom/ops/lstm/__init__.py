"""lstm: the recurrence of a long short-term memory over the rows of its gates' inputs, on the processor.

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


class LstmSpec(ParametricLayerSpec):
    """h of every step, from i, f, g, o = x[t] + weight h: c = sigmoid(f) c + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c).

    x is [steps, 4 * hidden], the gates in PyTorch's order: the inputs' product with weight_ih, and both biases.
    """

    op: Literal["lstm"]
    hidden: Positive = Field(description="features of h and c: a quarter of the input's")

    reverse: Flag = Field(default=False, description="whether it begins at the last step")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """What the template prints."""

    hidden: int
    gates: int
    steps: int
    reverse: bool


@operator
class Lstm(PsOnly[LstmSpec]):
    """See LstmSpec."""

    name = "lstm"
    layer_model = LstmSpec

    def infer(self, spec: LstmSpec, x: TensorType) -> TensorType:
        """Return h of every step.

        Raises:
            ShapeError: the input is no gates.
        """
        if x.shape[0] != 4 * spec.hidden:
            text = f"hidden: {spec.hidden} has gates of {4 * spec.hidden} features, the input {x.shape[0]}"
            raise ShapeError(text, "put a dense layer of four times hidden: before it")
        return TensorType((spec.hidden, x.pixels, 1), x.dtype, rows=True)

    def parameters(self, spec: LstmSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return the weight by which h goes to the gates, PyTorch's weight_hh."""
        return (ParameterType("weight", (4 * spec.hidden, spec.hidden)),)

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return the steps, one after another."""
        assert isinstance(at.spec, LstmSpec)
        hidden, steps = at.spec.hidden, at.x.pixels
        why = f"lstm: {steps} steps of {4 * hidden} x {hidden} products, sums in order; functions in float64, rounded once"
        return ps_step(
            spec,
            at,
            kind=WHOLE,
            template="ps/lstm.h.j2",
            detail=Recurrence(hidden=hidden, gates=4 * hidden, steps=steps, reverse=at.spec.reverse),
            why=why,
            operations=8 * steps * hidden * hidden,
            weights=("weight",),
        )

    def torch_forward(self, spec: LstmSpec, params: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch  # noqa: PLC0415 - seconds of start-up that only this reference needs

        h = c = x.new_zeros(len(x), spec.hidden)
        made = []
        for gates in x.flatten(2).unbind(2)[:: -1 if spec.reverse else 1]:
            i, f, g, o = (gates + h @ params["weight"].T).chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            made.append(h)
        return torch.stack(made[:: -1 if spec.reverse else 1], 2).unsqueeze(-1)

    def hardware(self, plan: PsStep, params: Parameters, x: Values) -> Values:
        """Return h: products summed in order of h's features, rounded each; what follows in float64, rounded once."""
        sizes = plan.read(Recurrence)
        hidden = sizes.hidden
        weight = params["weight"].astype(x.dtype)
        gates = x.reshape(*x.shape[:2], -1)
        h = np.zeros((len(x), hidden), x.dtype)
        c, y = h, np.empty((len(x), hidden, gates.shape[2]), x.dtype)
        for t in range(gates.shape[2])[:: -1 if sizes.reverse else 1]:
            sums = np.zeros((len(x), 4 * hidden), x.dtype)
            for k in range(hidden):
                sums += weight[:, k] * h[:, k, None]
            i, f, g, o = np.split((gates[:, :, t] + sums).astype(np.float64), 4, axis=1)
            kept, new = exact.sigmoid(f) * c.astype(np.float64), exact.sigmoid(i) * exact.tanh(g)
            c = (kept + new).astype(x.dtype)
            h = (exact.sigmoid(o) * exact.tanh(c.astype(np.float64))).astype(x.dtype)
            y[:, :, t] = h
        return y[..., None]
