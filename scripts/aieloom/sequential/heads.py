"""Products of two activations on an engine: attention, whose second operand enters where weights enter.

Queries stay where they lie: a group of channels for each head. The row unit lays keys and values out as the engine reads
weights, one image after another, with a bias for each column that takes the queries' zero point back; each image is a product
of its own then. Scores have a head's keys filled up to whole words of channels, so that they are the next product's input as
they lie, and heads stand side by side in its result. Of floats nothing is taken back, and sums have the engine's order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from aieloom.arrays import Values
from aieloom.layout.grid import Window
from aieloom.layout.nest import Table
from aieloom.network.layers import Layer, Parameters, Requant
from aieloom.network.tensor import TensorType
from aieloom.ops.attention import AttentionSpec
from aieloom.ops.attention.integer import IntegerAttention, requantised
from aieloom.sequential.float_rows import FloatRow
from aieloom.sequential.row_unit import RowStep, Shares, filled, shares_step
from aieloom.sequential.steps import ConvStep, HeadProduct, Mode
from aieloom.spec.quantize import Scales

SCORES, MIX = 0, 1  # a layer's products


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatAttention:
    """What the planner knows of attention in floats; see IntegerAttention."""

    heads: int
    width: int
    rows: int
    keys: int
    first: tuple[int, int, int]
    factor: float


Attention = IntegerAttention | FloatAttention


def float_attention(layer: Layer) -> FloatAttention:
    """Return an attention layer of floats."""
    spec, (q, k, *_) = layer.spec, layer.xs
    assert isinstance(spec, AttentionSpec)
    return FloatAttention(
        heads=spec.heads,
        width=spec.width,
        rows=q.pixels,
        keys=k.pixels,
        first=spec.first,
        factor=float(np.float32(spec.factor)),
    )


def attention_parts(layer: Layer, detail: Attention) -> tuple[ConvStep, RowStep, ConvStep]:
    """Return an attention layer as two products with the softmax between them."""
    q, k, v = layer.xs[:3]
    integers = detail if isinstance(detail, IntegerAttention) else None
    scores_type = TensorType(
        (detail.heads * filled(detail.keys), detail.rows, 1),
        layer.x.dtype,
        integers.scores if integers else None,
        rows=True,
    )
    scores = _product(
        layer,
        detail,
        name=f"{layer.name}_scores",
        x=q,
        other=k,
        y=scores_type,
        inputs=layer.inputs[:2],
        heads=HeadProduct(
            product=SCORES,
            heads=detail.heads,
            first=detail.first[0],
            width=detail.width,
            other_first=detail.first[1],
            other_width=detail.width,
            tokens=detail.keys,
            transposed=True,
            zero=q.zero,
            zero_y=scores_type.zero,
            part_of=layer.name,
        ),
    )
    row: Shares | FloatRow
    if isinstance(detail, IntegerAttention):
        row = Shares(heads=detail.heads, keys=detail.keys)
    else:
        row = FloatRow(op="softmax", channels=detail.keys, heads=detail.heads, factor=detail.factor)
    shares = shares_step(layer, row, scores_type, integers.shares if integers else None, scores.layer)
    mix = _product(
        layer,
        detail,
        name=layer.name,
        x=shares.y,
        other=v,
        y=layer.y,
        inputs=(shares.layer, layer.inputs[2]),
        heads=HeadProduct(
            product=MIX,
            heads=detail.heads,
            first=0,
            width=filled(detail.keys),
            other_first=detail.first[2],
            other_width=detail.width,
            tokens=detail.keys,
            transposed=False,
            zero=shares.y.zero,
            zero_y=layer.y.zero,
            part_of=layer.name,
        ),
    )
    return scores, shares, mix


def _product(
    layer: Layer,
    detail: Attention,
    *,
    name: str,
    x: TensorType,
    other: TensorType,
    y: TensorType,
    inputs: tuple[str, ...],
    heads: HeadProduct,
) -> ConvStep:
    requant = None
    if isinstance(detail, IntegerAttention):
        requant = Requant(
            scaling=Scales.MULTIPLIER,
            low=-128,
            high=127,
            zero_point=heads.zero_y,
            shift=0,
            left=False,
            wrap=False,
        )
    return ConvStep(
        layer=name,
        op=layer.op,
        x=x,
        y=y,
        inputs=inputs,
        gives=name,
        window=Window(channels=heads.heads * heads.width, height=detail.rows, width=1),
        mode=Mode.GROUPS,
        groups=heads.heads,
        has_bias=requant is not None,
        requant=requant,
        others=(other,),
        heads=heads,
    )


def multiplied(heads: HeadProduct, y: TensorType, trained: Parameters, x: Values, other: Values) -> Values:
    """Return the products of all heads: integers in float64, exact below 2^53."""
    rows = x.shape[2]
    a = _part(x, heads.first, heads.heads, heads.width) - heads.zero
    b = _part(other, heads.other_first, heads.heads, heads.other_width)
    sums = np.swapaxes(b, 2, 3) @ a if heads.transposed else b @ a[:, :, : heads.tokens]
    made = requantised(sums, trained, heads.product, heads.zero_y)
    whole = np.full((len(x), heads.heads, filled(heads.columns), rows), heads.zero_y, np.int8)
    whole[:, :, : heads.columns] = made
    return whole.reshape(len(x), *y.shape)


def float_operands(heads: HeadProduct, x: Values, other: Values) -> tuple[Values, Values]:
    """Return what each head multiplies in float32, `(n, heads, K, rows)` and `(n, heads, K, columns)`."""
    a = _part(x, heads.first, heads.heads, heads.width, np.float32)[:, :, : heads.depth]
    b = _part(other, heads.other_first, heads.heads, heads.other_width, np.float32)
    return a, (b if heads.transposed else np.swapaxes(b, 2, 3))


def side_by_side(heads: HeadProduct, y: TensorType, made: Values) -> Values:
    """Return results of heads `(n, heads, columns, rows)` as the product's tensor, in which 0 fills each up to whole words."""
    n, _, columns, rows = made.shape
    whole = np.zeros((n, heads.heads, filled(columns), rows), np.float32)
    whole[:, :, :columns] = made
    return whole.reshape(n, *y.shape)


def _part(x: Values, first: int, heads: int, width: int, kind: type[np.floating] = np.float64) -> Values:
    part = x.reshape(len(x), x.shape[1], -1)[:, first : first + heads * width]
    return part.reshape(len(x), heads, width, -1).astype(kind)


def column_tables(step: ConvStep, trained: Parameters) -> Iterator[Table]:
    """Yield what the row unit writes behind the bias of each column: multiplier and shift; nothing of floats."""
    assert step.heads
    product = step.heads.product
    numbers = [int(trained[name][product]) for name in ("multiplier", "shift")] if trained else [0, 0]
    yield Table("table", np.array([*numbers, 0, 0], "<i4"))
