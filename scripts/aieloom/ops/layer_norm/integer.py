"""layer_norm over the channels of each pixel in 8-bit integers; of sums, one square root and one quotient for a pixel.

With n channels, q the elements, their zero point and scale drop out but for eps:

    s = sum of q,  v = 2^8 (n sum of q^2 - s^2) + rint(2^8 n^2 eps / scale^2)         2^8 n^2 times variance and eps; at least 1
    m = v 2^-p in [2^30, 2^32), p even, cut to an integer
    d = floor(sqrt(m)),  r = floor(2^32 / d)                                          16 and 17 bits
    t = ((n q - s) r) / 2^(16 + p / 2), halves up                                     normalised, in steps of 2^-12
    y = zero + (t factor + offset) / 2^shift, halves up                               network/scaled.py

The same idea as I-BERT's integer LayerNorm (Kim et al. 2021, arXiv 2101.01321, 3.5), whose root is Newton's: this one is exact
whatever computes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.scaled import factors_of, scaled

FRACTION = 12  # bits of a normalised value behind the point
SPREAD = 8  # bits of v behind the point
MOST_EPSILON = 1 << 48  # what is added to n^2 times a variance, which has up to 2 log2 n + 22 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerNorm:
    """What the planner knows; factors, offsets, shift and epsilon stand with the trained tensors."""

    channels: int
    zero: int

    def of(self, trained: Parameters, x: Values) -> Values:
        """Return the elements of each pixel `(n, channels, height, width)`, normalised and scaled."""
        q, n = x.astype(np.int64), self.channels
        total = q.sum(axis=1, keepdims=True)
        variance = n * (q * q).sum(axis=1, keepdims=True) - total**2
        spread = np.maximum((variance << SPREAD) + int(trained["epsilon"][0]), 1)
        half_power = np.array([(int(v).bit_length() + 1) // 2 - 16 for v in spread.ravel()], np.int64)
        mantissa = [
            int(v) >> 2 * p if p >= 0 else int(v) << -2 * p
            for v, p in zip(spread.ravel(), half_power.tolist(), strict=True)
        ]
        root = np.array([(1 << 32) // isqrt(m) for m in mantissa], np.int64).reshape(spread.shape)
        shift = (32 - FRACTION - SPREAD // 2 + half_power).reshape(spread.shape)
        t = ((n * q - total) * root + (np.int64(1) << (shift - 1))) >> shift
        factor, offset = (trained[name].reshape(1, -1, 1, 1) for name in ("factor", "offset"))
        return scaled(t, factor, offset, int(trained["shift"][0]), self.zero)


def trained_integers(layer: Layer, trained: Parameters, eps: float) -> dict[str, Values] | None:
    """Return factors, offsets, shift and what eps is in units of v, `(1)` int64; None where factors have no room."""
    x, y = layer.x.means, layer.y.means
    weight = np.asarray(trained["weight"], np.float64).reshape(-1) / y.scale / (1 << FRACTION)
    bias = np.asarray(trained.get("bias", np.zeros_like(weight)), np.float64).reshape(-1) / y.scale
    found = factors_of(weight, bias)
    if found is None:
        return None
    epsilon = min(MOST_EPSILON, round((1 << SPREAD) * len(weight) ** 2 * eps / x.scale**2))
    return {**found, "epsilon": np.array([epsilon], np.int64)}
