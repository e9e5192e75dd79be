"""The layers that ONNX nodes become, with what each reads: a graph that grows node by node.

A translator sees the pieces on the way from the model's input to its node, and returns them with its own. That way is
the whole network in a chain; behind a join it goes on along the join's first input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from aieloom.network.readers.onnx_factors import BATCH_MATMUL
from aieloom.network.readers.onnx_graph import GRAPH_OUTPUTS, Graph, Node
from aieloom.network.readers.onnx_nodes import Piece, Pieces
from aieloom.network.readers.onnx_quant import INPUT, moves
from aieloom.network.readers.onnx_rounding import before_border
from aieloom.network.readers.onnx_rows import batch_matmul
from aieloom.network.readers.refused import Refused
from aieloom.network.readers.registry import onnx_readers

SOURCE = -1  # the model's input among the entries
JOINS = (
    "Add",
    BATCH_MATMUL,
    "Concat",
    "Div",
    "Mul",
    "Sub",
    "Sum",
    GRAPH_OUTPUTS,
)  # operators that may take several branches
APART = Piece("identity")  # behind a layer that a node is not to be taken into
ARITHMETIC = {"Div": "div", "Mul": "mul", "Sub": "sub"}
Translator = Callable[[Node, Pieces], Pieces]


@dataclass(slots=True)
class Entry:
    """A layer to be, and the entries that it reads."""

    piece: Piece
    inputs: tuple[int, ...]


class OnnxLayers:
    """All layers so far, and which of them gives each tensor."""

    def __init__(self, graph: Graph) -> None:
        self.entries: list[Entry] = []
        self.source: Piece | None = None  # what is known of the model's input, when it is quantised
        self.moving: set[str] = set()  # the tensors of nodes that only move what they read
        self._graph = graph
        self._at = {graph.input_name: SOURCE}
        self._shared: set[int] = set()  # entries that several nodes read

    def add(self, node: Node, translate: Translator, check: Callable[[Node], None]) -> None:
        """Add a node's layers.

        Raises:
            Refused: the node cannot be taken; what reads it is followed all the same, to name all nodes at fault.
        """
        for x in node.xs:
            if self._graph.readers(x) > 1:
                self._shared.add(self._at[x])
        self._at[node.y] = self._at[node.x]
        check(node)
        if len(node.xs) > 1:
            self._at[node.y] = self._join(node)
        else:
            self._extend(node, translate)

    def settled(self) -> Iterator[Refused]:
        """Put tables before borders that need them, once all nodes are there; yield what cannot be."""
        found: list[Entry] = []
        places = {SOURCE: SOURCE}
        head = [self.source] if self.source else []
        for index, entry in enumerate(self.entries):
            inputs = tuple(places[i] for i in entry.inputs)
            if entry.piece.op == "pad" and entry.piece.keys.get("value"):
                before = [*head, *(self.entries[i].piece for i in self._way(entry.inputs[0]))]
                try:
                    for piece in before_border(entry.piece, before):
                        found.append(Entry(piece, inputs))
                        inputs = (len(found) - 1,)
                except Refused as e:
                    yield e
            found.append(Entry(entry.piece, inputs))
            places[index] = len(found) - 1
        self.entries = found

    def _extend(self, node: Node, translate: Translator) -> None:
        way = self._way(self._at[node.x])
        head = [self.source] if self.source else []
        before = [*head, *(self.entries[i].piece for i in way)]
        made = translate(node, before)
        is_altered = bool(way) and set(before[-1].tensors) != set(made[len(before) - 1].tensors)
        if is_altered and way[-1] in self._shared:
            made = [*before, *translate(node, [*before, APART])[len(before) + 1 :]]  # others read it as it is
        if made and made[0].op == INPUT:
            self.source, made, before = made[0], made[1:], before[len(head) :]
        common = next(
            (i for i, (a, b) in enumerate(zip(before, made, strict=False)) if a is not b),
            min(len(before), len(made)),
        )
        changed, new = made[common : len(before)], made[len(before) :]
        if not changed and all(moves(piece) for piece in new):
            self.moving.add(node.y)
        for offset, piece in enumerate(changed):
            # With more than before: a bias, or what its results mean.
            self.entries[way[common + offset]].piece = piece
        at = way[-1] if way else SOURCE
        for piece in new:
            self.entries.append(Entry(piece, (at,)))
            at = len(self.entries) - 1
        self._at[node.y] = at

    def _way(self, at: int) -> list[int]:
        """Return the entries from the model's input to entry `at`, along first inputs."""
        found: list[int] = []
        while at != SOURCE:
            found.append(at)
            at = self.entries[at].inputs[0]
        return found[::-1]

    def _join(self, node: Node) -> int:
        """Add the layer in which branches meet; return its entry."""
        if node.op in onnx_readers():
            return self._add_all(onnx_readers()[node.op].read(node, []), tuple(self._at[x] for x in node.xs))
        if node.op == "MatMul":  # of those that onnx_views follows
            shapes = " and ".join(map(str, node.x_shapes))
            text = f"multiplies two activations, as rows {shapes}: the axes before their matrices differ, or both are one"
            raise Refused(text, "give both the same leading axes (heads)")
        if node.op not in JOINS:
            known = ", ".join(sorted({*JOINS, "MatMul"} - {BATCH_MATMUL, GRAPH_OUTPUTS}))
            raise Refused(
                f"joins {len(node.xs)} branches ({', '.join(node.xs)}); only {known} do",
                "leave the branch out",
            )
        if len(node.xs) < len([i for i in node.inputs if i]):
            raise Refused(
                f"joins branches and a constant ({', '.join(node.inputs)})",
                "add the constant before, as a bias",
            )
        inputs = tuple(self._at[x] for x in node.xs)
        if node.op in WHOLE:
            return self._add_all(WHOLE[node.op](node), inputs)
        if node.op in ARITHMETIC:
            return self._arithmetic(node, inputs)
        return self._sum(node, inputs)

    def _add_all(self, pieces: Pieces, inputs: tuple[int, ...]) -> int:
        """Add layers one behind the other, the first of which reads all `inputs`; return the last one's entry."""
        for piece in pieces:
            self.entries.append(Entry(piece, inputs))
            inputs = (len(self.entries) - 1,)
        return inputs[0]

    def _sum(self, node: Node, inputs: tuple[int, ...]) -> int:
        if len(set(node.x_shapes)) > 1:
            shapes = " and ".join(map(str, node.x_shapes))
            raise Refused(f"adds branches of the shapes {shapes}", "give both branches one shape")
        first, *rest = inputs
        for other in rest:
            self.entries.append(Entry(Piece("add"), (first, other)))
            first = len(self.entries) - 1
        return first

    def _arithmetic(self, node: Node, inputs: tuple[int, ...]) -> int:
        """Add an operation on two branches; where one is to be repeated along an axis, it stands second."""
        first, second = inputs
        shapes = list(node.x_shapes)
        if node.op == "Mul" and shapes[0] != node.y_shape:
            first, second, shapes = second, first, shapes[::-1]
        fits = len(shapes[0]) == len(shapes[1]) and all(b in (1, a) for a, b in zip(*shapes, strict=True))
        if not fits or shapes[0] != node.y_shape:
            text = f"computes with branches of the shapes {' and '.join(map(str, node.x_shapes))}"
            raise Refused(text, "give both one shape, or the first the larger one")
        self.entries.append(Entry(Piece(ARITHMETIC[node.op]), (first, second)))
        return len(self.entries) - 1


def _concat(node: Node) -> Pieces:
    axis = int(node.get("axis", 1)) % len(node.y_shape)
    if axis != (len(node.y_shape) - 1 if node.matrix else 1):
        raise Refused(
            f"concatenates {node.x_shape} along axis {axis}; only channels, or a row's features, are supported",
            "use axis 1, or the last one of rows",
        )
    return [Piece("concat")]


# What takes several branches as they are.
WHOLE: Mapping[str, Callable[[Node], Pieces]] = {
    BATCH_MATMUL: lambda node: [batch_matmul(node)],
    "Concat": _concat,
    GRAPH_OUTPUTS: lambda _node: [Piece("graph_outputs")],
}
