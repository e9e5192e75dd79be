"""layer_norm: values brought to mean 0 and variance 1 over an axis, then scaled, on the processor.

`execution: sequential` has the one over channels in integers on the row unit (integer.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.scaled import MOST_ELEMENTS
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops.layer_norm.integer import IntegerNorm, trained_integers
from aieloom.ops.processor import Form, PsOnly
from aieloom.ops.registry import operator
from aieloom.plan.processor import PsStep
from aieloom.pytorch import Tensor, Tensors, f
from aieloom.spec.network import ParametricLayerSpec
from aieloom.spec.types import Flag, Number

Over = Literal["all", "channels", "width"]


class LayerNormSpec(ParametricLayerSpec):
    """y = (x - mean) / sqrt(variance + eps) * weight + bias, with mean and variance over `over`."""

    op: Literal["layer_norm"]
    over: Over = Field(
        default="all",
        description="the values that share mean and variance: all of an image, the channels of a pixel, or a row",
    )
    eps: Number = Field(default=1e-5, gt=0, description="added to the variance")
    bias: Flag = Field(default=True, description="whether a trained bias is added")


@dataclass(frozen=True, slots=True, kw_only=True)
class Norm:
    """What the template prints: `sets` of `count` values, `stride` apart, the sets' beginnings `set_step`."""

    sets: int
    count: int
    stride: int
    set_step: int
    eps: float
    over: str


@operator
class LayerNorm(PsOnly[LayerNormSpec]):
    """See LayerNormSpec."""

    def parameters(self, spec: LayerNormSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return weight and, unless `bias: false`, bias, of the shape of what shares a mean."""
        c, h, w = x.shape
        whole = (c, h, w) if h * w > 1 else (c,)
        shape = {"all": whole, "channels": (c,), "width": (w,)}[spec.over]
        weight = ParameterType("weight", shape)
        return (weight, ParameterType("bias", shape)) if spec.bias else (weight,)

    def form(self, spec: LayerNormSpec, at: Layer) -> Form:
        """Return the three passes over each set of values."""
        c, h, w = at.x.shape
        sets, count, stride, step = {
            "all": (1, at.x.elements, 1, 0),
            "channels": (h * w, c, h * w, 1),
            "width": (c * h, w, 1, w),
        }[spec.over]
        detail = Norm(
            sets=sets,
            count=count,
            stride=stride,
            set_step=step,
            eps=float(np.float32(spec.eps)),
            over=spec.over,
        )
        why = f"layer_norm: {sets} x {count} values, sums in float64 in their order, rounded once"
        return Form(detail, why, 3 * at.x.elements)

    def torch_forward(self, spec: LayerNormSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        weight, bias = params["weight"], params.get("bias")
        if spec.over == "channels":
            y = f.layer_norm(x.permute(0, 2, 3, 1), (x.shape[1],), weight, bias, spec.eps)
            return y.permute(0, 3, 1, 2).contiguous()
        shape = x.shape[1:] if spec.over == "all" else x.shape[3:]
        weight = weight.reshape(shape)
        return f.layer_norm(x, shape, weight, None if bias is None else bias.reshape(shape), spec.eps)

    def hardware(self, plan: PsStep, params: Parameters, x: Values) -> Values:
        """Return the values: sums in order in float64, one rounding to the precision of `x`."""
        norm = plan.read(Norm)
        over = {"all": (1, 2, 3), "channels": (1,), "width": (3,)}[norm.over]
        kept = [a for a in range(4) if a not in over]
        rows = x.astype(np.float64).transpose(*kept, *over)
        flat = rows.reshape(len(x), -1, norm.count)
        mean = np.add.accumulate(flat, axis=2)[:, :, -1:] / norm.count
        centred = flat - mean
        variance = np.add.accumulate(centred * centred, axis=2)[:, :, -1:] / norm.count
        y = centred / np.sqrt(variance + norm.eps) * params["weight"].reshape(-1).astype(np.float64)
        if "bias" in params:
            y = y + params["bias"].reshape(-1).astype(np.float64)
        back = np.argsort([*kept, *over])
        found: Values = y.reshape(rows.shape).transpose(*back).astype(x.dtype)
        return found

    def takes_turns(self, layer: Layer) -> bool:
        """Tell whether integers have the layer: over the channels of each pixel."""
        assert isinstance(layer.spec, LayerNormSpec)
        alone = layer.spec.over == "channels" or (layer.spec.over == "all" and layer.x.pixels == 1)
        return alone and layer.x.shape[0] <= MOST_ELEMENTS

    def integers(self, layer: Layer, trained: Parameters) -> Parameters | None:
        """Return what the integers' form multiplies by; None where it has no room."""
        assert isinstance(layer.spec, LayerNormSpec)
        return trained_integers(layer, trained, layer.spec.eps)

    def turn(self, layer: Layer) -> IntegerNorm:
        """Return the layer in integers."""
        return IntegerNorm(channels=layer.x.shape[0], zero=layer.y.zero)
