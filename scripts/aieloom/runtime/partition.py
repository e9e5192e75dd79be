"""Which part of an ONNX graph the device takes: the largest one that aieloom can read (network/parts.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aieloom.errors import SpecError
from aieloom.network.parts import Dag, Part, numbers
from aieloom.network.readers.onnx_model import title_of
from aieloom.network.readers.onnx_quant import PRODUCTS

if TYPE_CHECKING:
    import onnx

HEAVY = frozenset({*PRODUCTS, "QLinearConv", "QLinearMatMul"})
TRIED = 60  # parts that are read before the processor takes everything


@dataclass(frozen=True, kw_only=True)
class Cut:
    """The graph around a part: what the processor computes before it and behind it, as the tensors at the ends of each."""

    before: tuple[str, ...]  # tensors that are wanted of what lies before, or beside
    behind: tuple[str, ...]  # tensors that what lies behind is given: the part's result and others


class Flow:
    """An ONNX graph as who reads what; constants are no tensors of it.

    Raises:
        SpecError: its nodes are in no order in which they can be computed.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        self.nodes = list(model.graph.node)
        constants = {t.name for t in model.graph.initializer}
        self.inputs = tuple(i.name for i in model.graph.input if i.name not in constants)
        self.outputs = tuple(o.name for o in model.graph.output)
        self.maker = {y: number for number, node in enumerate(self.nodes) for y in node.output if y}
        fixed, reads = (
            set(constants),
            list[tuple[str, ...]](),
        )  # what follows from constants alone is constant
        for node in self.nodes:
            reads.append(tuple(dict.fromkeys(x for x in _reads(node) if x and x not in fixed)))
            fixed.update(() if reads[-1] else node.output)
        self._check_order(reads)
        makes = [tuple(y for y in node.output if y and y not in fixed) for node in self.nodes]
        self.dag = Dag(self.inputs, reads, makes, self.outputs)

    def _check_order(self, all_reads: list[tuple[str, ...]]) -> None:
        """Check that each node reads what nodes before it make, as ONNX demands and all that follows here relies on.

        Raises:
            SpecError: one reads its own result, or that of a node behind it.
        """
        for number, reads in enumerate(all_reads):
            for name in reads:
                if self.maker.get(name, -1) >= number:
                    own = title_of(self.nodes[number], number)
                    other = title_of(self.nodes[self.maker[name]], self.maker[name])
                    text = f"{own} reads '{name}', which {other} makes, no node before it"
                    remedy = "sort the nodes so that each follows those that it reads, as ONNX says; a circle cannot be run"
                    raise SpecError(rule="session", text=text, remedy=remedy)

    def parts(self, refused: frozenset[int]) -> Iterator[Part]:
        """Yield the parts that can be taken out and have no refused node, those of most products and nodes first."""
        heavy = sum(1 << n for n, node in enumerate(self.nodes) if node.op_type in HEAVY)
        found = (part for part in self.dag.parts(sum(1 << n for n in refused)) if part.nodes & heavy)
        yield from sorted(found, key=lambda p: (-(p.nodes & heavy).bit_count(), -p.nodes.bit_count()))

    def cut(self, part: Part) -> Cut:
        """Return what lies around a part: all that does not follow from its result is computed before it."""
        behind = self.dag.behind(part.result)
        wanted = {x for n in numbers(behind) for x in self.dag.reads[n]} | set(self.outputs)
        from_behind = {y for n in numbers(behind) for y in self.nodes[n].output}
        given = tuple(x for x in dict.fromkeys((part.result, *sorted(wanted))) if x not in from_behind)
        before = tuple(
            x for x in dict.fromkeys((*part.sources, *given)) if x in self.maker and x != part.result
        )
        return Cut(before=before, behind=given)


def _reads(node: onnx.NodeProto) -> Iterator[str]:
    """Yield what a node reads, and what the graphs inside it read of outside."""
    yield from node.input
    for attribute in node.attribute:
        for graph in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
            inside = {y for n in graph.node for y in n.output} | {t.name for t in graph.initializer}
            inside |= {i.name for i in graph.input}
            yield from (x for n in graph.node for x in _reads(n) if x not in inside)
            yield from (o.name for o in graph.output if o.name not in inside)


def choose(
    model: onnx.ModelProto, read: Callable[[Part | None], None]
) -> tuple[Part | None, tuple[str, ...]]:
    """Return the largest part that the device takes, and why it is not the whole graph.

    `read` tries a part, None the whole graph, and raises what is wrong with it. (None, ()) is the whole graph.

    Raises:
        SpecError: no part can be taken.
    """
    try:
        read(None)
    except SpecError as e:
        whole = e
    else:
        return None, ()
    flow = Flow(model)
    titles = {title_of(node, i): i for i, node in enumerate(flow.nodes)}
    texts = [p.text for p in whole.problems]
    refused = frozenset(n for title, n in titles.items() if any(t.startswith(title) for t in texts))
    for _, part in zip(range(TRIED), flow.parts(refused), strict=False):
        try:
            read(part)
        except SpecError:
            continue
        return part, tuple(texts)
    raise whole
