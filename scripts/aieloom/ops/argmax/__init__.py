"""argmax: the channel with the largest value, pixel by pixel, on the processor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.tensor import TensorType
from aieloom.ops.processor import PsOnly, ps_step
from aieloom.ops.registry import operator
from aieloom.plan.processor import WHOLE, PsStep
from aieloom.spec.network import LayerSpec, NetworkSpec

if TYPE_CHECKING:
    import torch


class ArgmaxSpec(LayerSpec):
    """y[0, i, j] = the channel of the largest x[c, i, j], as a float; of equal values the first channel.

    NaN is larger than any number.
    """

    op: Literal["argmax"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Channels:
    """What the template prints."""

    channels: int
    pixels: int


@operator
class Argmax(PsOnly[ArgmaxSpec]):
    """See ArgmaxSpec."""

    name = "argmax"
    layer_model = ArgmaxSpec

    def infer(self, spec: ArgmaxSpec, x: TensorType) -> TensorType:
        """Return one channel."""
        return TensorType((1, *x.shape[1:]), x.dtype, rows=x.rows)

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return the search."""
        return ps_step(
            spec,
            at,
            kind=WHOLE,
            template="ps/argmax.h.j2",
            detail=Channels(channels=at.x.shape[0], pixels=at.x.pixels),
            why=f"argmax: the first largest of {at.x.shape[0]} channels",
            operations=at.x.elements,
        )

    def torch_forward(
        self, spec: ArgmaxSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result as floats."""
        return x.argmax(dim=1, keepdim=True).float()

    def hardware(self, plan: PsStep, params: Parameters, x: Values) -> Values:
        """Return the channels; NaN is larger than any number, as in PyTorch and NumPy."""
        best, found = x[:, :1], np.zeros_like(x[:, :1])
        for c in range(1, x.shape[1]):
            value = x[:, c : c + 1]
            larger = (value > best) | (np.isnan(value) & ~np.isnan(best))
            best = np.where(larger, value, best)
            found = np.where(larger, x.dtype.type(c), found)
        return found
