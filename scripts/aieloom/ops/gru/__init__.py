"""gru: the recurrence of a gated recurrent unit over the rows of its gates' inputs, on the processor.

What the inputs give to the gates is a product of all steps at once: a dense layer before it, which an engine multiplies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Parameters
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops import exact
from aieloom.ops.recurrence import Recurrence, Recurrent, RecurrentSpec, steps_of, sums
from aieloom.ops.registry import operator
from aieloom.plan.processor import PsStep
from aieloom.spec.types import Flag, Positive

if TYPE_CHECKING:
    import torch


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

    name = "gru"
    layer_model = GruSpec
    gates, times = 3, "three"  # reset, update, new

    def parameters(self, spec: GruSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return the weight by which h goes to the gates, PyTorch's weight_hh, and the last third of bias_hh."""
        bias = (ParameterType("bias", (spec.hidden,)),) if spec.reset_after else ()
        return (*super().parameters(spec, x), *bias)

    def optional(self, spec: GruSpec) -> dict[str, tuple[str, ...]]:
        """Return where the reset gate is a factor."""
        return {"after": ("bias",)} if spec.reset_after else {"before": ("reset",)}

    def torch_forward(self, spec: GruSpec, params: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch  # noqa: PLC0415 - seconds of start-up that only this reference needs

        h = x.new_zeros(len(x), spec.hidden)
        of_r, of_z, of_n = params["weight"].chunk(3, 0)
        made = []
        for gates in steps_of(x, reverse=spec.reverse):
            r, z, n = gates.chunk(3, 1)
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
            both = gates[:, : 2 * hidden, t] + sums(weight[: 2 * hidden], h)
            r, z = np.split(exact.sigmoid(both.astype(np.float64)), 2, axis=1)
            wide = h.astype(np.float64)
            if after:
                new = sums(weight[2 * hidden :], h) + params["bias"].astype(x.dtype)
                new = r * new.astype(np.float64)
            else:
                new = sums(weight[2 * hidden :], (r * wide).astype(x.dtype)).astype(np.float64)
            n = exact.tanh(gates[:, 2 * hidden :, t].astype(np.float64) + new)
            h = ((1.0 - z) * n + z * wide).astype(x.dtype)
            y[:, :, t] = h
        return y[..., None]
