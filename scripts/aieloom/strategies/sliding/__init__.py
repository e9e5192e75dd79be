"""sliding: a float32 convolution on AIE whose cores slide along the input's lines with aie::sliding_mul."""

from __future__ import annotations

from aieloom.plan.product import Product, ProductCut
from aieloom.plan.strategy import Strategy, register
from aieloom.spec.features import features
from aieloom.strategies.sliding.grid import LineGrid
from aieloom.strategies.sliding.plan import SlidingConvolution, slides


class SlidingStrategy(Strategy):
    """See SlidingConvolution."""

    name = "sliding"
    key = "direct"
    preference = 1  # where it suits, it is faster than what takes any layer
    grid = LineGrid

    def suits(self, product: Product) -> bool:
        """Tell whether a layer slides, its mapping asks for no mmul, and its release of Vitis has the call."""
        known = features().has(product.spec.vitis, "sliding_floats")
        layer, architecture = product.layer, product.device.architecture
        return known and not product.mapping.mmul and slides(product.window, layer.x.dtype, architecture)

    def cut(self, product: Product) -> ProductCut:
        """Return what builds the layer's drafts."""
        return SlidingConvolution(product)


register(SlidingStrategy())
