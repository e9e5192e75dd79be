"""What conv2d computes: PyTorch's float reference, and the sum in the hardware's own order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aieloom.model.network import Parameters
from aieloom.ops.conv2d.layer import Conv2dSpec
from aieloom.plan.layout import PADDING
from aieloom.plan.types import AieLayerDraft
from aieloom.spec.types import pair

if TYPE_CHECKING:
    import torch

Values = NDArray[Any]


def torch_forward(spec: Conv2dSpec, params: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    """Return PyTorch's result; `x` is `(batch, channels, height, width)`."""
    import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

    stride, padding = pair(spec.stride), pair(spec.padding)
    return f.conv2d(x, params["weight"], params.get("bias"), stride=stride, padding=padding)


def im2col(draft: AieLayerDraft, x: Values) -> Values:
    """Return the im2col matrices `(batch, taps, pixels)` of `x` `(batch, channels, height, width)`."""
    k, pixel = np.meshgrid(np.arange(draft.window.taps), np.arange(draft.window.pixels), indexing="ij")
    source = draft.window.source(k, pixel)
    flat = x.reshape(len(x), -1)
    return np.where(source == PADDING, x.dtype.type(0), flat[:, source])


def hardware(draft: AieLayerDraft, params: Parameters, x: Values) -> Values:
    """Return what the cores compute, in the precision of `x`.

    float32: bias first, then one product after another in order of K, each product and each sum rounded
    (separate multiplier and adder, AM009 Floating-Point Vector Unit; passes continue the same sum).
    float64: the same table network without that rounding; the order does not matter then.
    """
    weight = params["weight"].reshape(draft.grid.m, -1).astype(x.dtype)
    bias = params["bias"].astype(x.dtype) if draft.has_bias else np.zeros(draft.grid.m, x.dtype)
    columns = im2col(draft, x)
    if x.dtype == np.float64:
        total: Values = weight @ columns + bias[:, None]
    else:
        by_tap = np.ascontiguousarray(columns.transpose(1, 0, 2))  # (taps, batch, pixels)
        total = np.broadcast_to(bias[:, None, None], (draft.grid.m, *by_tap.shape[1:])).copy()
        product = np.empty_like(total)
        for k in range(draft.grid.k):
            np.multiply(weight[:, k, None, None], by_tap[k], out=product)
            np.add(total, product, out=total)
        total = total.transpose(1, 0, 2)
    return total.reshape(len(x), *draft.y.shape)
