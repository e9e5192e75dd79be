"""upsample: every pixel repeated, on programmable logic by addressing alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.reach import Reach, Span
from aieloom.network.tensor import TensorType
from aieloom.ops.pl import PlMapping, Reorder, pl_step
from aieloom.ops.registry import operator
from aieloom.pl.steps import REORDER, Lines, PlStep
from aieloom.spec.network import LayerSpec, NetworkSpec
from aieloom.spec.types import Spatial, pair

if TYPE_CHECKING:
    import torch


class UpsampleSpec(LayerSpec):
    """y[c, i, j] = x[c, i // scale, j // scale]: nearest neighbour."""

    op: Literal["upsample"]
    scale: Spatial = Field(description="one number, or [vertical, horizontal]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """What the template prints."""

    vertical: int
    horizontal: int


@operator
class Upsample(Reorder[UpsampleSpec]):
    """See UpsampleSpec."""

    name = "upsample"
    torch_modules = ("Upsample", "UpsamplingNearest2d")
    layer_model = UpsampleSpec

    def infer(self, spec: UpsampleSpec, x: TensorType) -> TensorType:
        """Return `(channels, height * scale, width * scale)`."""
        vertical, horizontal = pair(spec.scale)
        return TensorType((x.shape[0], x.shape[1] * vertical, x.shape[2] * horizontal), x.dtype)

    def reach(self, spec: UpsampleSpec) -> Reach:
        """Return that each pixel is shown several times."""
        vertical, horizontal = pair(spec.scale)
        return Span(up=vertical), Span(up=horizontal)

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the reordering."""
        assert isinstance(at.spec, UpsampleSpec)
        vertical, horizontal = pair(at.spec.scale)
        step = pl_step(
            spec,
            at,
            kind=REORDER,
            template="ops/upsample.h.j2",
            detail=Scale(vertical=vertical, horizontal=horizontal),
            clock_mhz=mapping.clock_mhz,
            why=(f"{at.x} to {at.y} by reading row y / {vertical}, column x / {horizontal}",),
        )
        lines = Lines(
            kernel=(1, 1),
            stride=(1, 1),
            before=(0, 0),
            up=(vertical, horizontal),
            fold="ops/place_fold.h.j2",
            cycles=1,
            dsp=0,
            lut=20,
        )
        return replace(step, lines=lines)

    def torch_forward(
        self, spec: UpsampleSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

        vertical, horizontal = pair(spec.scale)
        return f.interpolate(x, scale_factor=(float(vertical), float(horizontal)), mode="nearest")

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the repeated pixels."""
        return np.repeat(np.repeat(x, plan.read(Scale).vertical, axis=2), plan.read(Scale).horizontal, axis=3)
