"""Which part of an ONNX graph the device takes: the largest one that aieloom can read, with one tensor out.

A part is all that lies between a tensor `t` and a tensor `e`: what reads `t` or follows from it, and leads to `e`; or all that
leads from several of the graph's inputs to `e`. It can be taken out when its nodes read nothing but `t`, or those inputs, one
another and constants, and nothing but `e` is read outside. Then it is convex: no way leaves it and comes back, so the graph is
this part, what it needs, and what follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from aieloom.errors import Problem, SpecError
from aieloom.network.readers.onnx_model import title_of
from aieloom.network.readers.onnx_quant import PRODUCTS

if TYPE_CHECKING:
    import onnx

HEAVY = frozenset({*PRODUCTS, "QLinearConv", "QLinearMatMul"})
TRIED = 60  # parts that are read before the processor takes everything


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of a graph: the tensors at its ends and its nodes, by their numbers."""

    sources: tuple[str, ...]  # one, or several inputs of the graph
    result: str
    nodes: frozenset[int]


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
        self.graph = model.graph
        self.nodes = list(model.graph.node)
        constants = {t.name for t in model.graph.initializer}
        self.inputs = tuple(i.name for i in model.graph.input if i.name not in constants)
        self.outputs = tuple(o.name for o in model.graph.output)
        self.maker: dict[str, int] = {}
        fixed = set(constants)  # what follows from constants alone is constant
        self.reads: list[tuple[str, ...]] = []
        for number, node in enumerate(self.nodes):
            reads = tuple(dict.fromkeys(x for x in _reads(node) if x and x not in fixed))
            self.reads.append(reads)
            if not reads:
                fixed.update(node.output)
            self.maker.update({y: number for y in node.output if y})
        self.fixed = fixed
        self._check_order()

    def _check_order(self) -> None:
        """Check that each node reads what nodes before it make, as ONNX demands and all that follows here relies on.

        Raises:
            SpecError: one reads its own result, or that of a node behind it.
        """
        for number, reads in enumerate(self.reads):
            for name in reads:
                if self.maker.get(name, -1) >= number:
                    own = title_of(self.nodes[number], number)
                    other = title_of(self.nodes[self.maker[name]], self.maker[name])
                    text = f"{own} reads '{name}', which {other} makes, no node before it"
                    remedy = "sort the nodes so that each follows those that it reads, as ONNX says; a circle cannot be run"
                    raise SpecError(Problem(rule="session", text=text, remedy=remedy))

    @cached_property
    def readers(self) -> dict[str, set[int]]:
        """The nodes that read each tensor."""
        found: dict[str, set[int]] = {}
        for number, reads in enumerate(self.reads):
            for name in reads:
                found.setdefault(name, set()).add(number)
        return found

    @cached_property
    def above(self) -> list[int]:
        """By node: the nodes that it follows from, itself among them, as bits."""
        found: list[int] = []
        for number, reads in enumerate(self.reads):
            bits = 1 << number
            for name in reads:
                if name in self.maker:
                    bits |= found[self.maker[name]]
            found.append(bits)
        return found

    def below(self, tensor: str) -> int:
        """Return the nodes that follow from a tensor, as bits."""
        bits = 0
        found = {tensor}
        for number, reads in enumerate(self.reads):
            if found.intersection(reads):
                bits |= 1 << number
                found.update(self.nodes[number].output)
        return bits

    def parts(self, refused: frozenset[int]) -> Iterator[Part]:
        """Yield the parts that can be taken out and have no refused node, those of most products and nodes first."""
        avoid = sum(1 << n for n in refused)
        heavy = sum(1 << n for n, node in enumerate(self.nodes) if node.op_type in HEAVY)
        found: list[tuple[int, int, Part]] = []
        sources = (*self.inputs, *(y for y in self.maker if y not in self.fixed))
        for source in sources:
            below = self.below(source)
            for result, last in self.maker.items():
                bits = self.above[last] & below
                if not bits >> last & 1 or bits & avoid or not bits & heavy:
                    continue
                part = Part(sources=(source,), result=result, nodes=frozenset(_numbers(bits)))
                if self._is_closed(part):
                    found.append(((bits & heavy).bit_count(), bits.bit_count(), part))
        found += self._from_inputs(avoid, heavy)
        found.sort(key=lambda f: f[:2], reverse=True)
        yield from (part for _, _, part in found)

    def _from_inputs(self, avoid: int, heavy: int) -> Iterator[tuple[int, int, Part]]:
        """Yield the parts that lead from several of the graph's inputs to a tensor, with their products and nodes."""
        for result, last in self.maker.items():
            bits = self.above[last]
            read = {x for n in _numbers(bits) for x in self.reads[n]}
            sources = tuple(i for i in self.inputs if i in read)
            if bits & avoid or not bits & heavy or len(sources) < 2:
                continue
            part = Part(sources=sources, result=result, nodes=frozenset(_numbers(bits)))
            if self._is_closed(part):
                yield (bits & heavy).bit_count(), bits.bit_count(), part

    def _is_closed(self, part: Part) -> bool:
        """Tell whether a part reads its sources alone, and gives its result alone."""
        made = {y for n in part.nodes for y in self.nodes[n].output}
        if any(set(self.reads[n]) - made - {*part.sources} for n in part.nodes):
            return False
        inner = made - {part.result}
        return not any(self.readers.get(y, set()) - part.nodes or y in self.outputs for y in inner)

    def cut(self, part: Part) -> Cut:
        """Return what lies around a part: all that does not follow from its result is computed before it."""
        behind = self.below(part.result)
        wanted = {x for n in _numbers(behind) for x in self.reads[n]} | set(self.outputs)
        from_behind = {y for n in _numbers(behind) for y in self.nodes[n].output}
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


def _numbers(bits: int) -> Iterator[int]:
    number = 0
    while bits:
        if bits & 1:
            yield number
        bits >>= 1
        number += 1


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
