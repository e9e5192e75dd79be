"""tanh: on programmable logic by table."""

from __future__ import annotations

from typing import Literal

from aieloom.network.tensor import Quantisation
from aieloom.ops import exact
from aieloom.ops.function import ByTable, Function, LutMapping
from aieloom.ops.registry import operator
from aieloom.spec.network import LayerSpec


class TanhSpec(LayerSpec):
    """y = tanh(x), element by element."""

    op: Literal["tanh"]


@operator
class Tanh(ByTable[TanhSpec]):
    """See TanhSpec."""

    name = "tanh"
    torch_modules = ("Tanh",)
    layer_model = TanhSpec
    mapping_model = LutMapping
    limits = (-1.0, 1.0)
    function = Function(
        says="y = tanh(x)", values=exact.tanh, code="exact::tanh(x)", torch=lambda x: x.tanh()
    )

    def own_quantisation(self, *, symmetric: bool) -> Quantisation:
        """Return what elements of the result mean: -1 to 1 in steps of 1/128."""
        return Quantisation(scale=2.0**-7, zero_point=0)
