"""reshape: the same values in order of channel, row and column under another shape; by addressing alone."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.no_ops import IN_ORDER
from aieloom.network.tensor import TensorType
from aieloom.ops.pl import PlMapping, Reorder, pl_step
from aieloom.ops.registry import operator
from aieloom.pl.steps import REORDER, PlStep
from aieloom.spec.network import LayerSpec, NetworkSpec
from aieloom.spec.types import Positive

if TYPE_CHECKING:
    import torch


class ReshapeSpec(LayerSpec):
    """y has x's values in their order, of a matrix row after row, as [channels, height, width]."""

    op: Literal["reshape"]
    shape: tuple[Positive, Positive, Positive] = Field(description="[channels, height, width] of the output")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """What the template prints."""

    features: int
    height: int
    width: int
    from_height: int
    from_width: int


def reshape_step(spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
    """Return the step that shows `at.x` as `at.y`."""
    (features, from_height, from_width), (_, height, width) = at.x.shape, at.y.shape
    return pl_step(
        spec,
        at,
        kind=REORDER,
        template="ops/reshape_rows.h.j2" if at.x.rows else "ops/reshape.h.j2",
        detail=Shapes(
            features=features, height=height, width=width, from_height=from_height, from_width=from_width
        ),
        clock_mhz=mapping.clock_mhz,
        why=(f"{at.x} read as {at.y}",),
    )


def in_order(plan: PlStep, x: Values) -> Values:
    """Return the values of `x`, of a matrix row after row, under the step's output shape."""
    return plan.x.to_outside(x).reshape(len(x), *plan.y.shape)


@operator
class Reshape(Reorder[ReshapeSpec]):
    """See ReshapeSpec."""

    name = "reshape"
    layer_model = ReshapeSpec
    reads_outside = True
    any_shape = True

    def renames(self, spec: ReshapeSpec) -> tuple[int, int, int]:
        """Return that all values stay in their order."""
        return IN_ORDER

    def infer(self, spec: ReshapeSpec, x: TensorType) -> TensorType:
        """Return the shape.

        Raises:
            ShapeError: it holds another number of values.
        """
        if prod(spec.shape) != x.elements:
            raise ShapeError(
                f"shape {list(spec.shape)} holds {prod(spec.shape)} values, the input has {x.elements}",
                f"choose channels x height x width = {x.elements}",
            )
        return TensorType(spec.shape, x.dtype)

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the reordering."""
        return reshape_step(spec, at, mapping)

    def torch_forward(
        self, spec: ReshapeSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        return x.reshape(len(x), *spec.shape)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values under their new shape."""
        return in_order(plan, x)
