"""reshape: the same values in order of channel, row and column under another shape; by addressing alone."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from aieloom.network.layers import ShapeError
from aieloom.network.tensor import TensorType
from aieloom.ops.registry import operator
from aieloom.ops.reshaping import Reshaping
from aieloom.spec.network import LayerSpec
from aieloom.spec.types import Positive

if TYPE_CHECKING:
    import torch


class ReshapeSpec(LayerSpec):
    """y has x's values in their order, of a matrix row after row, as [channels, height, width]."""

    op: Literal["reshape"]
    shape: tuple[Positive, Positive, Positive] = Field(description="[channels, height, width] of the output")


@operator
class Reshape(Reshaping[ReshapeSpec]):
    """See ReshapeSpec."""

    name = "reshape"
    layer_model = ReshapeSpec

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

    def torch_forward(
        self, spec: ReshapeSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        return x.reshape(len(x), *spec.shape)
