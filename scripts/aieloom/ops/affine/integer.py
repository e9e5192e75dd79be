"""affine in 8-bit integers: y = zero + ((q - zero of q) factor + offset) / 2^shift, halves up (network/scaled.py)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.scaled import factors_of, scaled

FULL = 512.0  # more than elements and zero points of 8 bits span


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerAffine:
    """What the planner knows; factors, offsets and the shift stand with the trained tensors."""

    each: bool  # every value has a factor of its own, not every channel
    zero_x: int
    zero: int

    def of(self, trained: Parameters, x: Values) -> Values:
        """Return the elements place by place."""
        shape = x.shape[1:] if self.each else (-1, 1, 1)
        factor, offset = (trained[name].reshape(1, *shape) for name in ("factor", "offset"))
        return scaled(x.astype(np.int64) - self.zero_x, factor, offset, int(trained["shift"][0]), self.zero)


def trained_integers(layer: Layer, trained: Parameters) -> dict[str, Values] | None:
    """Return factors and offsets, of the input's shape or a channel each; None where they have no room."""
    x, y = layer.x.means, layer.y.means
    shape = next(iter(trained.values())).shape
    weight = np.asarray(trained.get("weight", np.ones(shape)), np.float64) * x.scale / y.scale
    bias = np.asarray(trained.get("bias", np.zeros(shape)), np.float64) / y.scale
    beyond = FULL * (1 + float(np.abs(weight).max()))  # every element saturates there: a mask
    return factors_of(weight, np.clip(bias, -beyond, beyond))
