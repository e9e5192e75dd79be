"""rearrange: values by strides, what reshapes, transposes, slices and selections together move; by addressing alone."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field, Strict

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.tensor import TensorType, tensor_of
from aieloom.ops.pl import PlMapping, Reorder, pl_step
from aieloom.ops.registry import operator
from aieloom.pl.steps import REORDER, PlStep
from aieloom.spec.network import LayerSpec, NetworkSpec
from aieloom.spec.types import MAX_ELEMENTS, NonNegative, Positive

if TYPE_CHECKING:
    import torch

MOST_AXES = 8
Stride = Annotated[int, Strict(), Field(ge=0, le=MAX_ELEMENTS)]


class RearrangeSpec(LayerSpec):
    """y[i, j, ...] = x[offset + i * strides[0] + j * strides[1] + ...], both in the order that their user knows.

    That is row after row of a matrix, and of an image channel after channel, each row by row: as torch.as_strided.
    """

    op: Literal["rearrange"]
    shape: Annotated[tuple[Positive, ...], Field(min_length=1, max_length=3)] = Field(
        description="of the output: [channels, height, width], [features], or [rows, features] of a matrix"
    )
    sizes: Annotated[tuple[Positive, ...], Field(min_length=1, max_length=MOST_AXES)] = Field(
        description="lengths of the axes that the output's values are counted along, the last one fastest"
    )
    strides: Annotated[tuple[Stride, ...], Field(min_length=1, max_length=MOST_AXES)] = Field(
        description="values of the input between two neighbours along each axis"
    )
    offset: NonNegative = Field(default=0, description="the input's value that the output's first one is")


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis: its length, and the input's values between two neighbours."""

    size: int
    stride: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Strides:
    """What the template prints: the output's element of (channel, y, x), its place in the input, that one's (channel, y, x)."""

    element: str
    axes: tuple[Axis, ...]  # the fastest first
    offset: int
    channel: str
    row: str
    column: str


@operator
class Rearrange(Reorder[RearrangeSpec]):
    """See RearrangeSpec."""

    name = "rearrange"
    layer_model = RearrangeSpec
    reads_outside = True

    def infer(self, spec: RearrangeSpec, x: TensorType) -> TensorType:
        """Return the type of `shape`.

        Raises:
            ShapeError: sizes, strides and shapes do not fit together.
        """
        if len(spec.sizes) != len(spec.strides) or prod(spec.sizes) != prod(spec.shape):
            text = f"sizes {list(spec.sizes)} with strides {list(spec.strides)} make no {list(spec.shape)}"
            raise ShapeError(text, "give one stride for each size, and sizes whose product is the shape's")
        last = spec.offset + sum((n - 1) * s for n, s in zip(spec.sizes, spec.strides, strict=True))
        if last >= x.elements:
            text = f"reads values {spec.offset} to {last} of {x.elements}"
            raise ShapeError(text, "correct offset, sizes and strides")
        return tensor_of(spec.shape, x.dtype)

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the reordering."""
        assert isinstance(at.spec, RearrangeSpec)
        (_, to_height, to_width), (features, height, width) = at.y.shape, at.x.shape
        axes = zip(at.spec.sizes[::-1], at.spec.strides[::-1], strict=True)
        by_row = f"(y * {to_width} + x) * {at.y.shape[0]} + channel"
        by_channel = f"(channel * {to_height} + y) * {to_width} + x"
        pixels = height * width
        detail = Strides(
            element=by_row if at.y.rows else by_channel,
            axes=tuple(Axis(size=n, stride=s) for n, s in axes if n > 1),
            offset=at.spec.offset,
            channel=f"place % {features}" if at.x.rows else f"place / {pixels}",
            row=f"place / {features * width}" if at.x.rows else f"place % {pixels} / {width}",
            column=f"place / {features} % {width}" if at.x.rows else f"place % {width}",
        )
        return pl_step(
            spec,
            at,
            kind=REORDER,
            template="ops/rearrange.h.j2",
            detail=detail,
            clock_mhz=mapping.clock_mhz,
            why=(f"{at.x} to {at.y}: sizes {list(at.spec.sizes)}, strides {list(at.spec.strides)}",),
        )

    def torch_forward(
        self, spec: RearrangeSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        flat = x.reshape(len(x), -1)
        made = flat.as_strided((len(x), *spec.sizes), (flat.shape[1], *spec.strides), spec.offset)
        if len(spec.shape) == 2:
            return made.reshape(len(x), *spec.shape).transpose(1, 2).unsqueeze(-1)
        return made.reshape(len(x), *(*spec.shape, 1, 1)[:3])

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values where they go."""
        detail = plan.read(Strides)
        at = np.full(1, detail.offset, np.int64)
        for axis in reversed(detail.axes):
            at = (at[:, None] + np.arange(axis.size) * axis.stride).reshape(-1)
        return plan.y.to_inside(plan.x.to_outside(x).reshape(len(x), -1)[:, at])
