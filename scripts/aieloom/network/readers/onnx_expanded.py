"""ONNX operators that are others by definition, written as these: norms of images, enlargements by lines, Einsum, masks.

Facts: ONNX operator specifications, by operator and opset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from aieloom.arrays import Values
from aieloom.network.readers.onnx_model import opset_of
from aieloom.network.readers.onnx_reads import check_read
from aieloom.network.readers.registry import expansions

if TYPE_CHECKING:
    import onnx

Shape = tuple[int, ...]
IMAGE = 4  # axes, with the batch
LEAST = -1e30  # in place of minus infinity before a softmax: exp(LEAST - largest) is 0 all the same
SELU = (1.67326319217681884765625, 1.05070102214813232421875)  # alpha and gamma [ONNX, Selu]


@dataclass(slots=True)
class Expansion:
    """One node, and the nodes that it is written as."""

    node: onnx.NodeProto
    opset: int
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    constants: Mapping[str, Values] = field(default_factory=dict)
    readers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the operators that read a tensor
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    made: dict[str, Values] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)  # attributes that a rule asked for

    @property
    def op(self) -> str:
        """Its operator; of another domain than ONNX's own behind that."""
        node = self.node
        return node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op_type}"

    @property
    def x(self) -> Shape:
        """The first input's shape."""
        return self.shapes.get(self.node.input[0], ())

    def get(self, name: str, default: Any) -> Any:
        """Return an attribute or its default."""
        from onnx.helper import get_attribute_value  # noqa: PLC0415

        self.read.add(name)
        found = next((a for a in self.node.attribute if a.name == name), None)
        value = default if found is None else get_attribute_value(found)
        return value.decode() if isinstance(value, bytes) else value

    def constant(self, index: int) -> Values | None:
        """Return the constant that input `index` is; None of another one."""
        return self.constants.get(self.input(index))

    def input(self, index: int) -> str:
        """Return the name of an input; nothing of one that is left out."""
        return self.node.input[index] if index < len(self.node.input) else ""

    def add(self, op: str, *inputs: str, **attributes: Any) -> str:
        """Add a node; return its result's name."""
        from onnx.helper import make_node  # noqa: PLC0415

        y = f"{self.node.output[0]}/{op}_{len(self.nodes)}"
        last = max((i for i, name in enumerate(inputs, 1) if name), default=0)  # none behind it are given
        self.nodes.append(make_node(op, list(inputs[:last]), [y], self.node.name, **attributes))
        return y

    def value(self, values: Any, kind: type = np.float32) -> str:
        """Add a constant; return its name."""
        name = f"{self.node.output[0]}/constant_{len(self.made)}"
        self.made[name] = np.asarray(values, kind)
        return name

    def written_by(self, rule: Rule) -> bool:
        """Let a rule write the node as others, the last of which gives its result; tell whether it takes it."""
        made = rule(self)
        if made is None:
            return False
        if not self.nodes or self.nodes[-1].output[0] != made:
            self.add("Identity", made)
        self.nodes[-1].output[0] = self.node.output[0]
        return True

    def reshaped(self, x: str, *sizes: int) -> str:
        """Add a Reshape."""
        return self.add("Reshape", x, self.value(sizes, np.int64))

    def axes(self, index: int) -> list[int] | None:
        """Return a reduction's axes: an attribute, or an input."""
        given = self.constant(index)
        named = [int(a) for a in given.reshape(-1)] if given is not None else self.get("axes", None)
        return None if named is None else [a % len(self.x) for a in named]

    def mean(self, x: str, axes: list[int], *, keepdims: int = 1) -> str:
        """Add a ReduceMean in the form of the opset."""
        if self.opset >= 18:
            return self.add("ReduceMean", x, self.value(axes, np.int64), keepdims=keepdims)
        return self.add("ReduceMean", x, axes=axes, keepdims=keepdims)

    def normalised(self, x: str, features: int, eps: float) -> str:
        """Add (x - mean) / sqrt(variance + eps) of each row."""
        if self.opset >= 17:
            return self.add("LayerNormalization", x, self.value(np.ones(features)), axis=-1, epsilon=eps)
        centred = self.add("Sub", x, self.mean(x, [-1]))
        square = self.mean(self.add("Mul", centred, centred), [-1])
        return self.add("Div", centred, self.add("Sqrt", self.add("Add", square, self.value(eps))))

    def scaled(self, x: str, factors: Values, offsets: Values, rank: int) -> str:
        """Add factors and offsets of each channel, where they change anything."""
        wide = (-1, *(1,) * (rank - 2))
        if (factors != 1).any():
            x = self.add("Mul", x, self.value(factors.reshape(wide)))
        return self.add("Add", x, self.value(offsets.reshape(wide))) if offsets.any() else x

    def only_read_by(self, op: str) -> bool:
        """Tell whether one node reads the result, and which."""
        return self.readers.get(self.node.output[0], ()) == (op,)


def _selu(e: Expansion) -> str | None:
    alpha, gamma = e.get("alpha", SELU[0]), e.get("gamma", SELU[1])
    return e.add("Mul", e.add("Elu", e.node.input[0], alpha=alpha), e.value(gamma))


def _celu(e: Expansion) -> str | None:
    alpha = float(e.get("alpha", 1.0))
    if alpha == 0:
        return None
    inner = e.add("Elu", e.add("Mul", e.node.input[0], e.value(1 / alpha)), alpha=1.0)
    return e.add("Mul", inner, e.value(alpha))


def _softsign(e: Expansion) -> str | None:
    x = e.node.input[0]
    return e.add("Div", x, e.add("Add", e.add("Abs", x), e.value(1)))


def _bound(e: Expansion) -> str | None:
    """Take the larger or the smaller of a tensor and a number."""
    found = [i for i in range(len(e.node.input)) if (v := e.constant(i)) is not None and v.size == 1]
    if len(e.node.input) != 2 or len(found) != 1:
        return None
    x, bound = e.node.input[1 - found[0]], float(np.asarray(e.constant(found[0])).reshape(()))
    if e.opset < 11:
        return e.add("Clip", x, **{"min" if e.node.op_type == "Max" else "max": bound})
    name = e.value(bound)
    return e.add("Clip", x, name) if e.node.op_type == "Max" else e.add("Clip", x, "", name)


def _mean_of_tensors(e: Expansion) -> str | None:
    return e.add("Mul", e.add("Sum", *e.node.input), e.value(1 / len(e.node.input)))


def _reduce_sum(e: Expansion) -> str | None:
    axes = e.axes(1)
    if not axes or not e.x or min(e.x) < 1:
        return None
    count = prod(e.x[a] for a in axes)
    return e.add("Mul", e.mean(e.node.input[0], axes, keepdims=e.get("keepdims", 1)), e.value(count))


def _instance_norm(e: Expansion) -> str | None:
    scale, bias, x = e.constant(1), e.constant(2), e.x
    if scale is None or bias is None or len(x) not in (3, IMAGE) or min(x) < 1 or x[0] != 1:
        return None
    return _grouped(e, x[1], scale, bias)


def _group_norm(e: Expansion) -> str | None:
    scale, bias, x, groups = e.constant(1), e.constant(2), e.x, int(e.get("num_groups", 1))
    if scale is None or bias is None or len(x) != IMAGE or min(x) < 1 or groups < 1 or x[1] % groups:
        return None
    if scale.size != x[1] or bias.size != x[1]:  # of opsets 18 to 20, one for each group: ONNX takes it back
        return None
    return _grouped(e, groups, scale, bias)


def _grouped(e: Expansion, groups: int, scale: Values, bias: Values) -> str:
    """Normalise groups of channels of images, or of rows as they lie, then scale channels."""
    x, size = e.x, prod(e.x[1:]) // groups
    direct = len(x) == 3 and groups == x[1]
    rows = e.node.input[0] if direct else e.reshaped(e.node.input[0], 1, groups, size)
    made = e.normalised(rows, size, float(e.get("epsilon", 1e-5)))
    return e.scaled(made if direct else e.reshaped(made, *x), scale, bias, len(x))


def _space_to_depth(e: Expansion) -> str | None:
    size, x = int(e.get("blocksize", 1)), e.x
    if len(x) != IMAGE or min(x) < 1 or size < 1:
        return None
    n, channels, height, width = x
    split = e.reshaped(e.node.input[0], n, channels, height // size, size, width // size, size)
    order = {"DCR": [0, 3, 5, 1, 2, 4], "CRD": [0, 1, 3, 5, 2, 4]}[e.get("mode", "DCR")]
    turned = e.add("Transpose", split, perm=order)
    return e.reshaped(turned, n, channels * size * size, height // size, width // size)


def _resize(e: Expansion) -> str | None:
    """Take an enlargement by lines: windows of 3 x 3 give the pixels of each block, which are then laid out."""
    x, y = e.x, e.shapes.get(e.node.output[0], ())
    how = e.get("coordinate_transformation_mode", "half_pixel") if e.opset >= 11 else "asymmetric"
    e.get("nearest_mode", "")  # which says nothing here
    if e.get("mode", "nearest") != "linear" or len(x) != IMAGE or len(y) != IMAGE or min(*x, *y) < 1:
        return None
    scale = y[2] // x[2]
    by_lines = how in ("asymmetric", "half_pixel", "pytorch_half_pixel", "half_pixel_symmetric")
    if not by_lines or y != (*x[:2], x[2] * scale, x[3] * scale) or scale < 2 or e.get("antialias", 0):
        return None
    taps = np.zeros((scale, 3))  # of each pixel of a block: the pixel before, at and behind
    for place in range(scale):
        at = place / scale if how == "asymmetric" else (place + 0.5) / scale - 0.5
        taps[place, 1] = 1 - abs(at)
        taps[place, 0 if at < 0 else 2] = abs(at)
    windows = np.einsum("ai,bj->abij", taps, taps).reshape(scale * scale, 1, 3, 3)
    weight = e.value(np.tile(windows, (x[1], 1, 1, 1)))
    pads = [0, 0, 1, 1, 0, 0, 1, 1]
    given = e.node.input[0]
    wide = (
        e.add("Pad", given, e.value(pads, np.int64), mode="edge")
        if e.opset >= 11
        else e.add("Pad", given, pads=pads, mode="edge")
    )
    made = e.add("Conv", wide, weight, group=x[1], kernel_shape=[3, 3])
    if e.opset >= 11:
        return e.add("DepthToSpace", made, blocksize=scale, mode="CRD")
    split = e.reshaped(made, 1, x[1], scale, scale, x[2], x[3])
    return e.reshaped(e.add("Transpose", split, perm=[0, 1, 4, 2, 5, 3]), *y)


def _einsum(e: Expansion) -> str | None:
    """Take a product of two tensors over some of their axes: axes of both, of the first, of the second, and what is summed."""
    equation = e.get("equation", "").replace(" ", "")
    given, arrow, out = equation.partition("->")
    terms = given.split(",")
    shapes = [e.shapes.get(i, getattr(e.constants.get(i), "shape", ())) for i in e.node.input]
    plain = all(t.isalpha() and len(set(t)) == len(t) for t in (*terms, out))
    if (
        not arrow
        or not plain
        or len(terms) != len(shapes)
        or any(len(t) != len(s) for t, s in zip(terms, shapes, strict=True))
    ):
        return None
    if len(terms) == 1:
        same = sorted(terms[0]) == sorted(out)
        return e.add("Transpose", e.node.input[0], perm=[terms[0].index(c) for c in out]) if same else None
    if len(terms) != 2:
        return None
    a, b = terms
    sizes = {c: n for t, s in zip(terms, shapes, strict=True) for c, n in zip(t, s, strict=True)}
    both, summed = [[c for c in a if c in b and (c in out) == kept] for kept in (True, False)]
    of_a, of_b = [c for c in a if c not in b], [c for c in b if c not in a]
    if not summed or {*of_a, *of_b} - {*out} or len(both) + len(of_a) + len(of_b) != len(out):
        return None
    first = _laid(e, 0, a, [both, of_a, summed], sizes)
    second = _laid(e, 1, b, [both, summed, of_b], sizes)
    made = e.add("MatMul", first, second)
    order = [*both, *of_a, *of_b]
    if len(of_a) != 1 or len(of_b) != 1:
        made = e.reshaped(made, *(sizes[c] for c in order))
    perm = [order.index(c) for c in out]
    return made if perm == sorted(perm) else e.add("Transpose", made, perm=perm)


def _laid(e: Expansion, index: int, term: str, groups: list[list[str]], sizes: Mapping[str, int]) -> str:
    """Return an operand with its axes in groups, the last two of which are one axis each."""
    name: str = e.node.input[index]
    perm = [term.index(c) for group in groups for c in group]
    if perm != sorted(perm):
        name = e.add("Transpose", name, perm=perm)
    if all(len(g) == 1 for g in groups[1:]):
        return name
    whole = [sizes[c] for c in groups[0]] + [prod(sizes[c] for c in g) for g in groups[1:]]
    return e.reshaped(name, *whole)


def _where(e: Expansion) -> str | None:
    """Take a choice by a constant between a tensor and a constant: the tensor times 1 or 0, plus the constant or 0."""
    mask, flowing = e.constant(0), [i for i in (1, 2) if e.constant(i) is None]
    if mask is None or len(flowing) != 1:
        return None
    other = e.constant(3 - flowing[0])
    assert other is not None
    kept = mask.astype(bool) if flowing[0] == 1 else ~mask.astype(bool)
    if np.isneginf(other).any() and not e.only_read_by("Softmax"):
        return None
    plain = np.where(np.isneginf(other), LEAST, other)
    if not np.isfinite(plain).all():
        return None
    x = e.node.input[flowing[0]]
    if (plain > LEAST / 2).any():
        x = e.add("Mul", x, e.value(kept))
    return e.add("Add", x, e.value(np.where(kept, 0, plain)))


def _masked(e: Expansion) -> str | None:
    """Take an Add of minus infinity before a softmax: a mask, which a number far below every score is too."""
    values = [v for i in (0, 1) if (v := e.constant(i)) is not None]
    if len(values) != 1 or not np.isneginf(values[0]).any() or not e.only_read_by("Softmax"):
        return None
    mask = np.where(np.isneginf(values[0]), LEAST, values[0])
    (x,) = (i for i in e.node.input if i not in e.constants)
    return e.add("Add", x, e.value(mask)) if np.isfinite(mask).all() else None


Rule = Callable[[Expansion], str | None]
RULES: Mapping[str, Rule] = {
    "Add": _masked,
    "Celu": _celu,
    "Einsum": _einsum,
    "GroupNormalization": _group_norm,
    "InstanceNormalization": _instance_norm,
    "Max": _bound,
    "Mean": _mean_of_tensors,
    "Min": _bound,
    "ReduceSum": _reduce_sum,
    "Resize": _resize,
    "Selu": _selu,
    "Softsign": _softsign,
    "SpaceToDepth": _space_to_depth,
    "Upsample": _resize,
    "Where": _where,
}


def expand(model: onnx.ModelProto, constants: Mapping[str, Values]) -> bool:
    """Write nodes of RULES and of operators' rules in `model`, whose shapes are inferred, as others; tell if there were any.

    A form that no rule takes stays, to be refused by name.

    Raises:
        Refused: a rule takes a node, but has not read all that is said of it.
    """
    graph = model.graph
    shapes = {
        v.name: tuple(int(d.dim_value) for d in v.type.tensor_type.shape.dim)
        for v in (*graph.input, *graph.value_info, *graph.output)
    }
    readers: dict[str, tuple[str, ...]] = {}
    for node in graph.node:
        for name in node.input:
            readers[name] = (*readers.get(name, ()), node.op_type)
    opset = opset_of(model)
    rules = expansions(RULES)
    found = [Expansion(node, opset, shapes, constants, readers) for node in graph.node]
    return rewrite(graph, found, lambda e: _expanded(e, rules))


def rewrite(graph: onnx.GraphProto, found: list[Expansion], take: Callable[[Expansion], bool]) -> bool:
    """Put what `take` writes in the place of each node that it takes; tell whether there were any."""
    from onnx.numpy_helper import from_array  # noqa: PLC0415

    taken = [take(e) for e in found]
    if not any(taken):
        return False
    nodes: list[onnx.NodeProto] = []
    for e, done in zip(found, taken, strict=True):
        nodes += e.nodes if done else [deepcopy(e.node)]
        graph.initializer.extend(from_array(v, name) for name, v in (e.made if done else {}).items())
    del graph.node[:]  # which empties its elements
    graph.node.extend(nodes)
    return True


def _expanded(e: Expansion, rules: Mapping[str, Rule]) -> bool:
    rule = rules.get(e.op)
    if rule is None or not e.written_by(rule):
        return False
    check_read(e.node, e.opset, e.read)
    return True
