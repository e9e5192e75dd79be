"""avg_pool and global_avg_pool: the average of each window, or of each channel, on programmable logic."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aieloom.network.tensor import TensorType
from aieloom.ops.pooling import SUM_II, AveragePool, Pool, PoolSpec, pool_of
from aieloom.ops.registry import operator
from aieloom.pytorch import Tensor, Tensors, f, padded, torch
from aieloom.spec.network import LayerSpec
from aieloom.spec.types import Flag, pair, sides_of


class AvgPoolSpec(PoolSpec):
    """y[c, i, j] = the average of x[c, i*stride + dy - padding, j*stride + dx - padding], 0 outside x."""

    op: Literal["avg_pool"]
    count_include_pad: Flag = Field(
        default=True, description="whether places outside the input count in the divisor"
    )


@operator
class AvgPool(AveragePool[AvgPoolSpec]):
    """See AvgPoolSpec."""

    torch_modules = ("AvgPool2d",)

    def pool(self, spec: AvgPoolSpec, x: TensorType) -> Pool:
        """Return the layer's window over `x`."""
        return pool_of(spec, x, count_padding=spec.count_include_pad, ii=SUM_II)

    def torch_forward(self, spec: AvgPoolSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result; what it cannot pad itself is padded with zeros."""
        y = f.avg_pool2d(padded(x, sides_of(spec.padding)), pair(spec.kernel), spec.steps)
        if spec.count_include_pad:
            return y
        ones = padded(torch.ones_like(x), sides_of(spec.padding))
        return y / f.avg_pool2d(ones, pair(spec.kernel), spec.steps)


class GlobalAvgPoolSpec(LayerSpec):
    """y[c, 0, 0] = the average of channel c."""

    op: Literal["global_avg_pool"]


@operator
class GlobalAvgPool(AveragePool[GlobalAvgPoolSpec]):
    """See GlobalAvgPoolSpec."""

    torch_modules = ("AdaptiveAvgPool2d",)

    def pool(self, spec: GlobalAvgPoolSpec, x: TensorType) -> Pool:
        """Return the window that is the whole image."""
        whole = PoolSpec(name=spec.name, op=spec.op, kernel=(x.shape[1], x.shape[2]))
        return pool_of(whole, x, count_padding=True, ii=SUM_II)

    def torch_forward(self, spec: GlobalAvgPoolSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return f.adaptive_avg_pool2d(x, 1)
