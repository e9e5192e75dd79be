"""What dense and matmul share: every output a weighted sum of all inputs, of a single pixel, or of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from pydantic import Field

from aieloom.layout.grid import Window
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops.product import ProductLayer
from aieloom.spec.network import ParametricLayerSpec
from aieloom.spec.product import ProductMapping
from aieloom.spec.types import Flag, Positive

if TYPE_CHECKING:
    import torch


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
    return Window(
        channels=channels,
        height=height,
        width=width,
        kernel=(1, 1) if x.rows else (height, width),
        stride=(1, 1),
        padding=(0, 0),
    )


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

    def torch_forward(self, spec: DenseT, params: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """Return PyTorch's result, each value of a row a channel."""
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

        weight, bias = params["weight"], params.get("bias")
        if weight.shape[1] == x.shape[1]:  # every pixel alone: a row, or the only one
            y = f.linear(x.flatten(2).transpose(1, 2), weight, bias)
            return y.transpose(1, 2).reshape(len(x), spec.out_features, *x.shape[2:])
        return f.linear(x.flatten(1), weight, bias).reshape(len(x), spec.out_features, 1, 1)
