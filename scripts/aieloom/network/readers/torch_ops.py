"""What each operator of an exported PyTorch module becomes: layers of network.yaml, or none where it changes nothing.

`torch.export` gives a module as calls of ATen operators with fixed shapes, each named as in PyTorch's native_functions.yaml. A
translator takes one call and returns its layers; the first reads what the call reads. Samples are (channels, height, width),
features of one pixel, or (rows, features).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.convolutions import dilated
from aieloom.network.readers.onnx_nodes import (
    Piece,
    convolution,
    for_each_channel,
    grouped,
    number,
    transposed_convolution,
)
from aieloom.network.readers.onnx_windows import padding_of, short
from aieloom.network.readers.refused import Refused

AXES = ("channels", "height", "width")
IMAGE, ROWS, FEATURES = 4, 3, 2  # ranks with the batch


@dataclass(frozen=True, slots=True)
class Flow:
    """A tensor that depends on the module's input: the number of what gives it, and its shape with the batch."""

    source: int
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of an ATen operator: its arguments by their names, parameters and buffers as arrays."""

    op: str  # as conv2d.default
    args: Mapping[str, Any]
    y_shape: tuple[int, ...]
    name: str = ""  # of the module that calls it, as features.0

    @property
    def flows(self) -> tuple[Flow, ...]:
        """What it reads that depends on the input, in order."""
        given = (v if isinstance(v, list | tuple) else (v,) for v in self.args.values())
        return tuple(v for values in given for v in values if isinstance(v, Flow))

    @property
    def x(self) -> Flow:
        """The first of them."""
        return self.flows[0]


Layers = list[Piece]
Translator = Callable[[Call], Layers]


def _pair(value: Any) -> tuple[int, int]:
    numbers = [int(v) for v in value] if isinstance(value, Sequence) else [int(value)]
    return (numbers[0], numbers[-1])


def _images(call: Call) -> None:
    if len(call.x.shape) != IMAGE:
        raise Refused(f"takes {list(call.x.shape)}", "give it (n, channels, height, width)")


def _plain(op: str) -> Translator:
    return lambda _call: [Piece(op)]


def _nothing(_call: Call) -> Layers:
    return []


def _weighted(call: Call, keys: dict[str, Any], op: str) -> Piece:
    bias = call.args.get("bias")
    tensors = {"weight": trained(call, "weight"), **({} if bias is None else {"bias": bias})}
    return Piece(op, {**keys, **({"bias": False} if bias is None else {})}, tensors, call.name)


def trained(call: Call, name: str) -> Values:
    """Return an argument that is a trained tensor.

    Raises:
        Refused: it is computed.
    """
    value = call.args[name]
    if not isinstance(value, np.ndarray):
        raise Refused(
            f"its {name} is no trained tensor", "keep weights in parameters or buffers of the module"
        )
    return value


def _conv(call: Call) -> Layers:
    _images(call)
    weight, padding = (
        dilated(trained(call, "weight"), _pair(call.args["dilation"])),
        call.args.get("padding", 0),
    )
    stride = _pair(call.args["stride"])
    kernel = _pair(weight.shape[2:])
    keys: dict[str, Any] = {"kernel": short(kernel)}
    if stride != (1, 1):
        keys["stride"] = short(stride)
    if padding == "same":  # what is odd of the border goes below and to the right
        top, left = ((k - 1) // 2 for k in kernel)
        sides = (top, left, kernel[0] - 1 - top, kernel[1] - 1 - left)
    else:
        sides = (0, 0, 0, 0) if padding == "valid" else (*_pair(padding), *_pair(padding))
    key, border = padding_of(sides)
    bias, groups = call.args.get("bias"), int(call.args["groups"])
    return convolution(weight, bias, {**keys, **key, **grouped(groups)}, border, call.name)


def _conv_transpose(call: Call) -> Layers:
    _images(call)
    groups = int(call.args["groups"])
    return transposed_convolution(
        dilated(trained(call, "weight"), _pair(call.args["dilation"])),
        call.args.get("bias"),
        call.name,
        stride=_pair(call.args["stride"]),
        begin=_pair(call.args["padding"]),
        groups=groups,
        x=call.x.shape,
        y=call.y_shape,
    )


def _linear(call: Call) -> Layers:
    if len(call.x.shape) == IMAGE:
        raise Refused(f"multiplies the last axis of {list(call.x.shape)}", "flatten it, or use a 1x1 Conv2d")
    return [_weighted(call, {"out_features": int(trained(call, "weight").shape[0])}, "dense")]


def _addmm(call: Call) -> Layers:
    """Take bias + x @ weight."""
    if call.args.get("beta", 1) != 1 or call.args.get("alpha", 1) != 1:
        raise Refused(
            f"has factors, beta {call.args.get('beta', 1)} and alpha {call.args.get('alpha', 1)}",
            "use Linear layers",
        )
    weight = trained(call, "mat2").T
    bias = np.broadcast_to(trained(call, "self"), weight.shape[:1])
    return [
        Piece("dense", {"out_features": int(weight.shape[0])}, {"weight": weight, "bias": bias}, call.name)
    ]


def _matmul(call: Call) -> Layers:
    other = next(v for k, v in call.args.items() if k != "self")
    if len(call.flows) > 1 or isinstance(other, Flow) or other.ndim != 2 or len(call.x.shape) == IMAGE:
        raise Refused(
            f"multiplies {[list(f.shape) for f in call.flows]}", "multiply features by a trained matrix"
        )
    return [
        Piece("dense", {"out_features": int(other.shape[1]), "bias": False}, {"weight": other.T}, call.name)
    ]


def _batch_norm(call: Call) -> Layers:
    if call.args.get("training"):
        raise Refused(
            f"computes statistics of the batch of {list(call.x.shape)}",
            "call module.eval(), and track running statistics",
        )
    if len(call.x.shape) == ROWS:
        raise Refused(f"scales the rows of {list(call.x.shape)}", "give it (n, features)")
    mean = trained(call, "running_mean")
    weight, bias = call.args.get("weight"), call.args.get("bias")
    tensors = {
        "weight": np.ones(mean.shape, np.float32) if weight is None else weight,
        "bias": np.zeros(mean.shape, np.float32) if bias is None else bias,
        "running_mean": mean,
        "running_var": trained(call, "running_var"),
    }
    return [Piece("batch_norm", {"eps": number(call.args["eps"])}, tensors, call.name)]


def _layer_norm(call: Call) -> Layers:
    over = [int(v) for v in call.args["normalized_shape"]]
    rank, shape = len(call.x.shape), call.x.shape
    if rank == ROWS:
        raise Refused(f"normalises each row of {list(shape)}", "rows of features have no layer_norm yet")
    if len(over) != rank - 1 and (rank != IMAGE or len(over) != 1):
        raise Refused(f"normalises {over} of {list(shape)}", "normalise a whole sample, or rows of pixels")
    keys: dict[str, Any] = {"over": "width" if rank == IMAGE and len(over) == 1 else "all"}
    keys["eps"] = number(call.args["eps"])
    weight, bias = call.args.get("weight"), call.args.get("bias")
    tensors = {"weight": np.ones(over, np.float32) if weight is None else weight}
    if bias is None:
        keys["bias"] = False
    else:
        tensors["bias"] = bias
    if keys["over"] == "all" and prod(over[1:]) == 1:
        tensors = {name: value.reshape(over[0]) for name, value in tensors.items()}
    return [Piece("layer_norm", keys, tensors, call.name)]


def _window(call: Call, sizes: str = "kernel_size") -> dict[str, Any]:
    """Return a pool's keys; with ceil_mode a border below and to the right takes what the last window reaches."""
    _images(call)
    kernel = _pair(call.args[sizes])
    stride = _pair(call.args.get("stride") or kernel)
    padding = _pair(call.args.get("padding", 0))
    if _pair(call.args.get("dilation", 1)) != (1, 1):
        raise Refused(f"is dilated by {call.args['dilation']}", "use a pool without dilation")
    sides = [*padding, *padding]
    for i in (0, 1):
        reach = (call.y_shape[2 + i] - 1) * stride[i] + kernel[i]
        if call.args.get("ceil_mode"):
            sides[2 + i] += max(0, reach - call.x.shape[2 + i] - 2 * padding[i])
    keys: dict[str, Any] = {"kernel": short(kernel)}
    if stride != kernel:
        keys["stride"] = short(stride)
    if any(sides):
        keys["padding"] = short(sides[:2]) if sides[:2] == sides[2:] else sides
    return keys


def _max_pool(call: Call) -> Layers:
    return [Piece("max_pool", _window(call))]


def _avg_pool(call: Call) -> Layers:
    keys = _window(call)
    if divisor := call.args.get("divisor_override"):
        raise Refused(f"has a divisor of its own, {divisor}", "leave divisor_override out")
    if not call.args.get("count_include_pad", True):
        return [Piece("avg_pool", {**keys, "count_include_pad": False} if "padding" in keys else keys)]
    if call.args.get("ceil_mode") and "padding" in keys:
        raise Refused(
            f"has both ceil_mode and count_include_pad, and padding {keys['padding']}", "use one of the two"
        )
    return [Piece("avg_pool", keys)]


def _adaptive(op: str) -> Translator:
    """Take pools that give a size: of all of an image, or of windows that divide it."""

    def take(call: Call) -> Layers:
        _images(call)
        size = tuple(call.y_shape[2:])
        if op == "avg_pool" and size == (1, 1):
            return [Piece("global_avg_pool")]
        if any(h % s for h, s in zip(call.x.shape[2:], size, strict=True)):
            text = f"makes {list(size)} of {list(call.x.shape[2:])}, by windows of several sizes"
            raise Refused(text, "use sizes that divide the image's")
        window = [h // s for h, s in zip(call.x.shape[2:], size, strict=True)]
        return [] if window == [1, 1] else [Piece(op, {"kernel": short(window)})]

    return take


def softmax(op: str) -> Translator:
    """Return what takes a softmax, or what is made of one, over channels or a row's features."""
    return lambda call: [_over_channels(op, call)]


def _over_channels(op: str, call: Call) -> Piece:
    rank = len(call.x.shape)
    axis = int(call.args["dim"]) % rank
    if axis != (2 if rank == ROWS else 1):
        raise Refused(
            f"goes along axis {axis} of {list(call.x.shape)}", "take it of channels, or of a row's features"
        )
    return Piece(op)


def _shape(call: Call) -> Layers:
    """Take whatever gives the same values in the same order another shape."""
    x, y = call.x.shape, call.y_shape
    if x[:1] != y[:1] or len(y) > IMAGE:
        raise Refused(
            f"makes {list(y)} of {list(x)}", "keep the batch first, and at most three axes behind it"
        )
    rows = ROWS in (len(x), len(y))
    if rows and x == y:
        return []
    if len(y) == ROWS:
        raise Refused(
            f"makes rows of features, {list(y)}, of {list(x)}", "let the module's input be the rows"
        )
    if not rows and (*x, 1, 1)[1:4] == (*y, 1, 1)[1:4]:
        return []
    return [Piece("flatten")] if len(y) == FEATURES else [Piece("reshape", {"shape": list(y[1:])})]


def _permute(call: Call) -> Layers:
    rank = len(call.x.shape)
    order = [int(d) % rank for d in call.args["dims"]]
    return _permuted(call, order)


def _transposed(call: Call) -> Layers:
    rank = len(call.x.shape)
    order = list(range(rank))
    a, b = (int(call.args[k]) % rank for k in ("dim0", "dim1"))
    order[a], order[b] = b, a
    return _permuted(call, order)


def _permuted(call: Call, order: list[int]) -> Layers:
    if [i for i in order if call.x.shape[i] > 1] == [i for i, d in enumerate(call.x.shape) if d > 1]:
        return _shape(call)
    if len(order) != IMAGE or order[0] != 0:
        raise Refused(
            f"permutes {list(call.x.shape)} by {order}", "keep the batch first, and images behind it"
        )
    return [Piece("transpose", {"axes": [AXES[a - 1] for a in order[1:]]})]


def _scalar(value: Any) -> float:
    if isinstance(value, np.ndarray) and value.size != 1:
        raise Refused(
            f"computes with a constant of shape {list(value.shape)}", "put it into the weights of a layer"
        )
    return float(value.reshape(()) if isinstance(value, np.ndarray) else value)


def _of_channels(call: Call, value: Any) -> Values | None:
    """Return a constant's value for each channel; None of a single number.

    Raises:
        Refused: it has others.
    """
    if not isinstance(value, np.ndarray) or value.size == 1:
        return None
    shape = call.x.shape
    if len(shape) != ROWS:
        with suppress(ValueError):
            return np.broadcast_to(value, (1, shape[1], *(1,) * (len(shape) - 2))).reshape(-1)
    text = f"computes with a constant of shape {list(value.shape)} on {list(shape)}"
    raise Refused(text, "use one number, or one for each channel")


def _scale(factor: float, offset: float) -> Piece:
    return Piece("scale", {"factor": number(factor), "offset": number(offset)})


def _sum(sign: float) -> Translator:
    """Take a + alpha * b, or a - alpha * b."""

    def take(call: Call) -> Layers:
        a, b, alpha = call.args["self"], call.args["other"], float(call.args.get("alpha", 1))
        if len(call.flows) == 2:
            if alpha != 1:
                raise Refused(f"has alpha {alpha:g}", "multiply by another call")
            return [Piece("add" if sign > 0 else "sub")]
        offsets = _of_channels(call, b if isinstance(a, Flow) else a)
        if offsets is not None:
            factor, by = (1.0, sign * alpha) if isinstance(a, Flow) else (sign * alpha, 1.0)
            return [for_each_channel(np.full(len(offsets), factor), by * offsets)]
        if isinstance(a, Flow):
            return [_scale(1.0, sign * alpha * _scalar(b))]
        return [_scale(sign * alpha, _scalar(a))]

    return take


def _reverse_sub(call: Call) -> Layers:
    return [_scale(-1.0, _scalar(call.args["other"]))]


def _mul(call: Call) -> Layers:
    if len(call.flows) == 2:
        return [Piece("mul")]
    value = next(v for v in call.args.values() if not isinstance(v, Flow))
    factors = _of_channels(call, value)
    return [for_each_channel(factors)] if factors is not None else [_scale(_scalar(value), 0.0)]


def _div(call: Call) -> Layers:
    a, b = call.args["self"], call.args["other"]
    if len(call.flows) == 2:
        return [Piece("div")]
    if not isinstance(a, Flow):
        return [Piece("reciprocal"), _scale(_scalar(a), 0.0)]
    factors = _of_channels(call, b)
    if factors is not None and factors.all():
        return [for_each_channel(1 / factors.astype(np.float64))]
    value = _scalar(b)
    if value == 0:
        raise Refused(f"divides by {value:g}", "divide by another number")
    return [_scale(1 / value, 0.0)]


def _cat(call: Call) -> Layers:
    rank = len(call.y_shape)
    if int(call.args["dim"]) % rank != (2 if rank == ROWS else 1):
        raise Refused(f"joins along axis {call.args['dim']}", "join channels, or the features of rows")
    if len(call.flows) != len(call.args["tensors"]):
        raise Refused(
            f"joins a constant: {len(call.flows)} of {len(call.args['tensors'])} depend on the input",
            "join what depends on the input",
        )
    return [Piece("concat")]


def _pow(call: Call) -> Layers:
    value = _scalar(call.args["exponent"])
    op = {2.0: "square", 0.5: "sqrt", -1.0: "reciprocal"}.get(value)
    if op is None:
        raise Refused(f"is the power {value:g}; 2, 0.5 and -1 are supported", "write it as products")
    return [Piece(op)]


def _clip(call: Call) -> Layers:
    keys = {
        "min": call.args.get("min", call.args.get("min_val")),
        "max": call.args.get("max", call.args.get("max_val")),
    }
    return [Piece("clip", {k: number(v) for k, v in keys.items() if v is not None})]


def _relu6(_call: Call) -> Layers:
    return [Piece("clip", {"min": 0.0, "max": 6.0})]


def _leaky(call: Call) -> Layers:
    return [Piece("leaky_relu", {"alpha": number(call.args["negative_slope"])})]


def _elu(call: Call) -> Layers:
    if call.args.get("scale", 1) != 1 or call.args.get("input_scale", 1) != 1:
        raise Refused(
            f"has scales (a SELU): {call.args.get('scale', 1)} and {call.args.get('input_scale', 1)}",
            "use ELU",
        )
    return [Piece("elu", {"alpha": number(call.args["alpha"])})]


def _gelu(call: Call) -> Layers:
    return [Piece("gelu_tanh" if call.args.get("approximate") == "tanh" else "gelu")]


def _softplus(call: Call) -> Layers:
    if call.args.get("beta", 1) != 1:
        raise Refused(f"has beta {call.args['beta']:g}", "use beta 1")
    return [Piece("softplus")]


def _mean(call: Call) -> Layers:
    rank, dims = len(call.x.shape), call.args.get("dim")
    places = sorted({int(d) % rank for d in dims}) if dims is not None else []
    if rank == IMAGE and places == [2, 3]:
        return [Piece("global_avg_pool")]
    if not places or places[0] == 0 or rank == ROWS or (rank == IMAGE and not call.args.get("keepdim")):
        raise Refused(
            f"averages {list(call.x.shape)} over {dims}", "average height and width, or keepdim=True"
        )
    return [Piece("reduce_mean", {"axes": [AXES[p - 1] for p in places]})]


def _argmax(call: Call) -> Layers:
    rank, dim = len(call.x.shape), call.args.get("dim")
    if dim is None or int(dim) % rank != 1 or (rank == IMAGE and not call.args.get("keepdim")):
        raise Refused(
            f"is taken along {dim} of {list(call.x.shape)}", "take it along axis 1, with keepdim=True"
        )
    return [Piece("argmax")]


def _shuffle(call: Call) -> Layers:
    return [Piece("pixel_shuffle", {"upscale": int(call.args["upscale_factor"])})]


def _upsample(call: Call) -> Layers:
    _images(call)
    scales = [y // x for y, x in zip(call.y_shape[2:], call.x.shape[2:], strict=True)]
    if [s * x for s, x in zip(scales, call.x.shape[2:], strict=True)] != list(call.y_shape[2:]):
        raise Refused(f"resizes {list(call.x.shape)} to {list(call.y_shape)}", "enlarge by whole numbers")
    return [] if scales == [1, 1] else [Piece("upsample", {"scale": short(scales)})]


PAD_MODES = ("constant", "reflect", "replicate")


def _pad(call: Call) -> Layers:
    sides = [int(p) for p in call.args["pad"]]  # left, right, top, bottom: the last axis first
    mode = str(call.args.get("mode", "constant"))
    if mode not in PAD_MODES or min(sides) < 0 or len(sides) > 4 or len(call.x.shape) != IMAGE:
        raise Refused(f"pads {list(call.x.shape)} by {sides}, {mode}", "pad height and width")
    left, right, top, bottom = (*sides, 0, 0)[:4]
    if mode != "constant" and any(sides):
        return [Piece("edge_pad", {"padding": [top, left, bottom, right], "mode": mode})]
    value = float(call.args.get("value") or 0.0)
    keys = {"padding": [top, left, bottom, right], **({"value": number(value)} if value else {})}
    return [Piece("pad", keys)] if any(sides) else []


TRANSLATORS: Mapping[str, Translator] = {
    **{
        name: _plain(name)
        for name in (
            "abs",
            "erf",
            "exp",
            "log",
            "mish",
            "reciprocal",
            "sigmoid",
            "silu",
            "sqrt",
            "square",
            "tanh",
        )
    },
    **dict.fromkeys(("relu", "relu_"), _plain("relu")),
    **dict.fromkeys(("relu6", "relu6_"), _relu6),
    **dict.fromkeys(("silu_",), _plain("silu")),
    **dict.fromkeys(("hardtanh", "hardtanh_", "clamp", "clip"), _clip),
    **dict.fromkeys(
        ("clone", "contiguous", "dropout", "feature_dropout", "alpha_dropout", "detach", "alias"), _nothing
    ),
    **dict.fromkeys(
        ("flatten", "view", "reshape", "squeeze", "unsqueeze", "_unsafe_view", "unflatten"), _shape
    ),
    **dict.fromkeys(("leaky_relu", "leaky_relu_"), _leaky),
    **dict.fromkeys(("elu", "elu_"), _elu),
    **dict.fromkeys(("add", "add_"), _sum(1.0)),
    **dict.fromkeys(("sub", "sub_"), _sum(-1.0)),
    **dict.fromkeys(("mul", "mul_"), _mul),
    **dict.fromkeys(("div", "div_"), _div),
    **dict.fromkeys(("matmul", "mm"), _matmul),
    **dict.fromkeys(("softmax", "_softmax"), softmax("softmax")),
    "adaptive_avg_pool2d": _adaptive("avg_pool"),
    "adaptive_max_pool2d": _adaptive("max_pool"),
    "addmm": _addmm,
    "argmax": _argmax,
    "avg_pool2d": _avg_pool,
    "batch_norm": _batch_norm,
    "cat": _cat,
    "conv2d": _conv,
    "conv_transpose2d": _conv_transpose,
    "gelu": _gelu,
    "hardsigmoid": _plain("hard_sigmoid"),
    "layer_norm": _layer_norm,
    "linear": _linear,
    "max_pool2d": _max_pool,
    "mean": _mean,
    "neg": lambda _call: [_scale(-1.0, 0.0)],
    "pad": _pad,
    "permute": _permute,
    "pixel_shuffle": _shuffle,
    "pow": _pow,
    "rsub": _reverse_sub,
    "softplus": _softplus,
    "transpose": _transposed,
    "upsample_nearest2d": _upsample,
}
