"""tanh: on programmable logic by table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aieloom.model.network import Layer, Parameters
from aieloom.model.tensor import TensorType
from aieloom.ops.registry import Operator, operator
from aieloom.ops.tanh import reference
from aieloom.ops.tanh.layer import TanhMapping, TanhSpec, table
from aieloom.plan.types import ELEMENTWISE, Lut, PlStep
from aieloom.spec.network import NetworkSpec

if TYPE_CHECKING:
    import torch

BRAM36_WORDS = 1024  # 32-bit words of one block RAM


@operator
class Tanh(Operator[TanhSpec, TanhMapping]):
    """See TanhSpec."""

    name = "tanh"
    layer_model = TanhSpec
    mapping_model = TanhMapping

    def infer(self, spec: TanhSpec, x: TensorType) -> TensorType:  # noqa: ARG002
        """Return the input's type."""
        return x

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: TanhMapping) -> PlStep:
        """Return the function as a table look-up."""
        lut = table(mapping.lut)
        return PlStep(
            layer=at.name,
            layer_index=at.index,
            op=self.name,
            at=spec.at_mapping(at.name),
            kind=ELEMENTWISE,
            function=f"{at.name}_value",
            template="ops/tanh.h.j2",
            detail=lut,
            x=at.x,
            y=at.y,
            bram36=-(-lut.entries // BRAM36_WORDS),
            dsp=4,  # one float multiplier and one subtractor
            lut=600,
            clock_mhz=mapping.clock_mhz,
            why=(
                f"tanh by {lut.entries} entries over [{lut.low:g}, {lut.high:g}), "
                f"one every {1 / lut.scale:g}",
            ),
        )

    def torch_forward(self, spec: TanhSpec, params: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        """Return PyTorch's result."""
        import torch  # noqa: PLC0415 - seconds of start-up that only this reference needs

        return torch.tanh(x)

    def hardware(self, plan: PlStep, params: Parameters, x: NDArray[Any]) -> NDArray[Any]:  # noqa: ARG002
        """Return the table's values."""
        return reference.hardware(plan.detail, x)

    def table_index(self, plan: PlStep, x: NDArray[Any]) -> NDArray[Any]:
        """Return each value's entry in the table."""
        lut: Lut = plan.detail
        return reference.index_of(lut, x)
