"""List schedules and bounds of loops: how many cycles a run of operations takes, and how soon a loop may start again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aieloom.schedule.machine import Machine, Op


@dataclass(frozen=True, slots=True)
class Straight:
    """A run of operations once: cycles until all results are there, and the cycle in which each issues."""

    cycles: int
    issues: tuple[int, ...]


def straight(ops: Sequence[Op], machine: Machine) -> Straight:
    """Schedule a run as a list scheduler does: the operation with the longest way to the end first."""
    n = len(ops)
    users = _users(ops)
    height = [0] * n  # cycles from an operation's issue to the end of the run
    for i in range(n - 1, -1, -1):
        height[i] = max((c + height[j] for j, c in users[i]), default=ops[i].latency + ops[i].slots - 1)
    waits, earliest, issue = [len(op.inputs) for op in ops], [0] * n, [0] * n
    free, time = _Units(machine.units), 0
    ready = [i for i in range(n) if waits[i] == 0]
    while ready:
        ready.sort(key=lambda i: (earliest[i], -height[i], i))
        placed = []
        for i in sorted((i for i in ready if earliest[i] <= time), key=lambda i: (-height[i], i)):
            if free.take(ops[i], time):
                issue[i] = time
                placed.append(i)
        left = [i for i in ready if i not in placed]
        for i in placed:
            left += _released(users[i], time, earliest, waits)
        ready = left
        # What takes no unit lets others go in the same cycle.
        if not any(ops[i].unit == "none" for i in placed):
            time = max(time + 1, min((earliest[i] for i in ready), default=0))
    real = [i for i in range(n) if ops[i].unit != "none"]
    return Straight(
        max((issue[i] + ops[i].latency + ops[i].slots - 1 for i in real), default=0), tuple(issue)
    )


def _users(ops: Sequence[Op]) -> list[list[tuple[int, int]]]:
    """Return who waits for each operation, and how many cycles after its issue."""
    found: list[list[tuple[int, int]]] = [[] for _ in ops]
    for j, op in enumerate(ops):
        for p, cycles in op.inputs.items():
            found[p].append((j, cycles))
    return found


def _released(
    users: Sequence[tuple[int, int]], time: int, earliest: list[int], waits: list[int]
) -> list[int]:
    """Return the users of an operation that wait for nothing else."""
    found = []
    for j, cycles in users:
        earliest[j] = max(earliest[j], time + cycles)
        waits[j] -= 1
        if waits[j] == 0:
            found.append(j)
    return found


class _Units:
    """Who issues where, cycle by cycle."""

    def __init__(self, units: Mapping[str, int]) -> None:
        self._units, self._used = units, dict[tuple[str, int], int]()

    def take(self, op: Op, time: int) -> bool:
        if op.unit == "none":
            return True
        many = self._units.get(op.unit, 1)
        span = range(time, time + -(-op.slots // many))
        room = [many - self._used.get((op.unit, t), 0) for t in span]
        if sum(room) < op.slots or room[0] == 0:
            return False
        left = op.slots
        for t, r in zip(span, room, strict=True):
            used = min(left, r)
            self._used[op.unit, t] = self._used.get((op.unit, t), 0) + used
            left -= used
        return True


@dataclass(frozen=True, slots=True)
class Bound:
    """The least interval between iterations, and what sets it: a unit, the operations of a circle, or a file of registers."""

    interval: int
    by_units: int
    by_circle: int
    unit: str
    circle: tuple[int, ...]
    by_registers: int = 0
    file: str = ""  # that has too few registers at the interval of the others


def bound(ops: Sequence[Op], machine: Machine, memory: Sequence[tuple[int, int, int]] = ()) -> Bound:
    """Return the bound of a software pipeline: units, and circles of dependences.

    `memory` are further edges between iterations: producer, user, cycles.
    """
    sums: dict[str, int] = {}
    for op in ops:
        if op.unit != "none":
            sums[op.unit] = sums.get(op.unit, 0) + op.slots
    needed = {u: -(-s // machine.units.get(u, 1)) for u, s in sums.items()}
    unit = max(needed, key=lambda u: needed[u], default="")
    edges = [(p, j, c, 0) for j, op in enumerate(ops) for p, c in op.inputs.items()]
    edges += [(p, j, c, 1) for j, op in enumerate(ops) for p, c in op.carried.items()]
    edges += [(p, j, c, 1) for p, j, c in memory]
    low, high = 1, 1 + sum(c for _, _, c, _ in edges)
    circle: tuple[int, ...] = ()
    while low < high:
        middle = (low + high) // 2
        found = _circle(len(ops), edges, middle)
        if found:
            low, circle = middle + 1, found
        else:
            high = middle
    by_circle = low if circle else 0
    by_units = max(needed.values(), default=1)
    return Bound(max(by_units, by_circle, 1), by_units, by_circle, unit, circle)


def _circle(n: int, edges: Sequence[tuple[int, int, int, int]], interval: int) -> tuple[int, ...]:
    """Return a circle that takes longer than `interval` an iteration; empty when there is none (Bellman and Ford)."""
    far, before, last = [0] * n, [-1] * n, -1
    for _ in range(n + 1):
        last = -1
        for p, j, cycles, distance in edges:
            d = far[p] + cycles - interval * distance
            if d > far[j]:
                far[j], before[j], last = d, p, j
        if last < 0:
            return ()
    at = last
    for _ in range(n):
        at = before[at]
    found, walk = [at], before[at]
    while walk != at:
        found.append(walk)
        walk = before[walk]
    return tuple(reversed(found))
