"""prelu: a trained slope for each channel below 0, on programmable logic.

One slope for all channels is a leaky_relu, which is a function of a value alone; readers of models make one of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.operator import POINT
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops.pl import TINY, UNIT, Form
from aieloom.ops.processor import FloatOnly
from aieloom.ops.registry import operator
from aieloom.plan.processor import Function
from aieloom.pytorch import Tensor, Tensors, f
from aieloom.spec.network import ParametricLayerSpec


class PReluSpec(ParametricLayerSpec):
    """y[c] = x[c] where x[c] is above 0, else weight[c] * x[c]."""

    op: Literal["prelu"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Channels:
    """The image; the slopes are the layer's trained tensor."""

    channels: int
    height: int
    width: int
    pixels: int


@operator
class PRelu(FloatOnly[PReluSpec]):
    """See PReluSpec."""

    torch_modules = ("PReLU",)
    template = "maps/prelu_map"
    sees = POINT

    def parameters(self, spec: PReluSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return the slopes, one for each channel."""
        return (ParameterType("weight", (x.shape[0],)),)

    def form(self, spec: PReluSpec, at: Layer) -> Form:
        """Return a pass over the frame buffer, whose places say the channel."""
        count, values = at.x.shape[0], at.x.elements
        why = (
            f"prelu: negative values times the slope of their channel, one of {count}; {values} values, II=1"
        )
        lut = 200 + 32 * count // 64  # the slopes in LUTs of 64 bits
        return Form(
            Channels(**at.x.sizes, pixels=at.x.pixels), why, dsp=3, lut=lut, cycles=values
        )  # one float multiplier

    def form_ps(self, spec: PReluSpec, at: Layer) -> Form:
        """Return one product for each value below 0."""
        why = f"prelu: {at.x.shape[0]} slopes below 0, each product rounded once"
        return Form(Channels(**at.x.sizes, pixels=at.x.pixels), why, 2 * at.x.elements)

    def torch_forward(self, spec: PReluSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return f.prelu(x, params["weight"])

    def hardware(self, plan: Function, params: Parameters, x: Values) -> Values:
        """Return the values, rounded products where they are not above 0; `x` is `(batch, channels, height, width)`."""
        return np.where(x > 0, x, x * _slopes(params).astype(x.dtype))

    def spread(self, plan: Function, params: Parameters, deviation: Values) -> Values:
        """Return the deviations, times the steeper of the two slopes."""
        return deviation * np.maximum(1.0, np.abs(_slopes(params)))

    def rounding(self, plan: Function, params: Parameters, x: Values) -> Values:
        """Return half a unit in the last place of the products."""
        return np.where(x > 0, 0, np.abs(self.hardware(plan, params, x)) * UNIT + TINY)


def _slopes(params: Parameters) -> Values:
    """Return the slopes beside `(batch, channels, height, width)`."""
    return params["weight"][None, :, None, None]
