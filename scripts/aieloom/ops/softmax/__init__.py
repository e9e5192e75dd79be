"""softmax over the channels of each pixel, on programmable logic; its exact arithmetic is in ops/exponential.py.

Three passes over the frame buffer, each in order of channel, row and column: the largest value of each pixel (0 and
-0 are equal, which of them stays changes nothing); the sum of exp(value - largest), from 0 and channel after channel; and
exp(value - largest) / sum, one division each. No order is left to the compiler, so that the reference has the same bits. In
a streaming kernel they are a chain of tasks (passes.py).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.operator import POINT
from aieloom.network.quantisation import shares
from aieloom.network.tensor import Quantisation
from aieloom.ops.exponential import EXP_ROUNDING, exp_of, largest, total
from aieloom.ops.pl import UNIT, Form, OnLogic
from aieloom.ops.pooling import SUM_II
from aieloom.ops.registry import operator
from aieloom.ops.softmax.passes import frame_cycles, passes_of
from aieloom.pl.steps import PlStep
from aieloom.pytorch import Tensor, Tensors, torch
from aieloom.spec.network import LayerSpec

SMALLEST = 2e-38  # above exp(-87), below which the exponential is taken as 0


class SoftmaxSpec(LayerSpec):
    """y[c, i, j] = exp(x[c, i, j]) / sum over all channels k of exp(x[k, i, j])."""

    op: Literal["softmax"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Softmax:
    """What its passes go over."""

    channels: int
    pixels: int
    height: int
    width: int
    ii: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerSoftmax(Softmax):
    """The same for integer elements."""

    scale: float  # of the input
    steps: float  # of the output: elements from 0 to 1
    zero: int


@operator
class SoftmaxOperator(OnLogic[SoftmaxSpec]):
    """See SoftmaxSpec."""

    torch_modules = ("Softmax",)
    sees = POINT
    template = "maps/softmax_map"
    processor_template = "ps/softmax.h"

    def form(self, spec: SoftmaxSpec, at: Layer) -> Form:
        """Return the process of three passes."""
        detail = Softmax(**at.x.sizes, pixels=at.x.pixels, ii=SUM_II)
        cycles, why = frame_cycles(at.x.elements, integer=False)
        dsp = 80  # two exponentials: 11 multipliers and 11 adders each
        return Form(detail, why, dsp=dsp, lut=6000, cycles=cycles, passes=passes_of(integer=False))

    def torch_forward(self, spec: SoftmaxSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return torch.softmax(x, dim=1)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return what the three passes give."""
        power = exp_of(x - largest(x))
        share: Values = power / total(power)
        return share

    def own_quantisation(self, *, symmetric: bool) -> Quantisation:
        """Return what elements of the result mean: 0 to 1 in steps of 1/256, or 1/128 about 0."""
        return shares(symmetric=symmetric)

    def integer_step(self, step: PlStep) -> PlStep:
        """Return the passes over elements; exponentials and shares are float32."""
        y = step.y.means
        known = {f.name: getattr(step.read(Softmax), f.name) for f in fields(Softmax)}
        detail = IntegerSoftmax(
            **known,
            scale=step.x.means.scale,
            steps=float(np.float32(1 / y.scale)),
            zero=y.zero_point,
        )
        cycles, why = frame_cycles(step.x.elements, integer=True)
        return replace(
            step,
            detail=detail,
            cycles=cycles,
            why=(why,),
            passes=passes_of(integer=True),
        )

    def integer(self, plan: PlStep, x: Values) -> Values:
        """Return the shares as elements."""
        detail = plan.read(IntegerSoftmax)
        steps = (x.astype(np.int32) - x.max(axis=1, keepdims=True)).astype(np.float32)
        power = exp_of(steps * np.float32(detail.scale))
        share = power / total(power) * np.float32(detail.steps) + np.float32(0.5)
        most = np.iinfo(x.dtype).max
        return np.minimum(share.astype(np.int32) + detail.zero, most).astype(x.dtype)

    def spread(self, plan: PlStep, params: Parameters, deviation: Values) -> Values:
        """Return half the largest deviation of each pixel: a softmax moves no further."""
        most = deviation.max(axis=1, keepdims=True) / 2
        return np.broadcast_to(most, deviation.shape).copy()

    def rounding(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return how far rounding may move each share at most."""
        share = self.hardware(plan, params, x.astype(np.float64))
        bound: Values = share * UNIT * 2 * (EXP_ROUNDING + x.shape[1]) + SMALLEST
        return bound
