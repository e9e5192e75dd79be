"""edge_pad: a border of the image's own values, mirrored or repeated, by addressing alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.tensor import TensorType
from aieloom.ops.pl import PlMapping, Reorder, pl_step
from aieloom.ops.pooling import Sides, sides_of
from aieloom.ops.registry import operator
from aieloom.pl.steps import REORDER, PlStep
from aieloom.spec.network import LayerSpec, NetworkSpec
from aieloom.spec.types import SpatialPadding

if TYPE_CHECKING:
    import torch

NUMPY = {"reflect": "reflect", "replicate": "edge"}  # what np.pad calls it


class EdgePadSpec(LayerSpec):
    """y is x with a border of x's values: reflected at the outermost row or column, or that row or column again."""

    op: Literal["edge_pad"]
    padding: SpatialPadding | Sides = Field(description="one number, [y, x], or [top, left, bottom, right]")
    mode: Literal["reflect", "replicate"] = Field(description="what the border holds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """What the template prints."""

    sides: tuple[int, int, int, int]
    top: int
    left: int
    height: int
    width: int
    mode: str


@operator
class EdgePad(Reorder[EdgePadSpec]):
    """See EdgePadSpec."""

    name = "edge_pad"
    torch_modules = ("ReflectionPad2d", "ReplicationPad2d")
    layer_model = EdgePadSpec

    def infer(self, spec: EdgePadSpec, x: TensorType) -> TensorType:
        """Return the input's shape with the border.

        Raises:
            ShapeError: an image has fewer rows or columns than are reflected.
        """
        top, left, bottom, right = sides_of(spec.padding)
        channels, height, width = x.shape
        if spec.mode == "reflect" and (max(top, bottom) >= height or max(left, right) >= width):
            text = f"reflects {max(top, bottom)} rows and {max(left, right)} columns of {height} x {width}"
            raise ShapeError(text, "reflect fewer than there are")
        return TensorType((channels, height + top + bottom, width + left + right), x.dtype)

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the reordering."""
        assert isinstance(at.spec, EdgePadSpec)
        sides = sides_of(at.spec.padding)
        edge = Edge(
            sides=sides,
            top=sides[0],
            left=sides[1],
            height=at.x.shape[1],
            width=at.x.shape[2],
            mode=at.spec.mode,
        )
        return pl_step(
            spec,
            at,
            kind=REORDER,
            template=f"ops/edge_pad_{at.spec.mode}.h.j2",
            detail=edge,
            clock_mhz=mapping.clock_mhz,
            why=(f"{at.x} to {at.y} by {at.spec.mode} of rows and columns",),
        )

    def torch_forward(
        self,
        spec: EdgePadSpec,
        params: dict[str, torch.Tensor],
        x: torch.Tensor,
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

        top, left, bottom, right = sides_of(spec.padding)
        return f.pad(x, (left, right, top, bottom), mode=spec.mode)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values with their border."""
        top, left, bottom, right = plan.read(Edge).sides
        sides = ((0, 0), (0, 0), (top, bottom), (left, right))
        y: Values = np.pad(x, sides, mode=NUMPY[plan.read(Edge).mode])  # type: ignore[call-overload]  # a name at run time
        return y
