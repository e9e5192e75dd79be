"""batch_norm: folded into the conv2d or dense layer before it; elsewhere a depthwise convolution of one pixel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aieloom.network.reach import POINT, Reach
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops.product import Conv2dMapping
from aieloom.ops.registry import Operator, operator
from aieloom.spec.network import ParametricLayerSpec
from aieloom.spec.types import Number

if TYPE_CHECKING:
    import torch


class BatchNormSpec(ParametricLayerSpec):
    """y[c] = (x[c] - running_mean[c]) / sqrt(running_var[c] + eps) * weight[c] + bias[c]."""

    op: Literal["batch_norm"]
    eps: Number = Field(default=1e-5, ge=0, description="added to the variance")


@operator
class BatchNorm(Operator[BatchNormSpec, Conv2dMapping]):
    """See BatchNormSpec; aieloom.ops.batch_norm.fold folds it."""

    name = "batch_norm"
    torch_modules = ("BatchNorm1d", "BatchNorm2d")
    layer_model = BatchNormSpec
    mapping_model = Conv2dMapping  # of one that stands alone

    def parameters(self, spec: BatchNormSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return the four vectors, one value a channel."""
        names = ("weight", "bias", "running_mean", "running_var")
        return tuple(ParameterType(name, (x.shape[0],)) for name in names)

    def reach(self, spec: BatchNormSpec) -> Reach:
        """Return that each value sees its own place."""
        return POINT

    def torch_forward(
        self, spec: BatchNormSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

        mean, var = params["running_mean"], params["running_var"]
        return f.batch_norm(x, mean, var, params["weight"], params["bias"], eps=spec.eps)
