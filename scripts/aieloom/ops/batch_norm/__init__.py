"""batch_norm: folded into the conv2d or dense layer before it; elsewhere a depthwise convolution of one pixel.

Folding: (w x + b - mean) * s + beta, s = gamma / sqrt(var + eps). One behind anything else, or behind a layer that others read
too, is a depthwise convolution of one pixel itself: w is 1 and b is 0. The folded weights are computed in float64 and rounded
once to float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from pydantic import Field

from aieloom.errors import SpecError
from aieloom.network.layers import Array, Layer, Network
from aieloom.network.operator import POINT
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops.product import Conv2dMapping
from aieloom.ops.registry import REGISTRY, Operator, operator
from aieloom.pytorch import Tensor, Tensors, f
from aieloom.spec.network import ParametricLayerSpec
from aieloom.spec.types import Number


class BatchNormSpec(ParametricLayerSpec):
    """y[c] = (x[c] - running_mean[c]) / sqrt(running_var[c] + eps) * weight[c] + bias[c]."""

    op: Literal["batch_norm"]
    eps: Number = Field(default=1e-5, ge=0, description="added to the variance")


@operator
class BatchNorm(Operator[BatchNormSpec, Conv2dMapping]):
    """See BatchNormSpec."""

    torch_modules = ("BatchNorm1d", "BatchNorm2d")
    sees = POINT

    def parameters(self, spec: BatchNormSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return the four vectors, one value a channel."""
        names = ("weight", "bias", "running_mean", "running_var")
        return tuple(ParameterType(name, (x.shape[0],)) for name in names)

    def torch_forward(self, spec: BatchNormSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        mean, var = params["running_mean"], params["running_var"]
        return f.batch_norm(x, mean, var, params["weight"], params["bias"], eps=spec.eps)


FOLDS_INTO = ("conv2d", "dense", "matmul")
BATCH_NORM = "batch_norm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """The network that is planned, and which batch_norm layers went into which layers, in order.

    One that stands alone goes into the convolution that it becomes, which has its name.
    """

    network: Network
    folds: tuple[tuple[Layer, Layer], ...]  # (layer as the user wrote it, batch_norm)

    def notes(self) -> tuple[str, ...]:
        """Return a line for each fold."""
        return tuple(
            f"batch_norm '{norm.name}' stands behind nothing that it can be folded into: a depthwise convolution of one pixel"
            if into.name == norm.name
            else f"batch_norm '{norm.name}' is folded into '{into.name}': weights and bias are scaled in float64"
            for into, norm in self.folds
        )


def fold_network(network: Network) -> Folded:
    """Take out every batch_norm that alone reads a conv2d or dense layer, which gets a bias; make others convolutions."""
    kept: dict[str, Layer] = {}
    stands_for: dict[str, str] = {}  # a batch_norm that is gone: the layer that gives its result
    folds = []
    for layer in network.layers:
        into = kept.get(stands_for.get(layer.inputs[0], layer.inputs[0]))
        alone = len(network.readers(layer.inputs[0])) == 1
        if layer.op == BATCH_NORM and into and into.op in FOLDS_INTO and alone:
            folds.append((into, layer))
            kept[into.name] = _with_bias(into)
            stands_for[layer.name] = into.name
            continue
        kept[layer.name] = replace(layer, inputs=tuple(stands_for.get(name, name) for name in layer.inputs))
        if layer.op == BATCH_NORM:
            kept[layer.name] = _alone(kept[layer.name])
            folds.append((kept[layer.name], layer))
    return Folded(network=replace(network, layers=tuple(kept.values())), folds=tuple(folds))


def _alone(norm: Layer) -> Layer:
    """Return the depthwise convolution of one pixel that scales each channel and adds its offset."""
    channels = norm.x.shape[0]
    keys = {"name": norm.name, "op": "conv2d", "out_channels": channels, "kernel": 1, "groups": channels}
    return replace(
        norm,
        spec=REGISTRY["conv2d"].layer_model.model_validate(keys),
        parameters=(ParameterType("weight", (channels, 1, 1, 1)), ParameterType("bias", (channels,))),
    )


def _with_bias(layer: Layer) -> Layer:
    weight = layer.parameters[0]
    bias = ParameterType("bias", (weight.shape[0],))
    return replace(layer, spec=layer.spec.model_copy(update={"bias": True}), parameters=(weight, bias))


def fold_parameters(
    folded: Folded, parameters: Mapping[str, Mapping[str, Array]]
) -> dict[str, dict[str, Array]]:
    """Return the planned network's trained tensors from those of the network as written.

    Raises:
        SpecError: a variance is negative, or so small that a weight is no longer finite.
    """
    found = {name: dict(tensors) for name, tensors in parameters.items()}
    for into, norm in folded.folds:
        trained = found.pop(norm.name)
        one = {"weight": np.ones(into.parameters[0].shape, np.float32)}
        found[into.name] = _fold(folded, found.get(into.name, one), norm, trained)
    return found


def _fold(
    folded: Folded, target: Mapping[str, Array], norm: Layer, trained: Mapping[str, Array]
) -> dict[str, Array]:
    gamma, beta, mean, var = (
        trained[n].astype(np.float64) for n in ("weight", "bias", "running_mean", "running_var")
    )
    with np.errstate(all="ignore"):
        scale = gamma / np.sqrt(var + float(norm.spec.eps))  # type: ignore[attr-defined]  # its spec has eps
        weight = target["weight"].astype(np.float64)
        bias = target["bias"].astype(np.float64) if "bias" in target else np.zeros(len(weight))
        scaled = (weight * scale.reshape(-1, *(1,) * (weight.ndim - 1))).astype(np.float32)
        moved = ((bias - mean) * scale + beta).astype(np.float32)
    bad = ~np.isfinite(scale) | (var < 0)
    if bad.any() or not np.isfinite(scaled).all() or not np.isfinite(moved).all():
        channel = int(np.argmax(bad)) if bad.any() else 0
        spec = folded.network.spec
        text = (
            f"layer '{norm.name}': channel {channel} has the variance {var[channel]:g}; "
            "its scale is no finite number"
        )
        negative = bad.any() and var[channel] < 0
        remedy = (
            "take the weights of a finished training: no variance is negative"
            if negative
            else "set a larger eps, such as eps: 1e-5"
        )
        raise SpecError(spec.problem("bn-2", norm.index, text, remedy))
    return {"weight": scaled, "bias": moved}
