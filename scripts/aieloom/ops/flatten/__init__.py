"""flatten: all values as channels of one pixel, in order of channel, row and column; by addressing alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.no_ops import IN_ORDER
from aieloom.network.tensor import TensorType
from aieloom.ops.pl import PlMapping, Reorder
from aieloom.ops.registry import operator
from aieloom.ops.reshape import in_order, reshape_step
from aieloom.pl.steps import PlStep
from aieloom.spec.network import LayerSpec, NetworkSpec

if TYPE_CHECKING:
    import torch


class FlattenSpec(LayerSpec):
    """y[(c*height + i)*width + j, 0, 0] = x[c, i, j]: the order of PyTorch's flatten; of a matrix row after row."""

    op: Literal["flatten"]


@operator
class Flatten(Reorder[FlattenSpec]):
    """See FlattenSpec."""

    name = "flatten"
    layer_model = FlattenSpec
    reads_outside = True
    any_shape = True

    def renames(self, spec: FlattenSpec) -> tuple[int, int, int]:
        """Return that all values stay in their order."""
        return IN_ORDER

    def infer(self, spec: FlattenSpec, x: TensorType) -> TensorType:
        """Return `(channels * height * width, 1, 1)`."""
        return TensorType((x.elements, 1, 1), x.dtype)

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the reordering."""
        return reshape_step(spec, at, mapping)

    def torch_forward(
        self, spec: FlattenSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result, each value a channel."""
        return x.reshape(len(x), -1, 1, 1)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values as channels."""
        return in_order(plan, x)
