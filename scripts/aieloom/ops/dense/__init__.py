"""dense: every output a weighted sum of all inputs, on AI Engines as the matrix product of a single pixel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import NDArray
from pydantic import Field

from aieloom.model.network import Layer, Parameters
from aieloom.model.tensor import ParameterType, TensorType
from aieloom.ops.conv2d import reference
from aieloom.ops.conv2d.chained import ChainedConvolution
from aieloom.ops.conv2d.im2col_gemm import Im2colGemm
from aieloom.ops.conv2d.layer import Conv2dMapping
from aieloom.ops.registry import Operator, operator
from aieloom.plan.chained import Link
from aieloom.plan.layout import Window
from aieloom.plan.types import AieLayerDraft
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec, ParametricLayerSpec
from aieloom.spec.types import Flag, Positive

if TYPE_CHECKING:
    import torch


class DenseSpec(ParametricLayerSpec):
    """y[m] = bias[m] + sum of weight[m, k] * x[k]; x's values in order of channel, row and column (PyTorch's flatten)."""

    op: Literal["dense"]
    out_features: Positive = Field(description="channels of the output: the product's M")
    bias: Flag = Field(default=True, description="whether a trained bias is added")


class DenseMapping(Conv2dMapping):
    """How a dense layer is put on AI Engines: M x K x N with N = 1, filled up to the mmul's N."""

    strategy: Literal["im2col_gemm", "chained"] = Field(
        default="im2col_gemm",
        description="a matrix product, or behind other layers of a chain, core to core through memory tiles (AIE-ML)",
    )


def window_of(x: TensorType) -> Window:
    """Return the window that sees the whole input at once, in the order of PyTorch's flatten."""
    channels, height, width = x.shape
    return Window(
        channels=channels, height=height, width=width, kernel=(height, width), stride=(1, 1), padding=(0, 0)
    )


@operator
class Dense(Operator[DenseSpec, DenseMapping]):
    """See DenseSpec."""

    name = "dense"
    layer_model = DenseSpec
    mapping_model = DenseMapping

    def infer(self, spec: DenseSpec, x: TensorType) -> TensorType:
        """Return `(out_features, 1, 1)`."""
        return TensorType((spec.out_features, 1, 1), x.dtype)

    def parameters(self, spec: DenseSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return weight `(out, in)` and, unless `bias: false`, bias `(out,)`."""
        weight = ParameterType("weight", (spec.out_features, x.elements))
        return (weight, ParameterType("bias", (spec.out_features,))) if spec.bias else (weight,)

    def window(self, spec: DenseSpec, x: TensorType) -> Window:  # noqa: ARG002
        """Return the window that sees the whole input at once."""
        return window_of(x)

    def plan_aie(self, spec: NetworkSpec, device: Device, at: Layer, mapping: DenseMapping) -> AieLayerDraft:
        """Return the layer on AI Engines."""
        return self.gemm(spec, device, at, mapping).draft()

    def gemm(self, spec: NetworkSpec, device: Device, at: Layer, mapping: DenseMapping) -> Im2colGemm:
        """Return what builds the layer's drafts, and what the search asks for tilings."""
        assert isinstance(at.spec, DenseSpec)
        return Im2colGemm(spec, device, at, mapping, window_of(at.x), has_bias=at.spec.bias)

    def chained(
        self, spec: NetworkSpec, device: Device, at: Layer, mapping: DenseMapping, link: Link
    ) -> AieLayerDraft:
        """Return the layer in a chain: a convolution whose kernel is the whole input."""
        assert isinstance(at.spec, DenseSpec)
        window = window_of(link.x)
        return ChainedConvolution(spec, device, at, mapping, window, link=link, has_bias=at.spec.bias).draft()

    def torch_forward(
        self, spec: DenseSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result, each value a channel."""
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

        y = f.linear(x.flatten(1), params["weight"], params.get("bias"))
        return y.reshape(len(x), spec.out_features, 1, 1)

    def hardware(self, plan: AieLayerDraft, params: Parameters, x: NDArray[Any]) -> NDArray[Any]:
        """Return what the cores compute."""
        return reference.hardware(plan, params, x)

    def rounding(self, plan: AieLayerDraft, params: Parameters, x: NDArray[Any]) -> NDArray[Any]:
        """Return how far rounding may move each of the cores' sums."""
        return reference.rounding(plan, params, x)

    def spread(self, plan: AieLayerDraft, params: Parameters, deviation: NDArray[Any]) -> NDArray[Any]:
        """Return how far the sums move when the inputs move by `deviation`."""
        return reference.spread(plan, params, deviation)
