"""What each ONNX operator becomes: layers of network.yaml, or nothing where it changes nothing.

A translator takes a node and the pieces before it and returns all pieces; features (rank 2) are channels of one pixel.
Facts: ONNX operator specifications, by operator and opset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.convolutions import dilated, transposed
from aieloom.network.readers.onnx_graph import Node
from aieloom.network.readers.onnx_model import is_matrix
from aieloom.network.readers.onnx_windows import (
    average_pool,
    check_kernel,
    convolution_window,
    dilations_of,
    max_pool,
    pad_mode,
    pad_of,
    padding_of,
    resize_scale,
    short,
    transposed_window,
)
from aieloom.network.readers.refused import Refused
from aieloom.network.tensor import Quantisation

Pieces = list["Piece"]
Translator = Callable[[Node, Pieces], Pieces]
HUGE = 3.4e38  # exporters write "no bound" as the largest float32


@dataclass(frozen=True, slots=True)
class Piece:
    """A layer to be: its operator, keys and tensors; `name` is what its weights are called, if anything.

    Of a quantised model: `quant` is what its results mean, `scales` those of its weights.
    """

    op: str
    keys: Mapping[str, object] = field(default_factory=dict)
    tensors: Mapping[str, Values] = field(default_factory=dict)
    name: str = ""
    quant: Quantisation | None = None
    scales: Values | None = None


def number(value: float | Values) -> float:
    """Return a float32 as the shortest decimal that reads back as the same float32."""
    return float(str(np.float32(value)))


def weights_name(node: Node, index: int) -> str:
    """Return what a model calls the layer whose weight is input `index`: its name before `.weight`, or nothing."""
    prefix, dot, last = node.name_of(index).rpartition(".")
    return prefix if dot and last == "weight" else ""


def _conv(node: Node, pieces: Pieces) -> Pieces:
    weight = node.constant(1, "weight")
    if weight.ndim != 4:
        raise Refused(
            f"its weight has the shape {weight.shape}: only two-dimensional convolutions are supported",
            "use Conv2d layers",
        )
    groups = int(node.get("group", 1))
    check_kernel(node, weight)
    if len(node.x_shape) != 4 or weight.shape[1] * groups != node.x_shape[1]:
        text = f"its weight {weight.shape} takes {weight.shape[1] * groups} channels, its input is {node.x_shape}"
        raise Refused(text, "export a model whose shapes fit")
    weight = dilated(weight, dilations_of(node))
    window, border = convolution_window(node, weight.shape[2:])
    bias = _bias(node, len(weight))
    return [
        *pieces,
        *convolution(weight, bias, {**window, **grouped(groups)}, border, weights_name(node, 1)),
    ]


def convolution(
    weight: Values, bias: Values | None, window: Mapping[str, object], border: list[int], name: str
) -> Pieces:
    """Return a conv2d with the pad before it, if any; `weight` is (outputs, inputs / groups, height, width)."""
    keys = {"out_channels": int(weight.shape[0]), **window}
    tensors = {"weight": weight}
    if bias is None:
        keys["bias"] = False
    else:
        tensors["bias"] = bias
    before = [Piece("pad", {"padding": border})] if border else []
    return [*before, Piece("conv2d", keys, tensors, name)]


def for_each_channel(factors: Values, offsets: Values | None = None) -> Piece:
    """Return the layer that multiplies each channel by a number and adds another: a depthwise convolution of one pixel."""
    count = len(factors)
    keys: dict[str, object] = {"out_channels": count, "kernel": 1, **grouped(count)}
    tensors = {"weight": factors.reshape(-1, 1, 1, 1)}
    if offsets is None:
        return Piece("conv2d", {**keys, "bias": False}, tensors)
    return Piece("conv2d", keys, {**tensors, "bias": offsets})


def grouped(groups: int) -> dict[str, int]:
    """Return the key that says in how many groups the channels are."""
    return {"groups": groups} if groups > 1 else {}


def _bias(node: Node, outputs: int) -> Values | None:
    """Return the constant that a convolution adds to each output.

    Raises:
        Refused: it is no constant, or has another shape.
    """
    bias = node.optional(2)
    if len(node.inputs) > 2 and node.inputs[2] and (bias is None or bias.shape != (outputs,)):
        raise Refused(
            f"its bias '{node.inputs[2]}' is no constant of {outputs} values, one for each output",
            "export it with its weights inside",
        )
    return bias


def transposed_convolution(
    weight: Values,
    bias: Values | None,
    name: str,
    *,
    stride: tuple[int, int],
    begin: tuple[int, int],
    groups: int,
    x: tuple[int, ...],
    y: tuple[int, ...],
) -> Pieces:
    """Return a transposed convolution's layers; `weight` is (inputs, outputs / groups, height, width), dilated."""
    phases = transposed(weight, stride=stride, begin=begin, groups=groups, x=x[2:], y=y[2:])
    padding, border = padding_of(phases.padding)
    window = {"kernel": short(phases.weight.shape[2:]), **padding, **grouped(groups)}
    places = phases.upscale**2
    made = convolution(phases.weight, None if bias is None else np.repeat(bias, places), window, border, name)
    return [*made, *([Piece("pixel_shuffle", {"upscale": phases.upscale})] if places > 1 else [])]


def _conv_transpose(node: Node, pieces: Pieces) -> Pieces:
    weight, groups = node.constant(1, "weight"), int(node.get("group", 1))
    if weight.ndim != 4 or len(node.x_shape) != 4:
        text = f"its weight has the shape {weight.shape}: only two-dimensional convolutions are supported"
        raise Refused(text, "use ConvTranspose2d layers")
    check_kernel(node, weight)
    weight = dilated(weight, dilations_of(node))
    stride, begin = transposed_window(node, weight.shape[2:])
    bias = _bias(node, weight.shape[1] * groups)
    made = transposed_convolution(
        weight,
        bias,
        weights_name(node, 1),
        stride=stride,
        begin=begin,
        groups=groups,
        x=node.x_shape,
        y=node.y_shape,
    )
    return [*pieces, *made]


def _dense(node: Node, pieces: Pieces, weight: Values, bias: Values | None, index: int = 1) -> Pieces:
    if len(node.x_shape) != 2 and not node.matrix:
        raise Refused(
            f"multiplies an input of shape {node.x_shape}: (1, features) and rows of features are supported",
            "flatten it",
        )
    keys: dict[str, object] = {"out_features": int(weight.shape[0])}
    tensors = {"weight": weight}
    if bias is None:
        keys["bias"] = False
    else:
        tensors["bias"] = np.broadcast_to(bias.reshape(-1), weight.shape[:1])
    return [*pieces, Piece("dense", keys, tensors, weights_name(node, index))]


def _times(values: Values, factor: float) -> Values:
    """Return values times a factor; as they are where it changes none: weights are large."""
    return values if factor == 1 else values.astype(np.float64) * factor


def _gemm(node: Node, pieces: Pieces) -> Pieces:
    if node.inputs[0] != node.x or node.get("transA", 0):
        raise Refused(
            f"multiplies the constant '{node.inputs[0]}' from the left, or transposes its input",
            "write it as x @ weight",
        )
    weight, beta = _times(node.constant(1, "weight"), node.get("alpha", 1.0)), node.get("beta", 1.0)
    bias = node.optional(2)
    if len(node.inputs) > 2 and node.inputs[2] and bias is None:
        raise Refused(
            f"its bias '{node.inputs[2]}' is no constant", "export the model with its weights inside"
        )
    if bias is not None:
        bias = _times(bias, beta)
        outputs = node.y_shape[-1 if node.matrix else 1]
        if bias.size not in (1, outputs) or bias.shape[-1:] not in ((), (bias.size,)):
            raise Refused(
                f"adds a constant of shape {bias.shape} to {node.y_shape}", "use one bias for each output"
            )
    return _dense(node, pieces, weight if node.get("transB", 0) else weight.T, bias)


def _matmul(node: Node, pieces: Pieces) -> Pieces:
    if node.inputs[0] != node.x:
        raise Refused(f"multiplies the constant from the left: {node.inputs[0]}", "write it as x @ weight")
    weight = node.constant(1, "weight")
    if weight.ndim != 2:
        raise Refused(
            f"its weight has the shape {weight.shape}; (inputs, outputs) is supported", "use Linear layers"
        )
    return _dense(node, pieces, weight.T, None)


def _add(node: Node, pieces: Pieces) -> Pieces:
    """Take a constant that is added right behind a product as its bias."""
    constant = node.optional(1) if node.inputs[0] == node.x else node.optional(0)
    last = pieces[-1] if pieces else None
    product = last is not None and last.op in ("conv2d", "dense") and "bias" not in last.tensors
    if (
        constant is None or last is None or not product or last.quant is not None
    ):  # elements are no sums any more
        raise Refused(
            f"adds what is no bias of the node before it ({', '.join(node.inputs)})",
            "add constants only behind a MatMul or a Conv without bias",
        )
    bias = by_channel(node, constant)
    keys = {k: v for k, v in last.keys.items() if k != "bias"}
    return [*pieces[:-1], replace(last, keys=keys, tensors={**last.tensors, "bias": bias})]


def by_channel(node: Node, constant: Values) -> Values:
    """Return one value for each channel, or feature of rows, of a constant that a node computes with.

    Raises:
        Refused: it has others.
    """
    rank = len(node.x_shape)
    shape = (1, node.x_shape[1], *(1,) * (rank - 2))
    if node.matrix:
        shape = (*(1,) * (rank - 1), node.x_shape[-1])
    try:
        return np.broadcast_to(constant, shape).reshape(-1)
    except ValueError as e:
        text = f"computes with a constant of shape {constant.shape} on {node.x_shape}"
        raise Refused(text, "use one number, or one for each channel") from e


def _plain(op: str) -> Translator:
    return lambda _node, pieces: [*pieces, Piece(op)]


def check_idle_dropout(node: Node) -> None:
    """Refuse a Dropout that drops values.

    Raises:
        Refused: its training_mode is true.
    """
    training = node.optional(2)
    if training is not None and training.any():
        raise Refused("drops values at random (training_mode is true)", "call model.eval() before the export")


def _dropout(node: Node, pieces: Pieces) -> Pieces:
    check_idle_dropout(node)
    return pieces


def _nothing(_node: Node, pieces: Pieces) -> Pieces:
    return pieces


def _leaky(node: Node, pieces: Pieces) -> Pieces:
    return [*pieces, Piece("leaky_relu", {"alpha": number(node.get("alpha", 0.01))})]


def _clip(node: Node, pieces: Pieces) -> Pieces:
    bounds = {}
    for index, key, side in ((1, "min", -1), (2, "max", 1)):
        value = node.optional(index)
        if value is None and index < len(node.inputs) and node.inputs[index]:
            raise Refused(f"its {key} is no constant", "clip between constants")
        bound = node.get(key, side * HUGE) if value is None else float(value)
        if side * bound < HUGE:
            bounds[key] = number(bound)
    return [*pieces, Piece("clip", bounds)] if bounds else pieces


def softmax(op: str) -> Translator:
    """Return what takes a softmax, or what is made of one, over channels or a row's features."""
    return lambda node, pieces: [*pieces, _over_channels(op, node)]


def _over_channels(op: str, node: Node) -> Piece:
    rank = len(node.x_shape)
    axis = node.get("axis", -1 if node.opset >= 13 else 1) % rank
    pixels = int(np.prod(node.x_shape[2:]))
    pixels = 1 if node.matrix else pixels
    if axis != (rank - 1 if node.matrix else 1) or (
        node.opset < 13 and pixels > 1
    ):  # before opset 13 all axes from `axis` on are one
        raise Refused(
            f"takes the {op} of {node.x_shape} along axis {axis} (opset {node.opset}); "
            "only channels, or a row's features, are supported",
            "use axis 1, or the last one of rows, with opset 13 or newer",
        )
    return Piece(op)


def _reshape(node: Node, pieces: Pieces) -> Pieces:
    """Take every operator that gives the same values in the same order under another shape."""
    x, y = node.x_shape, node.y_shape
    if node.matrix or is_matrix(y):
        return _reshaped_rows(node, pieces)
    if (*x, 1, 1)[1:4] == (*y, 1, 1)[1:4]:
        return pieces
    if len(y) == 2:
        return [*pieces, Piece("flatten")]
    return [*pieces, Piece("reshape", {"shape": list(y[1:])})]


def _reshaped_rows(node: Node, pieces: Pieces) -> Pieces:
    x, y = node.x_shape, node.y_shape
    if node.matrix and is_matrix(y) and x[-2:] == y[-2:]:
        return pieces
    if is_matrix(y):
        raise Refused(
            f"gives the shape {y}, rows of features, of {x}",
            "let the model's input be the rows: (rows, features)",
        )
    if len(y) == 2:
        return [*pieces, Piece("flatten")]
    return [*pieces, Piece("reshape", {"shape": list(y[1:])})]


def _transpose(node: Node, pieces: Pieces) -> Pieces:
    order = node.integers("perm") or [*range(len(node.x_shape))[::-1]]
    if [i for i in order if node.x_shape[i] > 1] != [i for i, d in enumerate(node.x_shape) if d > 1]:
        raise Refused(f"permutes {node.x_shape} by {order}", "keep (batch, channels, height, width)")
    return _reshape(node, pieces)


def _depth_to_space(node: Node, pieces: Pieces) -> Pieces:
    mode = node.get("mode", b"DCR").decode()
    keys = {"upscale": int(node.get("blocksize", 1)), **({"order": "dcr"} if mode == "DCR" else {})}
    return [*pieces, Piece("pixel_shuffle", keys)]


def _resize(node: Node, pieces: Pieces) -> Pieces:
    scale = resize_scale(node)
    return pieces if scale == 1 else [*pieces, Piece("upsample", {"scale": scale})]


def _pad(node: Node, pieces: Pieces) -> Pieces:
    border, value = pad_of(node)
    if not np.isfinite(value):
        raise Refused(f"pads by {value:g}", "let the pool behind it pad, or pad by a finite number")
    if any(border) and (mode := pad_mode(node)):
        return [*pieces, Piece("edge_pad", {"padding": border, "mode": mode})]
    keys = {"padding": border, **({"value": number(value)} if value else {})}
    return [*pieces, Piece("pad", keys)] if any(border) else pieces


def _max_pool(node: Node, pieces: Pieces) -> Pieces:
    return [*pieces, Piece("max_pool", max_pool(node))]


def _average_pool(node: Node, pieces: Pieces) -> Pieces:
    return [*pieces, Piece("avg_pool", average_pool(node))]


def _global_max(node: Node, pieces: Pieces) -> Pieces:
    return [*pieces, Piece("max_pool", {"kernel": list(node.x_shape[2:])})]


def axes_of(node: Node) -> list[int] | None:
    """Return the axes over which a node reduces, an attribute or from opset 18 on an input; None where it says none."""
    given = node.optional(1)
    return node.integers("axes") if given is None else [int(a) for a in given.reshape(-1)]


def _cast(node: Node, pieces: Pieces) -> Pieces:
    if (kind := node.get("to", 1)) != 1:  # TensorProto.FLOAT
        raise Refused(f"casts to a type that is not float32: number {kind} of ONNX's", "export it in float32")
    return pieces


TRANSLATORS: Mapping[str, Translator] = {
    "Add": _add,
    "AveragePool": _average_pool,
    "Cast": _cast,
    "Clip": _clip,
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "DepthToSpace": _depth_to_space,
    "Dropout": _dropout,
    "Flatten": _reshape,
    "Gemm": _gemm,
    "GlobalAveragePool": _plain("global_avg_pool"),
    "GlobalMaxPool": _global_max,
    "Identity": _nothing,
    "LeakyRelu": _leaky,
    "MatMul": _matmul,
    "MaxPool": _max_pool,
    "Pad": _pad,
    "Relu": _plain("relu"),
    "Reshape": _reshape,
    "Resize": _resize,
    "Softmax": softmax("softmax"),
    "Squeeze": _reshape,
    "Transpose": _transpose,
    "Unsqueeze": _reshape,
    "Upsample": _resize,
}
