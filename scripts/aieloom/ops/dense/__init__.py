"""dense and matmul: every output a weighted sum of all inputs, of a pixel or of a row; on AI Engines as a matrix product."""

from __future__ import annotations

from dataclasses import replace
from typing import Generic, Literal, TypeVar

from pydantic import Field

from aieloom.layout.grid import Window
from aieloom.network.layers import ShapeError
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops.product import ProductLayer
from aieloom.ops.registry import operator
from aieloom.pytorch import Tensor, Tensors, f
from aieloom.spec.network import ParametricLayerSpec
from aieloom.spec.product import ProductMapping
from aieloom.spec.types import Flag, Positive


class DenseSpec(ParametricLayerSpec):
    """y[m] = bias[m] + sum of weight[m, k] * x[k]; x's values in order of channel, row and column (PyTorch's flatten).

    Of a matrix, [rows, features], every row alone: as PyTorch's Linear.
    """

    op: Literal["dense"]
    out_features: Positive = Field(description="channels of the output: the product's M")
    bias: Flag = Field(default=True, description="whether a trained bias is added")


class DenseMapping(ProductMapping):
    """How a dense layer is put on AI Engines: M x K x N with N = 1, or the rows of a matrix, filled up to the mmul's N."""

    strategy: Literal["im2col_gemm", "chained", "gemm"] = Field(
        default="im2col_gemm",
        description="a matrix product, behind other layers of a chain, core to core through memory tiles (AIE-ML), or with "
        "engine: pl a product on the matrix engine (gemm)",
    )


def window_of(x: TensorType) -> Window:
    """Return the window that sees the whole input at once, in the order of PyTorch's flatten; of a matrix, row after row."""
    channels, height, width = x.shape
    kernel = (1, 1) if x.rows else (height, width)
    return Window(channels=channels, height=height, width=width, kernel=kernel)


DenseT = TypeVar("DenseT", bound=DenseSpec)


class MatrixProduct(ProductLayer[DenseT, DenseMapping], Generic[DenseT]):
    """What dense and matmul share."""

    mapping_model = DenseMapping
    any_shape = True

    def infer(self, spec: DenseT, x: TensorType) -> TensorType:
        """Return `(out_features, 1, 1)`, or as many rows of out_features."""
        pixels = x.shape[1:] if x.rows else (1, 1)
        return TensorType((spec.out_features, *pixels), x.dtype, rows=x.rows)

    def parameters(self, spec: DenseT, x: TensorType) -> tuple[ParameterType, ...]:
        """Return weight `(out, in)` and, unless `bias: false`, bias `(out,)`."""
        inputs = x.shape[0] if x.rows else x.elements
        weight = ParameterType("weight", (spec.out_features, inputs))
        return (weight, ParameterType("bias", (spec.out_features,))) if spec.bias else (weight,)

    def window(self, spec: DenseT, x: TensorType) -> Window:
        """Return the window that sees the whole input at once, or a row."""
        return window_of(x)

    def alone(self, x: TensorType) -> TensorType:
        """Return its input as the PL sends it, in any order."""
        return TensorType((x.elements, 1, 1), x.dtype, x.quant)  # one pixel with all values as channels

    def torch_forward(self, spec: DenseT, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result, each value of a row a channel."""
        weight, bias = params["weight"], params.get("bias")
        if weight.shape[1] == x.shape[1]:  # every pixel alone: a row, or the only one
            y = f.linear(x.flatten(2).transpose(1, 2), weight, bias)
            return y.transpose(1, 2).reshape(len(x), spec.out_features, *x.shape[2:])
        return f.linear(x.flatten(1), weight, bias).reshape(len(x), spec.out_features, 1, 1)


@operator
class Dense(MatrixProduct[DenseSpec]):
    """See DenseSpec."""

    torch_modules = ("Linear", "LazyLinear")


class MatmulSpec(DenseSpec):
    """y = x W (+ bias): y[i, j] = bias[j] + sum of x[i, k] * weight[k, j]; x is [rows, features], weight (in, out)."""

    op: Literal["matmul"]  # type: ignore[assignment]  # the keys are dense's, the name is its own
    bias: Flag = Field(default=False, description="whether a trained bias is added to every row")


@operator
class Matmul(MatrixProduct[MatmulSpec]):
    """See MatmulSpec. Behind the weights file it is a dense layer: its weight is transposed as it is read."""

    torch_modules = ("Linear", "LazyLinear")

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
