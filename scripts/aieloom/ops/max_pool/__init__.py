"""max_pool: the largest value of each window, on programmable logic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Parameters
from aieloom.network.tensor import TensorType
from aieloom.ops.pooling import MAX_II, Pool, PoolOperator, PoolSpec, integer_pool, pool_of, sides_of
from aieloom.ops.registry import operator
from aieloom.pl.steps import PlStep
from aieloom.spec.types import pair

if TYPE_CHECKING:
    import torch


class MaxPoolSpec(PoolSpec):
    """y[c, i, j] = the largest x[c, i*stride + dy - padding, j*stride + dx - padding] inside x."""

    op: Literal["max_pool"]


@operator
class MaxPool(PoolOperator[MaxPoolSpec]):
    """See MaxPoolSpec."""

    name = "max_pool"
    torch_modules = ("MaxPool2d",)
    only_moves = True  # the largest of some values is one of them
    layer_model = MaxPoolSpec
    fold = "ops/max_fold.h.j2"
    processor_template = "ps/max_pool.h.j2"

    def pool(self, spec: MaxPoolSpec, x: TensorType) -> Pool:
        """Return the layer's window over `x`."""
        return pool_of(spec, x, count_padding=False, ii=MAX_II)

    def torch_forward(
        self, spec: MaxPoolSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result; what it cannot pad itself is padded with minus infinity."""
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

        top, left, bottom, right = sides_of(spec.padding)
        padded = f.pad(x, (left, right, top, bottom), value=-float("inf"))
        return f.max_pool2d(
            padded, pair(spec.kernel), pair(spec.kernel if spec.stride is None else spec.stride)
        )

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the largest values."""
        return _largest(plan.read(Pool), x)

    def integer_step(self, step: PlStep) -> PlStep:
        """Return the pool of elements."""
        return integer_pool(step, "ops/integer_max_fold.h.j2")

    def integer(self, plan: PlStep, x: Values) -> Values:
        """Return the largest elements."""
        taps = [plan.read(Pool).tap(x, *tap, np.iinfo(x.dtype).min) for tap in plan.read(Pool).taps()]
        largest: Values = np.max(taps, axis=0)
        return largest

    def spread(self, plan: PlStep, params: Parameters, deviation: Values) -> Values:
        """Return the largest deviation of each window: a maximum moves no further."""
        return np.maximum(_largest(plan.read(Pool), deviation), 0)

    def rounding(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return zeros: choosing rounds nothing."""
        return np.zeros(self.hardware(plan, params, x).shape)


def _largest(pool: Pool, x: Values) -> Values:
    """Fold the taps in order; of equal values (0 and -0) the first stays; NaN is larger than any number, as in PyTorch."""
    best = np.full((*x.shape[:2], pool.out_height, pool.out_width), -np.inf, x.dtype)
    for tap in pool.taps():
        value = pool.tap(x, *tap, -np.inf)
        best = np.where((value > best) | np.isnan(value), value, best)
    return best
