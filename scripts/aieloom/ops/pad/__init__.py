"""pad: a border of one value around every channel, on programmable logic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.quantisation import quantise
from aieloom.network.reach import Reach, Span
from aieloom.network.tensor import TensorType
from aieloom.ops.pl import PlMapping, pl_step
from aieloom.ops.pooling import Sides, sides_of
from aieloom.ops.registry import Operator, operator
from aieloom.pl.steps import WINDOW, Lines, PlStep
from aieloom.spec.network import LayerSpec, NetworkSpec
from aieloom.spec.types import Number, SpatialPadding

if TYPE_CHECKING:
    import torch


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
class Pad(Operator[PadSpec, PlMapping]):
    """See PadSpec."""

    name = "pad"
    torch_modules = ("ZeroPad2d", "ConstantPad2d")
    processor_template = "ps/pad.h.j2"
    layer_model = PadSpec
    mapping_model = PlMapping
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

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the process that gives image and border."""
        assert isinstance(at.spec, PadSpec)
        top, left, _, _ = sides_of(at.spec.padding)
        border = Border(
            channels=at.x.shape[0],
            height=at.x.shape[1],
            width=at.x.shape[2],
            out_height=at.y.shape[1],
            out_width=at.y.shape[2],
            top=top,
            left=left,
            value=float(np.float32(at.spec.value)),
        )
        step = pl_step(
            spec,
            at,
            kind=WINDOW,
            template="ops/pad.h.j2",
            detail=border,
            lut=400,
            cycles=at.y.elements,
            clock_mhz=mapping.clock_mhz,
            why=(f"pad: {at.x} to {at.y}, one value a cycle",),
        )
        lines = Lines(
            kernel=(1, 1),
            stride=(1, 1),
            before=(top, left),
            up=(1, 1),
            fold="ops/border_fold.h.j2",
            cycles=1,
            dsp=0,
            lut=20,
        )
        return replace(step, lines=lines)

    def torch_forward(self, spec: PadSpec, params: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

        top, left, bottom, right = sides_of(spec.padding)
        return f.pad(x, (left, right, top, bottom), value=spec.value)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values with their border."""
        return _bordered(plan.read(Border), x, plan.read(Border).value)

    def integer_step(self, step: PlStep) -> PlStep:
        """Return the border of elements: the value's nearest."""
        assert step.x.quant is not None
        value = int(quantise(np.array(step.read(Border).value), step.x.quant, step.x.dtype))
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
