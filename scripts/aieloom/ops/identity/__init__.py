"""identity: the values as they are, on programmable logic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.no_ops import IN_ORDER
from aieloom.ops.pl import Elementwise, PlMapping, pl_step
from aieloom.ops.registry import operator
from aieloom.pl.steps import ELEMENTWISE, PlStep
from aieloom.spec.network import LayerSpec, NetworkSpec

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
    keeps_quantisation = True
    only_moves = True

    def renames(self, spec: IdentitySpec) -> tuple[int, int, int]:
        """Return that all values stay in their order."""
        return IN_ORDER

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the function."""
        return pl_step(
            spec,
            at,
            kind=ELEMENTWISE,
            template="ops/identity.h.j2",
            detail=None,
            lut=0,
            clock_mhz=mapping.clock_mhz,
            why=("identity: values pass as they are",),
        )

    def torch_forward(
        self, spec: IdentitySpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        return x

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values."""
        return x
