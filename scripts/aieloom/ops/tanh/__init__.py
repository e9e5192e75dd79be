"""tanh: on programmable logic by table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aieloom.arrays import Values
from aieloom.model.network import Layer, Parameters
from aieloom.model.reach import POINT, Reach
from aieloom.model.tensor import Quantisation, TensorType
from aieloom.ops import exact
from aieloom.ops.formula import computed
from aieloom.ops.lut import lut_step
from aieloom.ops.registry import Operator, operator
from aieloom.ops.tanh import reference
from aieloom.ops.tanh.layer import TanhMapping, TanhSpec, table
from aieloom.pl.steps import Lut, PlStep
from aieloom.plan.processor import PsStep
from aieloom.spec.network import NetworkSpec

if TYPE_CHECKING:
    import torch


@operator
class Tanh(Operator[TanhSpec, TanhMapping]):
    """See TanhSpec."""

    name = "tanh"
    torch_modules = ("Tanh",)
    layer_model = TanhSpec
    mapping_model = TanhMapping

    def infer(self, spec: TanhSpec, x: TensorType) -> TensorType:  # noqa: ARG002
        """Return the input's type."""
        return x

    def reach(self, spec: TanhSpec) -> Reach:  # noqa: ARG002
        """Return that each value sees its own place."""
        return POINT

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: TanhMapping) -> PlStep:
        """Return the function as a table look-up."""
        return lut_step(spec, at, table(mapping.lut), mapping.clock_mhz)

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return the function on the processor, which needs no table."""
        return computed("tanh", spec, at)

    def processor(self, plan: PsStep, params: Parameters, x: Values) -> Values:  # noqa: ARG002
        """Return the function's values, computed in float64, in the precision of `x`."""
        y: Values = exact.tanh(x.astype(np.float64)).astype(x.dtype)
        return y

    def torch_forward(self, spec: TanhSpec, params: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        """Return PyTorch's result."""
        import torch  # noqa: PLC0415 - seconds of start-up that only this reference needs

        return torch.tanh(x)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:  # noqa: ARG002
        """Return the table's values."""
        return reference.hardware(plan.detail, x)

    def exact(self, x: Values) -> Values:
        """Return the function itself: what 8-bit elements are tabulated from."""
        y: Values = np.tanh(x)
        return y

    def own_quantisation(self, *, symmetric: bool) -> Quantisation:  # noqa: ARG002
        """Return what elements of the result mean: -1 to 1 in steps of 1/128."""
        return Quantisation(scale=2.0**-7, zero_point=0)

    def table_index(self, plan: PlStep, x: Values) -> Values:
        """Return each value's entry in the table."""
        lut: Lut = plan.detail
        return reference.index_of(lut, x)
