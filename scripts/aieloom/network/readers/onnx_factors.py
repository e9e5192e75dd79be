"""Numbers that scale an operand or the result of a product of two activations, as that product's own factor."""

from __future__ import annotations

from dataclasses import replace

from aieloom.network.readers.onnx_graph import Node

BATCH_MATMUL = "aieloom.BatchMatMul"  # a node that no file has


def folded_factors(nodes: list[Node]) -> list[Node]:
    """Return the nodes without those that scale what a product of two activations alone reads, or its result."""
    readers: dict[str, list[Node]] = {}
    for node in nodes:
        for x in node.xs:
            readers.setdefault(x, []).append(node)
    makers = {node.y: node for node in nodes}
    stands: dict[str, str] = {}  # for what is left out: the tensor in its place
    factors: dict[str, float] = {}
    for node in nodes:
        if node.op != BATCH_MATMUL:
            continue
        beside = [makers[x] for x in node.xs if x in makers and len(readers[x]) == 1]
        behind = readers.get(node.y, [])
        factor = 1.0
        for scaled in (*beside, *(behind if len(behind) == 1 else [])):
            number = _factor(scaled)
            if number is not None:
                factor *= number
                stands[scaled.y] = scaled.x
        factors[node.y] = factor
    return [_changed(node, stands, factors) for node in nodes if node.y not in stands]


def _changed(node: Node, stands: dict[str, str], factors: dict[str, float]) -> Node:
    xs = tuple(stands.get(x, x) for x in node.xs)
    made = replace(node, x=xs[0], xs=xs, inputs=tuple(stands.get(i, i) for i in node.inputs))
    if node.y in factors:
        return replace(made, attributes={**node.attributes, "factor": factors[node.y]})
    return made


def _factor(node: Node) -> float | None:
    """Return the number that a node multiplies by."""
    if node.op not in ("Mul", "Div") or len(node.xs) != 1 or len(node.inputs) != 2:
        return None
    first = node.inputs[0] != node.x
    value = node.optional(0 if first else 1)
    if value is None or value.size != 1 or (node.op == "Div" and (first or not value.any())):
        return None
    number = float(value.reshape(()))
    return number if node.op == "Mul" else 1 / number
