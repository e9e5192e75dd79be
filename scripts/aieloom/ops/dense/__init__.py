"""dense: every output a weighted sum of all inputs, on AI Engines as a matrix product: of a single pixel, or of rows."""

from __future__ import annotations

from aieloom.ops.matrix_product import DenseSpec, MatrixProduct
from aieloom.ops.registry import operator


@operator
class Dense(MatrixProduct[DenseSpec]):
    """See DenseSpec."""

    name = "dense"
    torch_modules = ("Linear", "LazyLinear")
    layer_model = DenseSpec
