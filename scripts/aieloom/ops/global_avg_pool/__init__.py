"""global_avg_pool: the average of each channel, on programmable logic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from aieloom.network.tensor import TensorType
from aieloom.ops.pooling import SUM_II, AveragePool, Pool, PoolSpec, pool_of
from aieloom.ops.registry import operator
from aieloom.spec.network import LayerSpec

if TYPE_CHECKING:
    import torch


class GlobalAvgPoolSpec(LayerSpec):
    """y[c, 0, 0] = the average of channel c."""

    op: Literal["global_avg_pool"]


@operator
class GlobalAvgPool(AveragePool[GlobalAvgPoolSpec]):
    """See GlobalAvgPoolSpec."""

    name = "global_avg_pool"
    torch_modules = ("AdaptiveAvgPool2d",)
    layer_model = GlobalAvgPoolSpec

    def pool(self, spec: GlobalAvgPoolSpec, x: TensorType) -> Pool:
        """Return the window that is the whole image."""
        whole = PoolSpec(name=spec.name, op=spec.op, kernel=(x.shape[1], x.shape[2]))
        return pool_of(whole, x, count_padding=True, ii=SUM_II)

    def torch_forward(
        self, spec: GlobalAvgPoolSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

        return f.adaptive_avg_pool2d(x, 1)
