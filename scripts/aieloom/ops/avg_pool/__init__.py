"""avg_pool: the average of each window, on programmable logic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aieloom.network.tensor import TensorType
from aieloom.ops.pooling import SUM_II, AveragePool, Pool, PoolSpec, pool_of, sides_of
from aieloom.ops.registry import operator
from aieloom.spec.types import Flag, pair

if TYPE_CHECKING:
    import torch


class AvgPoolSpec(PoolSpec):
    """y[c, i, j] = the average of x[c, i*stride + dy - padding, j*stride + dx - padding], 0 outside x."""

    op: Literal["avg_pool"]
    count_include_pad: Flag = Field(
        default=True, description="whether places outside the input count in the divisor"
    )


@operator
class AvgPool(AveragePool[AvgPoolSpec]):
    """See AvgPoolSpec."""

    name = "avg_pool"
    torch_modules = ("AvgPool2d",)
    layer_model = AvgPoolSpec

    def pool(self, spec: AvgPoolSpec, x: TensorType) -> Pool:
        """Return the layer's window over `x`."""
        return pool_of(spec, x, count_padding=spec.count_include_pad, ii=SUM_II)

    def torch_forward(
        self, spec: AvgPoolSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result; what it cannot pad itself is padded with zeros."""
        import torch  # noqa: PLC0415 - seconds of start-up that only this reference needs
        import torch.nn.functional as f  # noqa: PLC0415

        top, left, bottom, right = sides_of(spec.padding)
        kernel, stride = pair(spec.kernel), pair(spec.kernel if spec.stride is None else spec.stride)
        around = (left, right, top, bottom)
        y = f.avg_pool2d(f.pad(x, around), kernel, stride)
        if spec.count_include_pad:
            return y
        return y / f.avg_pool2d(f.pad(torch.ones_like(x), around), kernel, stride)
