"""transpose: the axes in another order; by addressing alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import Field, model_validator

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.tensor import TensorType
from aieloom.ops.pl import PlMapping, Reorder, pl_step
from aieloom.ops.registry import operator
from aieloom.pl.steps import REORDER, PlStep
from aieloom.spec.network import LayerSpec, NetworkSpec

if TYPE_CHECKING:
    import torch

Axis = Literal["channels", "height", "width"]
AXES: tuple[Axis, ...] = ("channels", "height", "width")


class TransposeSpec(LayerSpec):
    """y has x's axes in the order of `axes`: y[i, j, k] of [height, width, channels] is x[k, i, j]."""

    op: Literal["transpose"]
    axes: tuple[Axis, Axis, Axis] = Field(
        description="which of the input's axes become channels, height and width"
    )

    @model_validator(mode="after")
    def _check(self) -> TransposeSpec:
        if sorted(self.axes) != sorted(AXES):
            raise ValueError(f"axes {list(self.axes)} are not channels, height and width, each once")
        return self

    @property
    def order(self) -> tuple[int, int, int]:
        """The input's axis that each axis of the output is."""
        a, b, c = (AXES.index(axis) for axis in self.axes)
        return a, b, c


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What the template prints: the output's variable that is the input's channel, row and column."""

    order: tuple[int, int, int]
    channel: str
    row: str
    column: str


@operator
class Transpose(Reorder[TransposeSpec]):
    """See TransposeSpec."""

    name = "transpose"
    layer_model = TransposeSpec

    def renames(self, spec: TransposeSpec) -> tuple[int, int, int]:
        """Return the order of the axes."""
        return spec.order

    def infer(self, spec: TransposeSpec, x: TensorType) -> TensorType:
        """Return the shape in the other order."""
        a, b, c = (x.shape[i] for i in spec.order)
        return TensorType((a, b, c), x.dtype)

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the reordering."""
        assert isinstance(at.spec, TransposeSpec)
        order = at.spec.order
        places = [("channel", "y", "x")[order.index(axis)] for axis in range(3)]
        detail = Order(order=order, channel=places[0], row=places[1], column=places[2])
        return pl_step(
            spec,
            at,
            kind=REORDER,
            template="ops/transpose.h.j2",
            detail=detail,
            clock_mhz=mapping.clock_mhz,
            why=(f"{at.x} to {at.y}: axes {', '.join(at.spec.axes)}",),
        )

    def torch_forward(
        self, spec: TransposeSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        return x.permute(0, *(i + 1 for i in spec.order)).contiguous()

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values in the other order."""
        return x.transpose(0, *(i + 1 for i in plan.read(Order).order))
