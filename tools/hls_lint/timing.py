"""Times within one turn of a loop, and round from turn to turn."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tools.hls_lint.delays import Cost, Kind, cost
from tools.hls_lint.ir import Function, Op

EDGE = 1e-9
NEVER = -1e9
Times = dict[str, float]
Scheduled = tuple[Op, list[Op], Cost]


@dataclass(frozen=True, slots=True)
class Round:
    """The slowest way from what a turn hands on to what the next one does."""

    ns: float  # a turn, the mean of the way
    between: tuple[str, str]
    way: list[Op]


class Timing:
    """The longest ways through one turn of a loop; `budget` is what of a period logic may take."""

    def __init__(self, f: Function, head: str, budget: float, kind: Kind) -> None:
        self.f, self.head, self.body, self.budget, self.kind = f, head, f.loops[head], budget, kind
        self.inside = [op for b in f.ops if b in self.body for op in f.ops[b]]

    def cycles(self, ns: float) -> int:
        """Return whole cycles."""
        return math.ceil(ns / self.budget - EDGE)

    def _needs(self, op: Op) -> list[Op]:
        """Return what an instruction waits for within the turn: operands, and conditions where ways meet."""
        if op.op == "phi" and op.block == self.head:
            return []
        names = [*op.args, *(self._choosing(op) if op.op == "phi" else ())]
        return [self.f.defs[a] for a in names if a in self.f.defs and self.f.defs[a].block in self.body]

    def _choosing(self, phi: Op) -> Iterator[str]:
        """Yield conditions of the branches that lead to different values of a phi."""
        chosen = {block: value for value, block in phi.incoming}
        if len(set(chosen.values())) < 2:
            return
        region = self._region(phi)
        known: dict[str, frozenset[str]] = {}  # values that a block leads to
        for block in (b for b in reversed(self.f.order) if b in region):
            ways = {
                frozenset([chosen[block]]) if after == phi.block else known.get(after, frozenset())
                for after in self.f.next[block]
                if after == phi.block or after in region
            }
            known[block] = frozenset[str]().union(*ways)
            if len(ways) > 1:
                yield from self.f.ops[block][-1].args

    def _region(self, phi: Op) -> set[str]:
        """Return the blocks between a phi and the one where its ways part."""
        region: set[str] = set()
        todo, stop = list(self.f.before[phi.block]), self.f.dominator[phi.block]
        while todo:
            block = todo.pop()
            if block not in region and block in self.body:
                region.add(block)
                todo += self.f.before[block] if block != stop else []
        return region

    @cached_property
    def order(self) -> list[Scheduled]:
        """Named instructions, each behind what it needs, with that and its cost; ways round inner loops are cut."""
        order: list[Scheduled] = []
        done: dict[str, bool] = {}  # False while what it needs is looked at
        for root in (op for op in self.inside if op.name):
            stack = [(root, self._needs(root))] if root.name not in done else []
            while stack:
                op, needs = stack[-1]
                done.setdefault(op.name, False)
                first = next((n for n in needs if n.name not in done), None)
                if first is not None:
                    stack.append((first, self._needs(first)))
                    continue
                stack.pop()
                if not done[op.name]:
                    done[op.name] = True
                    order.append((op, [n for n in needs if done[n.name]], cost(self.f, op, self.kind)))
        return order

    @cached_property
    def users(self) -> Counter[str]:
        """How often each value is used."""
        return Counter(a for ops in self.f.ops.values() for op in ops for a in op.args)

    def late(self, start: str = "", at: float = 0.0) -> Times:
        """Return the times at which values are there that follow from `start`; without it, of all."""
        times = {start: at} if start else {}
        for op, needs, (core, ns) in self.order:
            if op.name == start:
                continue
            known = [times[n.name] - self._balanced(op, n, ns, start) for n in needs if n.name in times]
            if known or not start:
                times[op.name] = self._behind(max(known, default=0.0), core, ns)
        return times

    def _balanced(self, op: Op, need: Op, ns: float, start: str) -> float:
        """Return what of a sum's delay a chain of sums does not take again: HLS balances it."""
        chained = op.op == need.op == "add" and self.users[need.name] == 1 and need.name != start
        return ns if chained else 0.0

    def _behind(self, t: float, core: int, ns: float) -> float:
        if core:
            return (self.cycles(t) + core) * self.budget + ns
        crosses = ns and t > 0 and t % self.budget + ns > self.budget
        return (self.cycles(t) * self.budget if crosses else t) + ns  # no register cuts an operation

    def counts(self, name: str) -> bool:
        """Tell whether a value is another one in every turn: a counter of this loop, as it is, widened or moved."""
        op = self.f.defs.get(name)
        for _ in range(4):
            if op is not None and op.op in ("zext", "sext", "trunc", "add", "or") and op.args:
                op = self.f.defs.get(op.args[0])
        if op is None or op.op != "phi" or op.block != self.head:
            return False
        steps = (self.f.defs[v] for v in op.args if v in self.f.defs)
        return any(s.op == "add" and op.name in s.args for s in steps)

    def round(self) -> Round | None:
        """Return the way round with the largest mean of all that turns hand on (Karp)."""
        handed = {
            op.name: [v for v, b in op.incoming if b in self.body and v in self.f.defs]
            for op in self.f.ops[self.head]
            if op.op == "phi"
        }
        edges: dict[tuple[str, str], float] = {}
        ends: dict[tuple[str, str], tuple[str, Times]] = {}
        for p in handed:
            times = self.late(p)
            for q, values in handed.items():
                for v in (v for v in values if v in times):
                    edges[p, q] = max(edges.get((p, q), 0.0), times[v])
                    ends[p, q] = (v, times)
        if not edges:
            return None
        mean = {(p, q): (t + (edges.get((q, p), NEVER) if p != q else t)) / 2 for (p, q), t in edges.items()}
        p, q = max(mean, key=lambda e: mean[e])
        pairs = [pair for pair in {(p, q), (q, p)} if pair in ends]
        way = [op for pair in pairs for op in self._way(ends[pair][0], pair[0], ends[pair][1])]
        return Round(_largest_mean(list(handed), edges), (p, q), way)

    def _way(self, name: str, start: str, times: Times) -> Iterator[Op]:
        """Yield the instructions of the longest way back to `start` that take time."""
        needs = {op.name: n for op, n, _ in self.order}
        while name and name != start:
            if cost(self.f, self.f.defs[name], self.kind) != (0, 0.0):
                yield self.f.defs[name]
            name = max((n.name for n in needs[name] if n.name in times), key=lambda n: times[n], default="")

    @cached_property
    def depth(self) -> int:
        """Steps of the pipeline: the longest way, and a register at each end."""
        return math.ceil(max(self.late().values(), default=0.0) / self.budget) + 2

    def most(self, count: Mapping[str, int]) -> int:
        """Return the largest sum of `count`, by blocks, on a way through the turn: branches exclude each other."""
        best: dict[str, int] = {}
        for block in (b for b in reversed(self.f.order) if b in self.body):
            after = (best.get(a, 0) for a in self.f.next[block] if a != self.head)
            best[block] = count.get(block, 0) + max(after, default=0)
        return best[self.head]


def _largest_mean(names: list[str], edges: Mapping[tuple[str, str], float]) -> float:
    n = len(names)
    steps: list[Times] = [dict.fromkeys(names, 0.0)]
    for _ in names:
        new: Times = {}
        for (p, q), t in edges.items():
            if p in steps[-1]:
                new[q] = max(new.get(q, NEVER), steps[-1][p] + t)
        steps.append(new)
    means = (min((steps[n][v] - steps[k][v]) / (n - k) for k in range(n) if v in steps[k]) for v in steps[n])
    return max(means, default=0.0)
