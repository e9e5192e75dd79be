"""The parts of a graph that can be taken out of it: layers for the device, nodes of an ONNX model.

A part is all that lies between its source and its result: what reads the source or follows from it, and leads to the result; or
all that leads from several of the graph's inputs to the result. It can be taken out when its nodes read nothing but its sources
and one another, and nothing but the result is read outside. Then it is convex: no way leaves it and comes back, so the graph
is this part, what it needs, and what follows from it.

Sets of nodes are bits of an integer here: a node's number is its bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a graph: the tensors at its ends, and its nodes."""

    sources: tuple[str, ...]  # one, or several inputs of the graph
    result: str
    nodes: int

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of its nodes, in order of evaluation."""
        return tuple(numbers(self.nodes))


def numbers(bits: int) -> Iterator[int]:
    """Yield the numbers of nodes, in order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


class Dag:
    """A graph as who reads what: nodes in order of evaluation, the tensors that each reads and makes."""

    def __init__(
        self,
        inputs: Sequence[str],
        reads: Sequence[Iterable[str]],
        makes: Sequence[Sequence[str]],
        outputs: Iterable[str],
    ) -> None:
        self.inputs, self.reads, self.makes = tuple(inputs), tuple(map(frozenset, reads)), makes
        self.maker = {y: number for number, made in enumerate(makes) for y in made}
        self.readers: dict[str, int] = {}  # of each tensor
        self.above: list[int] = []  # by node: those that it follows from, itself among them
        for number, names in enumerate(self.reads):
            bits = 1 << number
            for name in names:
                self.readers[name] = self.readers.get(name, 0) | 1 << number
                if name in self.maker:
                    bits |= self.above[self.maker[name]]
            self.above.append(bits)
        self._leave = frozenset(outputs)

    def behind(self, *tensors: str) -> int:
        """Return the nodes that read tensors, or follow from what reads them."""
        bits, known = 0, {*tensors}
        for number, names in enumerate(self.reads):
            if not known.isdisjoint(names):
                bits |= 1 << number
                known.update(self.makes[number])
        return bits

    def ends(self, nodes: int) -> tuple[list[str], list[str]]:
        """Return the tensors that nodes read of others, and those that they give to others or to outside."""
        own = [y for number in numbers(nodes) for y in self.makes[number]]
        read = {x for number in numbers(nodes) for x in self.reads[number]}
        given = [y for y in own if y in self._leave or self.readers.get(y, 0) & ~nodes]
        return sorted(read - {*own}), given

    def parts(self, avoid: int = 0) -> Iterator[Part]:
        """Yield the parts that can be taken out and have none of the nodes `avoid`."""
        ends = [(y, self.above[last], self._kept(y)) for y, last in self.maker.items()]
        for source in (*self.inputs, *self.maker):
            behind = self.behind(source)
            fed = self._fed(source, behind)
            for result, leading, kept in ends:
                nodes = behind & leading
                if nodes and not nodes & (avoid | ~fed | ~kept):
                    yield Part(sources=(source,), result=result, nodes=nodes)
        for result, nodes, kept in ends:
            sources = tuple(x for x in self.inputs if self.readers.get(x, 0) & nodes)
            if len(sources) > 1 and not nodes & (avoid | ~kept):
                yield Part(sources=sources, result=result, nodes=nodes)

    def _fed(self, source: str, behind: int) -> int:
        """Return the nodes that read nothing but the source and what follows from it."""
        known = {source, *(y for number in numbers(behind) for y in self.makes[number])}
        return sum(1 << number for number in numbers(behind) if self.reads[number] <= known)

    def _kept(self, result: str) -> int:
        """Return the nodes of which nothing but the result is read by others than those that lead to it."""
        leading = self.above[self.maker[result]]
        return sum(
            1 << number
            for number in numbers(leading)
            if all(
                y == result or (y not in self._leave and not self.readers.get(y, 0) & ~leading)
                for y in self.makes[number]
            )
        )
