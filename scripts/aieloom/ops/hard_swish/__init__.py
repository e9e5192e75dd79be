"""hard_swish: x times a line held between 0 and 1, on programmable logic; MobileNetV3's activation."""

from __future__ import annotations

from typing import Literal

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Parameters
from aieloom.ops.pl import TINY, UNIT, Elementwise
from aieloom.ops.registry import operator
from aieloom.pl.steps import PlStep
from aieloom.pytorch import Tensor, Tensors, f
from aieloom.spec.network import LayerSpec

SIXTH = float(np.float32(1 / 6))  # a product where a division would take 28 cycles and some 800 LUTs
STEEPEST = 1.5  # the slope at x = 3


class HardSwishSpec(LayerSpec):
    """y = x * (x + 3, kept between 0 and 6) / 6, element by element."""

    op: Literal["hard_swish"]


@operator
class HardSwish(Elementwise[HardSwishSpec]):
    """See HardSwishSpec."""

    torch_modules = ("Hardswish",)
    dsp = 8  # a float adder and two multipliers
    lut = 300
    says = "a sum, two comparisons, two products"

    def torch_forward(self, spec: HardSwishSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return f.hardswish(x)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values: a sum, then two products, each rounded once."""
        number = x.dtype.type
        gate = np.clip(x + number(3), number(0), number(6))
        y: Values = x * (gate * number(SIXTH))
        return y

    def exact(self, x: Values) -> Values:
        """Return the function itself: what integer elements are tabulated from."""
        y: Values = x * np.clip(x + 3, 0, 6) / 6
        return y

    def slope(self, plan: PlStep) -> float:
        """Return the steepest slope."""
        return STEEPEST

    def rounding(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return how far three roundings move y: the sum's, of at most 6, and half a unit of each product."""
        size = np.abs(x.astype(np.float64))
        return size * 4 * UNIT + TINY  # one more for what is second order
