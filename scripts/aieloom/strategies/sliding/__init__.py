"""sliding: a float32 convolution on AIE whose cores slide along the input's lines with aie::sliding_mul."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from aieloom.cpp_text import Constant, View
from aieloom.network.layers import Parameters
from aieloom.pl.streams import TiledStreams
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

    def view(self, layer: AieLayerPlan, params: Parameters) -> View:
        """Return what its templates print of a layer."""
        return line_view(layer, cast(LineGrid, layer.grid), params)

    def input_tiles(self, sink: TiledStreams, lanes: int) -> tuple[Constant, ...]:
        """Return how PL kernels and the host program cut what its cores read."""
        return line_tiles(sink, cast(LineGrid, sink.grid), lanes)


register(SlidingStrategy())
