"""conv2d: two-dimensional convolution, on AI Engines by im2col and matrix product, or directly."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aieloom.layout.grid import Window
from aieloom.network.layers import ShapeError
from aieloom.network.operator import Reach, Span
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops.product import Conv2dMapping, ProductLayer
from aieloom.ops.registry import operator
from aieloom.pytorch import Tensor, Tensors, f
from aieloom.spec.network import ParametricLayerSpec
from aieloom.spec.types import Flag, Positive, Spatial, SpatialPadding, pair


class Conv2dSpec(ParametricLayerSpec):
    """y[m] = bias[m] + sum of weight[m, c, dy, dx] * x[c, y*stride + dy - padding, ...], zero outside x."""

    op: Literal["conv2d"]
    out_channels: Positive = Field(description="channels of the output: the product's M")
    kernel: Spatial = Field(description="one number, or [vertical, horizontal]")
    stride: Spatial = Field(default=1, description="one number, or [vertical, horizontal]")
    padding: SpatialPadding = Field(default=0, description="zeros around the input, one number or [y, x]")
    groups: Positive = Field(
        default=1, description="parts of the channels that do not mix; as many as channels: depthwise"
    )
    bias: Flag = Field(default=True, description="whether a trained bias is added")


@operator
class Conv2d(ProductLayer[Conv2dSpec, Conv2dMapping]):
    """See Conv2dSpec."""

    torch_modules = ("Conv2d", "LazyConv2d")

    def infer(self, spec: Conv2dSpec, x: TensorType) -> TensorType:
        """Return `(out_channels, out_height, out_width)`.

        Raises:
            ShapeError: the kernel is larger than the padded input, or the groups do not divide the channels.
        """
        window = self.window(spec, x)
        padded = (x.shape[1] + 2 * window.padding[0], x.shape[2] + 2 * window.padding[1])
        if window.kernel[0] > padded[0] or window.kernel[1] > padded[1]:
            size = f"{window.kernel[0]}x{window.kernel[1]}"
            raise ShapeError(
                f"a kernel of {size} does not fit into {padded[0]}x{padded[1]} (input with padding)",
                "use a smaller kernel or more padding",
            )
        for name, channels in (("input's", x.shape[0]), ("output's", spec.out_channels)):
            if channels % spec.groups:
                raise ShapeError(
                    f"{spec.groups} groups do not divide the {name} {channels} channels",
                    "use a number of groups that divides both",
                )
        return TensorType((spec.out_channels, window.out_height, window.out_width), x.dtype)

    def parameters(self, spec: Conv2dSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return weight `(out, in / groups, kh, kw)` and, unless `bias: false`, bias `(out,)`."""
        weight = ParameterType("weight", (spec.out_channels, x.shape[0] // spec.groups, *pair(spec.kernel)))
        return (weight, ParameterType("bias", (spec.out_channels,))) if spec.bias else (weight,)

    def window(self, spec: Conv2dSpec, x: TensorType) -> Window:
        """Return how the layer reads its input."""
        kernel, stride, padding = map(pair, (spec.kernel, spec.stride, spec.padding))
        return Window(**x.sizes, kernel=kernel, stride=stride, padding=padding)

    def reach(self, spec: Conv2dSpec) -> Reach:
        """Return the kernel's window."""
        y, x = (
            Span(*each) for each in zip(pair(spec.kernel), pair(spec.stride), pair(spec.padding), strict=True)
        )
        return y, x

    def groups(self, spec: Conv2dSpec) -> int:
        """Return in how many groups the channels are."""
        return spec.groups

    def alone(self, x: TensorType) -> TensorType:
        """Return its input as the PL sends it."""
        return x

    def torch_forward(self, spec: Conv2dSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        stride, padding = pair(spec.stride), pair(spec.padding)
        return f.conv2d(
            x, params["weight"], params.get("bias"), stride=stride, padding=padding, groups=spec.groups
        )
