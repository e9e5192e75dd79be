"""Nodes that older exporters write for one operator, put back into one.

Below opset 17 PyTorch's exporter writes a LayerNorm as means, differences, squares and a root, below opset 20 a GELU by
Erf, below 24 a SiLU by Sigmoid [ONNX operator specifications give these as the function bodies of LayerNormalization, Gelu,
Swish].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import isclose, sqrt

import numpy as np

from aieloom.network.readers.onnx_graph import Graph, Node
from aieloom.network.readers.onnx_nodes import axes_of

CLOSE = 1e-6  # relative: constants are float32
SWISH = "Swish"  # of opset 24


@dataclass(frozen=True, slots=True)
class _Found:
    """The node that stands for `members`, in place of the last of them."""

    node: Node
    members: tuple[Node, ...]


class _Uses:
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
    uses = _Uses(graph)
    found = {f.members[-1].y: f for node in graph.nodes for f in _matches(uses, node)}
    gone = {m.y for f in found.values() for m in f.members[:-1]}
    nodes = (found[n.y].node if n.y in found else n for n in graph.nodes if n.y not in gone)
    return replace(graph, nodes=tuple(nodes))


def _matches(uses: _Uses, node: Node) -> Iterator[_Found]:
    for match in _PATTERNS.get(node.op, ()):
        found = match(uses, node)
        if found and uses.closed(found.members):
            yield found


def _scalar(node: Node | None) -> float | None:
    """Return the single number with which a node computes."""
    values = [v for i in range(len(node.inputs)) if (v := node.optional(i)) is not None] if node else []
    return float(values[0].reshape(())) if len(values) == 1 and values[0].size == 1 else None


def _is(node: Node | None, value: float) -> bool:
    found = _scalar(node)
    return found is not None and isclose(found, value, rel_tol=CLOSE)


def _layer_norm(uses: _Uses, div: Node) -> _Found | None:
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
    squared = square.inputs == (centred.y, centred.y) if square.op == "Mul" else _is(square, 2)
    axis, eps = _last_axes(mean), _scalar(plus)
    if not squared or square.x != centred.y or axis is None or axis != _last_axes(variance) or eps is None:
        return None
    members = [mean, centred, square, variance, plus, root, div]
    shape = mean.x_shape[axis:]
    weight, members = _operand(uses, members, "Mul", shape)
    bias, members = _operand(uses, members, "Add", shape)
    one = f"{div.y}.scale"
    constants = {**div.constants, one: np.ones(shape, np.float32)}
    inputs = (mean.x, weight or one, *([bias] if bias else []))
    made = replace(
        _of(members[-1], mean.x, mean.x_shape, div.title),
        op="LayerNormalization",
        attributes={"axis": axis, "epsilon": eps},
        inputs=inputs,
        constants=constants,
    )
    return _Found(made, tuple(members))


def _last_axes(node: Node) -> int | None:
    """Return the first of the last axes over which a mean is taken that keeps them; None for another mean."""
    axes, rank = axes_of(node), len(node.x_shape)
    places = sorted(a % rank for a in axes) if axes else []
    if not places or not node.get("keepdims", 1) or places != list(range(places[0], rank)):
        return None
    return int(places[0])


def _operand(uses: _Uses, members: list[Node], op: str, shape: tuple[int, ...]) -> tuple[str, list[Node]]:
    """Return the constant of `shape` with which the only reader of the last member computes, and all members."""
    node = uses.reader(members[-1].y, op)
    if node is None or len(node.xs) != 1 or len(node.inputs) != 2:
        return "", members
    (name,) = (i for i in node.inputs if i != node.x)
    value = node.named(name)
    fits = value is not None and (value.shape == shape or value.size == 1)
    return (name, [*members, node]) if fits else ("", members)


def _gelu(uses: _Uses, erf: Node) -> _Found | None:
    """Match x (1 + erf(x / sqrt 2)) / 2 from its Erf on; x or the product may be what is halved."""
    inner = uses.maker(erf.x, "Div", "Mul")
    plus = uses.reader(erf.y, "Add")
    if not inner or not _is(inner, sqrt(2) if inner.op == "Div" else sqrt(0.5)) or inner.inputs[0] != inner.x:
        return None
    product = uses.reader(plus.y, "Mul") if plus and _is(plus, 1) else None
    if not plus or not product or len(product.xs) != 2:
        return None
    (other,) = (x for x in product.xs if x != plus.y)
    half = uses.maker(other, "Mul")
    if other == inner.x:
        half = uses.reader(product.y, "Mul")
        members = [inner, erf, plus, product, half]
    else:
        members = [half, inner, erf, plus, product]
    if not half or not _is(half, 0.5) or (half is members[0] and half.x != inner.x):
        return None
    whole = [m for m in members if m]
    made = replace(
        _of(whole[-1], inner.x, inner.x_shape, erf.title), op="Gelu", attributes={}, inputs=(inner.x,)
    )
    return _Found(made, tuple(whole))


def _silu(uses: _Uses, product: Node) -> _Found | None:
    """Match x sigmoid(x) from its product on."""
    sigmoid = next((s for x in product.xs if (s := uses.maker(x, "Sigmoid"))), None)
    if not sigmoid or set(product.xs) != {sigmoid.y, sigmoid.x}:
        return None
    made = replace(
        _of(product, sigmoid.x, sigmoid.x_shape, product.title), op=SWISH, attributes={}, inputs=(sigmoid.x,)
    )
    return _Found(made, (sigmoid, product))


def _of(last: Node, x: str, shape: tuple[int, ...], title: str) -> Node:
    """Return a node that reads `x` alone and gives what `last` gives."""
    return replace(last, title=title, x=x, x_shape=shape, xs=(x,), x_shapes=(shape,))


_PATTERNS: dict[str, tuple[Callable[[_Uses, Node], _Found | None], ...]] = {
    "Div": (_layer_norm,),
    "Erf": (_gelu,),
    "Mul": (_silu,),
}
