"""A software pipeline's schedule: the cycle in which each operation of an iteration issues, each as late as it can.

Late, because a register is taken from when its value is written to when it is last read, and most values are read once.
Rau's iterative modulo scheduling (Iterative Modulo Scheduling, HP Laboratories 1994) from the last operations to the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from aieloom.schedule.machine import Machine, Op

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
    """Times run backwards: `_back` is the distance of an issue from the end, -1 of what has no place."""

    def __init__(self, ops: Sequence[Op], edges: Sequence[Edge], interval: int, machine: Machine) -> None:
        self._interval = interval
        # Who must issue how long before whom; distances between iterations are cycles less.
        self._users: list[list[tuple[int, int]]] = [[] for _ in ops]
        self._producers: list[list[tuple[int, int]]] = [[] for _ in ops]
        for p, j, cycles, distance in edges:
            if p != j:
                self._users[p].append((j, cycles - interval * distance))
                self._producers[j].append((p, cycles - interval * distance))
        self._back = [-1] * len(ops)
        self._many = [machine.units.get(op.unit, 1) for op in ops]
        self._slots = [op.slots for op in ops]
        units = {op.unit for op in ops if op.unit != "none"}
        rows = {unit: [list[int]() for _ in range(interval)] for unit in units}
        self._row = [rows.get(op.unit) for op in ops]  # who issues in each cycle of the interval

    def run(self, depth: Sequence[int]) -> tuple[int, ...] | None:
        """Place all operations, those with the longest way before them first."""
        back = self._back
        queue = [(-depth[i], -i) for i in range(len(back))]
        heapify(queue)
        last, budget = [-1] * len(back), TRIES * len(back)
        while queue:
            if budget == 0:
                return None
            budget -= 1
            i = -heappop(queue)[1]
            again = set[int]()
            first = max([0, *(back[j] + cycles for j, cycles in self._users[i] if back[j] >= 0)])
            at = self._room(i, first)
            if at is None:
                at = max(first, last[i] + 1)
                again |= self._evict(i, at)
            self._place(i, at)
            last[i] = at
            # Producers that were placed and come too late for this one are placed again.
            for p, cycles in self._producers[i]:
                if 0 <= back[p] < at + cycles:
                    self._remove(p)
                    again.add(p)
            for k in again:
                heappush(queue, (-depth[k], -k))
        most = max(back, default=0)
        return tuple(most - b for b in back)

    def _room(self, i: int, first: int) -> int | None:
        """Return the first of an interval's places for an operation from one on; None when there is none."""
        row, many, slots, interval = self._row[i], self._many[i], self._slots[i], self._interval
        if row is None:
            return first
        length, rest = -(-slots // many), (slots - 1) % many + 1
        if length > interval:  # it meets itself
            return next((at for at in range(first, first + interval) if self._fits(i, at)), None)
        at = first
        while at < first + interval:
            for k in range(length):
                needs = many if k < length - 1 else rest
                if len(row[(k - at) % interval]) + needs > many:
                    # That cycle is in the way until the operation is beyond it; of its last one less may be enough.
                    at += max(1, length - 1 - k)
                    break
            else:
                return at
        return None

    def _cycles(self, i: int, back: int) -> list[tuple[int, int]]:
        """Return what an operation takes of its unit: cycle of the interval, places."""
        if self._row[i] is None:
            return []
        many, left, found = self._many[i], self._slots[i], []
        for k in range(-(-left // many)):
            found.append(((k - back) % self._interval, min(left, many)))
            left -= many
        return found

    def _fits(self, i: int, back: int) -> bool:
        wanted: dict[int, int] = {}
        for cycle, places in self._cycles(i, back):
            wanted[cycle] = wanted.get(cycle, 0) + places
        row, many = self._row[i] or [], self._many[i]
        return all(len(row[cycle]) + n <= many for cycle, n in wanted.items())

    def _evict(self, i: int, back: int) -> set[int]:
        found: set[int] = set()
        row = self._row[i] or []
        for cycle, places in self._cycles(i, back):
            others = row[cycle]
            while others and len(others) + places > self._many[i]:
                found.add(others[0])
                self._remove(others[0])
        return found

    def _place(self, i: int, back: int) -> None:
        self._back[i] = back
        row = self._row[i] or []
        for cycle, places in self._cycles(i, back):
            row[cycle].extend([i] * places)

    def _remove(self, i: int) -> None:
        row = self._row[i] or []
        for cycle, places in self._cycles(i, self._back[i]):
            for _ in range(places):
                row[cycle].remove(i)
        self._back[i] = -1
