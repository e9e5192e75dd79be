"""pad: a border of one value around every channel, on programmable logic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.operator import Reach, Span
from aieloom.network.quantisation import quantise
from aieloom.network.tensor import TensorType
from aieloom.ops.pl import Form, OnLogic, places
from aieloom.ops.registry import operator
from aieloom.pl.steps import PlStep
from aieloom.pytorch import Tensor, Tensors, padded
from aieloom.spec.network import LayerSpec
from aieloom.spec.types import Number, Sides, SpatialPadding, sides_of


class PadSpec(LayerSpec):
    """y is x with a border; of a matrix, whose rows are its height, rows above and below."""

    op: Literal["pad"]
    padding: SpatialPadding | Sides = Field(description="one number, [y, x], or [top, left, bottom, right]")
    value: Number = Field(default=0.0, description="what the border holds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Border:
    """What the template prints."""

    channels: int
    height: int
    width: int
    out_height: int
    out_width: int
    top: int
    left: int
    value: float


@operator
class Pad(OnLogic[PadSpec]):
    """See PadSpec."""

    torch_modules = ("ZeroPad2d", "ConstantPad2d")
    template = "maps/fold_map"
    processor_template = "ps/pad.h"
    keeps_quantisation = True
    only_moves = True  # but for the border, whose value the reader of a model has to see to

    def infer(self, spec: PadSpec, x: TensorType) -> TensorType:
        """Return the input's shape with the border."""
        top, left, bottom, right = sides_of(spec.padding)
        shape = (x.shape[0], x.shape[1] + top + bottom, x.shape[2] + left + right)
        return TensorType(shape, x.dtype, rows=x.rows)

    def reach(self, spec: PadSpec) -> Reach:
        """Return by how much pixels move."""
        top, left, _, _ = sides_of(spec.padding)
        return Span(before=top), Span(before=left)

    def form(self, spec: PadSpec, at: Layer) -> Form:
        """Return the process that gives image and border."""
        top, left, _, _ = sides_of(spec.padding)
        border = Border(
            **at.x.sizes,
            out_height=at.y.shape[1],
            out_width=at.y.shape[2],
            top=top,
            left=left,
            value=float(np.float32(spec.value)),
        )
        why = f"pad: {at.x} to {at.y}, one value a cycle"
        lines = places("folds/Border", before=(top, left))
        return Form(border, why, lut=400, cycles=at.y.elements, lines=lines)

    def torch_forward(self, spec: PadSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return padded(x, sides_of(spec.padding), value=spec.value)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values with their border."""
        return _bordered(plan.read(Border), x, plan.read(Border).value)

    def integer_step(self, step: PlStep) -> PlStep:
        """Return the border of elements: the value's nearest."""
        value = int(quantise(np.array(step.read(Border).value), step.x.means, step.x.dtype))
        return replace(step, detail=replace(step.read(Border), value=value))

    def integer(self, plan: PlStep, x: Values) -> Values:
        """Return the elements with their border."""
        return _bordered(plan.read(Border), x, plan.read(Border).value)

    def spread(self, plan: PlStep, params: Parameters, deviation: Values) -> Values:
        """Return the deviations; the border has none."""
        return _bordered(plan.read(Border), deviation, 0.0)

    def rounding(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return zeros: moving values rounds nothing."""
        return np.zeros(self.hardware(plan, params, x).shape)


def _bordered(border: Border, x: Values, value: float) -> Values:
    y = np.full((*x.shape[:2], border.out_height, border.out_width), value, x.dtype)
    rows = slice(border.top, border.top + border.height)
    y[:, :, rows, border.left : border.left + border.width] = x
    return y
