"""The nodes of an ONNX model in the order of evaluation: tools that edit graphs append where they should insert."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from aieloom.network.readers.refused import Refused

if TYPE_CHECKING:
    import onnx


def sort_nodes(graph: onnx.GraphProto) -> None:
    """Put a graph's nodes, and those of the graphs inside them, behind what they read; others keep their places.

    Raises:
        Refused: nodes read each other's results in a circle.
    """
    for node in graph.node:
        for inner in _inner(node):
            sort_nodes(inner)
    order = _order(graph)
    if len(order) < len(graph.node):
        left = sorted(set(range(len(graph.node))) - set(order))
        names = ", ".join(f"'{o}'" for i in left[:3] for o in graph.node[i].output[:1])
        text = f"{len(left)} nodes wait for each other's results, those that make {names} among them"
        raise Refused(text, "correct an input of one of them, so that there is no circle")
    if order != sorted(order):
        nodes = [deepcopy(graph.node[i]) for i in order]  # deleting the list empties its elements
        del graph.node[:]
        graph.node.extend(nodes)


def _order(graph: onnx.GraphProto) -> list[int]:
    """Return the numbers of the nodes in order of evaluation, of several that are possible the first; none of a circle."""
    makers = {name: i for i, node in enumerate(graph.node) for name in node.output if name}
    waits: list[set[int]] = []
    readers: dict[int, list[int]] = {}
    for i, node in enumerate(graph.node):
        waits.append({makers[name] for name in _read(node) if name in makers} - {i})
        for maker in waits[i]:
            readers.setdefault(maker, []).append(i)
    ready = [i for i, wait in enumerate(waits) if not wait]
    heapify(ready)
    order = []
    while ready:
        done = heappop(ready)
        order.append(done)
        for i in readers.get(done, ()):
            waits[i].discard(done)
            if not waits[i]:
                heappush(ready, i)
    return order


def _read(node: onnx.NodeProto) -> Iterator[str]:
    """Yield what a node reads, in graphs inside it what these have from outside."""
    yield from node.input
    for inner in _inner(node):
        own = {o for n in inner.node for o in n.output} | {v.name for v in (*inner.input, *inner.initializer)}
        yield from (name for n in inner.node for name in _read(n) if name not in own)
        yield from (o.name for o in inner.output if o.name not in own)


def _inner(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    for a in node.attribute:
        yield from (*([a.g] if a.HasField("g") else []), *a.graphs)
