"""What operators of sums of products share: strategies cut them over cores, loops compute them on the processor.

What computes them, and what plans them on the processor, is imported where it is asked for: planning most does without.
"""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from pydantic import Field

from aieloom.arrays import Values
from aieloom.layout.grid import Window
from aieloom.network.layers import Layer, Parameters
from aieloom.network.tensor import TensorType
from aieloom.ops.registry import LayerT, Operator
from aieloom.plan.processor import PsStep
from aieloom.plan.product import Product
from aieloom.plan.types import AieLayerDraft
from aieloom.products.strategy import strategy_of
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec
from aieloom.spec.product import ProductMapping
from aieloom.strategies import cut_of


class Conv2dMapping(ProductMapping):
    """How a conv2d is put on AI Engines; what is left out, the planner chooses."""

    strategy: Literal["im2col_gemm", "direct", "chained", "gemm"] = Field(
        default="im2col_gemm",
        description="a matrix product of the weights and the input's im2col matrix, the same from the input's lines, "
        "without that matrix, a chain of layers core to core through memory tiles (AIE-ML), or with engine: pl a product "
        "on the matrix engine (gemm)",
    )


MappingT = TypeVar("MappingT", bound=ProductMapping)


class ProductLayer(Operator[LayerT, MappingT], Generic[LayerT, MappingT]):
    """A layer whose class says its window; its keys have `bias`."""

    def window(self, spec: LayerT, x: TensorType) -> Window:
        """Return how the layer reads its input."""
        raise NotImplementedError

    def groups(self, spec: LayerT) -> int:
        """Return in how many groups the channels are."""
        return 1

    def plan_aie(self, spec: NetworkSpec, device: Device, at: Layer, mapping: MappingT) -> AieLayerDraft:
        """Return the layer on AI Engines."""
        return cut_of(self.product(spec, device, at, mapping)).draft()

    def product(self, spec: NetworkSpec, device: Device, at: Layer, mapping: MappingT) -> Product:
        """Return the layer as a product that strategies cut."""
        own: Any = at.spec
        window = self.window(own, at.x)
        return Product(spec=spec, device=device, layer=at, mapping=mapping, window=window, has_bias=own.bias)

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return the layer on the processor."""
        own: Any = at.spec
        from aieloom.products import processor as on_processor  # noqa: PLC0415

        return on_processor.plan_ps(spec, at, self.window(own, at.x), self.groups(own))

    def hardware(self, plan: AieLayerDraft, params: Parameters, x: Values) -> Values:
        """Return what the cores compute."""
        return strategy_of(plan.grid).hardware(plan, params, x)

    def processor(self, plan: PsStep, params: Parameters, x: Values) -> Values:
        """Return what the processor computes."""
        from aieloom.products import processor as on_processor  # noqa: PLC0415

        return on_processor.processor(plan, params, x)

    def rounding(self, plan: AieLayerDraft, params: Parameters, x: Values) -> Values:
        """Return how far rounding may move each of the cores' sums."""
        from aieloom.products import reference  # noqa: PLC0415

        return reference.rounding(plan, params, x)

    def spread(self, plan: AieLayerDraft, params: Parameters, deviation: Values) -> Values:
        """Return how far the sums move when the inputs move by `deviation`."""
        from aieloom.products import reference  # noqa: PLC0415

        return reference.spread(plan, params, deviation)
