"""conv2d: two-dimensional convolution, on AI Engines by im2col and matrix product, or directly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aieloom.arrays import Values
from aieloom.layout.grid import Window
from aieloom.network.layers import Layer, Parameters
from aieloom.network.reach import Reach, Span
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops.conv2d import layer
from aieloom.ops.conv2d.layer import Conv2dMapping, Conv2dSpec
from aieloom.ops.registry import Operator, operator
from aieloom.plan.processor import PsStep
from aieloom.plan.product import Product
from aieloom.plan.types import AieLayerDraft
from aieloom.products import processor as on_processor
from aieloom.products import reference
from aieloom.products.strategy import strategy_of
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec
from aieloom.spec.types import pair
from aieloom.strategies import cut_of

if TYPE_CHECKING:
    import torch


@operator
class Conv2d(Operator[Conv2dSpec, Conv2dMapping]):
    """See Conv2dSpec."""

    name = "conv2d"
    torch_modules = ("Conv2d", "LazyConv2d")
    layer_model = Conv2dSpec
    mapping_model = Conv2dMapping

    def infer(self, spec: Conv2dSpec, x: TensorType) -> TensorType:
        """Return the output's type."""
        return layer.infer(spec, x)

    def parameters(self, spec: Conv2dSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return weight and bias."""
        return layer.parameters(spec, x)

    def window(self, spec: Conv2dSpec, x: TensorType) -> Window:
        """Return how the layer reads its input."""
        return layer.window_of(spec, x)

    def reach(self, spec: Conv2dSpec) -> Reach:
        """Return the kernel's window."""
        y, x = (
            Span(*each) for each in zip(pair(spec.kernel), pair(spec.stride), pair(spec.padding), strict=True)
        )
        return y, x

    def plan_aie(self, spec: NetworkSpec, device: Device, at: Layer, mapping: Conv2dMapping) -> AieLayerDraft:
        """Return the layer on AI Engines."""
        return cut_of(self.product(spec, device, at, mapping)).draft()

    def product(self, spec: NetworkSpec, device: Device, at: Layer, mapping: Conv2dMapping) -> Product:
        """Return the layer as a product that strategies cut."""
        assert isinstance(at.spec, Conv2dSpec)
        window = self.window(at.spec, at.x)
        return Product(
            spec=spec, device=device, layer=at, mapping=mapping, window=window, has_bias=at.spec.bias
        )

    def alone(self, x: TensorType) -> TensorType:
        """Return its input as the PL sends it."""
        return x

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return the layer on the processor."""
        assert isinstance(at.spec, Conv2dSpec)
        return on_processor.plan_ps(spec, at, self.window(at.spec, at.x), at.spec.groups)

    def processor(self, plan: PsStep, params: Parameters, x: Values) -> Values:
        """Return what the processor computes."""
        return on_processor.processor(plan, params, x)

    def torch_forward(
        self, spec: Conv2dSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

        stride, padding = pair(spec.stride), pair(spec.padding)
        return f.conv2d(
            x, params["weight"], params.get("bias"), stride=stride, padding=padding, groups=spec.groups
        )

    def hardware(self, plan: AieLayerDraft, params: Parameters, x: Values) -> Values:
        """Return what the cores compute."""
        return strategy_of(plan.grid).hardware(plan, params, x)

    def rounding(self, plan: AieLayerDraft, params: Parameters, x: Values) -> Values:
        """Return how far rounding may move each of the cores' sums."""
        return reference.rounding(plan, params, x)

    def spread(self, plan: AieLayerDraft, params: Parameters, deviation: Values) -> Values:
        """Return how far the sums move when the inputs move by `deviation`."""
        return reference.spread(plan, params, deviation)
