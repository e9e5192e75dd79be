"""attention in 8-bit integers: two products whose sums are requantised, and onnxruntime's softmax between them.

    s[j, i] = requantised sum over d of (q[d, i] - zero of q) k[d, j]        scores, about 0
    e[j, i] = powers[255 + s[j, i] - max of s[:, i]]
    p[j, i] = min(255, (e[j, i] * steps + sum / 2) / sum) - 128              shares, rounded; sum is that of e[:, i]
    y[c, i] = requantised sum over j of (p[j, i] + 128) v[c, j]

Of a mask m of keys, those whose m[j] means 0 do not count: the largest score is that of the others, and their e is 0, so
that p is -128 and y takes nothing of them. Where no key counts all shares are 0.

`powers` and the rounded quotient are QLinearSoftmax's of onnxruntime's CPU provider (contrib_ops/cpu/quantization/
qlinear_softmax.cc): powers[t] = rint(2^23 exp((t - 255) scale)), less where 2^32 / length is less; `steps` is 1 / the shares'
scale, rounded down. Requantisation is TensorFlow Lite's (network/quantisation.py), one multiplier for a product.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.quantisation import divide_by_power, high_product, multiplier_of
from aieloom.network.tensor import Quantisation

LARGEST_POWER = 0x7FFFFF  # of one value: 23 bits
POWERS = 256  # a distance from the largest score of a row has 8 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerAttention:
    """Sizes and zero points; what it multiplies by stands with the trained tensors (trained_integers)."""

    heads: int
    width: int
    rows: int
    keys: int
    first: tuple[int, int, int]
    zero_q: int
    scores: Quantisation
    shares: Quantisation
    zero: int
    zero_mask: int | None  # the element of keys that do not count; None: all do

    @property
    def products(self) -> int:
        """Multiplications of an image."""
        return 2 * self.heads * self.rows * self.keys * self.width

    def of(self, trained: Parameters, *xs: Values) -> Values:
        """Return what the layer makes of elements `(n, features, rows, 1)`: products of float64 below 2^53 are exact."""
        q, k, v = (
            split(x, self.heads, self.width, first).astype(np.float64)
            for x, first in zip(xs, self.first, strict=False)
        )
        sums = np.swapaxes(k, 2, 3) @ (q - self.zero_q)
        shares = shared(requantised(sums, trained, 0, 0), trained, counting(xs[3:], self.zero_mask))
        mixed = v @ (shares.astype(np.float64) + 128)
        return requantised(mixed, trained, 1, self.zero).reshape(len(v), -1, self.rows, 1)


def powers_of(scale: float, length: int) -> Values:
    """Return the table of exponentials of a row of `length` elements of a scale, int32: the last is the largest element's."""
    one = min(float(0xFFFFFFFF) / length, float(LARGEST_POWER))
    steps = np.arange(1 - POWERS, 1, dtype=np.float64)
    return np.rint(one * np.exp(steps * float(np.float32(scale)))).astype(np.int32)


def trained_integers(layer: Layer, factor: float) -> dict[str, Values]:
    """Return multipliers and shifts of both products, `(2)` each, the table, and the shares' steps `(1)`."""
    scores, shares = layer.inner
    q, k, v = (t.means for t in layer.xs[:3])
    assert k.zero_point == v.zero_point == 0, "nothing takes a zero point of keys or values back"
    real = (
        q.scale * k.scale * factor / scores.scale,
        shares.scale * v.scale / layer.y.means.scale,
    )
    multipliers, shifts = zip(*map(multiplier_of, real), strict=True)
    return {
        "multiplier": np.array(multipliers, np.int32),
        "shift": np.array(shifts, np.int32),
        "powers": powers_of(scores.scale, layer.xs[1].pixels),
        "steps": np.array([int(np.floor(1 / shares.scale))], np.int32),
    }


def requantised(sums: Values, trained: Parameters, product: int, zero: int) -> Values:
    """Return elements of a product's sums."""
    multiplier, shift = (np.asarray(trained[n][product], np.int64) for n in ("multiplier", "shift"))
    scaled = high_product(sums.astype(np.int64) << np.maximum(shift, 0), multiplier)
    found = divide_by_power(scaled, np.maximum(-shift, 0)) + zero
    return np.clip(found, -128, 127).astype(np.int8)


def shared(scores: Values, trained: Parameters, counts: Values) -> Values:
    """Return the shares of scores `(..., keys, rows)`, of the keys that count: bool `(..., keys, 1)`."""
    least = np.where(counts, scores.astype(np.int64), 1 - POWERS)
    below = np.maximum(least - least.max(axis=-2, keepdims=True), 1 - POWERS)
    power = np.where(counts, trained["powers"].astype(np.int64)[POWERS - 1 + below], 0)
    total = np.maximum(power.sum(axis=-2, keepdims=True), 1)
    share = (power * int(trained["steps"][0]) + total // 2) // total
    held: Values = (np.minimum(share, 255) - 128).astype(np.int8)
    return held


def counting(mask: tuple[Values, ...], zero: int | None) -> Values:
    """Return which keys count, bool `(n, 1, keys, 1)`: those whose element of a mask is not `zero`; of no mask all."""
    found: Values = mask[0].reshape(len(mask[0]), 1, -1, 1) != zero if mask else np.array(True)
    return found


def split(x: Values, heads: int, width: int, first: int) -> Values:
    """Return a tensor's part from a feature on as `(n, heads, width, rows)`."""
    part = x.reshape(len(x), x.shape[1], -1)[:, first : first + heads * width]
    return part.reshape(len(x), heads, width, -1)
