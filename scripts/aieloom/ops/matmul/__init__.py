"""matmul: a matrix of rows times a constant matrix, on AI Engines; what ONNX and NumPy call MatMul."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import Field

from aieloom.network.layers import ShapeError
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops.matrix_product import DenseSpec, MatrixProduct
from aieloom.ops.registry import operator
from aieloom.spec.types import Flag


class MatmulSpec(DenseSpec):
    """y = x W (+ bias): y[i, j] = bias[j] + sum of x[i, k] * weight[k, j]; x is [rows, features], weight (in, out)."""

    op: Literal["matmul"]  # type: ignore[assignment]  # the keys are dense's, the name is its own
    bias: Flag = Field(default=False, description="whether a trained bias is added to every row")


@operator
class Matmul(MatrixProduct[MatmulSpec]):
    """See MatmulSpec. Behind the weights file it is a dense layer: its weight is transposed as it is read."""

    name = "matmul"
    torch_modules = ("Linear", "LazyLinear")
    layer_model = MatmulSpec

    def infer(self, spec: MatmulSpec, x: TensorType) -> TensorType:
        """Return as many rows of out_features.

        Raises:
            ShapeError: the input is an image.
        """
        if not x.rows and x.pixels > 1:
            raise ShapeError(
                f"a matrix product takes rows of features, the input is an image of {x.shape[1]}x{x.shape[2]}",
                "give the network an input of [rows, features], flatten the image, or use conv2d with kernel: 1",
            )
        return super().infer(spec, x)

    def parameters(self, spec: MatmulSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return weight, which the file has as `(in, out)`, and, if wanted, bias `(out,)`."""
        weight, *bias = super().parameters(spec, x)
        return (replace(weight, transposed=True), *bias)
