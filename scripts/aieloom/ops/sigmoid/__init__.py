"""sigmoid: on programmable logic by table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.model.network import Layer, Parameters
from aieloom.model.quantisation import shares
from aieloom.model.reach import POINT, Reach
from aieloom.model.tensor import Quantisation, TensorType
from aieloom.ops import exact
from aieloom.ops.formula import computed
from aieloom.ops.lut import LutSpec, index_of, look_up, lut_step, table_of
from aieloom.ops.pl import PlMapping
from aieloom.ops.registry import Operator, operator
from aieloom.pl.steps import Lut, PlStep
from aieloom.plan.processor import PsStep
from aieloom.spec.network import LayerSpec, NetworkSpec

if TYPE_CHECKING:
    import torch


class SigmoidSpec(LayerSpec):
    """y = 1 / (1 + exp(-x)), element by element."""

    op: Literal["sigmoid"]


class SigmoidMapping(PlMapping):
    """How a sigmoid is put on programmable logic."""

    lut: LutSpec = Field(
        default=LutSpec(entries=2048, range=(-8.0, 8.0)), description="the table; beyond it 0 and 1 are taken"
    )


def table(spec: LutSpec) -> Lut:
    """Return the table: entry i is the sigmoid at `low + i / scale`, beyond the range 0 and 1."""
    return table_of(lambda x: 1 / (1 + math.exp(-x)), spec, below=0.0, above=1.0)


@operator
class Sigmoid(Operator[SigmoidSpec, SigmoidMapping]):
    """See SigmoidSpec."""

    name = "sigmoid"
    torch_modules = ("Sigmoid",)
    layer_model = SigmoidSpec
    mapping_model = SigmoidMapping

    def infer(self, spec: SigmoidSpec, x: TensorType) -> TensorType:  # noqa: ARG002
        """Return the input's type."""
        return x

    def reach(self, spec: SigmoidSpec) -> Reach:  # noqa: ARG002
        """Return that each value sees its own place."""
        return POINT

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: SigmoidMapping) -> PlStep:
        """Return the function as a table look-up."""
        return lut_step(spec, at, table(mapping.lut), mapping.clock_mhz)

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return the function on the processor, which needs no table."""
        return computed("sigmoid", spec, at)

    def processor(self, plan: PsStep, params: Parameters, x: Values) -> Values:  # noqa: ARG002
        """Return the function's values, computed in float64, in the precision of `x`."""
        y: Values = exact.sigmoid(x.astype(np.float64)).astype(x.dtype)
        return y

    def torch_forward(
        self,
        spec: SigmoidSpec,  # noqa: ARG002
        params: dict[str, torch.Tensor],  # noqa: ARG002
        x: torch.Tensor,
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch  # noqa: PLC0415 - seconds of start-up that only this reference needs

        return torch.sigmoid(x)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:  # noqa: ARG002
        """Return the table's values."""
        return look_up(plan.detail, x)

    def exact(self, x: Values) -> Values:
        """Return the function itself: what 8-bit elements are tabulated from."""
        y: Values = 1 / (1 + np.exp(-x))
        return y

    def own_quantisation(self, *, symmetric: bool) -> Quantisation:
        """Return what elements of the result mean: 0 to 1 in steps of 1/256, or 1/128 about 0."""
        return shares(symmetric=symmetric)

    def table_index(self, plan: PlStep, x: Values) -> Values:
        """Return each value's entry in the table."""
        return index_of(plan.detail, x)
