"""conv2d as it stands in network.yaml: its keys, its shapes, its trained tensors."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aieloom.model.network import ShapeError
from aieloom.model.tensor import ParameterType, TensorType
from aieloom.plan.layout import Window
from aieloom.spec.network import MappingSpec, ParametricLayerSpec
from aieloom.spec.types import Buffers, Flag, Frozen, NonNegative, Positive, Spatial, SpatialPadding, pair


class Conv2dSpec(ParametricLayerSpec):
    """y[m] = bias[m] + sum of weight[m, c, dy, dx] * x[c, y*stride + dy - padding, ...], zero outside x."""

    op: Literal["conv2d"]
    out_channels: Positive
    kernel: Spatial
    stride: Spatial = 1
    padding: SpatialPadding = 0
    bias: Flag = True


class PlaceSpec(Frozen):
    """A rectangle of tiles: lower-left corner (row 0 is the lowest row with a core) and size."""

    col: NonNegative
    row: NonNegative = 0
    cols: Positive
    rows: Positive


class Conv2dMapping(MappingSpec):
    """How a conv2d is put on AI Engines; what is left out, the planner chooses."""

    engine: Literal["aie"] = "aie"
    strategy: Literal["im2col_gemm"] = "im2col_gemm"
    tile: tuple[Positive, Positive, Positive] | None = Field(
        default=None,
        description="[M, K, N] of one kernel pass: output channels x (inputs * kernel area) x pixels",
    )
    mmul: tuple[Positive, Positive, Positive] | None = Field(
        default=None, description="[M, K, N] of aie::mmul"
    )
    groups: Positive | None = Field(
        default=None, description="cores along N; by default one for every tile, fewer work in rounds"
    )
    buffers: Buffers | None = None
    plio: Literal[32, 64, 128] = 64
    place: PlaceSpec | None = None


def window_of(spec: Conv2dSpec, x: TensorType) -> Window:
    """Return how the layer reads its input."""
    channels, height, width = x.shape
    return Window(
        channels=channels,
        height=height,
        width=width,
        kernel=pair(spec.kernel),
        stride=pair(spec.stride),
        padding=pair(spec.padding),
    )


def infer(spec: Conv2dSpec, x: TensorType) -> TensorType:
    """Return `(out_channels, out_height, out_width)`.

    Raises:
        ShapeError: the kernel is larger than the padded input.
    """
    window = window_of(spec, x)
    padded = (x.shape[1] + 2 * window.padding[0], x.shape[2] + 2 * window.padding[1])
    if window.kernel[0] > padded[0] or window.kernel[1] > padded[1]:
        size = f"{window.kernel[0]}x{window.kernel[1]}"
        raise ShapeError(
            f"a kernel of {size} does not fit into {padded[0]}x{padded[1]} (input with padding)",
            "use a smaller kernel or more padding",
        )
    return TensorType((spec.out_channels, window.out_height, window.out_width), x.dtype)


def parameters(spec: Conv2dSpec, x: TensorType) -> tuple[ParameterType, ...]:
    """Return weight `(out, in, kh, kw)` and, unless `bias: false`, bias `(out,)`."""
    weight = ParameterType("weight", (spec.out_channels, x.shape[0], *pair(spec.kernel)))
    return (weight, ParameterType("bias", (spec.out_channels,))) if spec.bias else (weight,)
