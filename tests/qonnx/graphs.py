"""Random quantised graphs: 2 to 12 operators in QDQ and QLinear form, with scales as calibration finds them, and others.

Each operator draws its keys and the scale, zero point and signedness of its result. Ranges follow from what the definition
makes of a few samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.heavy import TensorProto, helper, numpy_helper, onnx
from tests.qonnx.definition import Definition, as_real, real_of

Values = NDArray[Any]
SAMPLES = 3
OPSET = 17


@dataclass(frozen=True)
class Tensor:
    """A float tensor of the model: its shape, and the integers that it was dequantised from (with scale and zero point)."""

    name: str
    shape: tuple[int, ...]
    integers: tuple[str, str, str] | None = None


@dataclass
class Graph:
    """A model that grows, with the exact values of a few samples."""

    shape: tuple[int, ...]
    random: np.random.Generator
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, Values] = field(default_factory=dict)
    ops: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.x = self.random.normal(0, 1, (SAMPLES, *self.shape[1:])).astype(np.float32)
        empty = helper.make_graph([], "g", [_info("x", self.shape)], [_info("x", self.shape)])
        self.definition = Definition(helper.make_model(empty))
        self.definition.near = False
        self.known: list[dict[str, Any]] = [{"x": real_of(x[None])} for x in self.x]

    def constant(self, values: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(values)
        self.definition.constants[name] = self.constants[name]
        return name

    def node(self, op: str, inputs: list[str], **attributes: Any) -> str:
        out = f"t{len(self.nodes)}"
        node = helper.make_node(op, inputs, [out], name=f"n{len(self.nodes)}", **attributes)
        self.nodes.append(node)
        for known in self.known:
            known[out] = self.definition.node(node, known)
        return out

    def add(self, op: str, inputs: list[str], **attributes: Any) -> Tensor:
        self.ops.append(op)
        return self.tensor(self.node(op, inputs, **attributes))

    def tensor(self, name: str) -> Tensor:
        value = as_real(self.known[0][name])
        return Tensor(name, tuple(np.broadcast_shapes(value.n.shape, np.shape(value.by))))

    def floats(self, name: str) -> Values:
        return np.concatenate([as_real(k[name]).floats().ravel() for k in self.known])

    def rounded(self, tensor: Tensor, scale: float, zero: int, dtype: Any) -> Tensor:
        names = (self.constant(np.float32(scale)), self.constant(dtype(zero)))
        q = self.node("QuantizeLinear", [tensor.name, *names])
        y = self.node("DequantizeLinear", [q, *names])
        return Tensor(y, tensor.shape, (q, *names))

    def model(self, last: Tensor) -> onnx.ModelProto:
        used = {i for n in self.nodes for i in n.input}
        graph = helper.make_graph(
            self.nodes,
            "g",
            [_info("x", self.shape)],
            [_info(last.name, last.shape)],
            [numpy_helper.from_array(v, n) for n, v in self.constants.items() if n in used],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


def _info(name: str, shape: tuple[int, ...]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))


Draw = Callable[[st.SearchStrategy[Any]], Any]


def requantised(draw: Draw, g: Graph, tensor: Tensor, like: str = "") -> Tensor:
    """Round a tensor to a scale that suits its values, mostly; `like` a constant's type, or to any of the two."""
    values = g.floats(tensor.name)
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    symmetric = draw(st.booleans()) and draw(st.booleans())
    unsigned = g.constants[like].dtype == np.uint8 if like else draw(st.booleans())
    spread = 2 * max(-low, high) if symmetric else high - low
    scale = max(spread, 1e-3) / 255 * draw(st.sampled_from([1.0, 1.0, 1.0, 0.6, 0.9, 1.7, 4.0]))
    kind = draw(st.sampled_from(["calibrated", "calibrated", "calibrated", "decimal", "two"]))
    if kind == "decimal":
        scale = float(f"{scale:.1g}")
    elif kind == "two":
        scale = float(2.0 ** np.round(np.log2(scale)))
    least = 0 if unsigned else -128
    zero = 0 if symmetric and not unsigned else 128 if symmetric else round(least - low / scale)
    zero = int(np.clip(zero, least, least + 255))
    return g.rounded(tensor, scale, zero, np.uint8 if unsigned else np.int8)


def weights(
    draw: Draw, g: Graph, shape: tuple[int, ...], axis: int
) -> tuple[str, tuple[str, str, str], Values]:
    """Add int8 weights; return their dequantised tensor, the three constants, and the scales."""
    count = shape[axis] if draw(st.booleans()) else 1
    fan = np.prod(shape) / shape[axis]
    spread = draw(st.sampled_from([1.5, 1.5, 1.5, 40.0, 2000.0]))
    scale: Any = (g.random.uniform(1, spread, count) / 100 / np.sqrt(fan) / np.sqrt(spread)).astype(
        np.float32
    )
    integers = g.random.integers(-63, 64, shape).astype(np.int8)
    names = (
        g.constant(integers),
        g.constant(scale if count > 1 else scale[0]),
        g.constant(np.zeros(count, np.int8) if count > 1 else np.int8(0)),
    )
    more = {"axis": axis} if count > 1 else {}
    return g.node("DequantizeLinear", list(names), **more), names, scale


def bias(draw: Draw, g: Graph, t: Tensor, scale: Values, count: int) -> tuple[str, str]:
    """Add a bias of int32, dequantised; return it and its integers; empty names for none."""
    if not draw(st.booleans()):
        return "", ""
    assert t.integers is not None
    whole = (g.constants[t.integers[1]] * scale).astype(np.float32)
    integers = g.constant(g.random.integers(-2000, 2000, count).astype(np.int32))
    names = [integers, g.constant(whole if whole.size > 1 else whole.reshape(()))]
    return g.node("DequantizeLinear", names, **({"axis": 0} if whole.size > 1 else {})), integers


def conv(draw: Draw, g: Graph, t: Tensor) -> Tensor:
    channels, kernel = t.shape[1], draw(st.sampled_from([1, 2, 3]))
    kernel = min(kernel, *t.shape[2:])
    groups = draw(st.sampled_from([1, 1, channels]))
    out = groups * draw(st.integers(1, 3)) if groups > 1 else draw(st.integers(1, 6))
    pad, stride = draw(st.integers(0, kernel - 1)), draw(st.sampled_from([1, 1, 2]))
    w, names, scale = weights(draw, g, (out, channels // groups, kernel, kernel), 0)
    b, whole = bias(draw, g, t, scale, out)
    keys = {"group": groups, "pads": [pad] * 4, "strides": [stride] * 2}
    if draw(st.booleans()):
        return linear(draw, g, "QLinearConv", t, names, *filter(None, [whole]), **keys)
    return g.add("Conv", [t.name, w, *([b] if b else [])], **keys)


def linear(draw: Draw, g: Graph, op: str, t: Tensor, w: tuple[str, ...], *more: str, **keys: Any) -> Tensor:
    """Add a QLinear operator whose result's range is that of its float form."""
    assert t.integers is not None
    at = len(g.nodes)
    form = op.removeprefix("QLinear")
    float_w = g.node(
        "DequantizeLinear",
        list(w),
        **({"axis": 0 if form == "Conv" else 1} if g.constants[w[1]].size > 1 else {}),
    )
    trial = g.tensor(g.node(form, [t.name, float_w], **keys))
    probe = requantised(draw, g, trial, like=t.integers[2])  # onnxruntime has no others
    assert probe.integers is not None
    out = probe.integers[1:]
    del g.nodes[at:]
    g.ops.append(op)
    q = g.node(op, [*t.integers, *w, *out, *more], **keys)
    y = g.node("DequantizeLinear", [q, *out])
    return Tensor(y, probe.shape, (q, *out))


def dense(draw: Draw, g: Graph, t: Tensor) -> Tensor:
    count, out = t.shape[1], draw(st.integers(1, 8))
    form = draw(st.sampled_from(["Gemm", "MatMul", "QLinearMatMul"]))
    if form == "Gemm":
        w, _, scale = weights(draw, g, (out, count), 0)
        b, _ = bias(draw, g, t, scale, out)
        return g.add("Gemm", [t.name, w, *([b] if b else [])], transB=1)
    w, names, _ = weights(draw, g, (count, out), 1)
    if form == "QLinearMatMul":
        return linear(draw, g, form, t, names)
    y = g.add("MatMul", [t.name, w])
    if not draw(st.booleans()):
        return y
    y = requantised(draw, g, y) if draw(st.booleans()) else y
    return g.add("Add", [y.name, g.constant(np.float32(g.random.normal(0, 1, (out,))))])


def pool(draw: Draw, g: Graph, t: Tensor) -> Tensor:
    op = draw(st.sampled_from(["MaxPool", "AveragePool", "AveragePool", "GlobalAveragePool"]))
    if op == "GlobalAveragePool":
        return g.add(op, [t.name])
    kernel = [draw(st.integers(1, min(3, n))) for n in t.shape[2:]]
    pads = [draw(st.integers(0, k - 1)) for k in (*kernel, *kernel)]
    keys = {"count_include_pad": int(draw(st.booleans()))} if op == "AveragePool" else {}
    strides = [draw(st.integers(1, 2)) for _ in kernel]
    return g.add(op, [t.name], kernel_shape=kernel, pads=pads, strides=strides, **keys)


def border(draw: Draw, g: Graph, t: Tensor) -> Tensor:
    pads = [0, 0, *(draw(st.integers(0, 2)) for _ in "ab"), 0, 0, *(draw(st.integers(0, 2)) for _ in "ab")]
    value = draw(st.sampled_from([0.0, 0.0, 0.37, -1.2, 5.26, -30.0]))
    return g.add("Pad", [t.name, g.constant(np.array(pads, np.int64)), g.constant(np.float32(value))])


def move(draw: Draw, g: Graph, t: Tensor) -> Tensor:
    _, c, h, w = t.shape
    kinds = [
        "Transpose",
        "Reshape",
        *(["Resize"] if max(h, w) < 8 else []),
        *(["DepthToSpace"] if c % 4 == 0 else []),
    ]
    op = draw(st.sampled_from(kinds))
    if op == "Transpose":
        return g.add(op, [t.name], perm=[0, *draw(st.permutations([1, 2, 3]))])
    if op == "DepthToSpace":
        return g.add(op, [t.name], blocksize=2, mode=draw(st.sampled_from(["DCR", "CRD"])))
    if op == "Reshape":
        return g.add(op, [t.name, g.constant(np.array([1, h, c, w], np.int64))])
    scales: Values = np.array([1, 1, draw(st.integers(1, 2)), draw(st.integers(1, 2))], np.float32)
    return g.add(
        op,
        [t.name, "", g.constant(scales)],
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )


def function(draw: Draw, g: Graph, t: Tensor) -> Tensor:
    op = draw(st.sampled_from(["Relu", "Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "Softmax"]))
    if op == "Clip":
        return g.add(
            op, [t.name, g.constant(np.float32(0)), g.constant(np.float32(draw(st.sampled_from([1.0, 6.0]))))]
        )
    if op == "Softmax":
        return g.add(op, [t.name], axis=1)
    return g.add(op, [t.name])


def constant(draw: Draw, g: Graph, t: Tensor) -> Tensor:
    op = draw(st.sampled_from(["Add", "Add", "Mul"]))
    if op == "Mul" or draw(st.booleans()):
        return g.add(op, [t.name, g.constant(np.float32(draw(st.sampled_from([0.5, -1.3, 0.31]))))])
    shape = (1, t.shape[1], *(1,) * (len(t.shape) - 2))
    return g.add(op, [t.name, g.constant(g.random.normal(0, 1, shape).astype(np.float32))])


KINDS = "conv conv conv pool border move function constant join join again flat".split()  # noqa: SIM905 - some twice


Drawn = tuple["onnx.ModelProto", Values, tuple[str, ...]]  # a model, samples, and the names of its operators


@st.composite
def graphs(draw: Any) -> Drawn:
    """Draw a model, samples and the names of its operators."""
    g = Graph(
        (1, draw(st.integers(1, 5)), draw(st.integers(2, 6)), draw(st.integers(2, 6))),
        np.random.default_rng(draw(st.integers(0, 1 << 30))),
    )
    t = requantised(draw, g, g.tensor("x"))
    done = [t]
    wanted = draw(st.integers(2, 12))
    flat = draw(st.booleans())  # a product in any case: without one there is nothing for AI Engines
    t = dense(draw, g, requantised(draw, g, g.add("Flatten", [t.name]))) if flat else conv(draw, g, t)
    t = t if t.integers else requantised(draw, g, t)
    done.append(t)
    while len(g.ops) < wanted:
        t = _next(draw, g, t, done)
        if t.integers is None:
            if g.ops[-1] in ("Conv", "Gemm", "MatMul") and draw(st.booleans()):
                t = g.add("Relu", [t.name])
            if len(t.shape) == 4 and draw(st.integers(0, 3)) == 0:  # moved before it is rounded
                t = g.add("Flatten", [t.name]) if draw(st.booleans()) else move(draw, g, t)
            t = requantised(draw, g, t)
        done.append(t)
    return g.model(t), g.x, tuple(g.ops)


def _next(draw: Draw, g: Graph, t: Tensor, done: list[Tensor]) -> Tensor:
    if len(t.shape) == 2:
        maker: Callable[[Draw, Graph, Tensor], Tensor] = draw(
            st.sampled_from([dense, dense, function, constant])
        )
        return maker(draw, g, t)
    same = [d for d in done if d.shape == t.shape]
    beside = [d for d in done if len(d.shape) == 4 and d.shape[2:] == t.shape[2:]]
    kind = draw(st.sampled_from(KINDS))
    if kind == "join":
        op = draw(st.sampled_from(["Add", "Add", "Sub", "Mul", "Concat"]))
        if op == "Concat":
            return g.add(op, [t.name, draw(st.sampled_from(beside)).name], axis=1)
        return g.add(op, [t.name, draw(st.sampled_from(same)).name])
    if kind == "again":
        g.ops.append("QuantizeLinear")
        return requantised(draw, g, t)
    if kind == "flat":
        return g.add("Flatten", [t.name])
    kinds = {
        "conv": conv,
        "pool": pool,
        "border": border,
        "move": move,
        "function": function,
        "constant": constant,
    }
    return kinds[kind](draw, g, t)
