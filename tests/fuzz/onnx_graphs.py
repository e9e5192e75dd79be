"""Random float32 ONNX graphs: 1 to 4 operators that the reader takes, with any legal value of each of their attributes.

The attributes of an operator are those of its schema in the opset that was drawn (onnx.defs): also those that the reader does not
take. What comes of a graph is onnxruntime's values or a refusal, never other values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.heavy import TensorProto, helper, numpy_helper, onnx

Values = NDArray[Any]
Shape = tuple[int, ...]
IR = 10
OPSETS = (9, 11, 12, 13, 15, 17, 18, 19, 20, 21, 22)
X = "x"


@dataclass
class Graph:
    """A model that grows by a node that reads `last`, and perhaps a tensor before it."""

    random: np.random.Generator
    opset: int
    shapes: dict[str, Shape]
    last: str = X
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, Values] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)

    @property
    def x(self) -> Shape:
        return self.shapes[self.last]

    def of(self, *choices: Any) -> Any:
        return choices[int(self.random.integers(len(choices)))]

    def whole(self, low: int, high: int) -> int:
        """Return a number from low to high."""
        return int(self.random.integers(low, high + 1))

    def floats(self, *shape: int) -> str:
        return self.constant(self.random.normal(0, 0.7, shape).astype(np.float32))

    def scalar(self, value: float) -> str:
        return self.constant(np.float32(value).reshape(self.of((), (1,))))

    def wholes(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def constant(self, values: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(values)
        return name

    def model(self, outputs: Sequence[str] | None = None) -> onnx.ModelProto:
        """Return the model so far."""
        made = [
            helper.make_tensor_value_info(
                o, self.kinds.get(o, 1), [None] * len(self.shapes[o]) if o in self.shapes else None
            )
            for o in outputs or (self.last,)
        ]
        used = {i for n in self.nodes for i in n.input}
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info(X, TensorProto.FLOAT, self.shapes[X])],
            made,
            [numpy_helper.from_array(v, n) for n, v in self.constants.items() if n in used],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=IR)


Inputs = tuple[
    list[str], dict[str, Any]
]  # of a node: what it reads, "" what is left out, and attributes that go with it
Maker = Callable[[Graph], Inputs]


def _alone(g: Graph) -> Inputs:
    return [g.last], {}


def _conv(g: Graph) -> Inputs:
    channels, groups = g.x[1], g.of(1, 1, g.x[1])
    out, kernel = groups * g.whole(1, 3), [g.whole(1, 3), g.whole(1, 3)]
    bias = [g.floats(out)] if g.whole(0, 1) else []
    said = {"kernel_shape": kernel} if g.whole(0, 1) else {}
    return [g.last, g.floats(out, channels // groups, *kernel), *bias], {"group": groups, **said}


def _conv_transpose(g: Graph) -> Inputs:
    groups, kernel = g.of(1, 1, g.x[1]), [g.whole(1, 4), g.whole(1, 4)]
    out = g.whole(1, 3)
    stride = g.of([2, 2], [1, 1], [3, 3], [1, 2])
    more: dict[str, Any] = {"group": groups, "strides": stride}
    if g.whole(0, 1):
        more["output_padding"] = [g.whole(0, s - 1) for s in stride]
    if g.whole(0, 3) == 0:
        more["output_shape"] = [s * n + g.whole(0, 1) for s, n in zip(stride, g.x[2:], strict=False)]
    return [g.last, g.floats(g.x[1], out, *kernel), *([g.floats(out * groups)] * g.whole(0, 1))], more


def _pool(g: Graph) -> Inputs:
    return [g.last], {"kernel_shape": [g.whole(1, 3), g.whole(1, 3)]}


def _gemm(g: Graph) -> Inputs:
    out, turned = g.whole(1, 5), g.whole(0, 1)
    weight = g.floats(out, g.x[-1]) if turned else g.floats(g.x[-1], out)
    bias = g.of([], [g.floats(out)], [g.floats(1, out)], [g.floats(1)], [g.floats(g.x[0], 1)])
    return [g.last, weight, *bias], {"transB": turned}


def _matmul(g: Graph) -> Inputs:
    weight = g.of(g.floats(g.x[-1], g.whole(1, 5)), g.floats(g.x[-1]), g.floats(1, g.x[-1], 3))
    return g.of([g.last, weight], [g.last, weight], [g.floats(2, g.x[-2]), g.last]), {}


def _norm(g: Graph) -> Inputs:
    c = g.x[1]
    variance = g.constant(g.random.uniform(0.5, 2, c).astype(np.float32))
    return [g.last, g.floats(c), g.floats(c), g.floats(c), variance], {}


def _scale_and_bias(g: Graph) -> Inputs:
    groups = g.of(1, g.x[1])
    count = g.of(g.x[1], g.x[1], groups)
    more = {"num_groups": groups} if g.opset >= 18 else {}
    return [g.last, g.floats(count), g.floats(count)], more


def _instance_norm(g: Graph) -> Inputs:
    return [g.last, g.floats(g.x[1]), g.floats(g.x[1])], {}


def _layer_norm(g: Graph) -> Inputs:
    axis = g.whole(-len(g.x), len(g.x) - 1)
    shape = g.of(g.x[axis:], g.x[axis:], g.x[-1:])
    return [g.last, g.floats(*shape), *([g.floats(*shape)] * g.whole(0, 1))], {"axis": axis}


def _operand(g: Graph) -> str:
    """Return a second operand: a constant of any shape that fits, or a tensor before."""
    rank = len(g.x)
    shape = [g.of(1, n) for n in g.x][g.whole(0, rank - 1) :]
    before = [t for t, s in g.shapes.items() if s == g.x or len(s) == rank]
    choices = [g.floats(*g.x), g.floats(*shape), g.floats(*shape), g.scalar(g.random.normal()), *before[-2:]]
    if rank == 4:
        choices.append(g.floats(1, g.x[1], 1, 1))
    return str(g.of(*choices))


def _arithmetic(g: Graph) -> Inputs:
    both = [g.last, _operand(g)]
    return both[:: g.of(1, 1, -1)], {}


def _several(g: Graph) -> Inputs:
    return [g.last, *(_operand(g) for _ in range(g.whole(0, 2)))], {}


def _concat(g: Graph) -> Inputs:
    others = [t for t, s in g.shapes.items() if len(s) == len(g.x)]
    found = [g.last, g.of(*others, g.floats(*g.x)), *g.of([], [g.of(*others)])]
    return found[:: g.of(1, -1)], {"axis": g.whole(-len(g.x), len(g.x) - 1)}


def _clip(g: Graph) -> Inputs:
    low, high = g.of(-1.0, 0.0, 0.3), g.of(1.0, 0.2, 6.0)
    if g.opset < 11:
        return [g.last], g.of({}, {"min": low}, {"max": high}, {"min": low, "max": high})
    low_name, high_name = g.constant(np.float32(low)), g.constant(np.float32(high))
    return g.of([g.last], [g.last, low_name], [g.last, "", high_name], [g.last, low_name, high_name]), {}


def _pow(g: Graph) -> Inputs:
    return [g.last, g.of(g.scalar(g.of(2, 2, 0.5, -1, 3, 1, 0)), _operand(g))], {}


def _reshape(g: Graph) -> Inputs:
    count = int(np.prod(g.x))
    first = g.of(1, *[n for n in (2, 3, 4) if count % n == 0])
    shape = g.of(
        [1, -1], [0, -1], [1, g.x[-1], -1], [1, first, -1], [first, -1], [1, 1, first, -1], [-1, first]
    )
    return [g.last, g.wholes(*shape)], {}


def _axes(g: Graph) -> list[int]:
    return [int(a) for a in g.random.permutation(len(g.x))[: g.whole(1, len(g.x))]]


def _axes_of(since: int, axes: Callable[[Graph], list[int]]) -> Maker:
    """Return what gives axes, which are an input from an opset on, and an attribute before."""

    def make(g: Graph) -> Inputs:
        found = [a - len(g.x) * g.whole(0, 1) for a in axes(g)]
        if g.opset < since:
            return [g.last], g.of({"axes": found}, {"axes": found}, {})
        return g.of([g.last, g.wholes(*found)], [g.last, g.wholes(*found)], [g.last]), {}

    return make


def _ones(g: Graph) -> list[int]:
    return [a for a, n in enumerate(g.x) if n == 1 and g.whole(0, 1)] or [0]


def _new(g: Graph) -> list[int]:
    return [g.whole(0, len(g.x) - 1)]


def _transpose(g: Graph) -> Inputs:
    rank = len(g.x)
    order = g.of(list(range(rank)), [0, *(1 + g.random.permutation(rank - 1))], g.random.permutation(rank))
    return [g.last], g.of({"perm": [int(a) for a in order]}, {"perm": [int(a) for a in order]}, {})


def _pad(g: Graph) -> Inputs:
    rank = len(g.x)
    pads = [0] * (2 * rank)
    for axis in range(max(0, rank - 2), rank) if g.whole(0, 3) else range(rank):
        pads[axis], pads[axis + rank] = g.whole(-1 if g.whole(0, 4) == 0 else 0, 2), g.whole(0, 2)
    if g.opset < 11:
        return [g.last], {"pads": pads, "value": g.of(0.0, 0.0, 0.7)}
    if g.opset >= 18 and g.whole(0, 2) == 0:
        axis = g.whole(-rank, rank - 1)
        return [g.last, g.wholes(1, 2), "", g.wholes(axis)], {}
    value = g.of([], [g.constant(np.float32(g.of(0, 0.7, -2)))], [g.constant(np.float32(-np.inf))])
    return [g.last, g.wholes(*pads), *value], {}


def _resize(g: Graph) -> Inputs:
    up = [1.0, 1.0, g.of(1, 2, 3, 2.5, 1.5, 2.04), g.of(1, 2, 2, 0.5, 1.3)]
    if g.whole(0, 1):
        up[3] = up[2] = g.of(2.0, 3.0)
    scales = g.constant(np.array(up[: len(g.x)], np.float32))
    if g.opset < 11:
        return [g.last, scales], {}
    roi = g.constant(np.array([0] * len(g.x) + [1] * len(g.x), np.float32))
    sizes = g.wholes(*(int(n * s) for n, s in zip(g.x, up, strict=False)))
    return g.of([g.last, roi, scales], [g.last, roi, scales], [g.last, roi, "", sizes]), {}


def _upsample(g: Graph) -> Inputs:
    return [g.last, g.constant(np.array([1, 1, g.of(1, 2, 3), g.of(1, 2)][: len(g.x)], np.float32))], {}


def _expand(g: Graph) -> Inputs:
    shape = [g.of(n, n, 1, 2) for n in g.x]
    return [g.last, g.wholes(*g.of(shape, shape, [1, *shape], shape[-1:]))], {}


def _gather(g: Graph) -> Inputs:
    axis = g.whole(-len(g.x), len(g.x) - 1)
    n = g.x[axis]
    some = [g.whole(-n, n - 1) for _ in range(g.whole(1, 4))]
    indices: Any = g.of(0, -1, [0], some, list(range(n))[::-1], list(range(0, n, 2)), [[0, n - 1]])
    return [g.last, g.constant(np.array(indices, np.int64))], {"axis": axis}


def _slice(g: Graph) -> Inputs:
    axes = _axes(g)[:2]
    starts = [g.of(0, 1, -1, -2, -(1 << 40)) for _ in axes]
    ends = [g.of(1 << 40, 2, -1, 1, -(1 << 40)) for _ in axes]
    steps = [g.of(1, 1, 2, -1) for _ in axes]
    if g.opset < 10:
        return [g.last], {"starts": starts, "ends": ends, **g.of({}, {"axes": axes})}
    lists = [starts, ends, axes, steps][: g.of(2, 3, 4, 4)]
    return [g.last, *(g.wholes(*v) for v in lists)], {}


def _split(g: Graph) -> Inputs:
    axis = g.whole(-len(g.x), len(g.x) - 1)
    n = g.x[axis]
    parts = [n - n // 3, n // 3] if n > 2 else [1] * n
    if g.opset < 13:
        return [g.last], {"axis": axis, "split": parts}
    return [g.last, g.wholes(*parts)], {"axis": axis}


def _where(g: Graph) -> Inputs:
    mask = g.constant(g.random.random(g.of(g.x, g.x[-1:], (1,) * len(g.x))) < 0.5)
    both = [g.last, _operand(g)][:: g.of(1, -1)]
    return [mask, *both], {}


def _einsum(g: Graph) -> Inputs:
    if len(g.x) == 4:
        two = g.of("nchw,kc->nkhw", "nchw,wk->nchk", "nchw,hc->nchw")
        sizes = dict(zip("nchw", g.x, strict=True)) | {"k": 3}
    else:
        letters = "nrf"[-len(g.x) :]
        two = g.of(
            f"{letters},fk->{letters[:-1]}k", f"{letters},kf->{letters[:-1]}k", f"{letters},f->{letters}"
        )
        sizes = dict(zip(letters, g.x, strict=True)) | {"k": 3}
    one = g.of("nchw->nhwc", "nchw->nch") if len(g.x) == 4 else f"{letters}->{letters[::-1]}"
    if g.whole(0, 2) == 0:
        return [g.last], {"equation": one}
    term = two.split("->")[0].split(",")[1]
    return [g.last, g.floats(*(sizes[c] for c in term))], {"equation": two}


def _dropout(g: Graph) -> Inputs:
    if g.opset < 12:
        return [g.last], g.of({}, {"ratio": 0.3})
    training = g.constant(np.array(bool(g.whole(0, 1))))
    ratio = g.constant(np.float32(0.4))
    return g.of([g.last], [g.last, ratio], [g.last, ratio, training], [g.last, "", training]), {}


def _recurrent(gates: int) -> Maker:
    def make(g: Graph) -> Inputs:
        hidden, ways = g.whole(1, 4), g.of(1, 1, 2)
        weights = [g.floats(ways, gates * hidden, n) for n in (g.x[-1], hidden)]
        bias = g.of([], [g.floats(ways, 2 * gates * hidden)])
        state = [g.floats(ways, 1, hidden)] if bias and g.whole(0, 4) == 0 else []
        way = "bidirectional" if ways == 2 else g.of("forward", "reverse")
        inputs = [g.last, *weights, *bias, *([""] if state else []), *state]
        return inputs, {"hidden_size": hidden, "direction": way}

    return make


def _cast(_g: Graph) -> Inputs:
    return [_g.last], {
        "to": _g.of(TensorProto.FLOAT, TensorProto.FLOAT, TensorProto.INT32, TensorProto.DOUBLE)
    }


MAKERS: dict[str, Maker] = dict.fromkeys(
    """Abs ArgMax Celu Elu Erf Exp Flatten Gelu GlobalAveragePool GlobalMaxPool HardSigmoid HardSwish Identity LeakyRelu Log
    LogSoftmax Mish Neg Reciprocal Relu Selu Sigmoid Sign Softmax Softplus Softsign SpaceToDepth DepthToSpace Sqrt Swish
    Tanh""".split(),  # noqa: SIM905
    _alone,
)
MAKERS |= dict.fromkeys(("Add", "Div", "Mul", "Sub"), _arithmetic)
MAKERS |= dict.fromkeys(("Max", "Mean", "Min", "Sum"), _several)
MAKERS |= {
    "AveragePool": _pool,
    "BatchNormalization": _norm,
    "Cast": _cast,
    "Clip": _clip,
    "Concat": _concat,
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "Dropout": _dropout,
    "Einsum": _einsum,
    "Expand": _expand,
    "GRU": _recurrent(3),
    "Gather": _gather,
    "Gemm": _gemm,
    "GroupNormalization": _scale_and_bias,
    "InstanceNormalization": _instance_norm,
    "LSTM": _recurrent(4),
    "LayerNormalization": _layer_norm,
    "MatMul": _matmul,
    "MaxPool": _pool,
    "PRelu": lambda g: ([g.last, g.of(g.scalar(0.2), g.floats(*g.x[1:2], *(1,) * (len(g.x) - 2)))], {}),
    "Pad": _pad,
    "Pow": _pow,
    "ReduceMean": _axes_of(18, _axes),
    "ReduceSum": _axes_of(13, _axes),
    "Reshape": _reshape,
    "Resize": _resize,
    "Slice": _slice,
    "Split": _split,
    "Squeeze": _axes_of(13, _ones),
    "Transpose": _transpose,
    "Unsqueeze": _axes_of(13, _new),
    "Upsample": _upsample,
    "Where": _where,
}
IMAGES = frozenset(
    """AveragePool BatchNormalization Conv ConvTranspose DepthToSpace GlobalAveragePool GlobalMaxPool GroupNormalization
    InstanceNormalization MaxPool Pad Resize SpaceToDepth Upsample""".split()  # noqa: SIM905
)

# The values of attributes of which not every one of their type is legal; of the others any small one is drawn.
TEXTS = {
    "approximate": ("none", "tanh"),
    "auto_pad": ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"),
    "coordinate_transformation_mode": (
        "half_pixel half_pixel_symmetric pytorch_half_pixel align_corners asymmetric tf_crop_and_resize".split()  # noqa: SIM905
    ),
    "keep_aspect_ratio_policy": ("stretch", "not_larger", "not_smaller"),
    "nearest_mode": ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"),
}
MODES = {
    "DepthToSpace": ("DCR", "CRD"),
    "SpaceToDepth": ("DCR", "CRD"),
    "Pad": ("constant", "reflect", "edge", "wrap"),
    "Resize": ("nearest", "nearest", "linear", "cubic"),
    "Upsample": ("nearest", "linear"),
}


def drawn(g: Graph, op: str, attribute: onnx.defs.OpSchema.Attribute) -> Any:
    """Return a legal value of an attribute; None where it goes with others and is left out."""
    name, types = attribute.name, onnx.defs.OpSchema.AttrType
    own: dict[str, Callable[[], Any]] = {
        "axis": lambda: g.whole(-len(g.x), len(g.x) - 1),
        "blocksize": lambda: g.of(1, 2, 3),
        "dilations": lambda: [g.whole(1, 2), g.whole(1, 2)],
        "pads": lambda: [g.whole(0, 2) for _ in range(4)],
        "strides": lambda: [g.whole(1, 2), g.whole(1, 2)],
    }
    of_type: dict[Any, Callable[[], Any]] = {
        types.INT: lambda: g.whole(0, 1),
        types.FLOAT: lambda: float(np.float32(g.of(0.1, 0.5, 1.0, 1.5, 2.0))),
    }
    texts = MODES.get(op) if name == "mode" else TEXTS.get(name)
    if texts:
        return g.of(*texts)
    make = own.get(name, of_type.get(attribute.type))
    return make() if make else None


def node_of(g: Graph, op: str) -> onnx.NodeProto:
    """Return a node of an operator that reads the last tensor."""
    inputs, attributes = MAKERS[op](g)
    schema = onnx.defs.get_schema(op, g.opset)
    for attribute in schema.attributes.values():
        if attribute.name in attributes:
            continue
        if attribute.required or g.random.random() < 0.3:
            value = drawn(g, op, attribute)
            if value is not None:
                attributes[attribute.name] = value
    if attributes.get("auto_pad", "NOTSET") != "NOTSET":
        attributes.pop("pads", None)
    index = len(g.nodes)
    outputs = [f"t{index}"]
    if op == "Split":
        parts = attributes.get("split") or g.constants[inputs[-1]].tolist()
        outputs += [f"t{index}.{i}" for i in range(1, len(parts))]
    return helper.make_node(op, inputs, outputs, name=f"n{index}", **attributes)


START = ((1, 4, 5, 6), (1, 4, 4, 4), (1, 1, 6, 6), (1, 8, 3, 3), (1, 6), (5, 6), (1, 5, 6), (1, 3, 8), (1, 1))


def grown(g: Graph, op: str) -> bool:
    """Add a node of an operator; tell whether it is a legal one, by ONNX's own inference of shapes."""
    at, constants = len(g.nodes), dict(g.constants)
    try:
        node = node_of(g, op)
        g.nodes.append(node)
        found = _inferred(g, node.output[0])
    except Exception:  # what does not fit together has no schema, no shape or no way to be drawn
        found = None
    if found is None:
        del g.nodes[at:]
        g.constants = constants
        return False
    g.shapes[node.output[0]], g.kinds[node.output[0]] = found
    g.last = node.output[0]
    return True


def _inferred(g: Graph, output: str) -> tuple[Shape, int] | None:
    model = g.model([output])
    model.graph.output[0].type.tensor_type.ClearField("elem_type")
    made = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    found = made.graph.output[0].type.tensor_type
    shape = tuple(int(d.dim_value) for d in found.shape.dim)
    return (shape, found.elem_type) if shape and min(shape) > 0 and np.prod(shape) < 5000 else None


def draw_graph(seed: int, ops: Sequence[str] = ()) -> tuple[Graph, onnx.ModelProto]:
    """Return a random graph: of the given operators, or of some."""
    random = np.random.default_rng(seed)
    first = ops[0] if ops else random.choice([*MAKERS])
    starts = [s for s in START if (len(s) == 4 or first not in IMAGES)]
    if first in ("LSTM", "GRU"):
        starts = [(1, 4, 5), (1, 1, 3)]
    g = Graph(random, int(random.choice(OPSETS)), {X: starts[int(random.integers(len(starts)))]})
    if first in ("LSTM", "GRU"):  # whose steps are the first axis, which of an input is that of the samples
        g.nodes.append(helper.make_node("Transpose", [X], ["steps"], perm=[1, 0, 2]))
        g.last, g.shapes["steps"] = "steps", (g.x[1], 1, g.x[2])
    wanted = list(ops) or [first, *random.choice([*MAKERS], int(random.integers(0, 4)))]
    for op in wanted:
        for _ in range(6):
            if grown(g, str(op)):
                break
        if g.kinds.get(g.last, 1) != TensorProto.FLOAT:
            break
    return g, g.model()
