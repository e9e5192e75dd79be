"""What each layer of Keras becomes: nodes of ONNX, images with their channels first.

Kernels are turned, and so are the rows of a dense layer's that reads a flattened image.
Facts: keras.io, "Keras 3 API documentation", layer by layer: definitions, defaults, and the order of a layer's arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.keras_file import KerasCall
from aieloom.network.readers.keras_flow import Builder, Flow, arrays_of
from aieloom.network.readers.keras_recurrent import recurrence
from aieloom.network.readers.refused import Refused
from aieloom.network.readers.tflite_build import TO_NCHW, TO_NHWC

# Layers that do nothing when a network is used.
NOTHING = frozenset(
    """ActivityRegularization AlphaDropout Dropout GaussianDropout GaussianNoise Identity RandomBrightness RandomContrast
    RandomCrop RandomFlip RandomRotation RandomTranslation RandomZoom SpatialDropout1D SpatialDropout2D""".split()  # noqa: SIM905
)


Take = Callable[[Builder, KerasCall, Flow], Flow]


def _pair(value: Any) -> tuple[int, int]:
    """Return two sizes: of one axis, those of an image of one row."""
    if isinstance(value, int):
        return value, value
    numbers = [int(v) for v in value]
    return (1, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])


def _sizes(call: KerasCall, key: str, default: int = 1) -> tuple[int, int]:
    """Return two sizes of a layer of images, or of one of sequences, (1, size)."""
    value = call.config.get(key)
    value = default if value is None else value
    if call.kind.endswith("1D"):
        return (1, int(value if isinstance(value, int) else value[0]))
    return _pair(value)


def _window(
    call: KerasCall, flow: Flow, kernel: tuple[int, int], strides: tuple[int, int], dilation: tuple[int, int]
) -> tuple[list[int], tuple[int, ...]]:
    """Return a window's border, [top, left, bottom, right], and the sizes of what it gives."""
    padding = call.config.get("padding", "valid")
    if padding not in ("same", "valid", "causal"):
        raise Refused(f"has padding '{padding}'", "use 'same' or 'valid'")
    before, behind, made = [], [], []
    for size, k, s, d in zip(flow.sizes[:2], kernel, strides, dilation, strict=True):
        reach = (k - 1) * d + 1
        if padding == "same":
            total = max(0, (-(-size // s) - 1) * s + reach - size)
            first = total // 2
        else:
            total = first = reach - 1 if padding == "causal" and k > 1 else 0
        if size + total < reach:
            raise Refused(f"its window of {reach} does not fit {flow.shape}", "save the model again")
        before.append(first)
        behind.append(total - first)
        made.append((size + total - reach) // s + 1)
    return [*before, *behind], tuple(made)


def _shaped(flow: Flow, name: str, sizes: tuple[int, ...], channels: int) -> Flow:
    """Return a flow of the same kind with other sizes."""
    shape = (sizes[1], channels) if flow.line else (*sizes, channels)
    return Flow(name=name, shape=shape, line=flow.line)


def _given(b: Builder, call: KerasCall, flow: Flow, weight: Values, bias: list[Values]) -> list[str]:
    """Return the names of what a product reads: a flow, its weight, its bias where there is one."""
    names = [flow.name, b.constant(f"{call.name}.weight", weight)]
    return [*names, *(b.constant(f"{call.name}.bias", v) for v in bias)]


def _convolved(b: Builder, call: KerasCall, flow: Flow, arrays: list[Values], groups: int = 1) -> Flow:
    """Return a convolution with a kernel as ONNX has it, and a bias where there is one."""
    weight, *bias = arrays
    kernel = _pair(weight.shape[2:])
    strides, dilation = _sizes(call, "strides"), _sizes(call, "dilation_rate")
    pads, sizes = _window(call, flow, kernel, strides, dilation)
    y = b.node(
        "Conv",
        _given(b, call, flow, weight, bias),
        kernel_shape=kernel,
        strides=strides,
        dilations=dilation,
        pads=pads,
        group=groups,
    )
    return _shaped(flow, y, sizes, weight.shape[0])


def _bias(call: KerasCall, outputs: int) -> list[tuple[int, ...]]:
    return [(outputs,)] if call.config.get("use_bias", True) else []


def _kernel(call: KerasCall, key: str = "kernel_size") -> tuple[int, ...]:
    """Return a kernel's sizes, as its array has them."""
    kernel = _sizes(call, key)
    return kernel[1:] if call.kind.endswith("1D") else kernel


def _turned(weight: Values, call: KerasCall, order: tuple[int, int, int, int]) -> Values:
    """Return a kernel in ONNX's order; one of sequences has one row."""
    return (weight[None] if call.kind.endswith("1D") else weight).transpose(order)


def _conv(b: Builder, call: KerasCall, x: Flow) -> Flow:
    flow = b.as_image(x)
    filters, groups = int(call.config["filters"]), int(call.config.get("groups", 1))
    shapes = [(*_kernel(call), flow.sizes[2] // groups, filters), *_bias(call, filters)]
    weight, *bias = arrays_of(call, *shapes)
    turned = _turned(weight, call, (3, 2, 0, 1))
    made = _convolved(b, call, flow, [turned, *bias], groups)
    return activated(b, call, made)


def _depthwise(b: Builder, call: KerasCall, x: Flow) -> Flow:
    flow = b.as_image(x)
    channels, factor = flow.sizes[2], int(call.config.get("depth_multiplier", 1))
    shapes = [(*_kernel(call), channels, factor), *_bias(call, channels * factor)]
    weight, *bias = arrays_of(call, *shapes)
    made = _convolved(b, call, flow, [_of_channels(weight, call), *bias], channels)
    return activated(b, call, made)


def _of_channels(weight: Values, call: KerasCall) -> Values:
    """Return a kernel of each channel, (height, width, channels, factor), as ONNX has it."""
    turned = _turned(weight, call, (2, 3, 0, 1))
    return turned.reshape(-1, 1, *turned.shape[2:])


def _separable(b: Builder, call: KerasCall, x: Flow) -> Flow:
    flow = b.as_image(x)
    channels, factor = flow.sizes[2], int(call.config.get("depth_multiplier", 1))
    filters = int(call.config["filters"])
    point = (*(1 for _ in _kernel(call)), channels * factor, filters)
    depth, weight, *bias = arrays_of(call, (*_kernel(call), channels, factor), point, *_bias(call, filters))
    inner = _convolved(b, call, flow, [_of_channels(depth, call)], channels)
    single = replace(call, config={**call.config, "strides": 1, "dilation_rate": 1})
    turned = _turned(weight, call, (3, 2, 0, 1))
    return activated(b, call, _convolved(b, single, inner, [turned, *bias]))


def _conv_transpose(b: Builder, call: KerasCall, x: Flow) -> Flow:
    flow = b.as_image(x)
    padding, dilation = call.config.get("output_padding"), _sizes(call, "dilation_rate")
    if padding is not None or dilation != (1, 1):
        text = f"has output_padding {padding} and dilation_rate {dilation}"
        raise Refused(text, "use one without them: None and (1, 1)")
    filters, kernel, strides = (
        int(call.config["filters"]),
        _sizes(call, "kernel_size"),
        _sizes(call, "strides"),
    )
    weight, *bias = arrays_of(call, (*_kernel(call), filters, flow.sizes[2]), *_bias(call, filters))
    same = call.config.get("padding", "valid") == "same"
    cut = [max(0, k - s) if same else 0 for k, s in zip(kernel, strides, strict=True)]
    more = [max(0, s - k) for k, s in zip(kernel, strides, strict=True)]
    sizes = tuple(
        (n - 1) * s + k - c + m
        for n, s, k, c, m in zip(flow.sizes[:2], strides, kernel, cut, more, strict=True)
    )
    y = b.node(
        "ConvTranspose",
        _given(b, call, flow, _turned(weight, call, (3, 2, 0, 1)), bias),
        kernel_shape=kernel,
        strides=strides,
        pads=[*(c // 2 for c in cut), *(c - c // 2 for c in cut)],
        output_padding=more,
    )
    return activated(b, call, _shaped(flow, y, sizes, filters))


def _dense(b: Builder, call: KerasCall, x: Flow) -> Flow:
    units, inputs = int(call.config["units"]), x.shape[-1]
    weight, *bias = arrays_of(call, (inputs, units), *_bias(call, units))
    if x.is_image:
        turned = weight.T.reshape(units, inputs, 1, 1)
        made = _convolved(b, call, x, [turned, *bias])
    elif len(x.shape) == 1:
        if x.image is not None:  # its rows in the order in which the image lies
            weight = weight.reshape(*x.image, units).transpose(2, 0, 1, 3).reshape(inputs, units)
        made = Flow(name=b.node("Gemm", _given(b, call, x, weight.T, bias), transB=1), shape=(units,))
    else:
        name = b.node("MatMul", [x.name, b.constant(f"{call.name}.weight", weight)])
        name = b.node("Add", [name, b.constant(f"{call.name}.bias", bias[0])]) if bias else name
        made = Flow(name=name, shape=(*x.shape[:-1], units))
    return activated(b, call, made)


def _pool(kind: str) -> Take:
    def take(b: Builder, call: KerasCall, x: Flow) -> Flow:
        flow = b.as_image(x)
        kernel = _sizes(call, "pool_size", 2)
        strides = _sizes(call, "strides") if call.config.get("strides") is not None else kernel
        pads, sizes = _window(call, flow, kernel, strides, (1, 1))
        y = b.node(kind, [flow.name], kernel_shape=kernel, strides=strides, pads=pads)
        return _shaped(flow, y, sizes, flow.sizes[2])

    return take


def _global_pool(kind: str) -> Take:
    def take(b: Builder, call: KerasCall, x: Flow) -> Flow:
        flow = b.as_image(x)
        channels, y = flow.sizes[2], b.node(kind, [flow.name])
        if call.config.get("keepdims"):
            return _shaped(flow, y, (1, 1), channels)
        return Flow(name=b.node("Flatten", [y]), shape=(channels,))

    return take


def _last_axis(call: KerasCall, flow: Flow) -> None:
    said = call.config.get("axis", -1)
    axes = [said] if isinstance(said, int) else list(said)
    if [a if a < 0 else a - len(flow.shape) - 1 for a in axes] != [-1]:
        raise Refused(f"works along axis {said} of {flow.shape}", "use the last axis")


def _norm_arrays(call: KerasCall, channels: int, more: int) -> list[Values]:
    """Return a norm's gamma and beta, ones and zeros where it has none, and `more` arrays behind them."""
    has = [bool(call.config.get("scale", True)), bool(call.config.get("center", True))]
    found = arrays_of(call, *[(channels,)] * (sum(has) + more))
    gamma = found.pop(0) if has[0] else np.ones(channels, np.float32)
    beta = found.pop(0) if has[1] else np.zeros(channels, np.float32)
    return [gamma, beta, *found]


def _batch_norm(b: Builder, call: KerasCall, x: Flow) -> Flow:
    _last_axis(call, x)
    flow = b.as_features(x)
    flow = b.as_image(flow) if len(flow.shape) == 2 else flow
    gamma, beta, mean, variance = _norm_arrays(call, x.shape[-1], 2)
    named = zip(("gamma", "beta", "mean", "variance"), (gamma, beta, mean, variance), strict=True)
    names = [flow.name, *(b.constant(f"{call.name}.{n}", v) for n, v in named)]
    y = b.node("BatchNormalization", names, epsilon=float(call.config.get("epsilon", 1e-3)))
    return replace(flow, name=y)


def _layer_norm(b: Builder, call: KerasCall, x: Flow) -> Flow:
    _last_axis(call, x)
    flow = b.as_rows(x)
    gamma, beta = _norm_arrays(call, x.shape[-1], 0)
    name = b.node("Transpose", [flow.name], perm=TO_NHWC) if flow.is_image else flow.name
    names = [name, b.constant(f"{call.name}.gamma", gamma), b.constant(f"{call.name}.beta", beta)]
    y = b.node("LayerNormalization", names, axis=-1, epsilon=float(call.config.get("epsilon", 1e-3)))
    return replace(flow, name=b.node("Transpose", [y], perm=TO_NCHW) if flow.is_image else y)


def activated(b: Builder, call: KerasCall, flow: Flow) -> Flow:
    """Return a flow behind the function that a layer's `activation` names."""
    said = call.config.get("activation") or "linear"
    if isinstance(said, dict):  # an object: a function, or a layer that computes it
        config = said.get("config")
        if isinstance(config, dict) and said["class_name"] in TAKEN:
            inner = replace(call, kind=str(said["class_name"]), config=config, weights=())
            return TAKEN[inner.kind](b, inner, flow)
        said = config if isinstance(config, str) else said["class_name"]
    if said == "linear":
        return flow
    if said == "softmax":
        return _softmax(b, replace(call, config={}), flow)
    known = {**FUNCTIONS, **(KERAS_2 if b.model.version < 3 else {})}
    if said not in known:
        raise Refused(f"has the activation '{said}'", f"these are: {', '.join(sorted(known))}, softmax")
    return replace(flow, name=known[said](b, flow.name))


def _simple(op: str, **attributes: Any) -> Callable[[Builder, str], str]:
    return lambda b, x: b.node(op, [x], **attributes)


def _clipped(low: float, high: float) -> Callable[[Builder, str], str]:
    return lambda b, x: b.node("Clip", [x, b.number(low), b.number(high)])


def _silu(b: Builder, x: str) -> str:
    return b.node("Mul", [x, b.node("Sigmoid", [x])])


SELU = (1.6732632423543772, 1.0507009873554805)  # alpha and scale [Klambauer et al. 2017, arXiv 1706.02515]


def _selu(b: Builder, x: str) -> str:
    return b.node("Mul", [b.node("Elu", [x], alpha=SELU[0]), b.number(SELU[1])])


FUNCTIONS: Mapping[str, Callable[[Builder, str], str]] = {
    "elu": _simple("Elu"),
    "exponential": _simple("Exp"),
    "gelu": _simple("Gelu"),
    "hard_sigmoid": _simple("HardSigmoid", alpha=1 / 6, beta=0.5),
    "hard_silu": _simple("HardSwish"),
    "hard_swish": _simple("HardSwish"),
    "leaky_relu": _simple("LeakyRelu", alpha=0.2),
    "mish": _simple("Mish"),
    "relu": _simple("Relu"),
    "relu6": _clipped(0, 6),
    "selu": _selu,
    "sigmoid": _simple("Sigmoid"),
    "silu": _silu,
    "softplus": _simple("Softplus"),
    "swish": _silu,
    "tanh": _simple("Tanh"),
}
KERAS_2 = {"hard_sigmoid": _simple("HardSigmoid", alpha=0.2, beta=0.5)}  # which differs there


def _relu(b: Builder, call: KerasCall, x: Flow) -> Flow:
    slope, most = float(call.config.get("negative_slope") or 0), call.config.get("max_value")
    if call.config.get("threshold") or (slope and most is not None):
        text = f"has threshold {call.config.get('threshold')}, negative_slope {slope:g} and max_value {most}"
        raise Refused(text, "use one of negative_slope and max_value")
    if most is not None:
        return replace(x, name=_clipped(0, float(most))(b, x.name))
    return replace(x, name=b.node("LeakyRelu", [x.name], alpha=slope) if slope else b.node("Relu", [x.name]))


def _leaky_relu(b: Builder, call: KerasCall, x: Flow) -> Flow:
    slope = call.config.get("negative_slope", call.config.get("alpha", 0.3))
    return replace(x, name=b.node("LeakyRelu", [x.name], alpha=float(slope)))


def _elu(b: Builder, call: KerasCall, x: Flow) -> Flow:
    return replace(x, name=b.node("Elu", [x.name], alpha=float(call.config.get("alpha", 1.0))))


def _prelu(b: Builder, call: KerasCall, x: Flow) -> Flow:
    flow = b.as_features(x)
    (slopes,) = (w.astype(np.float32) for w in call.weights)
    if slopes.size != slopes.shape[-1]:
        raise Refused(f"has slopes {slopes.shape}, one for each place", "use shared_axes=[1, 2]")
    slopes = slopes.reshape(-1, 1, 1) if flow.is_image else slopes.reshape(-1)
    return replace(flow, name=b.node("PRelu", [flow.name, b.constant(f"{call.name}.slope", slopes)]))


def _softmax(b: Builder, call: KerasCall, x: Flow) -> Flow:
    _last_axis(call, x)
    flow = b.as_features(x)
    return replace(flow, name=b.node("Softmax", [flow.name], axis=1 if flow.is_image else -1))


def _border(call: KerasCall) -> tuple[list[int], list[int]]:
    """Return what a layer adds or cuts: [top, left] and [bottom, right]."""
    key = "padding" if "Padding" in call.kind else "cropping"
    said = call.config[key]
    if call.kind.endswith("1D"):
        before, behind = (said, said) if isinstance(said, int) else said
        return [0, int(before)], [0, int(behind)]
    rows, columns = ((said, said), (said, said)) if isinstance(said, int) else said
    rows, columns = ((v, v) if isinstance(v, int) else v for v in (rows, columns))
    return [int(rows[0]), int(columns[0])], [int(rows[1]), int(columns[1])]


def _zero_padding(b: Builder, call: KerasCall, x: Flow) -> Flow:
    flow, (before, behind) = b.as_image(x), _border(call)
    sizes = tuple(n + i + j for n, i, j in zip(flow.sizes[:2], before, behind, strict=True))
    y = b.node("Pad", [flow.name, b.integers([0, 0, *before, 0, 0, *behind])])
    return _shaped(flow, y, sizes, flow.sizes[2])


def _cropping(b: Builder, call: KerasCall, x: Flow) -> Flow:
    flow, (before, behind) = b.as_image(x), _border(call)
    ends = [n - j for n, j in zip(flow.sizes[:2], behind, strict=True)]
    y = b.node("Slice", [flow.name, b.integers(before), b.integers(ends), b.integers([2, 3])])
    sizes = tuple(e - i for e, i in zip(ends, before, strict=True))
    return _shaped(flow, y, sizes, flow.sizes[2])


def _up_sampling(b: Builder, call: KerasCall, x: Flow) -> Flow:
    flow, scale = b.as_image(x), _sizes(call, "size", 2)
    mode = {"nearest": "nearest", "bilinear": "linear"}.get(call.config.get("interpolation", "nearest"))
    if mode is None:
        raise Refused(f"interpolates by '{call.config['interpolation']}'", "use 'nearest' or 'bilinear'")
    nearest = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    scales = b.constant("scales", np.array([1, 1, *scale], np.float32))
    y = b.node("Resize", [flow.name, "", scales], mode=mode, **(nearest if mode == "nearest" else {}))
    sizes = tuple(n * s for n, s in zip(flow.sizes[:2], scale, strict=True))
    return _shaped(flow, y, sizes, flow.sizes[2])


def _flatten(b: Builder, _call: KerasCall, x: Flow) -> Flow:
    if x.is_image:
        height, width, channels = x.sizes
        flat = Flow(name=b.node("Flatten", [x.name]), shape=(prod(x.shape),))
        return flat if 1 in (channels, height * width) else replace(flat, image=x.sizes)
    sizes = b.integers([1, prod(x.shape)])
    return x if len(x.shape) == 1 else Flow(name=b.node("Reshape", [x.name, sizes]), shape=(prod(x.shape),))


def _reshape(b: Builder, call: KerasCall, x: Flow) -> Flow:
    wanted = [int(d) for d in call.config["target_shape"]]
    rest = prod(x.shape) // max(1, prod(d for d in wanted if d > 0))
    shape = tuple(rest if d < 0 else d for d in wanted)
    if prod(shape) != prod(x.shape) or not 1 <= len(shape) <= 3:
        raise Refused(f"gives {shape} of {x.shape}", "use shapes of one, two or three sizes")
    flat = b.as_rows(_flatten(b, call, x))
    if len(shape) == 1:
        return flat
    name = b.node("Reshape", [flat.name, b.integers([1, *shape])])
    return Flow(name=b.node("Transpose", [name], perm=TO_NCHW) if len(shape) == 3 else name, shape=shape)


def _permute(b: Builder, call: KerasCall, x: Flow) -> Flow:
    order = [int(d) for d in call.config["dims"]]
    flow = b.as_rows(x)
    whole = [0, *order]
    perm = [TO_NCHW.index(whole[a]) for a in TO_NCHW] if flow.is_image else whole
    shape = tuple(flow.shape[d - 1] for d in order)
    return Flow(name=b.node("Transpose", [flow.name], perm=perm), shape=shape)


def _scaled(b: Builder, flow: Flow, factor: Values, offset: Values) -> Flow:
    """Return a flow times a factor plus an offset, one number or one for each channel."""
    name = flow.name
    for op, values, nothing in (("Mul", factor, 1.0), ("Add", offset, 0.0)):
        if np.any(values != nothing):
            wide = values.reshape(-1, 1, 1) if flow.is_image and values.size > 1 else values
            name = b.node(op, [name, b.constant("constants", wide.astype(np.float32))])
    return replace(flow, name=name)


def _rescaling(b: Builder, call: KerasCall, x: Flow) -> Flow:
    flow = b.as_features(x)
    factor, offset = (np.asarray(call.config.get(k, d), np.float64) for k, d in (("scale", 1), ("offset", 0)))
    return _scaled(b, flow, factor, offset)


def _normalization(b: Builder, call: KerasCall, x: Flow) -> Flow:
    """Take (x - mean) / the square root of the variance, at least 1e-7."""
    _last_axis(call, x)
    flow = b.as_features(x)
    given: list[Any] = [call.config.get(k) for k in ("mean", "variance")]
    if given[0] is None:
        given = [w for w in call.weights if w.dtype.kind == "f"][:2]
    if len(given) != 2 or given[1] is None:
        raise Refused(
            f"has {len(given)} arrays, no mean and variance", "call its adapt() before the model is saved"
        )
    mean, variance = (np.asarray(v, np.float64).reshape(-1) for v in given)
    root = np.maximum(np.sqrt(variance), 1e-7)
    return (
        _scaled(b, flow, root, -mean)
        if call.config.get("invert")
        else _scaled(b, flow, 1 / root, -mean / root)
    )


def _nothing(_b: Builder, _call: KerasCall, x: Flow) -> Flow:
    return x


def _time_distributed(b: Builder, call: KerasCall, x: Flow) -> Flow:
    inner = call.config["layer"]
    kind = str(inner["class_name"])
    if kind not in ("Activation", "Dense", "Dropout", "LayerNormalization") or len(x.shape) != 2:
        raise Refused(
            f"has a {kind} for each step of {x.shape}", "use Dense, which works on every step itself"
        )
    return TAKEN[kind](b, replace(call, kind=kind, config=inner["config"]), b.as_rows(x))


def _joined(op: str) -> Callable[[Builder, KerasCall, list[Flow]], Flow]:
    """Return what joins tensors value by value."""

    def take(b: Builder, _call: KerasCall, flows: list[Flow]) -> Flow:
        known = _alike(b, flows)
        name = known[0].name
        for other in known[1:]:
            name = b.node("Add" if op == "Average" else op, [name, other.name])
        if op == "Average":
            name = b.node("Mul", [name, b.number(1 / len(known))])
        whole = max(known, key=lambda f: prod(f.shape))
        return replace(whole, name=name)

    return take


def _alike(b: Builder, flows: list[Flow]) -> list[Flow]:
    """Return flows that lie alike."""
    if len({(f.line, f.image) for f in flows}) == 1:
        return flows
    return [b.as_rows(f) for f in flows]


def _concatenate(b: Builder, call: KerasCall, flows: list[Flow]) -> Flow:
    known = [b.as_rows(f) for f in flows] if not flows[0].is_image else _alike(b, flows)
    rank = len(known[0].shape)
    axis = int(call.config.get("axis", -1)) % (rank + 1)
    if not 1 <= axis <= rank:
        raise Refused(f"joins along axis {call.config.get('axis')}", "join along an axis behind the batch")
    shape = list(known[0].shape)
    shape[axis - 1] = sum(f.shape[axis - 1] for f in known)
    places = {1: 3, 2: 1} if known[0].line else {1: 2, 2: 3, 3: 1} if rank == 3 else {a: a for a in (1, 2)}
    y = b.node("Concat", [f.name for f in known], axis=places[axis])
    return replace(known[0], name=y, shape=tuple(shape))


TAKEN: Mapping[str, Take] = {
    "Activation": activated,
    "AveragePooling1D": _pool("AveragePool"),
    "AveragePooling2D": _pool("AveragePool"),
    "BatchNormalization": _batch_norm,
    "Bidirectional": recurrence,
    "Conv1D": _conv,
    "Conv2D": _conv,
    "Conv2DTranspose": _conv_transpose,
    "Cropping1D": _cropping,
    "Cropping2D": _cropping,
    "Dense": _dense,
    "DepthwiseConv1D": _depthwise,
    "DepthwiseConv2D": _depthwise,
    "ELU": _elu,
    "Flatten": _flatten,
    "GRU": recurrence,
    "GlobalAveragePooling1D": _global_pool("GlobalAveragePool"),
    "GlobalAveragePooling2D": _global_pool("GlobalAveragePool"),
    "GlobalMaxPooling1D": _global_pool("GlobalMaxPool"),
    "GlobalMaxPooling2D": _global_pool("GlobalMaxPool"),
    "LSTM": recurrence,
    "LayerNormalization": _layer_norm,
    "LeakyReLU": _leaky_relu,
    "MaxPooling1D": _pool("MaxPool"),
    "MaxPooling2D": _pool("MaxPool"),
    "Normalization": _normalization,
    "PReLU": _prelu,
    "Permute": _permute,
    "ReLU": _relu,
    "Rescaling": _rescaling,
    "Reshape": _reshape,
    "SeparableConv1D": _separable,
    "SeparableConv2D": _separable,
    "Softmax": _softmax,
    "TimeDistributed": _time_distributed,
    "UpSampling1D": _up_sampling,
    "UpSampling2D": _up_sampling,
    "ZeroPadding1D": _zero_padding,
    "ZeroPadding2D": _zero_padding,
    **dict.fromkeys(NOTHING, _nothing),
}
JOINS: Mapping[str, Callable[[Builder, KerasCall, list[Flow]], Flow]] = {
    "Add": _joined("Add"),
    "Average": _joined("Average"),
    "Concatenate": _concatenate,
    "Multiply": _joined("Mul"),
    "Subtract": _joined("Sub"),
    "keras.ops.Add": _joined("Add"),
    "keras.ops.Concatenate": _concatenate,
    "keras.ops.Multiply": _joined("Mul"),
    "keras.ops.Subtract": _joined("Sub"),
}
