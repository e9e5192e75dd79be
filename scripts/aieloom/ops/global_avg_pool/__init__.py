"""global_avg_pool: the average of each channel, on programmable logic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

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
)
from aieloom.ops.registry import operator
from aieloom.pl.steps import PlStep
from aieloom.spec.network import LayerSpec

if TYPE_CHECKING:
    import torch


class GlobalAvgPoolSpec(LayerSpec):
    """y[c, 0, 0] = the average of channel c."""

    op: Literal["global_avg_pool"]


@operator
class GlobalAvgPool(PoolOperator[GlobalAvgPoolSpec]):
    """See GlobalAvgPoolSpec."""

    name = "global_avg_pool"
    torch_modules = ("AdaptiveAvgPool2d",)
    layer_model = GlobalAvgPoolSpec
    fold = "ops/avg_fold.h.j2"
    processor_template = "ps/avg_pool.h.j2"

    def pool(self, spec: GlobalAvgPoolSpec, x: TensorType) -> Pool:
        """Return the window that is the whole image."""
        whole = PoolSpec(name=spec.name, op=spec.op, kernel=(x.shape[1], x.shape[2]))
        return pool_of(whole, x, count_padding=True, ii=SUM_II)

    def torch_forward(
        self,
        spec: GlobalAvgPoolSpec,  # noqa: ARG002
        params: dict[str, torch.Tensor],  # noqa: ARG002
        x: torch.Tensor,
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

        return f.adaptive_avg_pool2d(x, 1)

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
