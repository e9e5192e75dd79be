"""The second operand of a product of two activations as an engine reads weights: laid out by the processor."""

from __future__ import annotations

from dataclasses import replace

from aieloom.arrays import Values
from aieloom.layout.channel_words import LANES, words_of
from aieloom.network.layers import Layer
from aieloom.network.tensor import TensorType
from aieloom.ops.batch_matmul import BatchMatmulSpec, Columns, sizes_of
from aieloom.ops.processor import ps_step
from aieloom.plan.processor import WHOLE, PsStep
from aieloom.spec.network import NetworkSpec


def columns_step(spec: NetworkSpec, layer: Layer, out: int) -> PsStep:
    """Return the step that lays out a layer's second operand in tiles of `out` columns."""
    assert isinstance(layer.spec, BatchMatmulSpec)
    sizes, b = sizes_of(layer.spec, *layer.xs), layer.others[0]
    tiles, rows = -(-sizes.columns // out), words_of(sizes.depth) * LANES
    height = sizes.heads * tiles * rows
    y = TensorType((out, height, 1), b.dtype, b.quant)
    detail = Columns(sizes=sizes, out=out, tiles=tiles, rows=rows, height=height)
    why = f"the second operand of {layer.name} as the engine reads weights: {sizes.heads} x {tiles} tiles of {out} columns"
    name = f"{layer.name}_columns"
    step = ps_step(
        spec,
        replace(layer, x=b, y=y, others=()),
        kind=WHOLE,
        template="ps/columns.h",
        detail=detail,
        why=why,
        operations=y.elements,
    )
    return replace(
        step,
        layer=name,
        function=f"{name}_layer",
        inputs=layer.inputs[1:],
        reason="an engine multiplies what it makes",
    )


def weights_of(heads: int, columns: int, laid: Values) -> Values:
    """Return `(n, heads, rows, columns)` of what was laid out."""
    n, out, height, _ = laid.shape
    tiles = -(-columns // out)
    split = laid.reshape(n, out, heads, tiles, height // (heads * tiles)).transpose(0, 2, 4, 3, 1)
    return split.reshape(n, heads, split.shape[2], -1)[..., :columns]
