"""What each operator of an exported PyTorch module becomes: nodes of ONNX, which its readers take further.

`torch.export` gives a module as calls of ATen operators with fixed shapes, each named as in PyTorch's native_functions.yaml. A
translator takes one call, adds the nodes that compute the same, and returns the name of their result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.onnx_build import Nodes
from aieloom.network.readers.recorded import Recorded
from aieloom.network.readers.refused import Refused

IMAGE, FEATURES = 4, 2  # ranks with the batch


@dataclass(frozen=True, slots=True)
class Flow:
    """A tensor that depends on the module's input: its name, and its shape with the batch."""

    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A parameter, a buffer or a constant of the module, by its name there."""

    name: str
    values: Values


# Arguments that follow from the result's shape, and those that change none of its values.
SETTLED: Mapping[str, frozenset[str]] = {
    "_unsafe_view": frozenset({"size"}),
    "adaptive_avg_pool2d": frozenset({"output_size"}),
    "adaptive_max_pool2d": frozenset({"output_size"}),
    "batch_norm": frozenset({"momentum", "cudnn_enabled"}),
    "flatten": frozenset({"start_dim", "end_dim"}),
    "layer_norm": frozenset({"cudnn_enable"}),
    "reshape": frozenset({"shape"}),
    "squeeze": frozenset({"dim"}),
    "unflatten": frozenset({"dim", "sizes"}),
    "unsqueeze": frozenset({"dim"}),
    "upsample_nearest2d": frozenset({"output_size"}),
    "view": frozenset({"size"}),
    **dict.fromkeys(("clone", "contiguous"), frozenset({"memory_format"})),
    **dict.fromkeys(("alpha_dropout", "dropout", "feature_dropout"), frozenset({"p"})),
}


def check_read(op: str, call: Call, defaults: Mapping[str, Any]) -> None:
    """Refuse a call whose translator has not looked at an argument that is none of the schema's default.

    Raises:
        Refused: with its name.
    """
    read = call.args.read | SETTLED.get(op, frozenset())
    for name, value in call.args.items():
        plain = value is None or isinstance(value, Flow) or (name in defaults and value == defaults[name])
        if name not in read and not plain:
            raise Refused(f"its argument {name} = {value} is not supported", f"leave {name} out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of an ATen operator: its arguments by their names."""

    op: str  # as conv2d.default
    args: Recorded
    y_shape: tuple[int, ...]

    @property
    def flows(self) -> tuple[Flow, ...]:
        """What it reads that depends on the input, in order."""
        given = (v if isinstance(v, list | tuple) else (v,) for v in self.args.values())
        return tuple(v for values in given for v in values if isinstance(v, Flow))

    @property
    def x(self) -> Flow:
        """The first of them."""
        return self.flows[0]

    def trained(self, name: str) -> Trained:
        """Return an argument that is a trained tensor.

        Raises:
            Refused: it is computed.
        """
        value = self.args[name]
        if not isinstance(value, Trained):
            text = f"its {name} is no trained tensor"
            raise Refused(text, "keep weights in parameters or buffers of the module")
        return value


class Calls(Nodes):
    """The nodes of the calls so far."""

    def operand(self, value: object) -> str:
        """Return the name of what a call reads: a tensor that flows, a trained one, or a number."""
        if isinstance(value, Flow):
            return value.name
        if not isinstance(value, Trained):
            return self.constant("number", np.asarray(value, np.float32))
        held = self.constants.get(value.name)
        return value.name if held is value.values else self.constant(value.name, value.values)


Translator = Callable[[Calls, Call], str]


def function(op: str, **attributes: object) -> Translator:
    """Return what takes a function of each value."""
    return lambda b, call: b.node(op, [call.x.name], **attributes)


def along(op: str) -> Translator:
    """Return what takes a function along an axis."""
    return lambda b, call: b.node(op, [call.x.name], axis=int(call.args["dim"]))


def _nothing(_b: Calls, call: Call) -> str:
    return call.x.name


def _dropout(_b: Calls, call: Call) -> str:
    if call.args["train"]:
        raise Refused(
            "drops values at random (train = True)", "use nn.Dropout, which module.eval() turns off"
        )
    return call.x.name


def _pair(value: Any) -> tuple[int, int]:
    numbers = [int(v) for v in value] if isinstance(value, Sequence) else [int(value)]
    return (numbers[0], numbers[-1])


def _weighted(b: Calls, call: Call) -> list[str]:
    """Return the names of a product's input, weight and bias."""
    bias = call.args.get("bias")
    names = [call.x.name, b.operand(call.trained("weight"))]
    return names if bias is None else [*names, b.operand(bias)]


def _conv(b: Calls, call: Call) -> str:
    kernel, dilation = call.trained("weight").values.shape[2:], _pair(call.args["dilation"])
    padding = call.args.get("padding", 0)
    before = behind = (0, 0) if padding == "valid" else _pair(0 if padding == "same" else padding)
    if padding == "same":  # what is odd of the border goes below and to the right
        total = [d * (k - 1) for k, d in zip(kernel, dilation, strict=False)]
        before, behind = _pair([t // 2 for t in total]), _pair([t - t // 2 for t in total])
    return b.node(
        "Conv",
        _weighted(b, call),
        kernel_shape=kernel,
        strides=_pair(call.args["stride"]),
        pads=[*before, *behind],
        dilations=dilation,
        group=int(call.args["groups"]),
    )


def _conv_transpose(b: Calls, call: Call) -> str:
    padding = _pair(call.args["padding"])
    return b.node(
        "ConvTranspose",
        _weighted(b, call),
        strides=_pair(call.args["stride"]),
        pads=[*padding, *padding],
        output_padding=_pair(call.args["output_padding"]),
        dilations=_pair(call.args["dilation"]),
        group=int(call.args["groups"]),
    )


def _linear(b: Calls, call: Call) -> str:
    if len(call.x.shape) == FEATURES:
        return b.node("Gemm", _weighted(b, call), transB=1)
    weight, bias = call.trained("weight"), call.args.get("bias")
    y = b.node("MatMul", [call.x.name, b.constant(weight.name, weight.values.T)])
    return y if bias is None else b.node("Add", [y, b.operand(bias)])


def _addmm(b: Calls, call: Call) -> str:
    names = [b.operand(call.args[k]) for k in ("mat1", "mat2", "self")]
    return b.node("Gemm", names, **{k: float(call.args.get(k, 1)) for k in ("alpha", "beta")})


def _batch_norm(b: Calls, call: Call) -> str:
    if call.args.get("training"):
        text = f"computes statistics of the batch of {list(call.x.shape)}"
        raise Refused(text, "call module.eval(), and track running statistics")
    moments = [call.trained(k) for k in ("running_mean", "running_var")]
    shape = moments[0].values.shape
    factors = [call.args.get(k) for k in ("weight", "bias")]
    plain = [np.full(shape, v) if f is None else f for f, v in zip(factors, (1.0, 0.0), strict=True)]
    names = [call.x.name, *map(b.operand, (*plain, *moments))]
    return b.node("BatchNormalization", names, epsilon=float(call.args["eps"]))


def _layer_norm(b: Calls, call: Call) -> str:
    over = [int(v) for v in call.args["normalized_shape"]]
    weight, bias = call.args.get("weight"), call.args.get("bias")
    names = [call.x.name, b.operand(np.ones(over) if weight is None else weight)]
    names += [] if bias is None else [b.operand(bias)]
    return b.node("LayerNormalization", names, axis=-len(over), epsilon=float(call.args["eps"]))


def _pool(op: str, *keys: str) -> Translator:
    """Return what takes a pool by windows; `keys` are attributes of the same name."""

    def take(b: Calls, call: Call) -> str:
        if divisor := call.args.get("divisor_override"):
            raise Refused(f"has a divisor of its own, {divisor}", "leave divisor_override out")
        kernel, padding = (_pair(call.args.get(k, 0)) for k in ("kernel_size", "padding"))
        return b.node(
            op,
            [call.x.name],
            kernel_shape=kernel,
            strides=_pair(call.args.get("stride") or kernel),
            pads=[*padding, *padding],
            ceil_mode=int(call.args.get("ceil_mode", False)),
            **{k: int(call.args.get(k, True)) for k in keys},
            **({"dilations": _pair(call.args["dilation"])} if "dilation" in call.args else {}),
        )

    return take


def _adaptive(op: str) -> Translator:
    """Return what takes pools that give a size, by windows that divide the image."""

    def take(b: Calls, call: Call) -> str:
        image, size = call.x.shape[-2:], call.y_shape[-2:]
        if any(h % s for h, s in zip(image, size, strict=True)):
            text = f"makes {list(size)} of {list(image)}, by windows of several sizes"
            raise Refused(text, "use sizes that divide the image's")
        if op == "AveragePool" and size == (1, 1):
            return b.node("GlobalAveragePool", [call.x.name])
        window = [h // s for h, s in zip(image, size, strict=True)]
        return (
            call.x.name
            if window == [1, 1]
            else b.node(op, [call.x.name], kernel_shape=window, strides=window)
        )

    return take


def _shape(b: Calls, call: Call) -> str:
    """Take whatever gives the same values in the same order another shape."""
    x, y = call.x.shape, call.y_shape
    sizes = (1, *y[1:]) if x[:1] == y[:1] else y
    return call.x.name if x == y else b.node("Reshape", [call.x.name, b.integers(sizes)])


def _permute(b: Calls, call: Call) -> str:
    return b.node("Transpose", [call.x.name], perm=[int(d) % len(call.x.shape) for d in call.args["dims"]])


def _transposed(b: Calls, call: Call) -> str:
    order = list(range(len(call.x.shape)))
    i, j = (int(call.args[k]) for k in ("dim0", "dim1"))
    order[i], order[j] = order[j], order[i]
    return b.node("Transpose", [call.x.name], perm=order)


def _joined(op: str, first: str = "self", second: str = "other") -> Translator:
    """Return what takes a function of two operands, of which the second has a factor, `alpha`, or none."""

    def take(b: Calls, call: Call) -> str:
        x, y = (b.operand(call.args[k]) for k in (first, second))
        alpha = call.args.get("alpha", 1)
        return b.node(op, [x, y if alpha == 1 else b.node("Mul", [y, b.operand(alpha)])])

    return take


def _reverse_sub(b: Calls, call: Call) -> str:
    if call.args.get("alpha", 1) != 1:
        raise Refused(f"has alpha {call.args['alpha']:g}", "multiply by another call")
    return _joined("Sub", "other", "self")(b, call)


def _cat(b: Calls, call: Call) -> str:
    return b.node("Concat", [b.operand(v) for v in call.args["tensors"]], axis=int(call.args["dim"]))


def _square(b: Calls, call: Call) -> str:
    return b.node("Pow", [call.x.name, b.number(2)])


def _clip(b: Calls, call: Call) -> str:
    bounds = (call.args.get(k, call.args.get(f"{k}_val")) for k in ("min", "max"))
    names = [call.x.name, *("" if v is None else b.operand(v) for v in bounds)]
    return b.node("Clip", names if names[2] else names[:2])


def _relu6(b: Calls, call: Call) -> str:
    return b.node("Clip", [call.x.name, b.number(0), b.number(6)])


def _silu(b: Calls, call: Call) -> str:
    return b.node("Mul", [call.x.name, b.node("Sigmoid", [call.x.name])])


def _leaky(b: Calls, call: Call) -> str:
    return b.node("LeakyRelu", [call.x.name], alpha=float(call.args["negative_slope"]))


def _elu(b: Calls, call: Call) -> str:
    scales = [float(call.args.get(k, 1)) for k in ("scale", "input_scale")]
    if scales != [1, 1]:
        raise Refused(f"has scales (a SELU): {scales[0]:g} and {scales[1]:g}", "use ELU")
    return b.node("Elu", [call.x.name], alpha=float(call.args["alpha"]))


def _gelu(b: Calls, call: Call) -> str:
    return b.node("Gelu", [call.x.name], approximate=str(call.args.get("approximate", "none")))


def _softplus(b: Calls, call: Call) -> str:
    if call.args.get("beta", 1) != 1:
        raise Refused(f"has beta {call.args['beta']:g}", "use beta 1")
    return b.node("Softplus", [call.x.name])


def _mean(b: Calls, call: Call) -> str:
    axes = call.args.get("dim")
    if not axes:
        raise Refused(f"averages all of {list(call.x.shape)}", "average height and width, or keepdim=True")
    names = [call.x.name, b.integers(axes)]
    return b.node("ReduceMean", names, keepdims=int(call.args.get("keepdim", False)))


def _argmax(b: Calls, call: Call) -> str:
    if call.args.get("dim") is None:
        text = f"is taken along None of {list(call.x.shape)}"
        raise Refused(text, "take it along axis 1, with keepdim=True")
    kept = int(call.args.get("keepdim", False))
    return b.node("ArgMax", [call.x.name], axis=int(call.args["dim"]), keepdims=kept)


def _shuffle(b: Calls, call: Call) -> str:
    size = int(call.args["upscale_factor"])
    return b.node("DepthToSpace", [call.x.name], blocksize=size, mode="CRD")


def _upsample(b: Calls, call: Call) -> str:
    scales = [y / x for x, y in zip(call.x.shape, call.y_shape, strict=True)]
    said = call.args.get("scale_factors") or [call.args.get(k) for k in ("scales_h", "scales_w")]
    if any(s is not None and s != found for s, found in zip(said, scales[2:], strict=True)):
        raise Refused(f"enlarges by {list(said)}, which gives {call.y_shape}", "enlarge by whole numbers")
    names = [call.x.name, "", b.constant("scales", np.array(scales, np.float32))]
    how = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return b.node("Resize", names, mode="nearest", **how)


PAD_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge"}


def padded(b: Calls, call: Call, sides: Sequence[int], mode: str, value: float = 0.0) -> str:
    """Return a border: `sides` are left, right, top, bottom, the last axis first."""
    if mode not in PAD_MODES:
        raise Refused(f"pads {list(call.x.shape)} by {list(sides)}, {mode}", "pad height and width")
    none = [0] * (len(call.x.shape) - len(sides) // 2)
    pads = [*none, *reversed(sides[::2]), *none, *reversed(sides[1::2])]
    names = [call.x.name, b.integers(pads), *([b.number(value)] if mode == "constant" else [])]
    return b.node("Pad", names, mode=PAD_MODES[mode])


def _pad(b: Calls, call: Call) -> str:
    sides = [int(p) for p in call.args["pad"]]
    value = float(call.args.get("value") or 0.0)
    return padded(b, call, sides, str(call.args.get("mode", "constant")), value)


TRANSLATORS: Mapping[str, Translator] = {
    **{name: function(name.capitalize()) for name in ("neg", "relu")},
    **dict.fromkeys(
        "alias clone contiguous detach".split(),  # noqa: SIM905
        _nothing,
    ),
    **dict.fromkeys(("alpha_dropout", "dropout", "feature_dropout"), _dropout),
    **dict.fromkeys(
        "_unsafe_view flatten reshape squeeze unflatten unsqueeze view".split(),  # noqa: SIM905
        _shape,
    ),
    **dict.fromkeys(("hardtanh", "clamp", "clip"), _clip),
    **dict.fromkeys(
        ("matmul", "mm"), lambda b, call: b.node("MatMul", [*map(b.operand, call.args.values())])
    ),
    **dict.fromkeys(("softmax", "_softmax"), along("Softmax")),
    "adaptive_avg_pool2d": _adaptive("AveragePool"),
    "adaptive_max_pool2d": _adaptive("MaxPool"),
    "add": _joined("Add"),
    "addmm": _addmm,
    "argmax": _argmax,
    "avg_pool2d": _pool("AveragePool", "count_include_pad"),
    "batch_norm": _batch_norm,
    "cat": _cat,
    "conv2d": _conv,
    "conv_transpose2d": _conv_transpose,
    "div": _joined("Div"),
    "elu": _elu,
    "gelu": _gelu,
    "hardsigmoid": function("HardSigmoid", alpha=1 / 6, beta=0.5),
    "layer_norm": _layer_norm,
    "leaky_relu": _leaky,
    "linear": _linear,
    "max_pool2d": _pool("MaxPool"),
    "mean": _mean,
    "mul": _joined("Mul"),
    "pad": _pad,
    "permute": _permute,
    "pixel_shuffle": _shuffle,
    "pow": _joined("Pow", second="exponent"),
    "relu6": _relu6,
    "rsub": _reverse_sub,
    "silu": _silu,
    "softplus": _softplus,
    "square": _square,
    "sub": _joined("Sub"),
    "transpose": _transposed,
    "upsample_nearest2d": _upsample,
}
