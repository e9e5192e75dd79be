"""avg_pool: the average of each window, on programmable logic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aieloom.arrays import Values
from aieloom.model.network import Parameters
from aieloom.model.tensor import TensorType
from aieloom.ops.pooling import (
    SUM_II,
    Pool,
    PoolOperator,
    PoolSpec,
    average,
    average_rounding,
    integer_average,
    integer_average_step,
    pool_of,
    sides_of,
)
from aieloom.ops.registry import operator
from aieloom.pl.steps import PlStep
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
class AvgPool(PoolOperator[AvgPoolSpec]):
    """See AvgPoolSpec."""

    name = "avg_pool"
    torch_modules = ("AvgPool2d",)
    layer_model = AvgPoolSpec
    fold = "ops/avg_fold.h.j2"
    processor_template = "ps/avg_pool.h.j2"

    def pool(self, spec: AvgPoolSpec, x: TensorType) -> Pool:
        """Return the layer's window over `x`."""
        return pool_of(spec, x, count_padding=spec.count_include_pad, ii=SUM_II)

    def torch_forward(
        self,
        spec: AvgPoolSpec,
        params: dict[str, torch.Tensor],  # noqa: ARG002
        x: torch.Tensor,
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

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:  # noqa: ARG002
        """Return the averages."""
        return average(plan.detail, x)

    def integer_step(self, step: PlStep) -> PlStep:
        """Return the pool of elements."""
        return integer_average_step(step)

    def integer(self, plan: PlStep, x: Values) -> Values:
        """Return the averages of elements."""
        return integer_average(plan.detail, x)

    def spread(self, plan: PlStep, params: Parameters, deviation: Values) -> Values:  # noqa: ARG002
        """Return the average deviations."""
        return average(plan.detail, deviation)

    def rounding(self, plan: PlStep, params: Parameters, x: Values) -> Values:  # noqa: ARG002
        """Return how far rounding may move the averages."""
        return average_rounding(plan.detail, x)
