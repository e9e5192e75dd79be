"""A TensorFlow Lite model as the ONNX model that it is by definition: the same layers, integers and scales.

Images are (n, height, width, channels) there, (n, channels, height, width) here: weights are turned, and so are the columns of
a dense layer that reads an image. A quantised tensor is a QuantizeLinear and a DequantizeLinear. Weights come as floats with
their scales beside them in float64, for TensorFlow Lite makes its multipliers of float64 quotients
[lite/kernels/kernel_util.cc: PopulateConvolutionQuantizationParams].
Facts: schema.fbs; padding by lite/kernels/padding.h.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import Problem, SpecError
from aieloom.network.readers.tflite_file import RULE, LiteModel, LiteOperator, LiteTensor, load_lite, refused

if TYPE_CHECKING:
    import onnx

OPSET = 17
TO_NCHW, TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)
NO, RELU, RELU_N1, RELU6 = 0, 1, 2, 3  # of ActivationFunctionType
SAME = 0  # of Padding
INTEGERS = {np.dtype(np.int8): "int8", np.dtype(np.uint8): "uint8"}
REPRESENTATIVE = "convert it with representative_dataset and TFLITE_BUILTINS_INT8, or without quantisation"


class _Refused(Exception):
    """An operator cannot be taken: `problem` with the numbers, `remedy` what to do."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy


@dataclass(frozen=True, slots=True, kw_only=True)
class FromLite:
    """`model` is of floats between QuantizeLinear; `scales` are those of its weights, which were integers."""

    model: onnx.ModelProto
    scales: Mapping[str, Values]


@dataclass(frozen=True, slots=True)
class _Flow:
    """A tensor that flows: its name, and of features that were an image that one's (height, width, channels).

    `plain`: an image whose axes are as the file has them, (n, channels, height, width).
    """

    name: str
    image: tuple[int, int, int] | None = None
    plain: bool = False


@dataclass(slots=True)
class _Builder:
    """Takes the operators in order."""

    lite: LiteModel
    nodes: list[Any] = field(default_factory=list)
    constants: dict[str, Values] = field(default_factory=dict)
    scales: dict[str, Values] = field(default_factory=dict)
    flows: dict[int, _Flow] = field(default_factory=dict)
    values: dict[int, Values] = field(default_factory=dict)  # constants that operators made
    count: int = 0

    def node(self, op: str, inputs: list[str], **attributes: Any) -> str:
        """Add a node; return its result's name."""
        from onnx import helper  # noqa: PLC0415

        self.count += 1
        y = f"{op}_{self.count}"
        self.nodes.append(helper.make_node(op, inputs, [y], name=y, **attributes))
        return y

    def constant(self, name: str, values: Values) -> str:
        """Add a constant; return its name, which nothing has yet."""
        self.count += 1
        known = f"{name}.{self.count}"
        self.constants[known] = values
        return known

    def tensor(self, op: LiteOperator, index: int) -> LiteTensor:
        """Return the tensor that input `index` is.

        Raises:
            _Refused: it is absent.
        """
        if not self.has(op, index):
            raise _Refused(f"has no input {index}", "convert the model again")
        return self.lite.tensors[op.inputs[index]]

    @staticmethod
    def has(op: LiteOperator, index: int) -> bool:
        """Tell whether an operator has input `index`."""
        return index < len(op.inputs) and op.inputs[index] >= 0

    def value(self, op: LiteOperator, index: int, what: str) -> Values:
        """Return the constant that input `index` is.

        Raises:
            _Refused: it is none.
        """
        data = self.values.get(op.inputs[index]) if self.has(op, index) else None
        data = self.tensor(op, index).data if data is None else data
        if data is None:
            raise _Refused(f"its {what} is no constant", "convert the model with its weights inside")
        return data

    def flow(self, op: LiteOperator, index: int = 0) -> _Flow:
        """Return what flows into input `index`.

        Raises:
            _Refused: nothing does.
        """
        found = self.flows.get(op.inputs[index]) if self.has(op, index) else None
        if found is None:
            text = f"its input {index} does not depend on the model's input, or is the result of a node that is refused"
            raise _Refused(text, "put constants into weights")
        return found

    def activated(self, name: str, kind: int) -> str:
        """Return `name` behind a fused activation."""
        if kind == NO:
            return name
        if kind == RELU:
            return self.node("Relu", [name])
        bounds = {RELU6: (0.0, 6.0), RELU_N1: (-1.0, 1.0)}
        if kind not in bounds:
            raise _Refused(f"has the fused activation {kind}", "use ReLU or ReLU6, or a layer of its own")
        low, high = (self.constant("bound", np.array(b, np.float32)) for b in bounds[kind])
        return self.node("Clip", [name, low, high])

    def given(self, op: LiteOperator, name: str, image: tuple[int, int, int] | None = None) -> None:
        """Let `name` be an operator's first result, rounded to what that means."""
        at = op.outputs[0]
        self.flows[at] = _Flow(self.rounded(name, self.lite.tensors[at]), image)

    def rounded(self, name: str, tensor: LiteTensor) -> str:
        """Return `name` behind QuantizeLinear and DequantizeLinear where the tensor has elements."""
        meaning = self.meaning(tensor)
        if not meaning:
            return name
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [name, *meaning]), *meaning])

    def meaning(self, tensor: LiteTensor) -> list[str]:
        """Return the constants of a tensor's scale and zero point; none of floats.

        Raises:
            _Refused: it has elements of other types.
        """
        if tensor.dtype == np.float32:
            return []
        if tensor.dtype not in INTEGERS or tensor.scales.size != 1:
            kind = "an unknown type" if tensor.dtype is None else str(tensor.dtype)
            text = f"'{tensor.name}' is of {kind} with {tensor.scales.size} scales"
            raise _Refused(text, "float32, and int8 or uint8 with one scale, are supported")
        low, high = np.iinfo(tensor.dtype).min, np.iinfo(tensor.dtype).max
        if not low <= int(tensor.zeros.reshape(-1)[0]) <= high:
            raise _Refused(f"'{tensor.name}' has the zero point {tensor.zeros}", "convert it again")
        scale = self.constant(f"{tensor.name}/scale", tensor.scales.reshape(()))
        zero = self.constant(f"{tensor.name}/zero", tensor.zeros.astype(tensor.dtype).reshape(()))
        return [scale, zero]

    def as_in_file(self, flow: _Flow, shape: tuple[int, ...]) -> str:
        """Return a flow's values in the order of the file's axes."""
        if flow.image is not None:
            height, width, channels = flow.image
            sizes = self.constant("sizes", np.array([1, channels, height, width], np.int64))
            turned = self.node("Transpose", [self.node("Reshape", [flow.name, sizes])], perm=TO_NHWC)
            return self.node("Reshape", [turned, self.constant("sizes", np.array(shape, np.int64))])
        if len(shape) != 4 or flow.plain or 1 in (shape[3], shape[1] * shape[2]):
            return flow.name
        return self.node("Transpose", [flow.name], perm=TO_NHWC)


def _options(op: LiteOperator) -> Any:
    if op.options is None:
        raise _Refused("has no options", "convert the model again")
    return op.options


def _sides(size: int, reach: int, stride: int, out: int) -> tuple[int, int]:
    """Return the border before and behind an axis [padding.h: ComputePaddingWithOffset]."""
    total = max(0, (out - 1) * stride + reach - size)
    return total // 2, total - total // 2


def _window(
    b: _Builder, op: LiteOperator, kernel: tuple[int, int], dilation: tuple[int, int]
) -> dict[str, Any]:
    """Return the attributes of a window that moves over the first input."""
    options, x = _options(op), b.tensor(op, 0).shape
    y = b.lite.tensors[op.outputs[0]].shape
    if len(x) != 4 or len(y) != 4:
        raise _Refused(f"reads {x} and gives {y}", "images are supported: (n, height, width, channels)")
    strides = (options.StrideH(), options.StrideW())
    if min(*kernel, *strides, *dilation) < 1:
        raise _Refused(f"has strides {strides} and dilations {dilation}", "convert the model again")
    same = options.Padding() == SAME
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    sides = [_sides(x[1 + i], reach[i], strides[i], y[1 + i]) if same else (0, 0) for i in (0, 1)]
    pads = [sides[0][0], sides[1][0], sides[0][1], sides[1][1]]
    return {"kernel_shape": list(kernel), "strides": list(strides), "pads": pads}


def _weights(b: _Builder, op: LiteOperator, axis: int, turn: Callable[[Values], Values]) -> list[str]:
    """Return the names of a product's weights and bias; integers keep their scales.

    Raises:
        _Refused: they are no constants, or integers beside floats.
    """
    x, weight = b.tensor(op, 0), b.tensor(op, 1)
    values = b.value(op, 1, "weight")
    bias = b.value(op, 2, "bias") if b.has(op, 2) else None
    if not np.issubdtype(values.dtype, np.floating) and x.dtype == np.float32:
        text = f"its weights are {values.dtype}, its input float32: TensorFlow Lite quantises that one as it runs"
        raise _Refused(text, REPRESENTATIVE)
    if x.dtype == np.float32:
        names = [b.constant(weight.name or "weight", turn(values.astype(np.float32)))]
        return names if bias is None else [*names, b.constant("bias", bias.astype(np.float32))]
    outputs = values.shape[axis]
    if values.dtype not in INTEGERS or weight.scales.size not in (1, outputs) or x.scales.size != 1:
        text = f"its weights are {values.dtype} with {weight.scales.size} scales for {outputs} outputs"
        raise _Refused(text, REPRESENTATIVE)
    if bias is not None and (bias.dtype != np.int32 or bias.shape != (outputs,)):
        raise _Refused(f"its bias is {bias.dtype} of shape {bias.shape}", REPRESENTATIVE)
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


def _conv(b: _Builder, op: LiteOperator) -> None:
    weight, options, x = b.value(op, 1, "weight"), _options(op), b.tensor(op, 0).shape
    if weight.ndim != 4 or len(x) != 4 or x[3] % weight.shape[3]:
        raise _Refused(f"its weights have the shape {weight.shape} for {x}", "convert the model again")
    dilation = (options.DilationHFactor(), options.DilationWFactor())
    window = _window(b, op, weight.shape[1:3], dilation)
    names = _weights(b, op, 0, lambda w: w.transpose(0, 3, 1, 2))
    y = b.node("Conv", [b.flow(op).name, *names], dilations=dilation, group=x[3] // weight.shape[3], **window)
    b.given(op, b.activated(y, options.FusedActivationFunction()))


def _depthwise(b: _Builder, op: LiteOperator) -> None:
    weight, options, x = b.value(op, 1, "weight"), _options(op), b.tensor(op, 0).shape
    if weight.ndim != 4 or len(x) != 4 or weight.shape[3] % x[3]:
        raise _Refused(f"its weights have the shape {weight.shape} for {x}", "convert the model again")
    dilation = (options.DilationHFactor(), options.DilationWFactor())
    window = _window(b, op, weight.shape[1:3], dilation)
    names = _weights(b, op, 3, lambda w: w.transpose(3, 0, 1, 2))
    y = b.node("Conv", [b.flow(op).name, *names], dilations=dilation, group=x[3], **window)
    b.given(op, b.activated(y, options.FusedActivationFunction()))


def _dense(b: _Builder, op: LiteOperator) -> None:
    options, tensor, flow = _options(op), b.tensor(op, 0), b.flow(op)
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
        raise _Refused(text, "convert the model again")
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


def _branches(kind: str) -> Callable[[_Builder, LiteOperator], None]:
    """Return what takes a sum, difference or product of two tensors."""

    def take(b: _Builder, op: LiteOperator) -> None:
        names = []
        for i in (0, 1):
            tensor = b.tensor(op, i)
            if tensor.data is None:
                names.append(b.flow(op, i).name)
            elif tensor.dtype == np.float32 and tensor.data.ndim in (0, 1):
                wide = tensor.data.reshape(-1, 1, 1) if len(b.tensor(op, 1 - i).shape) == 4 else tensor.data
                names.append(b.constant("operand", wide))
            else:
                raise _Refused(
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


def _pool(kind: str) -> Callable[[_Builder, LiteOperator], None]:
    def take(b: _Builder, op: LiteOperator) -> None:
        options = _options(op)
        x, y = b.tensor(op, 0), b.lite.tensors[op.outputs[0]]
        if x.scales.tolist() != y.scales.tolist() or x.zeros.tolist() != y.zeros.tolist():
            raise _Refused(
                f"reads steps of {x.scales} and gives steps of {y.scales}", "convert the model again"
            )
        window = _window(b, op, (options.FilterHeight(), options.FilterWidth()), (1, 1))
        made = b.node(kind, [b.flow(op).name], **window)
        b.given(op, made)
        if options.FusedActivationFunction() != NO:
            b.given(op, b.activated(b.flows[op.outputs[0]].name, options.FusedActivationFunction()))

    return take


def _mean(b: _Builder, op: LiteOperator) -> None:
    """Take the mean of an image: of elements a product with ones, whose scale is 1 / pixels."""
    x, y = b.tensor(op, 0), b.lite.tensors[op.outputs[0]]
    axes = sorted(int(a) % len(x.shape) for a in b.value(op, 1, "list of axes").reshape(-1))
    if len(x.shape) != 4 or axes != [1, 2]:
        raise _Refused(f"takes the mean of {x.shape} over the axes {axes}", "average over height and width")
    _, height, width, channels = x.shape
    if x.dtype == np.float32:
        made = b.node("GlobalAveragePool", [b.flow(op).name])
    else:
        share = 1 / (height * width)
        weight = b.constant("ones", np.full((channels, 1, height, width), share, np.float32))
        b.scales[weight] = np.full(channels, share)
        made = b.node("Conv", [b.flow(op).name, weight], kernel_shape=[height, width], group=channels)
    b.given(op, made if len(y.shape) == 4 else b.node("Flatten", [made]))


def _function(kind: str, **attributes: Callable[[Any], Any]) -> Callable[[_Builder, LiteOperator], None]:
    """Return what takes a function of each value; `attributes` follow from its options."""

    def take(b: _Builder, op: LiteOperator) -> None:
        flow = b.flow(op)
        said = {name: read(_options(op)) for name, read in attributes.items()}
        b.given(op, b.node(kind, [flow.name], **said), flow.image)

    return take


def _bounded(kind: int) -> Callable[[_Builder, LiteOperator], None]:
    def take(b: _Builder, op: LiteOperator) -> None:
        b.given(op, b.activated(b.flow(op).name, kind), b.flow(op).image)

    return take


def _softmax(b: _Builder, op: LiteOperator) -> None:
    if _options(op).Beta() != 1:
        raise _Refused(f"has beta {_options(op).Beta():g}", "use a softmax with beta 1")
    axis = 1 if len(b.tensor(op, 0).shape) == 4 else -1
    b.given(op, b.node("Softmax", [b.flow(op).name], axis=axis), b.flow(op).image)


def _reshape(b: _Builder, op: LiteOperator) -> None:
    """Take every operator that gives the same values in the same order under another shape."""
    x, flow = b.tensor(op, 0).shape, b.flow(op)
    y = b.lite.tensors[op.outputs[0]].shape
    if prod(x) != prod(y):
        raise _Refused(f"gives {y} of {x}", "convert the model again")
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


def _transpose(b: _Builder, op: LiteOperator) -> None:
    x, flow = b.tensor(op, 0), b.flow(op)
    order = tuple(int(i) for i in b.value(op, 1, "order").reshape(-1))
    if sorted(order) != list(range(len(x.shape))):
        raise _Refused(f"orders {x.shape} by {order}", "convert the model again")
    if flow.plain and order == TO_NHWC:
        b.given(op, flow.name)
        return
    if len(order) == 4:
        order = tuple(TO_NCHW.index(order[TO_NCHW[i]]) for i in range(4))
    b.given(op, b.node("Transpose", [flow.name], perm=order))


def _pad(b: _Builder, op: LiteOperator) -> None:
    sizes = b.value(op, 1, "border").astype(np.int64)
    if sizes.shape != (4, 2) or len(b.tensor(op, 0).shape) != 4:
        raise _Refused(f"pads {b.tensor(op, 0).shape} by {sizes.tolist()}", "pad images")
    pads = b.constant("pads", sizes[list(TO_NCHW)].T.reshape(-1))
    names = [b.flow(op).name, pads]
    if b.has(op, 2):
        tensor, value = b.tensor(op, 2), b.value(op, 2, "value").astype(np.float64).reshape(())
        real = (value - tensor.zeros[0]) * tensor.scales[0] if tensor.scales.size else value
        names.append(b.constant("value", np.array(real, np.float32)))
    b.given(op, b.node("Pad", names))


def _concat(b: _Builder, op: LiteOperator) -> None:
    rank = len(b.tensor(op, 0).shape)
    axis = _options(op).Axis() % rank
    names = [b.flow(op, i).name for i in range(len(op.inputs))]
    y = b.node("Concat", names, axis=TO_NCHW.index(axis) if rank == 4 else axis)
    b.given(op, b.activated(y, _options(op).FusedActivationFunction()))


def _resize(b: _Builder, op: LiteOperator) -> None:
    x, y = b.tensor(op, 0).shape, b.lite.tensors[op.outputs[0]].shape
    options = _options(op)
    scales = [y[i] / x[i] for i in (1, 2)] if len(x) == len(y) == 4 else []
    if not scales or options.AlignCorners() or any(s != int(s) for s in scales):
        raise _Refused(f"resizes {x} to {y}", "repeat by whole numbers, with align_corners false")
    given = b.constant("scales", np.array([1, 1, *scales], np.float32))
    mode = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor", "mode": "nearest"}
    b.given(op, b.node("Resize", [b.flow(op).name, "", given], **mode))


def _dequantize(b: _Builder, op: LiteOperator) -> None:
    """Take what makes floats of elements, or of a constant of half precision."""
    tensor = b.tensor(op, 0)
    if tensor.data is None:
        b.given(op, b.flow(op).name, b.flow(op).image)
        return
    if tensor.dtype != np.float16:
        raise _Refused(f"reads the constant '{tensor.name}' of {tensor.dtype}", REPRESENTATIVE)
    b.values[op.outputs[0]] = tensor.data.astype(np.float32)


def _quantize(b: _Builder, op: LiteOperator) -> None:
    b.given(op, b.flow(op).name, b.flow(op).image)


def _depth_to_space(b: _Builder, op: LiteOperator) -> None:
    size = _options(op).BlockSize()
    if size < 1:
        raise _Refused(f"has blocks of {size}", "convert the model again")
    b.given(op, b.node("DepthToSpace", [b.flow(op).name], blocksize=size, mode="DCR"))


TAKEN: Mapping[str, Callable[[_Builder, LiteOperator], None]] = {
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


def read_lite(path: Path, shown: str) -> FromLite:
    """Return a TensorFlow Lite file as an ONNX model of one image.

    Raises:
        SpecError: it is none, or damaged; or operators cannot be taken, each of which is named.
    """
    lite = load_lite(path, shown)
    if len(lite.inputs) != 1 or len(lite.outputs) != 1 or min(*lite.inputs, *lite.outputs) < 0:
        text = f"has {len(lite.inputs)} inputs and {len(lite.outputs)} outputs; one of each is needed"
        raise refused(shown, text, "convert the part between one input and one output")
    builder = _Builder(lite)
    problems: list[Problem] = []
    given = _begun(builder, shown)
    for op in lite.operators:
        try:
            if op.kind not in TAKEN:
                raise _Refused("the operator is not supported", f"these are: {', '.join(sorted(TAKEN))}")
            if len(op.outputs) != 1 or op.outputs[0] < 0:
                raise _Refused(f"has {len(op.outputs)} results", "operators of one result are supported")
            _take(builder, op)
        except _Refused as e:
            made = lite.tensors[op.outputs[0]].name if op.outputs and op.outputs[0] >= 0 else ""
            title = f"operator {op.number} ({op.kind}), which makes '{made}'"
            problems.append(Problem(rule=RULE, file=shown, text=f"{title}: {e.problem}", remedy=e.remedy))
            for y in op.outputs:  # what reads it is read all the same, to name all operators at fault
                builder.flows.setdefault(y, _Flow("refused"))
    if problems:
        raise SpecError(problems)
    return FromLite(model=_ended(builder, given, shown), scales=builder.scales)


def _take(b: _Builder, op: LiteOperator) -> None:
    """Take an operator; its options are read as it asks for them, and may be damaged or another operator's.

    Raises:
        _Refused: it cannot be taken.
    """
    try:
        TAKEN[op.kind](b, op)
    except _Refused:
        raise
    except (
        Exception
    ) as e:  # offsets beyond the file, shapes that do not fit: struct.error, TypeError, ValueError ...
        said = str(e).splitlines()[0] if str(e) else type(e).__name__
        raise _Refused(f"its options or shapes are damaged: {said}", "convert or copy the file again") from e


def is_plain(lite: LiteModel) -> bool:
    """Tell whether a model's input is (n, channels, height, width), which it turns itself, as converters from PyTorch write."""
    (at,) = lite.inputs
    readers = [op for op in lite.operators if at in op.inputs]
    orders = [
        lite.tensors[op.inputs[1]].data for op in readers if op.kind == "TRANSPOSE" and len(op.inputs) > 1
    ]
    turned = all(o is not None and tuple(o.reshape(-1)) == TO_NHWC for o in orders)
    return bool(readers) and len(orders) == len(readers) and turned


def _begun(b: _Builder, shown: str) -> Any:
    """Begin with the model's input; return what ONNX says of it."""
    from onnx import helper  # noqa: PLC0415

    (at,) = b.lite.inputs
    tensor = b.lite.tensors[at]
    shape = tensor.shape
    plain = is_plain(b.lite)
    if len(shape) == 4 and not plain:
        shape = tuple(shape[i] for i in TO_NCHW)
    name = tensor.name or "x"
    try:
        meaning = b.meaning(tensor)
    except _Refused as e:
        raise refused(shown, f"the input {e.problem}", e.remedy) from e
    inside = name
    if meaning:
        inside = b.rounded(b.node("DequantizeLinear", [name, *meaning]), tensor)
    b.flows[at] = _Flow(inside, plain=plain)
    return helper.make_tensor_value_info(name, _kind(tensor), [1, *shape[1:]])


def _kind(tensor: LiteTensor) -> int:
    from onnx import helper  # noqa: PLC0415

    assert tensor.dtype is not None
    return int(helper.np_dtype_to_tensor_dtype(tensor.dtype))


def _ended(b: _Builder, given: Any, shown: str) -> onnx.ModelProto:
    """Return the whole model; its result is the file's, its elements included."""
    from onnx import helper, numpy_helper  # noqa: PLC0415

    (at,) = b.lite.outputs
    flow, tensor = b.flows.get(at), b.lite.tensors[at]
    if flow is None:
        raise refused(shown, f"no operator makes its result '{tensor.name}'", "convert the model again")
    name = b.as_in_file(flow, tensor.shape) if flow.image else flow.name
    made = next((n for n in b.nodes if name in n.output), None)
    if made is not None and made.op_type == "DequantizeLinear" and tensor.dtype in INTEGERS:
        name = made.input[0]  # elements
    result = helper.make_tensor_value_info(name, _kind(tensor), None)
    constants = [numpy_helper.from_array(np.asarray(v, order="C"), k) for k, v in b.constants.items()]
    graph = helper.make_graph(b.nodes, "tflite", [given], [result], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
