"""sliding: a float32 convolution on AIE whose cores slide along the input's lines with aie::sliding_mul."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from aieloom.plan.product import Product, ProductCut
from aieloom.plan.types import AieLayerPlan
from aieloom.products.search import neighbours, of_rows
from aieloom.products.strategy import ProductStrategy, register
from aieloom.spec.features import features
from aieloom.strategies.sliding.grid import LineGrid
from aieloom.strategies.sliding.plan import SlidingConvolution, slides
from aieloom.strategies.sliding.view import line_tiles, line_view


class SlidingStrategy(ProductStrategy):
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

    def moves(self, layer: AieLayerPlan) -> Iterator[dict[str, object]]:
        """Yield cuts near the one that a layer has."""
        return neighbours(layer, of_rows(cast(LineGrid, layer.grid), (1, 1)))

    view = staticmethod(line_view)
    input_tiles = staticmethod(line_tiles)


register(SlidingStrategy())
