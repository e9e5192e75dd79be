"""pixel_shuffle: channels become pixels; on programmable logic by addressing alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.reach import Reach, Span
from aieloom.network.tensor import TensorType
from aieloom.ops.pl import PlMapping
from aieloom.ops.registry import Operator, operator
from aieloom.pl.steps import REORDER, PlStep
from aieloom.spec.network import LayerSpec, NetworkSpec
from aieloom.spec.types import Positive

if TYPE_CHECKING:
    import torch


class PixelShuffleSpec(LayerSpec):
    """y[c, i, j] = x[(c*r + i%r)*r + j%r, i//r, j//r] with r = upscale.

    With `order: dcr` (ONNX's DepthToSpace, TensorFlow's) channel ((i%r)*r + j%r)*C + c instead, C = channels of y.
    """

    op: Literal["pixel_shuffle"]
    upscale: Positive = Field(description="r: r * r channels become r x r pixels")
    order: Literal["crd", "dcr"] = Field(
        default="crd", description="which channels make a pixel block: neighbours (PyTorch), or every C-th"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffle:
    """What the template prints."""

    upscale: int
    per_channel: int  # channels of x from one channel of y to the next
    per_row: int  # from one row of a block to the next
    per_column: int


def _shuffle(spec: PixelShuffleSpec, channels: int) -> Shuffle:
    """Return the steps between channels of x; `channels` are those of y."""
    r = spec.upscale
    if spec.order == "crd":
        return Shuffle(upscale=r, per_channel=r * r, per_row=r, per_column=1)
    return Shuffle(upscale=r, per_channel=1, per_row=r * channels, per_column=channels)


@operator
class PixelShuffle(Operator[PixelShuffleSpec, PlMapping]):
    """See PixelShuffleSpec."""

    name = "pixel_shuffle"
    torch_modules = ("PixelShuffle",)
    layer_model = PixelShuffleSpec
    mapping_model = PlMapping
    keeps_quantisation = True
    only_moves = True

    def infer(self, spec: PixelShuffleSpec, x: TensorType) -> TensorType:
        """Return `(channels / r^2, height * r, width * r)`.

        Raises:
            ShapeError: r^2 does not divide the channels.
        """
        channels, height, width = x.shape
        area = spec.upscale**2
        if channels % area:
            low = channels // area * area
            near = f"{low} or {low + area}" if low else str(area)
            raise ShapeError(
                f"{channels} channels cannot be shuffled by {spec.upscale} x {spec.upscale} = {area}",
                f"give it {near} channels, or change upscale",
            )
        return TensorType((channels // area, height * spec.upscale, width * spec.upscale), x.dtype)

    def reach(self, spec: PixelShuffleSpec) -> Reach:
        """Return that each pixel becomes several."""
        return Span(up=spec.upscale), Span(up=spec.upscale)

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the reordering."""
        assert isinstance(at.spec, PixelShuffleSpec)
        detail = _shuffle(at.spec, at.y.shape[0])
        return PlStep(
            layer=at.name,
            layer_index=at.index,
            op=self.name,
            at=spec.at_mapping(at.name),
            kind=REORDER,
            function=f"{at.name}_source",
            template="ops/pixel_shuffle.h.j2",
            detail=detail,
            x=at.x,
            y=at.y,
            bram36=0,
            dsp=0,
            lut=200,
            clock_mhz=mapping.clock_mhz,
            why=(
                f"{at.x} to {at.y} by reading channel c*{detail.per_channel} + y%r*{detail.per_row} + "
                f"x%r*{detail.per_column}, r = {detail.upscale}",
            ),
        )

    def torch_forward(
        self, spec: PixelShuffleSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

        if spec.order == "dcr":
            batch, channels, height, width = x.shape
            blocks = x.reshape(batch, spec.upscale**2, -1, height, width)
            x = blocks.transpose(1, 2).reshape(batch, channels, height, width)
        return f.pixel_shuffle(x, spec.upscale)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the shuffled elements; `x` is `(batch, channels, height, width)`."""
        s = plan.read(Shuffle)
        channels, height, width = plan.y.shape
        c, i, j = np.ogrid[:channels, :height, :width]
        r = s.upscale
        return x[:, c * s.per_channel + i % r * s.per_row + j % r * s.per_column, i // r, j // r]

    def spread(self, plan: PlStep, params: Parameters, deviation: Values) -> Values:
        """Return the deviations, each where its value goes."""
        return self.hardware(plan, params, deviation)

    def rounding(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return zeros: moving values rounds nothing."""
        return np.zeros_like(self.hardware(plan, params, x))
