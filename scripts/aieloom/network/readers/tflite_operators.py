"""Each operator of TensorFlow Lite as nodes of ONNX.

Images are (n, height, width, channels) there, (n, channels, height, width) here: weights are turned, and so are the columns of
a dense layer that reads an image. Weights come as floats with their scales beside them in float64, for TensorFlow Lite makes
its multipliers of float64 quotients [lite/kernels/kernel_util.cc: PopulateConvolutionQuantizationParams].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.refused import Refused
from aieloom.network.readers.tflite_build import (
    INTEGERS,
    NO,
    RELU,
    RELU6,
    RELU_N1,
    TO_NCHW,
    TO_NHWC,
    Builder,
    options_of,
    window_of,
)
from aieloom.network.readers.tflite_file import LiteOperator

REPRESENTATIVE = "convert it with representative_dataset and TFLITE_BUILTINS_INT8, or without quantisation"


def _weights(b: Builder, op: LiteOperator, axis: int, turn: Callable[[Values], Values]) -> list[str]:
    """Return the names of a product's weights and bias; integers keep their scales.

    Raises:
        Refused: they are no constants, or integers beside floats.
    """
    x, weight = b.tensor(op, 0), b.tensor(op, 1)
    values = b.value(op, 1, "weight")
    bias = b.value(op, 2, "bias") if b.has(op, 2) else None
    if not np.issubdtype(values.dtype, np.floating) and x.dtype == np.float32:
        text = f"its weights are {values.dtype}, its input float32: TensorFlow Lite quantises that one as it runs"
        raise Refused(text, REPRESENTATIVE)
    if x.dtype == np.float32:
        names = [b.constant(weight.name or "weight", turn(values.astype(np.float32)))]
        return names if bias is None else [*names, b.constant("bias", bias.astype(np.float32))]
    outputs = values.shape[axis]
    if values.dtype not in INTEGERS or weight.scales.size not in (1, outputs) or x.scales.size != 1:
        text = f"its weights are {values.dtype} with {weight.scales.size} scales for {outputs} outputs"
        raise Refused(text, REPRESENTATIVE)
    if bias is not None and (bias.dtype != np.int32 or bias.shape != (outputs,)):
        raise Refused(f"its bias is {bias.dtype} of shape {bias.shape}", REPRESENTATIVE)
    scales = np.broadcast_to(weight.scales.astype(np.float64), outputs)
    shape = [1] * values.ndim
    shape[axis] = -1
    zeros = np.broadcast_to(weight.zeros, outputs).reshape(shape)
    floats = (values.astype(np.int64) - zeros) * scales.reshape(shape)
    name = b.constant(weight.name or "weight", turn(floats).astype(np.float32))
    b.scales[name] = scales
    if bias is None:
        return [name]
    return [name, b.constant("bias", (bias * scales * np.float64(x.scales[0])).astype(np.float32))]


def _conv(b: Builder, op: LiteOperator) -> None:
    weight, options, x = b.value(op, 1, "weight"), options_of(op), b.tensor(op, 0).shape
    if weight.ndim != 4 or len(x) != 4 or x[3] % weight.shape[3]:
        raise Refused(f"its weights have the shape {weight.shape} for {x}", "convert the model again")
    dilation = (options.DilationHFactor(), options.DilationWFactor())
    window = window_of(b, op, weight.shape[1:3], dilation)
    names = _weights(b, op, 0, lambda w: w.transpose(0, 3, 1, 2))
    y = b.node("Conv", [b.flow(op).name, *names], dilations=dilation, group=x[3] // weight.shape[3], **window)
    b.given(op, b.activated(y, options.FusedActivationFunction()))


def _depthwise(b: Builder, op: LiteOperator) -> None:
    weight, options, x = b.value(op, 1, "weight"), options_of(op), b.tensor(op, 0).shape
    if weight.ndim != 4 or len(x) != 4 or weight.shape[3] % x[3]:
        raise Refused(f"its weights have the shape {weight.shape} for {x}", "convert the model again")
    dilation = (options.DilationHFactor(), options.DilationWFactor())
    window = window_of(b, op, weight.shape[1:3], dilation)
    names = _weights(b, op, 3, lambda w: w.transpose(3, 0, 1, 2))
    y = b.node("Conv", [b.flow(op).name, *names], dilations=dilation, group=x[3], **window)
    b.given(op, b.activated(y, options.FusedActivationFunction()))


def _dense(b: Builder, op: LiteOperator) -> None:
    options, tensor, flow = options_of(op), b.tensor(op, 0), b.flow(op)
    weight = b.value(op, 1, "weight")
    outputs, inputs = weight.shape if weight.ndim == 2 else (0, 0)
    if (
        options.WeightsFormat()
        or not outputs
        or (tensor.shape[-1] != inputs and prod(tensor.shape) != inputs)
    ):
        text = (
            f"its weights have the shape {weight.shape}, format {options.WeightsFormat()}, for {tensor.shape}"
        )
        raise Refused(text, "convert the model again")
    image, name = flow.image, flow.name
    if len(tensor.shape) == 4:
        image, name = tensor.shape[1:], b.node("Flatten", [name])

    def turned(w: Values) -> Values:
        if image is None or prod(image) != inputs:
            return w
        return w.reshape(outputs, *image).transpose(0, 3, 1, 2).reshape(outputs, inputs)

    rows = len(tensor.shape) == 3 and tensor.shape[1] > 1
    names = _weights(b, op, 0, (lambda w: w.T) if rows else turned)
    if rows:
        y = b.node("MatMul", [name, names[0]])
        y = b.node("Add", [y, names[1]]) if len(names) > 1 else y
    else:
        y = b.node("Gemm", [name, *names], transB=1)
    b.given(op, b.activated(y, options.FusedActivationFunction()))


def _branches(kind: str) -> Callable[[Builder, LiteOperator], None]:
    """Return what takes a sum, difference or product of two tensors."""

    def take(b: Builder, op: LiteOperator) -> None:
        names = []
        for i in (0, 1):
            tensor = b.tensor(op, i)
            if tensor.data is None:
                names.append(b.flow(op, i).name)
            elif tensor.dtype == np.float32 and tensor.data.ndim in (0, 1):
                wide = tensor.data.reshape(-1, 1, 1) if len(b.tensor(op, 1 - i).shape) == 4 else tensor.data
                names.append(b.constant("operand", wide))
            else:
                raise Refused(
                    f"computes with the constant '{tensor.name}' {tensor.shape}", "put it into weights"
                )
        y = b.node(kind, names)
        fused = op.options.FusedActivationFunction() if op.options is not None else NO
        if kind == "Add" or b.lite.tensors[op.outputs[0]].dtype == np.float32:
            b.given(op, b.activated(y, fused))
            return
        b.given(op, y)
        if fused != NO:  # of elements: their bounds
            b.given(op, b.activated(b.flows[op.outputs[0]].name, fused))

    return take


def _pool(kind: str) -> Callable[[Builder, LiteOperator], None]:
    def take(b: Builder, op: LiteOperator) -> None:
        options = options_of(op)
        x, y = b.tensor(op, 0), b.lite.tensors[op.outputs[0]]
        if x.scales.tolist() != y.scales.tolist() or x.zeros.tolist() != y.zeros.tolist():
            raise Refused(
                f"reads steps of {x.scales} and gives steps of {y.scales}", "convert the model again"
            )
        window = window_of(b, op, (options.FilterHeight(), options.FilterWidth()), (1, 1))
        made = b.node(kind, [b.flow(op).name], **window)
        b.given(op, made)
        if options.FusedActivationFunction() != NO:
            b.given(op, b.activated(b.flows[op.outputs[0]].name, options.FusedActivationFunction()))

    return take


def _mean(b: Builder, op: LiteOperator) -> None:
    """Take the mean of an image: of elements a product with ones, whose scale is 1 / pixels."""
    x, y = b.tensor(op, 0), b.lite.tensors[op.outputs[0]]
    axes = sorted(int(a) % len(x.shape) for a in b.value(op, 1, "list of axes").reshape(-1))
    if len(x.shape) != 4 or axes != [1, 2]:
        raise Refused(f"takes the mean of {x.shape} over the axes {axes}", "average over height and width")
    _, height, width, channels = x.shape
    if x.dtype == np.float32:
        made = b.node("GlobalAveragePool", [b.flow(op).name])
    else:
        share = 1 / (height * width)
        weight = b.constant("ones", np.full((channels, 1, height, width), share, np.float32))
        b.scales[weight] = np.full(channels, share)
        made = b.node("Conv", [b.flow(op).name, weight], kernel_shape=[height, width], group=channels)
    b.given(op, made if len(y.shape) == 4 else b.node("Flatten", [made]))


def _function(kind: str, **attributes: Callable[[Any], Any]) -> Callable[[Builder, LiteOperator], None]:
    """Return what takes a function of each value; `attributes` follow from its options."""

    def take(b: Builder, op: LiteOperator) -> None:
        flow = b.flow(op)
        said = {name: read(options_of(op)) for name, read in attributes.items()}
        b.given(op, b.node(kind, [flow.name], **said), flow.image)

    return take


def _bounded(kind: int) -> Callable[[Builder, LiteOperator], None]:
    def take(b: Builder, op: LiteOperator) -> None:
        b.given(op, b.activated(b.flow(op).name, kind), b.flow(op).image)

    return take


def _softmax(b: Builder, op: LiteOperator) -> None:
    if options_of(op).Beta() != 1:
        raise Refused(f"has beta {options_of(op).Beta():g}", "use a softmax with beta 1")
    axis = 1 if len(b.tensor(op, 0).shape) == 4 else -1
    b.given(op, b.node("Softmax", [b.flow(op).name], axis=axis), b.flow(op).image)


def _reshape(b: Builder, op: LiteOperator) -> None:
    """Take every operator that gives the same values in the same order under another shape."""
    x, flow = b.tensor(op, 0).shape, b.flow(op)
    y = b.lite.tensors[op.outputs[0]].shape
    if prod(x) != prod(y):
        raise Refused(f"gives {y} of {x}", "convert the model again")
    image = flow.image or (tuple(x[1:]) if len(x) == 4 and not flow.plain else None)
    if x == y:
        b.given(op, flow.name, flow.image)
    elif len(y) == 4:
        turned = [y[0], y[3], y[1], y[2]]
        direct = image == tuple(y[1:]) or (1 in (y[3], y[1] * y[2]) and (image is None or _is_flat(image)))
        name = flow.name if direct else b.as_in_file(flow, x)
        sizes = b.constant("sizes", np.array(turned if direct else y, np.int64))
        name = b.node("Reshape", [name, sizes])
        b.given(op, name if direct else b.node("Transpose", [name], perm=TO_NCHW))
    elif len(y) == 2 and y[0] == 1 and image is not None and len(image) == 3:
        b.given(op, b.node("Flatten", [flow.name]), None if _is_flat(image) else image)
    else:
        sizes = b.constant("sizes", np.array(y, np.int64))
        b.given(op, b.node("Reshape", [b.as_in_file(flow, x), sizes]))


def _is_flat(image: tuple[int, ...]) -> bool:
    """Tell whether an image's values have one order, whichever axis its channels are."""
    return 1 in (image[2], image[0] * image[1])


def _transpose(b: Builder, op: LiteOperator) -> None:
    x, flow = b.tensor(op, 0), b.flow(op)
    order = tuple(int(i) for i in b.value(op, 1, "order").reshape(-1))
    if sorted(order) != list(range(len(x.shape))):
        raise Refused(f"orders {x.shape} by {order}", "convert the model again")
    if flow.plain and order == TO_NHWC:
        b.given(op, flow.name)
        return
    if len(order) == 4:
        order = tuple(TO_NCHW.index(order[TO_NCHW[i]]) for i in range(4))
    b.given(op, b.node("Transpose", [flow.name], perm=order))


def _pad(b: Builder, op: LiteOperator) -> None:
    sizes = b.value(op, 1, "border").astype(np.int64)
    if sizes.shape != (4, 2) or len(b.tensor(op, 0).shape) != 4:
        raise Refused(f"pads {b.tensor(op, 0).shape} by {sizes.tolist()}", "pad images")
    pads = b.constant("pads", sizes[list(TO_NCHW)].T.reshape(-1))
    names = [b.flow(op).name, pads]
    if b.has(op, 2):
        tensor, value = b.tensor(op, 2), b.value(op, 2, "value").astype(np.float64).reshape(())
        real = (value - tensor.zeros[0]) * tensor.scales[0] if tensor.scales.size else value
        names.append(b.constant("value", np.array(real, np.float32)))
    b.given(op, b.node("Pad", names))


def _concat(b: Builder, op: LiteOperator) -> None:
    rank = len(b.tensor(op, 0).shape)
    axis = options_of(op).Axis() % rank
    names = [b.flow(op, i).name for i in range(len(op.inputs))]
    y = b.node("Concat", names, axis=TO_NCHW.index(axis) if rank == 4 else axis)
    b.given(op, b.activated(y, options_of(op).FusedActivationFunction()))


def _resize(b: Builder, op: LiteOperator) -> None:
    x, y = b.tensor(op, 0).shape, b.lite.tensors[op.outputs[0]].shape
    options = options_of(op)
    scales = [y[i] / x[i] for i in (1, 2)] if len(x) == len(y) == 4 else []
    if not scales or options.AlignCorners() or any(s != int(s) for s in scales):
        raise Refused(f"resizes {x} to {y}", "repeat by whole numbers, with align_corners false")
    given = b.constant("scales", np.array([1, 1, *scales], np.float32))
    mode = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor", "mode": "nearest"}
    b.given(op, b.node("Resize", [b.flow(op).name, "", given], **mode))


def _dequantize(b: Builder, op: LiteOperator) -> None:
    """Take what makes floats of elements, or of a constant of half precision."""
    tensor = b.tensor(op, 0)
    if tensor.data is None:
        b.given(op, b.flow(op).name, b.flow(op).image)
        return
    if tensor.dtype != np.float16:
        raise Refused(f"reads the constant '{tensor.name}' of {tensor.dtype}", REPRESENTATIVE)
    b.values[op.outputs[0]] = tensor.data.astype(np.float32)


def _quantize(b: Builder, op: LiteOperator) -> None:
    b.given(op, b.flow(op).name, b.flow(op).image)


def _depth_to_space(b: Builder, op: LiteOperator) -> None:
    size = options_of(op).BlockSize()
    if size < 1:
        raise Refused(f"has blocks of {size}", "convert the model again")
    b.given(op, b.node("DepthToSpace", [b.flow(op).name], blocksize=size, mode="DCR"))


TAKEN: Mapping[str, Callable[[Builder, LiteOperator], None]] = {
    "ADD": _branches("Add"),
    "AVERAGE_POOL_2D": _pool("AveragePool"),
    "CONCATENATION": _concat,
    "CONV_2D": _conv,
    "DEPTHWISE_CONV_2D": _depthwise,
    "DEPTH_TO_SPACE": _depth_to_space,
    "DEQUANTIZE": _dequantize,
    "ELU": _function("Elu"),
    "EXPAND_DIMS": _reshape,
    "FULLY_CONNECTED": _dense,
    "HARD_SWISH": _function("HardSwish"),
    "LEAKY_RELU": _function("LeakyRelu", alpha=lambda o: o.Alpha()),
    "LOGISTIC": _function("Sigmoid"),
    "MAX_POOL_2D": _pool("MaxPool"),
    "MEAN": _mean,
    "MUL": _branches("Mul"),
    "PAD": _pad,
    "PADV2": _pad,
    "QUANTIZE": _quantize,
    "RELU": _bounded(RELU),
    "RELU6": _bounded(RELU6),
    "RELU_N1_TO_1": _bounded(RELU_N1),
    "RESHAPE": _reshape,
    "RESIZE_NEAREST_NEIGHBOR": _resize,
    "SOFTMAX": _softmax,
    "SQUEEZE": _reshape,
    "SUB": _branches("Sub"),
    "TANH": _function("Tanh"),
    "TRANSPOSE": _transpose,
}
