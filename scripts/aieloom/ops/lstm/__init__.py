"""lstm: the recurrence of a long short-term memory over the rows of its gates' inputs, on the processor.

What the inputs give to the gates is a product of all steps at once: a dense layer before it, which an engine multiplies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Parameters
from aieloom.ops import exact
from aieloom.ops.recurrence import Recurrence, Recurrent, RecurrentSpec, steps_of, sums
from aieloom.ops.registry import operator
from aieloom.plan.processor import PsStep
from aieloom.spec.types import Positive

if TYPE_CHECKING:
    import torch


class LstmSpec(RecurrentSpec):
    """h of every step, from i, f, g, o = x[t] + weight h: c = sigmoid(f) c + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c).

    x is [steps, 4 * hidden], the gates in PyTorch's order: the inputs' product with weight_ih, and both biases.
    """

    op: Literal["lstm"]
    hidden: Positive = Field(description="features of h and c: a quarter of the input's")


@operator
class Lstm(Recurrent[LstmSpec]):
    """See LstmSpec."""

    name = "lstm"
    layer_model = LstmSpec
    gates, times = 4, "four"  # input, forget, cell, output

    def torch_forward(self, spec: LstmSpec, params: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch  # noqa: PLC0415 - seconds of start-up that only this reference needs

        h = c = x.new_zeros(len(x), spec.hidden)
        made = []
        for gates in steps_of(x, reverse=spec.reverse):
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
            i, f, g, o = np.split((gates[:, :, t] + sums(weight, h)).astype(np.float64), 4, axis=1)
            kept, new = exact.sigmoid(f) * c.astype(np.float64), exact.sigmoid(i) * exact.tanh(g)
            c = (kept + new).astype(x.dtype)
            h = (exact.sigmoid(o) * exact.tanh(c.astype(np.float64))).astype(x.dtype)
            y[:, :, t] = h
        return y[..., None]
