"""log_softmax over the channels of each pixel, on programmable logic: what networks trained with NLLLoss end with.

It is not the logarithm of a softmax: where a share is too small for a float32, its logarithm is still a plain number. Four
passes over the frame buffer: the largest value of each pixel; the sum of exp(value - largest), from 0 and channel after
channel; that sum's logarithm; and (value - largest) - logarithm. On the processor the same in float64, rounded once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.operator import POINT
from aieloom.ops import exact
from aieloom.ops.depths import (
    ADD_DEPTH,
    CHOOSE_DEPTH,
    CONVERT_DEPTH,
    DIV_DEPTH,
    EXP_DEPTH,
    MUL_DEPTH,
    READ_DEPTH,
    cycles_of,
)
from aieloom.ops.exponential import EXP_ROUNDING, exp_of, largest, total
from aieloom.ops.log_softmax.logarithm import ATANH, log_of
from aieloom.ops.pl import TINY, UNIT, Form
from aieloom.ops.pooling import SUM_II
from aieloom.ops.processor import FloatOnly
from aieloom.ops.registry import operator
from aieloom.pl.steps import PlStep
from aieloom.plan.processor import PsStep
from aieloom.pytorch import Tensor, Tensors, torch
from aieloom.spec.network import LayerSpec

LOG_ROUNDING = 16  # units in the last place of the logarithm's terms
LOG_DEPTH = CONVERT_DEPTH + 2 * ADD_DEPTH + DIV_DEPTH + len(ATANH) * (MUL_DEPTH + ADD_DEPTH)


class LogSoftmaxSpec(LayerSpec):
    """y[c, i, j] = x[c, i, j] - log(sum over all channels k of exp(x[k, i, j]))."""

    op: Literal["log_softmax"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pixels:
    """What the processor's template prints."""

    channels: int
    pixels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSoftmax:
    """What the logic's passes go over."""

    channels: int
    pixels: int
    ii: int


@operator
class LogSoftmaxOperator(FloatOnly[LogSoftmaxSpec]):
    """See LogSoftmaxSpec."""

    torch_modules = ("LogSoftmax",)
    template = "maps/log_softmax_map"
    sees = POINT

    def form(self, spec: LogSoftmaxSpec, at: Layer) -> Form:
        """Return the process of four passes."""
        channels, height, width = at.x.shape
        cycles, why = _cycles(channels, height * width)
        detail = LogSoftmax(channels=channels, pixels=height * width, ii=SUM_II)
        dsp = 70  # an exponential's 11 multipliers and 11 adders, a logarithm's 10 of each, three sums (estimate)
        return Form(detail, why, dsp=dsp, lut=5000, cycles=cycles)

    def form_ps(self, spec: LogSoftmaxSpec, at: Layer) -> Form:
        """Return the three passes over the channels of each pixel."""
        channels = at.x.shape[0]
        why = f"log_softmax: {channels} values of each pixel less the logarithm of their sum, float64, rounded once"
        return Form(Pixels(channels=channels, pixels=at.x.pixels), why, 30 * at.x.elements)

    def torch_forward(self, spec: LogSoftmaxSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return torch.log_softmax(x, dim=1)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return what the four passes give, in the precision of `x`."""
        below = x - largest(x)
        power = exp_of(below)
        found: Values = below - log_of(total(power))
        return found

    def processor(self, plan: PsStep, params: Parameters, x: Values) -> Values:
        """Return the values: the largest, sums in order of channels in float64, one rounding to the precision of `x`."""
        wide = x.astype(np.float64)
        below = wide - largest(wide)
        found: Values = (below - exact.log(total(exact.exp(below)))).astype(x.dtype)
        return found

    def spread(self, plan: PlStep, params: Parameters, deviation: Values) -> Values:
        """Return each value's deviation and the largest of its pixel, by which the logarithm moves at most."""
        moved: Values = deviation + deviation.max(axis=1, keepdims=True)
        return moved

    def rounding(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return how far rounding may move each value: the sum's relative error is the logarithm's absolute one."""
        wide = x.astype(np.float64)
        size = np.abs(wide - largest(wide)) + np.abs(self.hardware(plan, params, wide))
        channels = x.shape[1]
        bound: Values = (
            UNIT * (2 * size + 2 * (EXP_ROUNDING + channels) + LOG_ROUNDING * (1 + np.log(channels))) + TINY
        )
        return bound


def _cycles(channels: int, pixels: int) -> tuple[int, str]:
    """Return the cycles of four loops over a frame buffer, one behind the other, and the sum in words."""
    values = channels * pixels
    loops = (
        (SUM_II, values, READ_DEPTH + CHOOSE_DEPTH),
        (SUM_II, values, READ_DEPTH + ADD_DEPTH + EXP_DEPTH + ADD_DEPTH),
        (1, pixels, READ_DEPTH + LOG_DEPTH),
        (1, values, READ_DEPTH + 2 * ADD_DEPTH),
    )
    return cycles_of("log_softmax: 4 passes", loops)
