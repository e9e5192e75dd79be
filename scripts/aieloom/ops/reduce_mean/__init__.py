"""reduce_mean: averages over channels, rows or columns, on the processor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.tensor import TensorType
from aieloom.ops.processor import Form, PsOnly
from aieloom.ops.registry import operator
from aieloom.plan.processor import PsStep
from aieloom.pytorch import Tensor, Tensors
from aieloom.spec.network import LayerSpec

Axis = Literal["channels", "height", "width"]
AXES = {"channels": 1, "height": 2, "width": 3}  # in (batch, channels, height, width)


class ReduceMeanSpec(LayerSpec):
    """y = the averages of x over `axes`, which keep the length 1."""

    op: Literal["reduce_mean"]
    axes: Annotated[tuple[Axis, ...], Field(min_length=1, max_length=3)] = Field(
        description="those of channels, height and width over which values are averaged"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """What the template prints; steps are 0 where an axis is averaged away."""

    axes: tuple[int, ...]
    channels: int
    height: int
    width: int
    size: int
    step_channel: int
    step_y: int
    step_x: int
    count: int


@operator
class ReduceMean(PsOnly[ReduceMeanSpec]):
    """See ReduceMeanSpec."""

    def infer(self, spec: ReduceMeanSpec, x: TensorType) -> TensorType:
        """Return the shape with 1 for each axis of `axes`."""
        gone = {AXES[a] - 1 for a in spec.axes}
        c, h, w = (1 if i in gone else n for i, n in enumerate(x.shape))
        return TensorType((c, h, w), x.dtype, rows=x.rows and h > 1)

    def form(self, spec: ReduceMeanSpec, at: Layer) -> Form:
        """Return the sums."""
        detail = Mean(
            axes=tuple(sorted({AXES[a] for a in spec.axes})),
            **at.x.sizes,
            size=at.y.elements,
            **at.y.steps,
            count=at.x.elements // at.y.elements,
        )
        why = f"reduce_mean: {at.y.elements} averages of {detail.count} values, summed in float64 in their order"
        return Form(detail, why, at.x.elements)

    def torch_forward(self, spec: ReduceMeanSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return x.mean(dim=[AXES[a] for a in spec.axes], keepdim=True)

    def hardware(self, plan: PsStep, params: Parameters, x: Values) -> Values:
        """Return the averages: sums in float64 in order of channel, row and column, divided once."""
        mean = plan.read(Mean)
        axes = mean.axes
        kept = [a for a in range(4) if a not in axes]
        rows = x.astype(np.float64).transpose(*kept, *axes).reshape(len(x), -1, mean.count)
        total = np.add.accumulate(rows, axis=2)[:, :, -1]
        found: Values = (total / mean.count).astype(x.dtype)
        return found.reshape(len(x), *plan.y.shape)
