"""ONNX's definition of quantised graphs in exact rational numbers, node by node: what aieloom is tested against.

Written from the operators' specifications alone. A DequantizeLinear gives (element - zero point) * scale, a QuantizeLinear
rounds value / scale, halves to even, adds the zero point and saturates; nodes between them compute with real numbers. All
scales are float32 and so whole numbers of powers of two: values are kept as integers over 2^k, without any rounding, but for
functions like sigmoid, which are evaluated in float64. `Result.near` tells of each element whether its quotient lies so near to
a half that float32 arithmetic, as onnxruntime's and aieloom's quotients of scales are, may decide otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.heavy import numpy_helper, onnx

Values = NDArray[Any]
BIASED = 2.0**17  # a float constant that is a bias counts in whole units of the sum
SUMMED = 256.0  # elements: the terms of a sum in float32
NEAR = 2.0**-19  # relative to what is rounded; float32 quotients of scales are within 2^-22


@dataclass(frozen=True)
class Real:
    """values = n / 2^k / by; `n` are Python integers."""

    n: Values
    k: int = 0
    by: Any = 1  # an integer or an array of them: counts of averages
    rough: float = 1.0  # float32 rounds steps on the way, of this size in elements: terms of a sum that may cancel each other

    def floats(self) -> NDArray[np.float64]:
        found: NDArray[np.float64] = np.array(
            [int(v) / (1 << self.k) for v in self.n.ravel()], np.float64
        ).reshape(self.n.shape)
        return found / np.asarray(self.by, np.float64)

    def whole(self) -> Real:
        """The same values without counts, to the 2^-80th part."""
        if np.all(np.equal(self.by, 1)):
            return Real(self.n, self.k, 1, self.rough)
        return Real((self.n << 80) // np.asarray(self.by, object), self.k + 80, 1, self.rough)

    def at(self, k: int) -> Values:
        """`n` for a larger k."""
        shifted: Values = self.n << (k - self.k)
        return shifted


@dataclass(frozen=True)
class Integers:
    """Elements as they are stored."""

    q: NDArray[np.int64]
    low: int
    high: int


def dyadic(x: float) -> tuple[int, int]:
    """Return (n, k) with x = n / 2^k exactly."""
    n, d = float(x).as_integer_ratio()
    return n, d.bit_length() - 1


def real_of(values: Values) -> Real:
    """Return float numbers exactly."""
    pairs = [dyadic(v) for v in np.asarray(values, np.float64).ravel()]
    k = max((k for _, k in pairs), default=0)
    n = np.array([n << (k - e) for n, e in pairs] or [], object)
    return Real(n.reshape(np.shape(values)), k)


def along(values: Values, rank: int, axis: int) -> Values:
    return (
        values.reshape([-1 if i == axis % rank else 1 for i in range(rank)])
        if values.size > 1
        else values.reshape(())
    )


class Definition:
    """Evaluates a model; `near` of every sample is whether any rounding on its way was near a half."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.graph = model.graph
        self.constants = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}

    def run(self, x: Values) -> tuple[NDArray[np.float64], bool]:
        """Return the output for one sample, and whether any rounding was near a half."""
        known: dict[str, Any] = {self.graph.input[0].name: real_of(np.asarray(x, np.float32))}
        self.near = False
        for node in self.graph.node:
            known[node.output[0]] = self.node(node, known)
        y = known[self.graph.output[0].name]
        return (y.q.astype(np.float64) if isinstance(y, Integers) else y.floats()), self.near

    def node(self, node: onnx.NodeProto, known: dict[str, Any]) -> Any:
        given: list[Any] = [known[i] if i in known else self.constants[i] if i else None for i in node.input]
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        if node.op_type == "QuantizeLinear":
            return self.quantise(as_real(given[0]), given[1], given[2])
        if node.op_type == "DequantizeLinear":
            return dequantise(
                given[0], given[1], given[2] if len(given) > 2 else None, attributes.get("axis", 1)
            )
        if node.op_type in ("QLinearConv", "QLinearMatMul"):
            return self.qlinear(node.op_type, given, attributes)
        return OPERATORS[node.op_type](
            [as_real(g) if isinstance(g, (Real, Integers)) else g for g in given], attributes
        )

    def quantise(self, x: Real, scale: Values, zero: Values) -> Integers:
        m, e = dyadic(float(scale))
        # x / scale = n 2^e / (2^k by m)
        up, down = max(0, e - x.k), max(0, x.k - e)
        num, den = x.n << up, (np.asarray(x.by, object) * m) << down
        quotient = num // den
        rest = 2 * (num - quotient * den)
        odd = (quotient & 1).astype(bool)
        above, tie = (rest > den).astype(bool), (rest == den).astype(bool)
        rounded = quotient + (above | (tie & odd))
        limits = np.iinfo(zero.dtype)
        z = int(zero)
        distance = np.abs(_ratio(rest - den, den))
        size = np.maximum(np.abs(_ratio(num, den)), x.rough)
        inside = (rounded + z >= limits.min - 1) & (rounded + z <= limits.max + 1)
        self.near |= bool((inside.astype(bool) & (distance < NEAR * 2 * size)).any())
        q = np.clip(rounded + z, limits.min, limits.max).astype(np.int64)
        return Integers(q, int(limits.min), int(limits.max))

    def qlinear(self, op: str, given: list[Any], attributes: dict[str, Any]) -> Integers:
        x = dequantise(given[0], given[1], given[2], 1)
        w = dequantise(given[3], given[4], given[5], 0 if op == "QLinearConv" else 1)
        if op == "QLinearMatMul":
            return self.quantise(_matmul([x, w], {}), given[6], given[7])
        inputs: list[Any] = [x, w]
        if len(given) > 8:
            scale = real_of(given[1].astype(np.float64) * given[4].astype(np.float64))
            inputs.append(Real(given[8].astype(object) * scale.n.reshape(-1), scale.k))
        return self.quantise(_conv(inputs, attributes), given[6], given[7])


def _ratio(n: Values, d: Values) -> NDArray[np.float64]:
    n, d = np.broadcast_arrays(n, d)
    found: NDArray[np.float64] = np.array(
        [int(a) / int(b) for a, b in zip(n.ravel(), d.ravel(), strict=True)], np.float64
    ).reshape(n.shape)
    return found


def as_real(x: Any) -> Any:
    """Return elements as the numbers that they are; anything else as it is."""
    return Real(x.q.astype(object)) if isinstance(x, Integers) else x


def dequantise(x: Any, scale: Values, zero: Values | None, axis: int) -> Real:
    q = (
        x.q
        if isinstance(x, Integers)
        else x.astype(np.int64)
        if not isinstance(x, Real)
        else x.n.astype(np.int64)
    )
    z = np.zeros((), np.int64) if zero is None else zero.astype(np.int64)
    factor = real_of(along(scale.reshape(-1), q.ndim, axis))
    return Real((q - along(z.reshape(-1), q.ndim, axis)).astype(object) * factor.n, factor.k)


def _constant(x: Any) -> Real:
    return x if isinstance(x, Real) else real_of(x)


def _sum(a: Real, b: Real, sign: int = 1) -> Real:
    a, b = a.whole(), b.whole()
    k = max(a.k, b.k)
    return Real(a.at(k) + sign * b.at(k), k)


def _padded(x: Values, width: list[tuple[int, int]], value: int) -> Values:
    """Pad by a Python integer: NumPy's own pad would put its 64-bit ones among them."""
    wide = np.full([n + a + b for n, (a, b) in zip(x.shape, width, strict=True)], value, object)
    wide[tuple(slice(a, a + n) for n, (a, _) in zip(x.shape, width, strict=True))] = x
    return wide


def patches(
    x: Values,
    kernel: tuple[int, int],
    strides: list[int],
    pads: list[int],
    *,
    outside: Any,
    dilations: tuple[int, int] = (1, 1),
) -> Values:
    """Return (1, C, OH, OW, KH, KW)."""
    top, left, bottom, right = pads
    wide = _padded(x, [(0, 0), (0, 0), (top, bottom), (left, right)], outside)
    kh, kw = ((k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True))
    rows = (wide.shape[2] - kh) // strides[0] + 1
    cols = (wide.shape[3] - kw) // strides[1] + 1
    found = np.empty((*wide.shape[:2], rows, cols, *kernel), x.dtype)
    for i in range(rows):
        for j in range(cols):
            y, z = i * strides[0], j * strides[1]
            found[:, :, i, j] = wide[:, :, y : y + kh : dilations[0], z : z + kw : dilations[1]]
    return found


def _conv(given: list[Any], attributes: dict[str, Any]) -> Real:
    x, w = given[0].whole(), _constant(given[1])
    groups = attributes.get("group", 1)
    pads, strides = attributes.get("pads", [0] * 4), attributes.get("strides", [1, 1])
    dilations = tuple(attributes.get("dilations", (1, 1)))
    seen = patches(x.n, w.n.shape[2:], strides, pads, outside=0, dilations=dilations)
    outs, ins = w.n.shape[0] // groups, w.n.shape[1]
    sums = [
        _contract(seen[:, g * ins : (g + 1) * ins], w.n[g * outs : (g + 1) * outs]) for g in range(groups)
    ]
    y = Real(np.concatenate(sums, axis=1), x.k + w.k)
    if len(given) < 3 or given[2] is None:
        return y
    bias = _constant(given[2])
    return _sum(y, Real(bias.n.reshape(1, -1, 1, 1), bias.k))


def _transposed(given: list[Any], attributes: dict[str, Any]) -> Real:
    """Add each input's kernel where it falls, and cut off the border [ONNX ConvTranspose]; one group, no bias."""
    x, w = given[0].whole(), _constant(given[1])
    (top, left, bottom, right), (sy, sx) = attributes["pads"], attributes["strides"]
    (_, _, height, width), (_, outs, kh, kw) = x.n.shape, w.n.shape
    y = np.zeros((1, outs, (height - 1) * sy + kh, (width - 1) * sx + kw), object)
    for i in range(height):
        for j in range(width):
            brought = np.tensordot(x.n[0, :, i, j], w.n, axes=(0, 0))
            y[0, :, i * sy : i * sy + kh, j * sx : j * sx + kw] += brought
    return Real(y[:, :, top : y.shape[2] - bottom, left : y.shape[3] - right], x.k + w.k)


def _contract(seen: Values, weight: Values) -> Values:
    b, _, h, w = seen.shape[:4]
    rows = seen.transpose(0, 2, 3, 1, 4, 5).reshape(b * h * w, -1)
    product: Values = rows @ weight.reshape(len(weight), -1).T
    return product.reshape(b, h, w, -1).transpose(0, 3, 1, 2)


def _matmul(given: list[Any], _attributes: dict[str, Any]) -> Real:
    a, b = given[0].whole(), _constant(given[1])
    return Real(a.n @ b.n, a.k + b.k)


def _gemm(given: list[Any], attributes: dict[str, Any]) -> Real:
    w = _constant(given[1])
    y = _matmul([given[0], replace(w, n=w.n.T) if attributes.get("transB") else w], {})
    return _sum(y, _constant(given[2])) if len(given) > 2 else y


def _average(given: list[Any], attributes: dict[str, Any]) -> Real:
    x = given[0].whole()
    pads, strides = attributes.get("pads", [0] * 4), attributes.get("strides", [1, 1])
    kernel = attributes["kernel_shape"]
    total = patches(x.n, kernel, strides, pads, outside=0).sum(axis=(4, 5))
    ones = np.ones(x.n.shape, object)
    counts = patches(
        ones, kernel, strides, pads, outside=1 if attributes.get("count_include_pad") else 0
    ).sum(axis=(4, 5))
    return Real(total, x.k, counts, SUMMED)


def _largest(given: list[Any], attributes: dict[str, Any]) -> Real:
    x = given[0].whole()
    kernel = attributes["kernel_shape"]
    low = x.n.min() - 1
    seen = patches(
        x.n, kernel, attributes.get("strides", [1, 1]), attributes.get("pads", [0] * 4), outside=low
    )
    return Real(seen.max(axis=(4, 5)), x.k)


def _global(given: list[Any], _attributes: dict[str, Any]) -> Real:
    x = given[0].whole()
    return Real(x.n.sum(axis=(2, 3), keepdims=True), x.k, x.n.shape[2] * x.n.shape[3])


def _moved(move: Callable[[Values, list[Any], dict[str, Any]], Values]) -> Callable[..., Real]:
    def of(given: list[Any], attributes: dict[str, Any]) -> Real:
        x = given[0].whole()
        return Real(move(x.n, given, attributes), x.k, 1, x.rough)

    return of


def _pad(given: list[Any], _attributes: dict[str, Any]) -> Real:
    x, value = given[0].whole(), real_of(given[2] if len(given) > 2 else np.zeros(()))
    k = max(x.k, value.k)
    pads = [int(p) for p in given[1]]
    width = list(zip(pads[:4], pads[4:], strict=True))
    return Real(_padded(x.at(k), width, int(np.ravel(value.at(k))[0])), k)


def _depth(x: Values, _given: list[Any], attributes: dict[str, Any]) -> Values:
    s, (b, c, h, w) = attributes["blocksize"], x.shape
    if attributes.get("mode", b"DCR") == b"DCR":
        parts = x.reshape(b, s, s, c // s**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        parts = x.reshape(b, c // s**2, s, s, h, w).transpose(0, 1, 4, 2, 5, 3)
    return parts.reshape(b, c // s**2, h * s, w * s)


def _clip(given: list[Any], _attributes: dict[str, Any]) -> Real:
    x, low, high = given[0].whole(), real_of(given[1]), real_of(given[2])
    k = max(x.k, low.k, high.k)
    return Real(np.minimum(np.maximum(x.at(k), low.at(k)), high.at(k)), k)


def _relu(given: list[Any], _attributes: dict[str, Any]) -> Real:
    x: Real = given[0]
    return replace(x, n=np.maximum(x.n, 0))


def _mul(given: list[Any], _attributes: dict[str, Any]) -> Real:
    a, b = _constant(given[0]).whole(), _constant(given[1]).whole()
    return Real(a.n * b.n, a.k + b.k)


def _add(given: list[Any], _attributes: dict[str, Any]) -> Real:
    """Add; one constant for each channel is a bias to aieloom: in whole units of the sum before it, or 1/64 to 1/127 element."""
    found = _sum(_constant(given[0]), _constant(given[1]))
    constants = any(not isinstance(g, Real) and np.size(g) > 1 for g in given)
    return replace(found, rough=BIASED) if constants else found


def _concat(given: list[Any], attributes: dict[str, Any]) -> Real:
    parts = [g.whole() for g in given]
    k = max(p.k for p in parts)
    return Real(np.concatenate([p.at(k) for p in parts], axis=attributes["axis"]), k)


def _function(f: Callable[[Values, dict[str, Any]], Values]) -> Callable[..., Real]:
    return lambda given, attributes: real_of(f(given[0].floats(), attributes))


def _softmax(x: Values, attributes: dict[str, Any]) -> Values:
    axis = attributes.get("axis", -1)
    power = np.exp(x - x.max(axis=axis, keepdims=True))
    shares: Values = power / power.sum(axis=axis, keepdims=True)
    return shares


OPERATORS: dict[str, Callable[[list[Any], dict[str, Any]], Real]] = {
    "Add": _add,
    "AveragePool": _average,
    "Clip": _clip,
    "Concat": _concat,
    "Conv": _conv,
    "ConvTranspose": _transposed,
    "DepthToSpace": _moved(_depth),
    "Flatten": _moved(lambda x, _g, _a: x.reshape(1, -1)),
    "Gemm": _gemm,
    "GlobalAveragePool": _global,
    "LeakyRelu": _function(lambda x, a: np.where(x < 0, x * float(np.float32(a.get("alpha", 0.01))), x)),
    "MatMul": _matmul,
    "MaxPool": _largest,
    "Mul": _mul,
    "Pad": _pad,
    "Relu": _relu,
    "Reshape": _moved(lambda x, g, _a: x.reshape([int(v) for v in g[1]])),
    "Resize": _moved(lambda x, g, _a: x.repeat(int(g[2][2]), axis=2).repeat(int(g[2][3]), axis=3)),
    "Sigmoid": _function(lambda x, _a: 1 / (1 + np.exp(-x))),
    "Softmax": _function(_softmax),
    "Sub": lambda g, _: _sum(_constant(g[0]), _constant(g[1]), -1),
    "Tanh": _function(lambda x, _a: np.tanh(x)),
    "Transpose": _moved(lambda x, _g, a: x.transpose(a["perm"])),
}
