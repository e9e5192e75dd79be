"""sigmoid: on programmable logic by table."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aieloom.network.quantisation import shares
from aieloom.network.tensor import Quantisation
from aieloom.ops import exact
from aieloom.ops.function import ByTable, Function, LutMapping
from aieloom.ops.lut import LutSpec
from aieloom.ops.registry import operator
from aieloom.spec.network import LayerSpec


class SigmoidSpec(LayerSpec):
    """y = 1 / (1 + exp(-x)), element by element."""

    op: Literal["sigmoid"]


class SigmoidMapping(LutMapping):
    """How a sigmoid is put on programmable logic."""

    lut: LutSpec = Field(
        default=LutSpec(entries=2048, range=(-8.0, 8.0)), description="the table; beyond it 0 and 1 are taken"
    )


@operator
class Sigmoid(ByTable[SigmoidSpec]):
    """See SigmoidSpec."""

    name = "sigmoid"
    torch_modules = ("Sigmoid",)
    layer_model = SigmoidSpec
    mapping_model = SigmoidMapping
    limits = (0.0, 1.0)
    function = Function(
        says="y = 1 / (1 + exp(-x))",
        values=exact.sigmoid,
        code="exact::sigmoid(x)",
        torch=lambda x: x.sigmoid(),
    )

    def own_quantisation(self, *, symmetric: bool) -> Quantisation:
        """Return what elements of the result mean: 0 to 1 in steps of 1/256, or 1/128 about 0."""
        return shares(symmetric=symmetric)
