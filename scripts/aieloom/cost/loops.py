"""A kernel as nested loops of counted operations, and what the loops cost on one core.

The counts are what a counting build of the emulator counts on a run; the cycles follow from how many of each operation the
core issues at once: one vector MAC, two loads and one store a cycle, one 32-bit stream word a cycle
[AM009, UG1079]. A loop adds its entry (filling and draining the software pipeline) and what each trip costs
that the pipeline does not hide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Ops:
    """How many operations of each kind; `macs` counts vector MAC issue slots, `scalars` scalar MAC steps.

    Loads and stores are accesses of 256 bits. `load_slots` is what the busier of the two load units does where
    each operand comes over a unit of its own.
    """

    loads: float = 0
    load_slots: float = 0
    stores: float = 0
    macs: float = 0
    shuffles: float = 0
    scalars: float = 0
    stream_words: float = 0
    cascades: float = 0  # beats: 384 bits on AIE, 512 on AIE-ML

    def __add__(self, other: Ops) -> Ops:
        return Ops(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(Ops)})

    def times(self, count: float) -> Ops:
        """Return the operations of `count` repetitions."""
        return Ops(**{f.name: getattr(self, f.name) * count for f in fields(Ops)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """Cycles that one operation of each kind holds its unit; the units work side by side."""

    load: float = 0.5  # two load units
    store: float = 1.0
    mac: float = 1.0
    shuffle: float = 1.0
    scalar: float = 1.0
    stream_word: float = 1.0
    cascade: float = 1.0

    def cycles(self, ops: Ops) -> float:
        """Return cycles of one straight piece of code: the busiest unit, then what is scalar."""
        busiest = max(
            ops.loads * self.load,
            ops.load_slots,
            ops.stores * self.store,
            ops.macs * self.mac,
            ops.shuffles * self.shuffle,
            ops.stream_words * self.stream_word,
            ops.cascades * self.cascade,
        )
        return busiest + ops.scalars * self.scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """`trips` times the body; `entry` once per execution, `each` once per trip.

    `pipelined` says that the source marks it with chess_prepare_for_pipelining.
    """

    trips: float
    body: tuple[Loop | Ops, ...]
    entry: float = 0.0
    each: float = 0.0
    pipelined: bool = False


Node = Loop | Ops


def counts(*nodes: Node) -> Ops:
    """Return all operations of the nodes, loops multiplied out."""
    total = Ops()
    for node in nodes:
        total += node if isinstance(node, Ops) else counts(*node.body).times(node.trips)
    return total


def paired_loads(*nodes: Node) -> float:
    """Return in how many cycles both load units load, of the operations that say what the busier one does."""
    total = 0.0
    for node in nodes:
        if isinstance(node, Loop):
            total += node.trips * paired_loads(*node.body)
        elif node.load_slots:
            total += node.loads - node.load_slots
    return total


def pipelined_trips(*nodes: Node) -> float:
    """Return how often the bodies of pipelined loops run in all."""
    loops = [n for n in nodes if isinstance(n, Loop)]
    return sum(n.trips * (n.pipelined + pipelined_trips(*n.body)) for n in loops)


def cycles(nodes: Sequence[Node], issue: Issue) -> float:
    """Return cycles of the nodes one after another."""
    return sum(_node_cycles(node, issue) for node in nodes)


def _node_cycles(node: Node, issue: Issue) -> float:
    if isinstance(node, Ops):
        return issue.cycles(node)
    return node.entry + node.trips * (node.each + cycles(node.body, issue))
