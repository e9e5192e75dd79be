"""argmax: the channel with the largest value, pixel by pixel, on the processor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.tensor import TensorType
from aieloom.ops.processor import Form, PsOnly
from aieloom.ops.registry import operator
from aieloom.plan.processor import PsStep
from aieloom.pytorch import Tensor, Tensors
from aieloom.spec.network import LayerSpec


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

    def infer(self, spec: ArgmaxSpec, x: TensorType) -> TensorType:
        """Return one channel."""
        return TensorType((1, *x.shape[1:]), x.dtype, rows=x.rows)

    def form(self, spec: ArgmaxSpec, at: Layer) -> Form:
        """Return the search."""
        detail = Channels(channels=at.x.shape[0], pixels=at.x.pixels)
        return Form(detail, f"argmax: the first largest of {detail.channels} channels", at.x.elements)

    def torch_forward(self, spec: ArgmaxSpec, params: Tensors, x: Tensor) -> Tensor:
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
