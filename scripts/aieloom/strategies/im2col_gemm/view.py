"""What the templates of im2col_gemm print: what those of all products do, and of chains of cores their links."""

from __future__ import annotations

from aieloom.cpp_text import View
from aieloom.network.layers import Parameters
from aieloom.plan.types import AieLayerPlan
from aieloom.products.view import tiled_view
from aieloom.products.weights import packed_weights
from aieloom.strategies.im2col_gemm.cascade import chain_fields


def im2col_view(layer: AieLayerPlan, params: Parameters) -> View:
    """Return what the templates of a layer print."""
    view = tiled_view(layer, packed_weights(layer, params))
    if layer.grid.cascade > 1:
        return view.but(**chain_fields(layer, view))
    return view.but(loops_template="im2col_gemm/multiply.j2")
