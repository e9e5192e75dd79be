"""A software pipeline's schedule: the cycle in which each operation of an iteration issues, each as late as it can.

Late, because a register is taken from when its value is written to when it is last read, and most values are read once.
Rau's iterative modulo scheduling (Iterative Modulo Scheduling, HP Laboratories 1994) from the last operations to the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from aieloom.schedule.machine import Machine
from aieloom.schedule.ops import Op

Edge = tuple[int, int, int, int]  # producer, user, cycles, iterations between them
TRIES = 8  # placements for each operation before an interval is given up


def edges_of(ops: Sequence[Op], memory: Sequence[tuple[int, int, int]] = ()) -> list[Edge]:
    """Return who waits for whom: within an iteration, from one to the next, and through memory."""
    edges = [(p, j, c, 0) for j, op in enumerate(ops) for p, c in op.inputs.items()]
    edges += [(p, j, c, 1) for j, op in enumerate(ops) for p, c in op.carried.items()]
    return [*edges, *((p, j, c, 1) for p, j, c in memory)]


def modulo_schedule(
    ops: Sequence[Op], edges: Sequence[Edge], interval: int, machine: Machine
) -> tuple[int, ...] | None:
    """Return the issues of one iteration, the first in cycle 0; None when no schedule of the interval was found."""
    depth = _depths(len(ops), edges, interval)
    return _Schedule(ops, edges, interval, machine).run(depth) if depth is not None else None


def _depths(n: int, edges: Sequence[Edge], interval: int) -> list[int] | None:
    """Return the longest way from a start to each operation; None when a circle takes more than an interval."""
    depth = [0] * n
    for _ in range(n + 1):
        changed = False
        for p, j, cycles, distance in edges:
            d = depth[p] + cycles - interval * distance
            if d > depth[j]:
                depth[j], changed = d, True
        if not changed:
            return depth
    return None


class _Schedule:
    """Times run backwards: `_back` is the distance of an issue from the end."""

    def __init__(self, ops: Sequence[Op], edges: Sequence[Edge], interval: int, machine: Machine) -> None:
        self._ops, self._interval, self._units = ops, interval, machine.units
        self._users: list[list[Edge]] = [[] for _ in ops]
        self._producers: list[list[Edge]] = [[] for _ in ops]
        for e in edges:
            self._users[e[0]].append(e)
            self._producers[e[1]].append(e)
        self._back: dict[int, int] = {}
        self._taken: dict[tuple[str, int], list[int]] = {}

    def run(self, depth: Sequence[int]) -> tuple[int, ...] | None:
        """Place all operations, those with the longest way before them first."""
        queue = [(-depth[i], -i) for i in range(len(self._ops))]
        heapify(queue)
        last, budget = dict[int, int](), TRIES * len(self._ops)
        while queue:
            if budget == 0:
                return None
            budget -= 1
            i = -heappop(queue)[1]
            again = set[int]()
            first = max((self._least(e) for e in self._users[i] if e[1] != i), default=0)
            first = max(first, 0)
            at = next((t for t in range(first, first + self._interval) if self._fits(i, t)), None)
            if at is None:
                at = max(first, last.get(i, -1) + 1)
                again |= self._evict(i, at)
            self._place(i, at)
            last[i] = at
            # Producers that were placed and come too late for this one are placed again.
            for e in self._producers[i]:
                if e[0] in self._back and e[0] != i and self._least(e) > self._back[e[0]]:
                    self._remove(e[0])
                    again.add(e[0])
            for k in again:
                heappush(queue, (-depth[k], -k))
        most = max(self._back.values(), default=0)
        return tuple(most - self._back[i] for i in range(len(self._ops)))

    def _least(self, edge: Edge) -> int:
        """Return how far from the end an edge's producer must issue at least."""
        _, user, cycles, distance = edge
        return self._back[user] + cycles - self._interval * distance if user in self._back else 0

    def _cycles(self, i: int, back: int) -> list[tuple[str, int, int]]:
        """Return what an operation takes of its unit: unit, cycle of the interval, places."""
        op = self._ops[i]
        if op.unit == "none":
            return []
        many = self._units.get(op.unit, 1)
        left, found = op.slots, []
        for k in range(-(-op.slots // many)):
            found.append((op.unit, (k - back) % self._interval, min(left, many)))
            left -= many
        return found

    def _fits(self, i: int, back: int) -> bool:
        wanted: dict[tuple[str, int], int] = {}
        for unit, cycle, places in self._cycles(i, back):
            wanted[unit, cycle] = wanted.get((unit, cycle), 0) + places
        return all(
            len(self._taken.get(place, [])) + n <= self._units.get(place[0], 1) for place, n in wanted.items()
        )

    def _evict(self, i: int, back: int) -> set[int]:
        found: set[int] = set()
        for unit, cycle, places in self._cycles(i, back):
            others = self._taken.get((unit, cycle), [])
            while others and len(others) + places > self._units.get(unit, 1):
                found.add(others[0])
                self._remove(others[0])
        return found

    def _place(self, i: int, back: int) -> None:
        self._back[i] = back
        for unit, cycle, places in self._cycles(i, back):
            self._taken.setdefault((unit, cycle), []).extend([i] * places)

    def _remove(self, i: int) -> None:
        for unit, cycle, places in self._cycles(i, self._back.pop(i)):
            for _ in range(places):
                self._taken[unit, cycle].remove(i)
