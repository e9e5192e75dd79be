"""conv2d and dense on the processor: plain loops, the bias first, then product after product in order of K."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aieloom.arrays import Values
from aieloom.layout.grid import Window
from aieloom.network.layers import Layer, Parameters
from aieloom.plan.on_processor import ps_step
from aieloom.plan.processor import WHOLE, PsStep
from aieloom.products.reference import gathered
from aieloom.spec.network import NetworkSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Products:
    """What the host program is told."""

    window: Window
    groups: int
    out_channels: int


def plan_ps(spec: NetworkSpec, at: Layer, window: Window, groups: int) -> PsStep:
    """Return the layer as loops over outputs and taps."""
    out_channels = at.y.shape[0]
    taps = window.taps // groups
    names = tuple(p.name for p in at.parameters)
    detail = Products(window=window, groups=groups, out_channels=out_channels)
    return ps_step(
        spec,
        at,
        kind=WHOLE,
        template="ps/conv2d.h",
        detail=detail,
        why=f"{at.op}: {at.y.elements} sums of {taps} products in float32, the bias first, in order of K",
        operations=at.y.elements * taps,
        weights=names,
    )


def processor(step: PsStep, params: Parameters, x: Values) -> Values:
    """Return the sums, each product and each sum rounded once in the precision of `x`."""
    detail = step.read(Products)
    matrices = gathered(detail.window, x)  # (batch, taps, pixels)
    weight = params["weight"].reshape(detail.out_channels, -1).astype(x.dtype)
    images, pixels = len(x), matrices.shape[2]
    by_group = matrices.reshape(images, detail.groups, -1, pixels)
    each = detail.out_channels // detail.groups
    group = np.arange(detail.out_channels) // each
    start = params["bias"].astype(x.dtype) if "bias" in params else np.zeros(detail.out_channels, x.dtype)
    total = np.broadcast_to(start[None, :, None], (images, detail.out_channels, pixels)).copy()
    for k in range(weight.shape[1]):
        total += weight[None, :, k, None] * by_group[:, group, k]
    return total.reshape(images, *step.y.shape)
