"""Operators that only move values, on programmable logic by addressing alone: flatten, reshape, transpose, upsample ..."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Annotated, Generic, Literal, TypeVar

import numpy as np
from pydantic import Field, Strict, model_validator

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.no_ops import IN_ORDER
from aieloom.network.operator import Reach, Span
from aieloom.network.tensor import TensorType, tensor_of
from aieloom.ops.pl import Form, Reorder, places
from aieloom.ops.registry import operator
from aieloom.pl.steps import PlStep
from aieloom.pytorch import Tensor, Tensors, f, padded
from aieloom.spec.network import LayerSpec
from aieloom.spec.types import (
    MAX_ELEMENTS,
    NonNegative,
    Positive,
    Sides,
    Spatial,
    SpatialPadding,
    pair,
    sides_of,
)

SpecT = TypeVar("SpecT", bound=LayerSpec)
Axis = Literal["channels", "height", "width"]
AXES: tuple[Axis, ...] = ("channels", "height", "width")
MOST_AXES = 8
Stride = Annotated[int, Strict(), Field(ge=0, le=MAX_ELEMENTS)]
NUMPY = {"reflect": "reflect", "replicate": "edge"}  # what np.pad calls it


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """Both shapes of flatten and reshape."""

    features: int
    height: int
    width: int
    from_height: int
    from_width: int


class Reshaping(Reorder[SpecT], Generic[SpecT]):
    """Base of operators that show `at.x` as `at.y`: the same values in order under another shape."""

    reads_outside = True
    any_shape = True

    def renames(self, spec: SpecT) -> tuple[int, int, int]:
        """Return that all values stay in their order."""
        return IN_ORDER

    def form(self, spec: SpecT, at: Layer) -> Form:
        """Return both shapes; the values of a matrix are read row after row."""
        (features, from_height, from_width), (_, height, width) = at.x.shape, at.y.shape
        shapes = Shapes(
            features=features, height=height, width=width, from_height=from_height, from_width=from_width
        )
        template = "reorder/ReshapeRows" if at.x.rows else "reorder/Reshape"
        return Form(shapes, f"{at.x} read as {at.y}", template=template)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values, of a matrix row after row, under the step's output shape."""
        return plan.x.to_outside(x).reshape(len(x), *plan.y.shape)


class FlattenSpec(LayerSpec):
    """y[(c*height + i)*width + j, 0, 0] = x[c, i, j]: the order of PyTorch's flatten; of a matrix row after row."""

    op: Literal["flatten"]


@operator
class Flatten(Reshaping[FlattenSpec]):
    """See FlattenSpec."""

    def infer(self, spec: FlattenSpec, x: TensorType) -> TensorType:
        """Return `(channels * height * width, 1, 1)`."""
        return TensorType((x.elements, 1, 1), x.dtype)

    def torch_forward(self, spec: FlattenSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result, each value a channel."""
        return x.reshape(len(x), -1, 1, 1)


class ReshapeSpec(LayerSpec):
    """y has x's values in their order, of a matrix row after row, as [channels, height, width]."""

    op: Literal["reshape"]
    shape: tuple[Positive, Positive, Positive] = Field(description="[channels, height, width] of the output")


@operator
class Reshape(Reshaping[ReshapeSpec]):
    """See ReshapeSpec."""

    def infer(self, spec: ReshapeSpec, x: TensorType) -> TensorType:
        """Return the shape.

        Raises:
            ShapeError: it holds another number of values.
        """
        if prod(spec.shape) != x.elements:
            raise ShapeError(
                f"shape {list(spec.shape)} holds {prod(spec.shape)} values, the input has {x.elements}",
                f"choose channels x height x width = {x.elements}",
            )
        return TensorType(spec.shape, x.dtype)

    def torch_forward(self, spec: ReshapeSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return x.reshape(len(x), *spec.shape)


class TransposeSpec(LayerSpec):
    """y has x's axes in the order of `axes`: y[i, j, k] of [height, width, channels] is x[k, i, j]."""

    op: Literal["transpose"]
    axes: tuple[Axis, Axis, Axis] = Field(
        description="which of the input's axes become channels, height and width"
    )

    @model_validator(mode="after")
    def _check(self) -> TransposeSpec:
        if sorted(self.axes) != sorted(AXES):
            raise ValueError(f"axes {list(self.axes)} are not channels, height and width, each once")
        return self

    @property
    def order(self) -> tuple[int, int, int]:
        """The input's axis that each axis of the output is."""
        a, b, c = (AXES.index(axis) for axis in self.axes)
        return a, b, c


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Which axis each of the output is, and which of the output's is the input's channel, row and column."""

    order: tuple[int, int, int]
    channel: int
    row: int
    column: int


@operator
class Transpose(Reorder[TransposeSpec]):
    """See TransposeSpec."""

    template = "reorder/Transpose"

    def renames(self, spec: TransposeSpec) -> tuple[int, int, int]:
        """Return the order of the axes."""
        return spec.order

    def infer(self, spec: TransposeSpec, x: TensorType) -> TensorType:
        """Return the shape in the other order."""
        a, b, c = (x.shape[i] for i in spec.order)
        return TensorType((a, b, c), x.dtype)

    def form(self, spec: TransposeSpec, at: Layer) -> Form:
        """Return the order of the axes."""
        channel, row, column = (spec.order.index(axis) for axis in range(3))
        order = Order(order=spec.order, channel=channel, row=row, column=column)
        return Form(order, f"{at.x} to {at.y}: axes {', '.join(spec.axes)}")

    def torch_forward(self, spec: TransposeSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return x.permute(0, *(i + 1 for i in spec.order)).contiguous()

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values in the other order."""
        return x.transpose(0, *(i + 1 for i in plan.read(Order).order))


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
class Counted:
    """One axis: its length, and the input's values between two neighbours."""

    size: int
    stride: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Strides:
    """The axes and where they begin, the output's shape, and the input's; whether values lie row after row of a matrix."""

    axes: tuple[Counted, ...]  # the fastest first
    offset: int
    rows: bool
    channels: int
    height: int
    width: int
    from_rows: bool
    features: int
    from_height: int
    from_width: int


@operator
class Rearrange(Reorder[RearrangeSpec]):
    """See RearrangeSpec: what reshapes, transposes, slices and selections together move."""

    template = "reorder/Rearrange"
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

    def form(self, spec: RearrangeSpec, at: Layer) -> Form:
        """Return the strides."""
        (channels, height, width), (features, from_height, from_width) = at.y.shape, at.x.shape
        axes = zip(spec.sizes[::-1], spec.strides[::-1], strict=True)
        strides = Strides(
            axes=tuple(Counted(size=n, stride=s) for n, s in axes if n > 1),
            offset=spec.offset,
            rows=at.y.rows,
            channels=channels,
            height=height,
            width=width,
            from_rows=at.x.rows,
            features=features,
            from_height=from_height,
            from_width=from_width,
        )
        return Form(strides, f"{at.x} to {at.y}: sizes {list(spec.sizes)}, strides {list(spec.strides)}")

    def torch_forward(self, spec: RearrangeSpec, params: Tensors, x: Tensor) -> Tensor:
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
    """Which channels make a block of pixels."""

    upscale: int
    per_channel: int  # channels of x from one channel of y to the next
    per_row: int  # from one row of a block to the next
    per_column: int


@operator
class PixelShuffle(Reorder[PixelShuffleSpec]):
    """See PixelShuffleSpec."""

    template = "reorder/PixelShuffle"
    torch_modules = ("PixelShuffle",)

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

    def form(self, spec: PixelShuffleSpec, at: Layer) -> Form:
        """Return the steps between channels of x."""
        r, channels = spec.upscale, at.y.shape[0]
        steps = (r * r, r, 1) if spec.order == "crd" else (1, r * channels, channels)
        detail = Shuffle(upscale=r, per_channel=steps[0], per_row=steps[1], per_column=steps[2])
        channel = "c*{} + y%r*{} + x%r*{}".format(*steps)
        return Form(detail, f"{at.x} to {at.y} by reading channel {channel}, r = {r}", lut=200)

    def torch_forward(self, spec: PixelShuffleSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
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


class UpsampleSpec(LayerSpec):
    """y[c, i, j] = x[c, i // scale, j // scale]: nearest neighbour."""

    op: Literal["upsample"]
    scale: Spatial = Field(description="one number, or [vertical, horizontal]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How often pixels are shown."""

    vertical: int
    horizontal: int


@operator
class Upsample(Reorder[UpsampleSpec]):
    """See UpsampleSpec."""

    template = "reorder/Upsample"
    torch_modules = ("Upsample", "UpsamplingNearest2d")

    def infer(self, spec: UpsampleSpec, x: TensorType) -> TensorType:
        """Return `(channels, height * scale, width * scale)`."""
        vertical, horizontal = pair(spec.scale)
        return TensorType((x.shape[0], x.shape[1] * vertical, x.shape[2] * horizontal), x.dtype)

    def reach(self, spec: UpsampleSpec) -> Reach:
        """Return that each pixel is shown several times."""
        vertical, horizontal = pair(spec.scale)
        return Span(up=vertical), Span(up=horizontal)

    def form(self, spec: UpsampleSpec, at: Layer) -> Form:
        """Return both scales; lines suffice."""
        vertical, horizontal = pair(spec.scale)
        why = f"{at.x} to {at.y} by reading row y / {vertical}, column x / {horizontal}"
        lines = places("folds/Place", up=(vertical, horizontal))
        return Form(Scale(vertical=vertical, horizontal=horizontal), why, lines=lines)

    def torch_forward(self, spec: UpsampleSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        vertical, horizontal = pair(spec.scale)
        return f.interpolate(x, scale_factor=(float(vertical), float(horizontal)), mode="nearest")

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the repeated pixels."""
        return np.repeat(np.repeat(x, plan.read(Scale).vertical, axis=2), plan.read(Scale).horizontal, axis=3)


class EdgePadSpec(LayerSpec):
    """y is x with a border of x's values: reflected at the outermost row or column, or that row or column again."""

    op: Literal["edge_pad"]
    padding: SpatialPadding | Sides = Field(description="one number, [y, x], or [top, left, bottom, right]")
    mode: Literal["reflect", "replicate"] = Field(description="what the border holds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """The border, and the image in it."""

    sides: tuple[int, int, int, int]
    top: int
    left: int
    height: int
    width: int
    mode: str


@operator
class EdgePad(Reorder[EdgePadSpec]):
    """See EdgePadSpec."""

    torch_modules = ("ReflectionPad2d", "ReplicationPad2d")

    def infer(self, spec: EdgePadSpec, x: TensorType) -> TensorType:
        """Return the input's shape with the border.

        Raises:
            ShapeError: an image has fewer rows or columns than are reflected.
        """
        top, left, bottom, right = sides_of(spec.padding)
        channels, height, width = x.shape
        if spec.mode == "reflect" and (max(top, bottom) >= height or max(left, right) >= width):
            text = f"reflects {max(top, bottom)} rows and {max(left, right)} columns of {height} x {width}"
            raise ShapeError(text, "reflect fewer than there are")
        return TensorType((channels, height + top + bottom, width + left + right), x.dtype)

    def form(self, spec: EdgePadSpec, at: Layer) -> Form:
        """Return the border."""
        sides, (_, height, width), mode = sides_of(spec.padding), at.x.shape, spec.mode
        edge = Edge(sides=sides, top=sides[0], left=sides[1], height=height, width=width, mode=mode)
        why = f"{at.x} to {at.y} by {mode} of rows and columns"
        return Form(edge, why, template="reorder/Reflect" if mode == "reflect" else "reorder/Replicate")

    def torch_forward(self, spec: EdgePadSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return padded(x, sides_of(spec.padding), mode=spec.mode)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values with their border."""
        top, left, bottom, right = plan.read(Edge).sides
        sides = ((0, 0), (0, 0), (top, bottom), (left, right))
        y: Values = np.pad(x, sides, mode=NUMPY[plan.read(Edge).mode])  # type: ignore[call-overload]  # a name at run time
        return y
