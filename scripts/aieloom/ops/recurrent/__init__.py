"""gru and lstm, recurrences over the rows of their gates' inputs, each step after the one before, on the processor.

What the inputs give to the gates is a product of all steps at once: a dense layer before it, which an engine multiplies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, Literal, TypeVar

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops import exact
from aieloom.ops.processor import Form, PsOnly
from aieloom.ops.registry import operator
from aieloom.plan.processor import PsStep
from aieloom.pytorch import Tensor, Tensors, torch
from aieloom.spec.network import ParametricLayerSpec
from aieloom.spec.types import Flag, Positive


class RecurrentSpec(ParametricLayerSpec):
    """The keys of a recurrence."""

    hidden: Positive
    reverse: Flag = Field(default=False, description="whether it begins at the last step")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """What the host program is told."""

    hidden: int
    gates: int
    steps: int
    reverse: bool


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

    def form(self, spec: SpecT, at: Layer) -> Form:
        """Return the steps, one after another."""
        hidden, steps, gates = spec.hidden, at.x.pixels, self.gates
        detail = Recurrence(hidden=hidden, gates=gates * hidden, steps=steps, reverse=spec.reverse)
        products = f"{steps} steps of {gates * hidden} x {hidden} products"
        why = f"{self.name}: {products}, sums in order; functions in float64, rounded once"
        return Form(detail, why, 2 * gates * steps * hidden * hidden)

    def torch_forward(self, spec: SpecT, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        order = slice(None, None, -1 if spec.reverse else 1)
        state = (x.new_zeros(len(x), spec.hidden),) * 2
        made = []
        for gates in x.flatten(2).unbind(2)[order]:
            state = self.torch_step(params, gates, *state)
            made.append(state[0])
        return torch.stack(made[order], 2).unsqueeze(-1)

    def hardware(self, plan: PsStep, params: Parameters, x: Values) -> Values:
        """Return h: products summed in order of h's features, rounded each; what follows in float64, rounded once."""
        sizes = plan.read(Recurrence)
        trained = {name: values.astype(x.dtype) for name, values in params.items()}
        gates = x.reshape(*x.shape[:2], -1)
        state = (np.zeros((len(x), sizes.hidden), x.dtype),) * 2
        y = np.empty((len(x), sizes.hidden, gates.shape[2]), x.dtype)
        for t in range(gates.shape[2])[:: -1 if sizes.reverse else 1]:
            state = self.step(trained, gates[:, :, t], *state)
            y[:, :, t] = state[0]
        return y[..., None]

    def torch_step(self, params: Tensors, gates: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """Return h and what else is kept for the next step, by PyTorch."""
        raise NotImplementedError

    def step(self, trained: Parameters, gates: Values, h: Values, c: Values) -> tuple[Values, Values]:
        """Return h and what else is kept for the next step, as the device computes them."""
        raise NotImplementedError


def sums(weight: Values, h: Values) -> Values:
    """Return sums of products in order of h's features, each rounded: `(n, rows of weight)`."""
    found = np.zeros((len(h), len(weight)), h.dtype)
    for k in range(weight.shape[1]):
        found += weight[:, k] * h[:, k, None]
    return found


class GruSpec(RecurrentSpec):
    """h of every step, from r, z = sigmoid(x[t] + weight h) and n = tanh(x[t] + r (weight h + bias)): h = (1 - z) n + z h.

    x is [steps, 3 * hidden], r, z and n in PyTorch's order: the inputs' product with weight_ih, and the biases but n's of h.
    """

    op: Literal["gru"]
    hidden: Positive = Field(description="features of h: a third of the input's")
    reset_after: Flag = Field(
        default=True,
        description="whether r is a factor of the product with h, as PyTorch's, else of h before it, without a bias",
    )


@operator
class Gru(Recurrent[GruSpec]):
    """See GruSpec."""

    gates, times = 3, "three"  # reset, update, new

    def parameters(self, spec: GruSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return the weight by which h goes to the gates, PyTorch's weight_hh, and the last third of bias_hh."""
        bias = (ParameterType("bias", (spec.hidden,)),) if spec.reset_after else ()
        return (*super().parameters(spec, x), *bias)

    def torch_step(self, params: Tensors, gates: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """Return h, by PyTorch; with a bias the reset gate is behind the product."""
        of_r, of_z, of_n = params["weight"].chunk(3, 0)
        r, z, n = gates.chunk(3, 1)
        r, z = (r + h @ of_r.T).sigmoid(), (z + h @ of_z.T).sigmoid()
        new = r * (h @ of_n.T + params["bias"]) if "bias" in params else (r * h) @ of_n.T
        return (1 - z) * (n + new).tanh() + z * h, c

    def step(self, trained: Parameters, gates: Values, h: Values, c: Values) -> tuple[Values, Values]:
        """Return h; with a bias the reset gate is behind the product."""
        weight, both = trained["weight"], 2 * h.shape[1]
        found = gates[:, :both] + sums(weight[:both], h)
        r, z = np.split(exact.sigmoid(found.astype(np.float64)), 2, axis=1)
        wide = h.astype(np.float64)
        if "bias" in trained:
            new = r * (sums(weight[both:], h) + trained["bias"]).astype(np.float64)
        else:
            new = sums(weight[both:], (r * wide).astype(h.dtype)).astype(np.float64)
        n = exact.tanh(gates[:, both:].astype(np.float64) + new)
        return ((1.0 - z) * n + z * wide).astype(h.dtype), c


class LstmSpec(RecurrentSpec):
    """h of every step, from i, f, g, o = x[t] + weight h: c = sigmoid(f) c + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c).

    x is [steps, 4 * hidden], the gates in PyTorch's order: the inputs' product with weight_ih, and both biases.
    """

    op: Literal["lstm"]
    hidden: Positive = Field(description="features of h and c: a quarter of the input's")


@operator
class Lstm(Recurrent[LstmSpec]):
    """See LstmSpec."""

    gates, times = 4, "four"  # input, forget, cell, output

    def torch_step(self, params: Tensors, gates: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """Return h and c, by PyTorch."""
        i, f, g, o = (gates + h @ params["weight"].T).chunk(4, 1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c

    def step(self, trained: Parameters, gates: Values, h: Values, c: Values) -> tuple[Values, Values]:
        """Return h and c."""
        i, f, g, o = np.split((gates + sums(trained["weight"], h)).astype(np.float64), 4, axis=1)
        kept, new = exact.sigmoid(f) * c.astype(np.float64), exact.sigmoid(i) * exact.tanh(g)
        c = (kept + new).astype(h.dtype)
        return (exact.sigmoid(o) * exact.tanh(c.astype(np.float64))).astype(h.dtype), c
