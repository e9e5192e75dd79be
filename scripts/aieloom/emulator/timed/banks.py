"""Stalls at the banks of data memory: accesses of one cycle that meet in one bank follow each other.

Two loads and a store can be in a cycle when their banks differ; a bank serves one access a cycle [UG1079 AI Engine Memory;
UG1076 Memory Stall Analysis]. A vector of 256 bits takes a pair of banks, so that the banks here are those pairs, which are
also what a graph's `bank(col, row, id)` names. What the graph does not place is left out: only the mapper knows where it is.
DMA transfers, which take turns with the core, are left out too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aieloom.emulator.timed.times import of_row
from aieloom.schedule.lists import straight
from aieloom.schedule.machine import Machine, Op
from aieloom.schedule.modulo import edges_of, modulo_schedule

Bank = tuple[int, int, int]  # column and row of the tile, number


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A place that the graph gives a buffer: a bank, or an address from which it goes over banks."""

    column: int
    row: int
    bank: int  # -1 where an address is given
    address: int
    bytes: int

    def banks(self, bank_bytes: int) -> frozenset[Bank]:
        """Return the banks that it lies in."""
        if self.bank >= 0:
            return frozenset({(self.column, self.row, self.bank)})
        last = (self.address + max(self.bytes, 1) - 1) // bank_bytes
        return frozenset((self.column, self.row, b) for b in range(self.address // bank_bytes, last + 1))


Places = Mapping[int, Sequence[Placed]]  # of a kernel's arguments, by their number


def read_places(table: Path) -> dict[str, dict[int, list[Placed]]]:
    """Read where the graph places kernels' buffers, by kernel and argument, from what a run wrote (src/times.cpp)."""
    found: dict[str, dict[int, list[Placed]]] = {}
    for line in table.read_text(encoding="utf-8").splitlines():
        if line.startswith("place\t"):
            _, core, argument, *numbers = line.split("\t")
            places = found.setdefault(core, {}).setdefault(int(argument), [])
            places.append(of_row(Placed, numbers))
    return found


def accesses_of(
    ops: Sequence[Op], machine: Machine, interval: int, *, is_pipelined: bool
) -> tuple[tuple[int, str], ...]:
    """Return the memory accesses of an iteration: cycle of the interval, and the object that is accessed."""
    issues = modulo_schedule(ops, edges_of(ops), interval, machine) if is_pipelined else None
    issues = issues or straight(ops, machine).issues
    found = []
    for op, at in zip(ops, issues, strict=True):
        if (op.is_load or op.is_store) and op.unit != "none" and op.base:
            many = machine.units.get(op.unit, 1)
            found += [((at + k // many) % max(interval, 1), op.base) for k in range(op.slots)]
    return tuple(sorted(found))


def stalls(accesses: Sequence[tuple[int, str]], banks: Mapping[str, Sequence[frozenset[Bank]]]) -> float:
    """Return the cycles that an iteration loses.

    Args:
        accesses: what accesses_of() found.
        banks: of each object that the graph places, the banks of each of its copies (a ping-pong pair has two): they
            take turns, call by call.
    """
    turns = max((len(of) for of in banks.values()), default=1)
    return sum(_stalls_of_turn(accesses, banks, turn) for turn in range(turns)) / turns


def _stalls_of_turn(
    accesses: Sequence[tuple[int, str]], banks: Mapping[str, Sequence[frozenset[Bank]]], turn: int
) -> float:
    cycles: dict[int, list[frozenset[Bank]]] = {}
    for cycle, base in accesses:
        if banks.get(base):
            cycles.setdefault(cycle, []).append(banks[base][turn % len(banks[base])])
    return sum(_lost(together) for together in cycles.values())


def _lost(together: Sequence[frozenset[Bank]]) -> float:
    """Return the cycles that accesses of one cycle lose; those to buffers in several banks as often as they meet."""
    pairs = sum(
        len(a & b) / (len(a) * len(b)) for i, a in enumerate(together) for b in together[:i] if a and b
    )
    return min(len(together) - 1, pairs)
