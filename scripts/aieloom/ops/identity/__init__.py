"""identity: the values as they are, on programmable logic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from aieloom.arrays import Values
from aieloom.network.layers import Parameters
from aieloom.network.no_ops import IN_ORDER
from aieloom.ops.pl import Elementwise
from aieloom.ops.registry import operator
from aieloom.pl.steps import PlStep
from aieloom.spec.network import LayerSpec

if TYPE_CHECKING:
    import torch


class IdentitySpec(LayerSpec):
    """y = x."""

    op: Literal["identity"]


@operator
class Identity(Elementwise[IdentitySpec]):
    """See IdentitySpec."""

    name = "identity"
    layer_model = IdentitySpec
    lut = 0
    keeps_quantisation = True
    only_moves = True

    def renames(self, spec: IdentitySpec) -> tuple[int, int, int]:
        """Return that all values stay in their order."""
        return IN_ORDER

    def words(self, spec: LayerSpec) -> str:
        """Return what the function does."""
        return "values pass as they are"

    def torch_forward(
        self, spec: IdentitySpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        return x

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values."""
        return x
