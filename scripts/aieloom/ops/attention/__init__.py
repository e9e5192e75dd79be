"""attention: softmax(factor q k^T) v of every head, whose queries, keys and values lie side by side in rows of features.

A fourth input masks keys: one whose value is 0 has no share. As PyTorch's scaled_dot_product_attention of a mask of truth
values, rows of which no key counts give 0 (_safe_softmax, since 2.5).

`execution: sequential` has it in integers on the engine on the array and the row unit (integer.py); else the processor has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, Strict

from aieloom.arrays import Values
from aieloom.layout.channel_words import LANES
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.scaled import MOST_ELEMENTS
from aieloom.network.tensor import Quantisation, TensorType
from aieloom.ops.attention.integer import IntegerAttention, counting, split, trained_integers
from aieloom.ops.exponential import exp_of, largest, total
from aieloom.ops.processor import Form, PsOnly
from aieloom.ops.registry import operator
from aieloom.plan.processor import PsStep
from aieloom.pytorch import Tensor, Tensors, f
from aieloom.spec.network import LayerSpec
from aieloom.spec.types import MAX_ELEMENTS, Number, Positive

SMALLEST = 2.0**-20  # that elements of scores or shares reach at least
First = Annotated[int, Strict(), Field(ge=0, le=MAX_ELEMENTS)]


class AttentionSpec(LayerSpec):
    """y = softmax(factor * q k^T) v of every head: `inputs: [a, b, c]` of rows, or `[a, b, c, mask]`, 0 of hidden keys.

    q, k and v lie in the features of a, b and c; a mask has a value for each key.
    """

    op: Literal["attention"]
    heads: Positive = Field(default=1, description="how many lie side by side in each row's features")
    width: Positive = Field(description="features of a head, of q, k and v alike")
    first: tuple[First, First, First] = Field(
        default=(0, 0, 0), description="the feature of its tensor with which q, k and v begin"
    )
    factor: Number = Field(
        default=1.0, description="of every product of q and k: 1 / sqrt(width), as transformers have it"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """What the template prints: sizes, and where q, k and v begin in their tensors."""

    heads: int
    width: int
    rows: int
    keys: int
    factor: float
    first_q: int
    first_k: int
    first_v: int


@operator
class Attention(PsOnly[AttentionSpec]):
    """See AttentionSpec."""

    arity = (3, 4)

    def infer_join(self, spec: AttentionSpec, xs: tuple[TensorType, ...]) -> TensorType:
        """Return the heads' results side by side, a row for each row of q.

        Raises:
            ShapeError: a tensor has not the features, k and v have different rows, or a mask has not a value for each.
        """
        if not 3 <= len(xs) <= 4:
            raise ShapeError(
                f"reads queries, keys, values and a mask of keys and gets {len(xs)} tensors",
                "write inputs: [a, b, c] or [a, b, c, mask]",
            )
        wide = spec.heads * spec.width
        for name, first, x in zip("qkv", spec.first, xs, strict=False):
            if first + wide > x.shape[0]:
                text = f"{name} has {spec.heads} x {spec.width} features from {first} on, its tensor {x.shape[0]}"
                raise ShapeError(text, "correct heads:, width: or first:")
        q, k, v, *masks = xs
        if k.pixels != v.pixels:
            raise ShapeError(f"{k.pixels} keys meet {v.pixels} values", "give k and v as many rows")
        for mask in masks:
            if mask.shape != (k.pixels, 1, 1):
                raise ShapeError(
                    f"a mask of {mask} meets {k.pixels} keys", f"give the mask the shape [{k.pixels}]"
                )
        return TensorType((wide, q.pixels, 1), q.dtype, rows=True)

    def form(self, spec: AttentionSpec, at: Layer) -> Form:
        """Return the two products and the softmax between them."""
        detail = _heads(spec, at)
        products = detail.heads * detail.rows * detail.keys * detail.width
        shares = detail.heads * detail.rows * detail.keys
        why = f"attention: {detail.heads} heads of {detail.width}, {detail.rows} queries, {detail.keys} keys; sums in order"
        return Form(detail, why, 4 * products + 24 * shares)

    def torch_forward(self, spec: AttentionSpec, params: Tensors, x: tuple[Tensor, ...]) -> Tensor:
        """Return PyTorch's result."""
        wide = spec.heads * spec.width
        q, k, v = (
            t.flatten(2)[:, first : first + wide]
            .reshape(len(t), spec.heads, spec.width, -1)
            .transpose(2, 3)
            .contiguous()
            for t, first in zip(x, spec.first, strict=False)
        )
        counts = x[3].flatten(1)[:, None, None] != 0 if len(x) > 3 else None
        y = f.scaled_dot_product_attention(q, k, v, attn_mask=counts, scale=spec.factor)
        return y.transpose(2, 3).reshape(len(y), wide, -1, 1).contiguous()

    def hardware(self, plan: PsStep, params: Parameters, x: tuple[Values, ...]) -> Values:
        """Return the heads' results: sums from 0 on, in order of features and of keys, each operation rounded."""
        heads = plan.read(Heads)
        shares = _shares(heads, x)[1]
        v = split(x[2], heads.heads, heads.width, heads.first_v)
        if v.dtype == np.float64:  # as in _shares
            return np.asarray((v @ shares).reshape(len(v), -1, shares.shape[3], 1))
        found = np.zeros((*v.shape[:3], shares.shape[3]), v.dtype)
        for key in range(v.shape[3]):
            found += v[:, :, :, key, None] * shares[:, :, key, None, :]
        return found.reshape(len(v), -1, found.shape[3], 1)

    def inner(self, layer: Layer, xs: tuple[Values, ...]) -> tuple[Values, Values]:
        """Return the scores and the shares, `(n, heads, keys, rows)`: calibration sees what they reach."""
        assert isinstance(layer.spec, AttentionSpec)
        scores, shares = _shares(_heads(layer.spec, layer), xs)
        return np.where(counting(xs[3:], 0), scores, 0), shares

    def centred(self, layer: Layer) -> tuple[str, ...]:
        """Return the inputs whose elements have to mean 0 by 0: they are multiplied as weights are."""
        return layer.inputs[1:3]

    def takes_turns(self, layer: Layer) -> bool:
        """Tell whether integers have the layer."""
        return not self.why_apart(layer)

    def why_apart(self, layer: Layer) -> str:
        """Return why an engine and the row unit do not take the layer; empty if they do.

        Heads are whole words, which begin with one, and a head's scores of a query are a row of the unit's.
        """
        assert isinstance(layer.spec, AttentionSpec)
        if layer.spec.width % LANES:
            return f"heads of {layer.spec.width} features are no whole words of {LANES}"
        begins = [n for n in layer.spec.first if n % LANES]
        if begins:
            return f"heads begin with feature {begins[0]}, which begins no word of {LANES}"
        keys = layer.xs[1].pixels
        return f"{keys:,} keys are more than the row unit's {MOST_ELEMENTS:,}" if keys > MOST_ELEMENTS else ""

    def integers(self, layer: Layer, trained: Parameters) -> Parameters:
        """Return what the integers' form multiplies by."""
        assert isinstance(layer.spec, AttentionSpec)
        return trained_integers(layer, layer.spec.factor)

    def turn(self, layer: Layer) -> IntegerAttention:
        """Return the layer in integers."""
        assert isinstance(layer.spec, AttentionSpec)
        found = _heads(layer.spec, layer)
        scores, shares = layer.inner
        return IntegerAttention(
            heads=found.heads,
            width=found.width,
            rows=found.rows,
            keys=found.keys,
            first=(found.first_q, found.first_k, found.first_v),
            zero_q=layer.x.zero,
            scores=scores,
            shares=shares,
            zero=layer.y.zero,
            zero_mask=next((t.quant.zero_point for t in layer.xs[3:] if t.quant), None),
        )

    def inner_quantisations(self, ranges: tuple[tuple[float, float], ...]) -> tuple[Quantisation, ...]:
        """Return what scores and shares mean: scores about 0, shares from the lowest element on, none above 1."""
        (low, high), (_, most) = ranges
        score = float(np.float32(max(-low, high, SMALLEST) / 127))
        share = float(np.float32(min(max(most, SMALLEST), 1.0) / 255))
        return Quantisation(scale=score, zero_point=0), Quantisation(scale=share, zero_point=-128)


def _heads(spec: AttentionSpec, at: Layer) -> Heads:
    q, k, *_ = at.xs
    return Heads(
        heads=spec.heads,
        width=spec.width,
        rows=q.pixels,
        keys=k.pixels,
        factor=float(np.float32(spec.factor)),
        first_q=spec.first[0],
        first_k=spec.first[1],
        first_v=spec.first[2],
    )


def _shares(detail: Heads, x: tuple[Values, ...]) -> tuple[Values, Values]:
    """Return scores and shares, `(n, heads, keys, rows)`."""
    q = split(x[0], detail.heads, detail.width, detail.first_q)
    k = split(x[1], detail.heads, detail.width, detail.first_k) * x[1].dtype.type(detail.factor)
    if q.dtype == np.float64:  # of calibration: the order of a sum is all the same
        scores = np.swapaxes(k, 2, 3) @ q
    else:
        scores = np.zeros((*q.shape[:2], detail.keys, detail.rows), q.dtype)
        for feature in range(detail.width):
            scores += k[:, :, feature, :, None] * q[:, :, feature, None, :]
    counts = counting(x[3:], 0)
    flat = np.where(counts, scores, scores.dtype.type(-np.inf)).reshape(-1, detail.keys, detail.rows, 1)
    with np.errstate(invalid="ignore"):  # of rows without a key that counts
        power = np.where(counts, exp_of(flat - largest(flat)).reshape(scores.shape), scores.dtype.type(0))
    sums = total(power.reshape(flat.shape)).reshape(*scores.shape[:2], 1, detail.rows)
    return scores, power / np.where(sums == 0, scores.dtype.type(1), sums)
