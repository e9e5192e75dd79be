"""batch_norm: folded into the conv2d or dense layer before it; elsewhere a depthwise convolution of one pixel."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aieloom.network.reach import POINT
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops.product import Conv2dMapping
from aieloom.ops.registry import Operator, operator
from aieloom.pytorch import Tensor, Tensors, f
from aieloom.spec.network import ParametricLayerSpec
from aieloom.spec.types import Number


class BatchNormSpec(ParametricLayerSpec):
    """y[c] = (x[c] - running_mean[c]) / sqrt(running_var[c] + eps) * weight[c] + bias[c]."""

    op: Literal["batch_norm"]
    eps: Number = Field(default=1e-5, ge=0, description="added to the variance")


@operator
class BatchNorm(Operator[BatchNormSpec, Conv2dMapping]):
    """See BatchNormSpec; aieloom.ops.batch_norm.fold folds it."""

    torch_modules = ("BatchNorm1d", "BatchNorm2d")
    sees = POINT

    def parameters(self, spec: BatchNormSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return the four vectors, one value a channel."""
        names = ("weight", "bias", "running_mean", "running_var")
        return tuple(ParameterType(name, (x.shape[0],)) for name in names)

    def torch_forward(self, spec: BatchNormSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        mean, var = params["running_mean"], params["running_var"]
        return f.batch_norm(x, mean, var, params["weight"], params["bias"], eps=spec.eps)
