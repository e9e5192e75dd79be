"""conv2d: two-dimensional convolution, on AI Engines by im2col and matrix product, or directly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aieloom.layout.grid import Window
from aieloom.network.reach import Reach, Span
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops.conv2d import layer
from aieloom.ops.conv2d.layer import Conv2dSpec
from aieloom.ops.product import Conv2dMapping, ProductLayer
from aieloom.ops.registry import operator
from aieloom.spec.types import pair

if TYPE_CHECKING:
    import torch


@operator
class Conv2d(ProductLayer[Conv2dSpec, Conv2dMapping]):
    """See Conv2dSpec."""

    name = "conv2d"
    torch_modules = ("Conv2d", "LazyConv2d")
    layer_model = Conv2dSpec
    mapping_model = Conv2dMapping

    def infer(self, spec: Conv2dSpec, x: TensorType) -> TensorType:
        """Return the output's type."""
        return layer.infer(spec, x)

    def parameters(self, spec: Conv2dSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return weight and bias."""
        return layer.parameters(spec, x)

    def window(self, spec: Conv2dSpec, x: TensorType) -> Window:
        """Return how the layer reads its input."""
        return layer.window_of(spec, x)

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

    def torch_forward(
        self, spec: Conv2dSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

        stride, padding = pair(spec.stride), pair(spec.padding)
        return f.conv2d(
            x, params["weight"], params.get("bias"), stride=stride, padding=padding, groups=spec.groups
        )
