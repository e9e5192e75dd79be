"""Calls of an exported program that write into a tensor which others still see, by the aliases that their schemas state.

An exported program keeps what forward() says: `y[:, :2] = 0` is a slice of y and a call that writes into it, and y is another
tensor afterwards. A reader that follows results alone does not see that, so such a program is refused. What is written into
and read by its writer's result alone, as in relu(inplace=True), is the same as a new tensor.
Facts: PyTorch's native_functions/README.md, "Annotations": `Tensor(a!)` is written, of `Tensor(a)` a result is a view.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch.fx import Graph, Node

# What gives its input itself in evaluation mode, which no schema states.
SAME = ("alpha_dropout", "dropout", "feature_alpha_dropout", "feature_dropout")


def written_views(graph: Graph) -> Iterator[tuple[Node, str]]:
    """Yield the calls that write into a tensor of which an alias is read behind them, and the name of that alias."""
    order = {node: place for place, node in enumerate(graph.nodes)}
    parents = {node: parent for node in order if (parent := _parent(node)) is not None}
    for node, place in order.items():
        for given in _written(node):
            root = _root(given, parents)
            seen = [n for n in order if _root(n, parents) is root and not _follows(n, node, parents)]
            late = [n for n in seen if any(order[u] > place for u in n.users)]
            if late:
                yield node, late[0].name


def _parent(node: Node) -> Node | None:
    """Return the tensor that a call's result is a view of, or which it wrote into; None of a new one."""
    if node.target is operator.getitem:
        return _node(node.args[0])
    schema: Any = getattr(node.target, "_schema", None)
    if schema is None:
        return None
    if schema.name.removeprefix("aten::") in SAME:
        return _node(node.args[0])
    marked = (value for argument, value in _arguments(node, schema) if argument.alias_info)
    return next((found for value in marked if (found := _node(value)) is not None), None)


def _written(node: Node) -> Iterator[Node]:
    """Yield the tensors that a call writes into."""
    schema: Any = getattr(node.target, "_schema", None)
    for argument, value in _arguments(node, schema) if schema else ():
        if argument.alias_info and argument.alias_info.is_write:
            for one in value if isinstance(value, list | tuple) else (value,):
                found = _node(one)
                if found is not None:
                    yield found


def _arguments(node: Node, schema: Any) -> Iterator[tuple[Any, Any]]:
    yield from zip(schema.arguments, node.args, strict=False)
    yield from ((a, node.kwargs[a.name]) for a in schema.arguments if a.name in node.kwargs)


def _node(value: object) -> Node | None:
    from torch.fx import Node as AnyNode  # noqa: PLC0415 - seconds of start-up that only this format needs

    return value if isinstance(value, AnyNode) else None


def _root(node: Node, parents: dict[Node, Node]) -> Node:
    while node in parents:
        node = parents[node]
    return node


def _follows(node: Node, writer: Node, parents: dict[Node, Node]) -> bool:
    """Tell whether a tensor is what a call wrote, or a view of that."""
    while node is not writer and node in parents:
        node = parents[node]
    return node is writer
