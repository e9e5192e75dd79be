"""flatten: all values as channels of one pixel, in order of channel, row and column; by addressing alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from aieloom.network.tensor import TensorType
from aieloom.ops.registry import operator
from aieloom.ops.reshaping import Reshaping
from aieloom.spec.network import LayerSpec

if TYPE_CHECKING:
    import torch


class FlattenSpec(LayerSpec):
    """y[(c*height + i)*width + j, 0, 0] = x[c, i, j]: the order of PyTorch's flatten; of a matrix row after row."""

    op: Literal["flatten"]


@operator
class Flatten(Reshaping[FlattenSpec]):
    """See FlattenSpec."""

    name = "flatten"
    layer_model = FlattenSpec

    def infer(self, spec: FlattenSpec, x: TensorType) -> TensorType:
        """Return `(channels * height * width, 1, 1)`."""
        return TensorType((x.elements, 1, 1), x.dtype)

    def torch_forward(
        self, spec: FlattenSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result, each value a channel."""
        return x.reshape(len(x), -1, 1, 1)
