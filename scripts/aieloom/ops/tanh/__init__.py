"""tanh: on programmable logic by table."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from aieloom.arrays import Values
from aieloom.network.tensor import Quantisation
from aieloom.ops.lut import ByTable, LutMapping
from aieloom.ops.registry import operator
from aieloom.spec.network import LayerSpec


class TanhSpec(LayerSpec):
    """y = tanh(x), element by element."""

    op: Literal["tanh"]


class TanhMapping(LutMapping):
    """How a tanh is put on programmable logic."""


@operator
class Tanh(ByTable[TanhSpec]):
    """See TanhSpec."""

    name = "tanh"
    torch_modules = ("Tanh",)
    layer_model = TanhSpec
    mapping_model = TanhMapping
    limits = (-1.0, 1.0)

    def function(self, x: float) -> float:
        """Return tanh."""
        return math.tanh(x)

    def exact(self, x: Values) -> Values:
        """Return the function itself: what 8-bit elements are tabulated from."""
        y: Values = np.tanh(x)
        return y

    def own_quantisation(self, *, symmetric: bool) -> Quantisation:
        """Return what elements of the result mean: -1 to 1 in steps of 1/128."""
        return Quantisation(scale=2.0**-7, zero_point=0)
