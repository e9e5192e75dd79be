"""Inputs of whole numbers or truth values, as masks of tokens are: what is computed of them, written in float32.

Whole numbers below 2^24 are float32 values, and true and false are 1 and 0: sums, differences and products of them are the same
numbers. What gives truth values becomes arithmetic: Not x is 1 - x, And a product, a comparison the sign of a difference; Where
c a b is c a + (1 - c) b, exactly a or b, since one of both products is 0. An infinite value of a mask becomes one beyond which
no score lies.
Facts: ONNX operator specifications, by operator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from aieloom.network.readers.onnx_expanded import LEAST
from aieloom.network.readers.refused import Refused

if TYPE_CHECKING:
    import onnx

MOST = -LEAST  # in place of infinity: e^-1e30 is 0 too, and 0 times it is 0
# What moves whole numbers, or counts them; and what is of them the same as of floats.
MOVES = frozenset("Expand Flatten Gather Identity Reshape Slice Squeeze Transpose Unsqueeze".split())  # noqa: SIM905
SAME = frozenset("Abs Add Concat Max Min Mul Neg Sub Sum".split())  # noqa: SIM905
APART = ("ArgMax", "Shape", "Size")  # whose whole numbers are no values of an input


def in_floats(model: onnx.ModelProto, names: frozenset[str]) -> None:
    """Make inputs of float32 of those `names`, and write what the model computes of them as whole numbers in float32.

    Raises:
        Refused: a node computes with them what has no such form; it is named.
    """
    import onnx  # noqa: PLC0415 - only this format needs it

    graph = model.graph
    follow = _Follow(_kinds(model), names)
    made = [deepcopy(n) for node in graph.node for n in follow.node(node)]
    for given in graph.input:
        if given.name in names:
            given.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    del graph.node[:]
    graph.node.extend(made)
    del graph.value_info[:]


def are_masks(model: onnx.ModelProto, name: str) -> bool:
    """Tell whether an input's values are 0 and 1: truth values, or numbers that are taken as such, or from 1."""
    import onnx  # noqa: PLC0415

    found, constants = {name}, dict(_scalars(model))
    for node in model.graph.node:
        if not found & set(node.input):
            continue
        to = next((a.i for a in node.attribute if a.name == "to"), 0)
        if node.op_type == "Cast" and to == onnx.TensorProto.BOOL:
            return True
        if node.op_type == "Sub" and constants.get(node.input[0]) == 1:
            return True
        if node.op_type in MOVES or node.op_type == "Cast":
            found.update(node.output)
    return False


def _kinds(model: onnx.ModelProto) -> dict[str, int]:
    """Return the element types of all tensors of which they are known."""
    import onnx  # noqa: PLC0415

    try:
        inferred = onnx.shape_inference.infer_shapes(model)
    except (
        Exception
    ):  # InferenceError, and others for damaged files: what is wrong is told when shapes are needed
        inferred = model
    graph = inferred.graph
    values = (*graph.input, *graph.value_info, *graph.output)
    return {v.name: v.type.tensor_type.elem_type for v in values} | {
        t.name: t.data_type for t in graph.initializer
    }


def _scalars(model: onnx.ModelProto) -> Mapping[str, float]:
    """Return the single numbers among a model's constants."""
    import onnx  # noqa: PLC0415

    tensors = {t.name: t for t in model.graph.initializer}
    for node in model.graph.node:
        value = next((a.t for a in node.attribute if a.name == "value"), None)
        if node.op_type == "Constant" and value is not None:
            tensors[node.output[0]] = value
    small = ((n, onnx.numpy_helper.to_array(t)) for n, t in tensors.items() if not t.dims or max(t.dims) == 1)
    return {n: float(v.reshape(-1)[0]) for n, v in small if v.size == 1 and v.dtype.kind in "biuf"}


class _Follow:
    """One pass along the nodes: which tensors follow from the inputs, and which of these were whole numbers."""

    def __init__(self, kinds: Mapping[str, int], names: frozenset[str]) -> None:
        import onnx  # noqa: PLC0415

        types = onnx.TensorProto
        self.bool = int(types.BOOL)
        small = (
            types.UINT8,
            types.INT8,
            types.UINT16,
            types.INT16,
        )  # of inputs; of nodes they are quantised values
        self.kinds, self._wide = kinds, {self.bool, int(types.INT32), int(types.INT64)}
        self.flow = set(names)
        self.whole = {n for n in names if kinds.get(n) in {*self._wide, *map(int, small)}}
        self.made: list[onnx.NodeProto] = []
        self.casts = 0

    def node(self, node: onnx.NodeProto) -> list[onnx.NodeProto]:
        """Return the nodes that stand for one.

        Raises:
            Refused: none do.
        """
        if not self.flow.intersection(node.input) or node.op_type in APART:
            return [node]
        self.flow.update(node.output)
        gives = self.kinds.get(node.output[0]) in self._wide
        if not gives and not self.whole.intersection(node.input):
            return [node]
        if gives:
            self.whole.update(node.output)
        self.made = []
        rule = _RULES.get(node.op_type)
        if rule:
            rule(self, node)
        elif node.op_type in SAME:
            self.add(node.op_type, [self.read(i) for i in node.input], node.output[0], like=node)
        elif node.op_type in MOVES and not self.flow.intersection(node.input[1:]):
            return [node]
        else:
            text = f"node '{node.name or node.output[0]}' ({node.op_type}) computes with whole numbers of an input"
            known = ", ".join(sorted({*MOVES, *SAME, *_RULES}))
            raise Refused(text, f"of inputs that are not float32 these operators are followed: {known}")
        return self.made

    def read(self, name: str) -> str:
        """Return a tensor as float32: what follows from an input is, a constant of another type is cast."""
        import onnx  # noqa: PLC0415

        if name in self.flow or self.kinds.get(name, 1) == onnx.TensorProto.FLOAT:
            return name
        self.casts += 1
        return self.add("Cast", [name], f"{name}/float {self.casts}", to=onnx.TensorProto.FLOAT)

    def add(
        self,
        op: str,
        inputs: list[str],
        output: str,
        like: onnx.NodeProto | None = None,
        **attributes: Any,
    ) -> str:
        """Add a node; return what its result is called."""
        import onnx  # noqa: PLC0415

        made = onnx.helper.make_node(op, inputs, [output], name=like.name if like else "", **attributes)
        if like:
            made.attribute.extend(like.attribute)
        self.made.append(made)
        return output

    def number(self, value: float, output: str) -> str:
        """Add a constant."""
        import onnx  # noqa: PLC0415

        tensor = onnx.numpy_helper.from_array(np.asarray(value, np.float32), output)
        return self.add("Constant", [], output, value=tensor)


def _cast(f: _Follow, node: onnx.NodeProto) -> None:
    to = next(a.i for a in node.attribute if a.name == "to")
    x, y = node.input[0], node.output[0]
    if to == f.bool and f.kinds.get(x) != f.bool:
        _true(f, x, y)
    elif x in f.whole:
        f.add("Identity", [x], y)
    else:
        text = f"node '{node.name or y}' (Cast) makes whole numbers of floats that follow from an input"
        raise Refused(text, "leave them floats")


def _true(f: _Follow, x: str, y: str) -> None:
    """Add what gives 1 for what is not 0."""
    f.add("Sign", [f.add("Abs", [x], f"{y}/size")], y)


def _not(f: _Follow, node: onnx.NodeProto) -> None:
    _inverted(f, node.input[0], node.output[0])


def _inverted(f: _Follow, x: str, y: str) -> None:
    f.add("Sub", [f.number(1.0, f"{y}/one"), x], y)


def _and(f: _Follow, node: onnx.NodeProto) -> None:
    f.add("Mul", [f.read(i) for i in node.input], node.output[0])


def _or(f: _Follow, node: onnx.NodeProto) -> None:
    y = node.output[0]
    _true(f, f.add("Add", [f.read(i) for i in node.input], f"{y}/sum"), y)


def _difference(f: _Follow, node: onnx.NodeProto, *, turned: bool = False) -> str:
    names = [f.read(i) for i in node.input]
    return f.add("Sub", names[::-1] if turned else names, f"{node.output[0]}/difference")


def _equal(f: _Follow, node: onnx.NodeProto) -> None:
    y = node.output[0]
    _true(f, _difference(f, node), f"{y}/other")
    _inverted(f, f"{y}/other", y)


def _xor(f: _Follow, node: onnx.NodeProto) -> None:
    _true(f, _difference(f, node), node.output[0])


def _compared(*, turned: bool, strict: bool) -> Callable[[_Follow, onnx.NodeProto], None]:
    """Return what takes a > b, or b > a if `turned`; not `strict`, it is that the other is not the greater."""

    def take(f: _Follow, node: onnx.NodeProto) -> None:
        y = node.output[0]
        above = f.add("Relu", [_difference(f, node, turned=turned)], f"{y}/above")
        if strict:
            f.add("Sign", [above], y)
        else:
            _inverted(f, f.add("Sign", [above], f"{y}/greater"), y)

    return take


def _where(f: _Follow, node: onnx.NodeProto) -> None:
    """Write Where c a b as c a + (1 - c) b."""
    y = node.output[0]
    c, a, b = (f.read(i) for i in node.input)
    first = f.add("Mul", [c, _bounded(f, node.input[1], a, f"{y}/first bounded")], f"{y}/first")
    _inverted(f, c, f"{y}/not")
    second = f.add("Mul", [f"{y}/not", _bounded(f, node.input[2], b, f"{y}/second bounded")], f"{y}/second")
    f.add("Add", [first, second], y)


def _bounded(f: _Follow, given: str, name: str, y: str) -> str:
    """Return a constant without infinities, which times 0 would be no number."""
    if given in f.flow:
        return name
    low, high = f.number(-MOST, f"{y}/low"), f.number(MOST, f"{y}/high")
    return f.add("Min", [f.add("Max", [name, low], f"{y}/above"), high], y)


_RULES: Mapping[str, Callable[[_Follow, onnx.NodeProto], None]] = {
    "And": _and,
    "Cast": _cast,
    "Equal": _equal,
    "Greater": _compared(turned=False, strict=True),
    "GreaterOrEqual": _compared(turned=True, strict=False),
    "Less": _compared(turned=True, strict=True),
    "LessOrEqual": _compared(turned=False, strict=False),
    "Not": _not,
    "Or": _or,
    "Where": _where,
    "Xor": _xor,
}
