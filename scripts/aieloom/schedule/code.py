"""Code of a kernel as operations and the statements of its source beside them: what is printed is what is scheduled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aieloom.schedule.machine import Machine, Op, shorten

_UNITS = {
    "load": "load", "store": "store", "mac": "vector", "mac_float": "vector", "compare": "vector", "shuffle": "vector",
    "srs": "srs", "ups": "srs", "broadcast": "move", "move": "move", "stream_read": "in", "stream_write": "out",
}  # fmt: skip
_NO_AXIS = -1


@dataclass(frozen=True, slots=True)
class Total:
    """Sums in flight: their name in the source, the register file that holds them, and how many bits of it."""

    name: str
    file: str
    bits: int
    is_float: bool
    is_matrix: bool = True  # of aie::mmul


class Code:
    """A run of operations: straight code, or one iteration of a loop.

    `axis` is that of the blocks along which the loop walks: what stays along it is found before the loop and kept in registers,
    unless `keeps` is false, as where the register file has no room for it.
    """

    def __init__(self, machine: Machine, *, is_loop: bool, axis: int = _NO_AXIS, keeps: bool = True) -> None:
        self.machine = machine
        self.lines = list[str]()
        self._ops = list[Op]()
        self._is_loop, self._axis, self._keeps = is_loop, axis, keeps
        self._sums: dict[str, int] = {}
        self._open: dict[str, int] = {}
        self._named: dict[str, int] = {}

    def say(self, line: str) -> None:
        """Add a statement of the source; the operations that it takes stand beside it."""
        self.lines.append(line)

    def op(
        self, kind: str, after: Iterable[int] = (), *, slots: int = 1, bits: int = 0, file: str = "vector"
    ) -> int:
        """Add an operation of a kind of the machine's that waits for others; its result takes `bits` of a register file."""
        unit = self.machine.unit_of.get(kind, _UNITS[kind])
        made = Op(kind, unit, max(1, slots), self.machine.latency[kind], "", kind)
        made.results = ((file, bits),) if bits else ()
        for p in after:
            of = self._ops[p]
            made.inputs[p] = 0 if of.is_fixed else of.latency + of.slots - 1
        self._ops.append(made)
        return len(self._ops) - 1

    def load(self, size: int, axes: tuple[int, ...], base: str) -> int:
        """Load a vector of `size` bytes; `axes` are those along which its place moves."""
        n = self.op("load", slots=-(-size // self.machine.vector_bytes), bits=8 * size)
        self._ops[n].is_load, self._ops[n].base = True, base
        return self._fix(n) if self._stays(axes) and self._keeps else n

    def keep(self, name: str, value: int) -> None:
        """Name a vector for code behind this."""
        self._named[name] = value

    def kept(self, name: str, size: int) -> int:
        """Return a vector of `size` bytes by its name; what was found before this code is in its registers."""
        if name not in self._named:
            n = self.op("move")
            self._ops[n].outside[name] = ("vector", 8 * size)
            self._named[name] = self._fix(n)
        return self._named[name]

    def constant(self, size: int) -> int:
        """Fill a vector with a number that the source says."""
        n = self.op("broadcast", bits=8 * size)
        return self._fix(n) if self._is_loop else n

    def store(self, size: int, value: int, base: str) -> None:
        """Store a vector."""
        n = self.op("store", [value], slots=-(-size // self.machine.vector_bytes))
        self._ops[n].is_store, self._ops[n].base = True, base

    def begin(self, total: Total, start: int) -> None:
        """Begin a sum with what was loaded."""
        self._sums[total.name] = start

    def mac(self, total: Total, operands: Iterable[int], *, slots: int) -> None:
        """Add a product to a sum.

        The terms of a matrix product meet in the same sums; other wide vectors go in parts, each with sums of its own.
        """
        again = self.machine.latency["accumulate_float" if total.is_float else "accumulate_fixed"]
        kind = "mac_float" if total.is_float else "mac"
        n = self.op(kind, operands, slots=slots, bits=total.bits, file=total.file)
        of, before = self._ops[n], self._sums.get(total.name)
        of.kind, of.accumulate = "mac", slots - 1 + again if total.is_matrix else max(slots, again)
        if before is not None:
            p = self._ops[before]
            of.inputs[before] = p.accumulate or (0 if p.is_fixed else p.latency + p.slots - 1)
        else:
            self._open.setdefault(total.name, n)
        self._sums[total.name] = n

    def take(self, total: Total, *, bits: int, kind: str = "srs") -> int:
        """Round a sum's lanes to a vector of `bits`, or move them by another kind of operation."""
        before = self._sums.get(total.name)
        n = self.op(kind, () if before is None else [before], bits=bits)
        if before is None:
            self._ops[n].outside[total.name] = (total.file, total.bits)
        return n

    def finish(self) -> list[Op]:
        """Return the operations, the end of an iteration joined to the beginning of the next."""
        for total, first in self._open.items() if self._is_loop else ():
            last = self._sums[total]
            self._ops[first].carried[last] = self._ops[last].accumulate
        shorten(self._ops, self.machine)
        return self._ops

    def _stays(self, axes: tuple[int, ...]) -> bool:
        return self._is_loop and self._axis != _NO_AXIS and self._axis not in axes

    def _fix(self, n: int) -> int:
        op = self._ops[n]
        op.unit, op.latency, op.slots, op.is_fixed = "none", 0, 1, True
        return n
