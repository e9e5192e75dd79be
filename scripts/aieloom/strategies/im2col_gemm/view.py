"""What the templates of im2col_gemm print: what those of all products do, and of chains of cores their links."""

from __future__ import annotations

from aieloom.layout.cpp import stride
from aieloom.network.layers import Parameters
from aieloom.plan.types import AieLayerPlan
from aieloom.products.view import ProductView, extended, product_view
from aieloom.products.weights import packed_weights
from aieloom.strategies.im2col_gemm.cascade import chain_fields


def im2col_view(layer: AieLayerPlan, params: Parameters) -> ProductView:
    """Return what the templates of a layer print; the blocks of its tiles lie in the order of the grid's layouts."""
    grid = layer.grid
    view = product_view(layer, packed_weights(layer, params))
    own = {
        "loops_template": "im2col_gemm/multiply.j2",
        "row_stride": stride(grid.weights, "mt", "Mmul::size_A"),
        "weight_stride": stride(grid.weights, "kt", "Mmul::size_A"),
        "col_stride": stride(grid.input, "nt", "Mmul::size_B"),
        "in_stride": stride(grid.input, "kt", "Mmul::size_B"),
    }
    return extended(view, own | (chain_fields(layer, view) if grid.cascade > 1 else {}))
