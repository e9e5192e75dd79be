"""Nodes that older exporters write for one operator, put back into one.

Below opset 17 PyTorch's exporter writes a LayerNorm as means, differences, squares and a root, below opset 20 a GELU by
Erf, below 24 a SiLU by Sigmoid [ONNX operator specifications give these as the function bodies of LayerNormalization, Gelu,
Swish]. Operators bring patterns of their own by registry.fuses_onnx, which are asked first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import isclose, sqrt

import numpy as np

from aieloom.network.readers.onnx_graph import Graph, Node
from aieloom.network.readers.onnx_nodes import axes_of
from aieloom.network.readers.registry import patterns, read_by_plug_ins

CLOSE = 1e-6  # relative: constants are float32
SWISH = "Swish"  # of opset 24


@dataclass(frozen=True, slots=True)
class Found:
    """The node that stands for `members`, in place of the last of them."""

    node: Node
    members: tuple[Node, ...]


class Uses:
    """Which node gives a tensor, and which read it."""

    def __init__(self, graph: Graph) -> None:
        self._makers = {node.y: node for node in graph.nodes}
        self._readers: dict[str, list[Node]] = {}
        for node in graph.nodes:
            for x in dict.fromkeys(node.xs):
                self._readers.setdefault(x, []).append(node)

    def maker(self, tensor: str, *ops: str) -> Node | None:
        """Return the node that gives a tensor if it is one of these operators."""
        node = self._makers.get(tensor)
        return node if node and node.op in ops else None

    def reader(self, tensor: str, op: str) -> Node | None:
        """Return the only node that reads a tensor if it is this operator."""
        found = self._readers.get(tensor, [])
        return found[0] if len(found) == 1 and found[0].op == op else None

    def closed(self, members: Iterable[Node]) -> bool:
        """Tell whether nothing else reads what the members give, but for the last."""
        *inner, last = members
        names = {m.y for m in (*inner, last)}
        return all(self._readers.get(m.y) and {r.y for r in self._readers[m.y]} <= names for m in inner)


def fused(graph: Graph) -> Graph:
    """Return the graph with groups of nodes that are one operator as that operator."""
    uses = Uses(graph)
    found = {f.members[-1].y: f for node in graph.nodes for f in _matches(uses, node)}
    gone = {m.y for f in found.values() for m in f.members[:-1]}
    nodes = (found[n.y].node if n.y in found else n for n in graph.nodes if n.y not in gone)
    return replace(graph, nodes=tuple(nodes))


def _matches(uses: Uses, node: Node) -> Iterator[Found]:
    """Yield what begins with a node: the first pattern that finds something; aieloom's leave what a plug-in reads."""
    for match, of_plug_in in patterns(_PATTERNS, node.op):
        found: Found | None = match(uses, node)
        if found and uses.closed(found.members) and (of_plug_in or not _read_alone(found)):
            yield found
            return


def _read_alone(found: Found) -> bool:
    return not read_by_plug_ins().isdisjoint(m.op for m in found.members)


def scalar_of(node: Node | None) -> float | None:
    """Return the single number with which a node computes."""
    values = [v for i in range(len(node.inputs)) if (v := node.optional(i)) is not None] if node else []
    return float(values[0].reshape(())) if len(values) == 1 and values[0].size == 1 else None


def computes_with(node: Node | None, value: float) -> bool:
    """Tell whether the single number with which a node computes is `value`, in float32."""
    found = scalar_of(node)
    return found is not None and isclose(found, value, rel_tol=CLOSE)


def _layer_norm(uses: Uses, div: Node) -> Found | None:
    """Match (x - mean) / sqrt(mean of squares + eps), with what scales and shifts it, from its division on."""
    if len(div.xs) != 2:
        return None
    root = uses.maker(div.inputs[1], "Sqrt")
    plus = root and uses.maker(root.x, "Add")
    variance = plus and uses.maker(plus.x, "ReduceMean")
    square = variance and uses.maker(variance.x, "Pow", "Mul")
    centred = uses.maker(div.inputs[0], "Sub")
    mean = centred and len(centred.xs) == 2 and uses.maker(centred.inputs[1], "ReduceMean")
    if not (root and plus and variance and square and centred and mean) or mean.x != centred.inputs[0]:
        return None
    squared = square.inputs == (centred.y, centred.y) if square.op == "Mul" else computes_with(square, 2)
    axis, eps = _last_axes(mean), scalar_of(plus)
    if not squared or square.x != centred.y or axis is None or axis != _last_axes(variance) or eps is None:
        return None
    members = [mean, centred, square, variance, plus, root, div]
    shape = mean.x_shape[axis:]
    weight, members = _operand(uses, members, "Mul", shape)
    bias, members = _operand(uses, members, "Add", shape)
    plain = f"{div.y}.scale"
    constants = {**div.constants, plain: np.ones(shape, np.float32)}
    inputs = (mean.x, weight or plain, *([bias] if bias else []))
    made = one("LayerNormalization", div, mean, members)
    attributes = {"axis": axis, "epsilon": eps}
    return replace(made, node=replace(made.node, attributes=attributes, inputs=inputs, constants=constants))


def _last_axes(node: Node) -> int | None:
    """Return the first of the last axes over which a mean is taken that keeps them; None for another mean."""
    axes, rank = axes_of(node), len(node.x_shape)
    places = sorted(a % rank for a in axes) if axes else []
    if not places or not node.get("keepdims", 1) or places != list(range(places[0], rank)):
        return None
    return int(places[0])


def _operand(uses: Uses, members: list[Node], op: str, shape: tuple[int, ...]) -> tuple[str, list[Node]]:
    """Return the constant of `shape` with which the only reader of the last member computes, and all members."""
    node = uses.reader(members[-1].y, op)
    if node is None or len(node.xs) != 1 or len(node.inputs) != 2:
        return "", members
    (name,) = (i for i in node.inputs if i != node.x)
    value = node.named(name)
    fits = value is not None and (value.shape == shape or value.size == 1)
    return (name, [*members, node]) if fits else ("", members)


def _gelu(uses: Uses, erf: Node) -> Found | None:
    """Match x (1 + erf(x / sqrt 2)) / 2 from its Erf on; x or the product may be what is halved."""
    inner = uses.maker(erf.x, "Div", "Mul")
    plus = uses.reader(erf.y, "Add")
    if (
        not inner
        or not computes_with(inner, sqrt(2) if inner.op == "Div" else sqrt(0.5))
        or inner.inputs[0] != inner.x
    ):
        return None
    product = uses.reader(plus.y, "Mul") if plus and computes_with(plus, 1) else None
    if not plus or not product or len(product.xs) != 2:
        return None
    (other,) = (x for x in product.xs if x != plus.y)
    half = uses.maker(other, "Mul")
    if other == inner.x:
        half = uses.reader(product.y, "Mul")
        members = [inner, erf, plus, product, half]
    else:
        members = [half, inner, erf, plus, product]
    if not half or not computes_with(half, 0.5) or (half is members[0] and half.x != inner.x):
        return None
    return one("Gelu", erf, inner, [m for m in members if m])


def _silu(uses: Uses, product: Node) -> Found | None:
    """Match x sigmoid(x) from its product on."""
    sigmoid = next((s for x in product.xs if (s := uses.maker(x, "Sigmoid"))), None)
    if not sigmoid or set(product.xs) != {sigmoid.y, sigmoid.x}:
        return None
    return one(SWISH, product, sigmoid, (sigmoid, product))


def one(op: str, at: Node, first: Node, members: Iterable[Node]) -> Found:
    """Return a node of `op`, found at node `at`, in place of the last member: it reads the single tensor that `first` reads."""
    whole = tuple(members)
    made = replace(whole[-1], title=at.title, op=op, attributes={}, inputs=(first.x,), x=first.x)
    return Found(replace(made, x_shape=first.x_shape, xs=(first.x,), x_shapes=(first.x_shape,)), whole)


Pattern = Callable[[Uses, Node], Found | None]
_PATTERNS: dict[str, tuple[Pattern, ...]] = {
    "Div": (_layer_norm,),
    "Erf": (_gelu,),
    "Mul": (_silu,),
}
