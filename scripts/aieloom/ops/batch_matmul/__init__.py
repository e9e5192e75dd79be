"""batch_matmul: products of two activations, one for each head, as attention has them; on the processor, or an engine's.

`execution: sequential` has its engine multiply: the second operand is laid out as the engine reads weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.tensor import TensorType
from aieloom.ops.processor import Form, PsOnly
from aieloom.ops.registry import operator
from aieloom.plan.processor import PsStep
from aieloom.pytorch import Tensor, Tensors
from aieloom.spec.network import LayerSpec
from aieloom.spec.types import Flag, Number, Positive


class BatchMatmulSpec(LayerSpec):
    """y = factor * a b of every head, for `inputs: [a, b]`: rows of features, the rows of one head after those of another."""

    op: Literal["batch_matmul"]
    heads: Positive = Field(
        default=1, description="pairs of matrices, into which the rows of a and b are divided"
    )
    transpose: Flag = Field(
        default=False,
        description="whether b's rows are the columns that a's rows meet: y = a b^T, as queries and keys; else y = a b",
    )
    factor: Number = Field(default=1.0, description="of every product")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Of each head: y (rows, columns) is a (rows, depth) times b (depth, columns); b's strides as it lies, by features."""

    heads: int
    rows: int
    columns: int
    depth: int
    factor: float
    transpose: bool
    b_head: int
    b_depth: int
    b_column: int


def sizes_of(spec: BatchMatmulSpec, a: TensorType, b: TensorType) -> Sizes:
    """Return a layer's sizes.

    Raises:
        ShapeError: the operands do not meet.
    """
    heads = spec.heads
    if a.pixels % heads or b.pixels % heads:
        text = f"{a.pixels} and {b.pixels} rows are not divided into {heads} heads"
        raise ShapeError(text, "choose heads: so that it divides the rows of both")
    rows, of_b = a.pixels // heads, b.pixels // heads
    depth, columns = (b.shape[0], of_b) if spec.transpose else (of_b, b.shape[0])
    if a.shape[0] != depth:
        text = f"rows of {a.shape[0]} features meet columns of {depth}"
        raise ShapeError(text, "give both the same depth, or change transpose:")
    strides = (b.pixels, 1) if spec.transpose else (1, b.pixels)
    return Sizes(
        heads=heads,
        rows=rows,
        columns=columns,
        depth=depth,
        factor=float(np.float32(spec.factor)),
        transpose=spec.transpose,
        b_head=of_b,
        b_depth=strides[0],
        b_column=strides[1],
    )


def by_head(sizes: Sizes, a: Values, b: Values) -> tuple[Values, Values]:
    """Return a as `(n, heads, depth, rows)` and b, times the factor, as `(n, heads, depth, columns)`."""
    left = a.reshape(len(a), sizes.depth, sizes.heads, sizes.rows).transpose(0, 2, 1, 3)
    return left, columns_of(sizes, b)


def columns_of(sizes: Sizes, b: Values) -> Values:
    """Return b as `(n, heads, depth, columns)`; of floats times the factor, rounded once."""
    split = b.reshape(len(b), b.shape[1], sizes.heads, -1).transpose(0, 2, 1, 3)
    right = split if sizes.transpose else split.swapaxes(2, 3)
    if np.issubdtype(b.dtype, np.floating):
        right = right * b.dtype.type(sizes.factor)
    return np.ascontiguousarray(right)


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Tiles of `out` columns of each head, in each a row for every place of the depth, filled up with zeros to whole words."""

    sizes: Sizes
    out: int
    tiles: int
    rows: int
    height: int  # rows of all tiles

    def of(self, b: Values) -> Values:
        """Return b laid out, `(n, out, height, 1)`."""
        whole = np.zeros((len(b), self.sizes.heads, self.rows, self.tiles * self.out), b.dtype)
        whole[:, :, : self.sizes.depth, : self.sizes.columns] = columns_of(self.sizes, b)
        split = whole.reshape(len(b), self.sizes.heads, self.rows, self.tiles, self.out)
        return np.ascontiguousarray(split.transpose(0, 4, 1, 3, 2)).reshape(len(b), self.out, self.height, 1)


@operator
class BatchMatmul(PsOnly[BatchMatmulSpec]):
    """See BatchMatmulSpec."""

    arity = (2, 2)

    def infer_join(self, spec: BatchMatmulSpec, xs: tuple[TensorType, ...]) -> TensorType:
        """Return the rows of all heads.

        Raises:
            ShapeError: the operands do not meet.
        """
        if len(xs) != 2:
            raise ShapeError(f"multiplies two tensors and gets {len(xs)}", "write inputs: [a, b]")
        found = sizes_of(spec, *xs)
        return TensorType((found.columns, found.heads * found.rows, 1), xs[0].dtype, rows=True)

    def form(self, spec: BatchMatmulSpec, at: Layer) -> Form:
        """Return the products."""
        sizes = sizes_of(spec, *at.xs)
        why = f"batch_matmul: {sizes.heads} products {sizes.rows} x {sizes.depth} x {sizes.columns}, sums in order of depth"
        return Form(sizes, why, 2 * at.y.elements * sizes.depth)

    def torch_forward(self, spec: BatchMatmulSpec, params: Tensors, x: tuple[Tensor, ...]) -> Tensor:
        """Return PyTorch's result."""
        a, b = (t.flatten(2).reshape(len(t), t.shape[1], spec.heads, -1).permute(0, 2, 3, 1) for t in x)
        y = spec.factor * (a @ (b.transpose(2, 3) if spec.transpose else b))
        return y.flatten(1, 2).transpose(1, 2).unsqueeze(-1).contiguous()

    def processor(self, plan: PsStep, params: Parameters, x: Values | tuple[Values, Values]) -> Values:
        """Return what the host program computes: the products, or the second operand laid out for an engine."""
        if isinstance(x, tuple):
            return self.hardware(plan, params, x)
        return plan.read(Columns).of(x)

    def hardware(self, plan: PsStep, params: Parameters, x: tuple[Values, Values]) -> Values:
        """Return the sums: from 0 on, product after product, each rounded."""
        sizes = plan.read(Sizes)
        a, b = by_head(sizes, *x)
        total = np.zeros((*b.shape[:2], b.shape[3], a.shape[3]), a.dtype)
        for k in range(sizes.depth):
            total += b[:, :, k, :, None] * a[:, :, k, None, :]
        y: Values = total.transpose(0, 2, 1, 3).reshape(len(a), *plan.y.shape)
        return y
