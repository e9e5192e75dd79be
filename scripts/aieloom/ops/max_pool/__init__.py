"""max_pool: the largest value of each window, on programmable logic."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from aieloom.arrays import Values
from aieloom.network.layers import Parameters
from aieloom.network.tensor import TensorType
from aieloom.ops.pl import PlMapping
from aieloom.ops.pooling import MAX_II, Pool, PoolOperator, PoolSpec, integer_pool, pool_of
from aieloom.ops.registry import operator
from aieloom.pl.steps import PlStep
from aieloom.plan.types import AieLayerDraft
from aieloom.products.strategy import strategy_of
from aieloom.pytorch import Tensor, Tensors, f, padded
from aieloom.spec.product import PlaceSpec, StackBytes
from aieloom.spec.types import Buffers, Positive, pair, sides_of


class MaxPoolSpec(PoolSpec):
    """y[c, i, j] = the largest x[c, i*stride + dy - padding, j*stride + dx - padding] inside x."""

    op: Literal["max_pool"]


CHAINED = "chained"
OF_THE_ARRAY = frozenset({"strategy", "cores", "bands", "buffers", "plio_out", "place", "stack"})


class MaxPoolMapping(PlMapping):
    """How a max_pool is put on programmable logic, or with strategy: chained on AI Engines."""

    strategy: Literal["frame", "streaming", "chained"] = Field(  # type: ignore[assignment]  # one more than in the logic
        default="frame",
        description="of its PL kernel: a frame buffer between one reader and one writer, or several readers and a line buffer "
        "for every stream that leaves; chained: cores of its own in a chain of layers (AIE-ML), whose kernels else do a pool "
        "behind them",
    )
    cores: Positive | None = Field(
        default=None, description="of strategy chained: cores of the pool, by default one a band"
    )
    bands: Positive | None = Field(
        default=None,
        description="of strategy chained: bands of output rows among the cores, the rest cuts the channels",
    )
    buffers: Buffers | None = Field(
        default=None,
        description="of strategy chained: copies of each buffer, as of other layers",
    )
    plio_out: Literal[32, 64, 128] | None = Field(
        default=None,
        description="of strategy chained: bits of the stream to the PL, of a chain's last layer; 64 by default",
    )
    place: PlaceSpec | None = Field(
        default=None, description="of strategy chained: the rectangle of tiles that its kernels fill"
    )
    stack: StackBytes = Field(default=None, description="of strategy chained: bytes of each core's stack")

    @property
    def runs_on(self) -> str | None:
        """The engine that the layer is put on."""
        return "aie" if self.strategy == CHAINED else self.engine

    @model_validator(mode="after")
    def _check_strategy(self) -> MaxPoolMapping:
        """Refuse keys that the strategy does not read."""
        said, chained = self.model_fields_set, self.strategy == CHAINED
        others = sorted(said - OF_THE_ARRAY if chained else said & OF_THE_ARRAY - {"strategy"})
        if others:
            belongs = "has cores of its own and no" if chained else "alone has"
            raise ValueError(f"strategy: chained {belongs} {', '.join(others)}")
        return self


@operator
class MaxPool(PoolOperator[MaxPoolSpec]):
    """See MaxPoolSpec."""

    mapping_model = MaxPoolMapping

    torch_modules = ("MaxPool2d",)
    only_moves = True  # the largest of some values is one of them
    fold = "folds/LargestFloat"
    processor_template = "ps/max_pool.h"

    def pool(self, spec: MaxPoolSpec, x: TensorType) -> Pool:
        """Return the layer's window over `x`."""
        return pool_of(spec, x, count_padding=False, ii=MAX_II)

    def torch_forward(self, spec: MaxPoolSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result; what it cannot pad itself is padded with minus infinity."""
        return f.max_pool2d(
            padded(x, sides_of(spec.padding), value=-float("inf")), pair(spec.kernel), spec.steps
        )

    def hardware(self, plan: PlStep | AieLayerDraft, params: Parameters, x: Values) -> Values:
        """Return the largest values."""
        if isinstance(plan, AieLayerDraft):
            return strategy_of(plan.grid).hardware(plan, params, x)
        return _largest(plan.read(Pool), x)

    def integer_step(self, step: PlStep) -> PlStep:
        """Return the pool of elements."""
        return integer_pool(step, "folds/LargestElement")

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
