"""What the templates of im2col_gemm print: what those of all products do, and of chains of cores their links."""

from __future__ import annotations

from aieloom.network.layers import Parameters
from aieloom.plan.types import AieLayerPlan
from aieloom.products.view import ProductView, extended, tiled_view
from aieloom.products.weights import packed_weights


def im2col_view(layer: AieLayerPlan, params: Parameters) -> ProductView:
    """Return what the templates of a layer print."""
    view = tiled_view(layer, packed_weights(layer, params))
    if layer.grid.cascade > 1:
        from aieloom.strategies.im2col_gemm.cascade import chain_fields  # noqa: PLC0415 - most cut no sums

        return extended(view, chain_fields(layer, view))
    return extended(view, {"loops_template": "im2col_gemm/multiply.j2"})
