"""How many registers a loop needs: live ranges in its pipeline beside the files of the core.

The pipeline is exposed: a register is taken from the cycle in which its value is written to that of its last read. Values of
iterations that overlap need registers each; what does not change in the loop keeps its own. A compiler that runs out of them
starts iterations later, or puts values on the stack and reads them back [UG1079 Vector Registers]; which of the two, and for
how many values, is its luck: the allocation of the vendor's compiler is not public. Sums of AIE's 48 and 80 bits are not
stored as they are: its store unit writes vectors, to which they are rounded [AM009]. Where these run out, iterations wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from aieloom.schedule.lists import Bound, straight
from aieloom.schedule.machine import Machine, Op
from aieloom.schedule.modulo import Edge, edges_of, modulo_schedule

KEPT = 0.5  # of a file, at most, holds values that do not change in a loop and could be loaded again
MOST_TRIED = 24  # intervals that are tried, further and further apart
# that a store and a load of the stack move
STACK_BITS = {"vector": 256, "accumulator": 384, "scalar": 32, "pointer": 20}


@dataclass(frozen=True, slots=True)
class Need:
    """Bits of each file that a schedule needs at once."""

    bits: dict[str, int]

    def excess(self, machine: Machine) -> dict[str, int]:
        """Return the bits for which there is no place, by file."""
        over = {f: n - machine.registers.get(f, n) for f, n in self.bits.items()}
        return {f: n for f, n in over.items() if n > 0}


def need_of(ops: Sequence[Op], edges: Sequence[Edge], issues: Sequence[int], interval: int) -> Need:
    """Return what a schedule needs."""
    last = _last_reads(ops, edges, issues, interval)
    taken: dict[str, list[int]] = {}
    users: list[list[Edge]] = [[] for _ in ops]
    for e in edges:
        users[e[0]].append(e)
    for i, op in enumerate(ops):
        if op.is_fixed or not op.results:
            continue
        begin = issues[i] + op.latency + op.slots - 1
        # What is read last as a part of a wider register was written there: the two are one from then on.
        ends = [j for _, j, _, d in users[i] if issues[j] + interval * d == last[i]]
        is_part = bool(ends) and all(ops[j].unit == "none" and ops[j].results for j in ends)
        length = last[i] - begin if is_part else max(1, last[i] - begin + 1)
        whole, rest = divmod(length, interval)
        at = begin % interval
        for file, size in op.results:
            # How many bits more are taken from each cycle on than in the one before it; what is taken in all of them first.
            change = taken.setdefault(file, [0] * (interval + 1))
            change[0] += whole * size
            change[at] += size
            if at + rest > interval:
                change[0] += size
                change[at + rest - interval] -= size
            else:
                change[at + rest] -= size
    bits = {file: max(accumulate(change[:-1])) for file, change in taken.items()}
    for file, n in _kept(ops, edges).items():
        bits[file] = bits.get(file, 0) + n
    return Need(bits)


def _last_reads(ops: Sequence[Op], edges: Sequence[Edge], issues: Sequence[int], interval: int) -> list[int]:
    """Return when each operation's result is read last; names of it (no unit, no result of their own) read for their users."""
    users: list[list[Edge]] = [[] for _ in ops]
    for e in edges:
        if not ops[e[0]].is_store:
            users[e[0]].append(e)
    last = [issues[i] + op.latency + op.slots - 1 for i, op in enumerate(ops)]
    for i, op in enumerate(ops):
        written, seen = op.latency + op.slots - 1, set[tuple[int, int]]()
        todo = [(j, written - c, d) for _, j, c, d in users[i]]
        while todo:
            j, late, distance = todo.pop()
            if (j, distance) in seen or distance > 2:
                continue
            seen.add((j, distance))
            last[i] = max(last[i], issues[j] + interval * distance + max(0, late))
            if ops[j].unit == "none" and not ops[j].results:
                todo += [(k, 0, distance + d) for _, k, _, d in users[j]]
    return last


def _kept(ops: Sequence[Op], edges: Sequence[Edge]) -> dict[str, int]:
    """Return the bits of values that stay: defined before the loop, or found once; and of pointers, one for each object."""
    outside: dict[str, tuple[str, int]] = {}
    for op in ops:
        if not op.is_fixed:
            outside |= op.outside
    bits: dict[str, int] = {}
    for file, n in outside.values():
        bits[file] = bits.get(file, 0) + n
    used = {p for p, j, _, _ in edges if ops[p].is_fixed and not ops[j].is_fixed}
    for p in used:
        for file, n in ops[p].results:
            bits[file] = bits.get(file, 0) + n
    bases = {op.base for op in ops if (op.is_load or op.is_store) and not op.is_fixed and op.base}
    bits["pointer"] = 20 * len(bases)
    return bits


def crowded_files(ops: Sequence[Op], machine: Machine) -> frozenset[str]:
    """Return the files of which more than half would go to values that stay in a loop and can be loaded again [guess].

    Of a file without spills half of it is too much: what is left does not hold two iterations' values.
    """
    kept = _kept(ops, edges_of(ops))
    most = {f: KEPT * n - (f not in machine.spills) for f, n in machine.registers.items()}
    return frozenset(f for f, n in kept.items() if f != "pointer" and n > most[f])


def with_registers(
    ops: Sequence[Op], found: Bound, machine: Machine, once: int, memory: Sequence[tuple[int, int, int]] = ()
) -> Bound:
    """Return a loop's bound with its registers: the least interval that fits, or that of spilling, whichever is less."""
    edges = edges_of(ops, memory)
    if found.interval >= once or _fits_anyhow(ops, edges, found.interval, once, machine):
        return found
    fits, short = once, dict[str, int]()
    interval, step = found.interval, 1
    for tried in range(MOST_TRIED):
        issues = modulo_schedule(ops, edges, interval, machine)
        over = need_of(ops, edges, issues, interval).excess(machine) if issues else {}
        if issues and not over:
            fits = interval
            break
        if not short:
            short = over
        step += tried // 4
        interval += step
        if interval >= once:
            break
    if not short:
        return found  # the pipeline could not be built at its bound: no question of registers
    spilled = max(found.interval, interval_with_spills(ops, spills(short), machine))
    by = fits if any(f not in machine.spills for f in short) else min(fits, spilled)
    return replace(
        found, interval=max(by, found.interval), by_registers=by, file=max(short, key=short.__getitem__)
    )


def alone(ops: Sequence[Op], machine: Machine) -> int:
    """Return the cycles of straight code.

    A value that has no register is stored and loaded again, beside other operations where the units have room: a core issues a
    store and two loads a cycle whatever else it does [WP552].
    """
    cycles = straight(ops, machine).cycles
    spilled = straight_spills(ops, cycles, machine)
    return max(cycles, interval_with_spills(ops, spilled, machine)) if spilled else cycles


def straight_spills(ops: Sequence[Op], cycles: int, machine: Machine) -> int:
    """Return how many values a run of operations puts on the stack, each as late as its results allow."""
    edges = [e for e in edges_of(ops) if e[3] == 0]
    if cycles <= 1 or _fits_anyhow(ops, edges, cycles, 1, machine):
        return 0
    issues = modulo_schedule(ops, edges, cycles, machine)
    return spills(need_of(ops, edges, issues, cycles).excess(machine)) if issues else 0


def interval_with_spills(ops: Sequence[Op], values: int, machine: Machine) -> int:
    """Return the least cycles of the memory units when so many values are stored and loaded again each time."""
    loads = sum(op.slots for op in ops if op.unit == "load") + values
    stores = sum(op.slots for op in ops if op.unit == "store") + values
    return max(-(-loads // machine.units["load"]), -(-stores // machine.units["store"]))


def spills(excess: dict[str, int]) -> int:
    """Return how many values go to the stack."""
    return sum(-(-bits // STACK_BITS[file]) for file, bits in excess.items())


def _fits_anyhow(
    ops: Sequence[Op], edges: Sequence[Edge], interval: int, once: int, machine: Machine
) -> bool:
    """Whether all that the iterations under way can hold has room, whatever the schedule."""
    stages = -(-once // interval) + 1
    bits = _kept(ops, edges)
    for op in ops:
        if not op.is_fixed:
            for file, n in op.results:
                bits[file] = bits.get(file, 0) + n * stages
    return not Need(bits).excess(machine)
