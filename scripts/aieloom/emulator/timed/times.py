"""Where the time of a timed run goes: each core's calls and waits, each port's data, in cycles of the array.

The run writes them (emulator/src/times.cpp), a line for each, words with tabs between them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = TypeVar("Record", bound="DataclassInstance")
_TYPES: Mapping[str, Callable[[str], object]] = {"str": str, "int": int, "float": float}


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitCycles:
    """What a core stood still for: `kind` is lock, stream or cascade, `on` the buffer or stream."""

    kind: str
    on: str
    cycles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreTimes:
    """A kernel on its core: begin of its first call, end of its last, cycles in which it works, and what it waits for.

    `shortest` and `longest` are of a call without its waits.
    """

    name: str
    first: int
    last: int
    busy: int
    shortest: int
    longest: int
    waits: tuple[WaitCycles, ...]

    @property
    def share(self) -> float:
        """The share of the time from its first call to its last in which it works."""
        return self.busy / (self.last - self.first) if self.last > self.first else 1.0

    def waited(self, kind: str) -> int:
        """Return the cycles that it waited for what is of a kind."""
        return sum(w.cycles for w in self.waits if w.kind == kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamFill:
    """How full a stream's way to a reader was: its words, their mean share in spans of `cycles` from `begin` on."""

    stream: str
    reader: str
    words: int
    begin: float
    cycles: float
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitTimes:
    """A compute unit of a PL kernel: its clock, calls, begin of the first and end of the last, the shortest and the longest."""

    name: str
    mhz: float
    calls: int
    first: int
    last: int
    shortest: int
    longest: int


WORD = 4  # bytes of a stream's word


@dataclass(frozen=True, slots=True, kw_only=True)
class PortTimes:
    """A PLIO or GMIO: bytes that passed, and the cycles in which the first and the last word did."""

    name: str
    is_input: bool
    bytes: int
    first: int
    last: int
    mhz: float  # of the array

    @property
    def rate(self) -> float:
        """Megabytes a second of what followed the first word, from there to the last one."""
        after = max(0, self.bytes - WORD)
        return after * self.mhz / (self.last - self.first) if self.last > self.first else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSlice:
    """Something that a core did, or waited for, from one cycle to another."""

    core: str
    what: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """A run in time."""

    mhz: float
    cores: tuple[CoreTimes, ...]
    ports: tuple[PortTimes, ...]
    slices: tuple[TimeSlice, ...]
    units: tuple[UnitTimes, ...] = ()
    fills: tuple[StreamFill, ...] = ()
    host: int = 0  # when the host program ended; 0 where the graph's own main() drives it

    @property
    def end(self) -> int:
        """The cycle in which the last word left, the last call or the host program ended."""
        ends = [c.last for c in self.cores] + [p.last for p in self.ports] + [u.last for u in self.units]
        return max([*ends, self.host])

    @property
    def latency(self) -> int:
        """Cycles from the first word that came in to the first that left; 0 when one of the two never was."""
        begins = [p.first for p in self.ports if p.is_input and p.bytes]
        ends = [p.first for p in self.ports if not p.is_input and p.bytes]
        return max(0, min(ends) - min(begins)) if begins and ends else 0


def of_row(kind: type[Record], words: Iterable[str], **more: object) -> Record:
    """Return what a line's words tell, which stand in the order of a record's fields; `more` are its other fields."""
    named = [f for f in fields(kind) if f.name not in more]
    told = {f.name: _TYPES[str(f.type)](word) for f, word in zip(named, words, strict=True)}
    return kind(**told, **more)


def read_times(table: Path) -> Times:
    """Read what a run wrote."""
    rows: dict[str, list[list[str]]] = defaultdict(list)
    for line in table.read_text(encoding="utf-8").splitlines():
        kind, *words = line.split("\t")
        rows[kind].append(words)
    mhz = float(rows["clock"][0][0])
    waits: dict[str, list[WaitCycles]] = defaultdict(list)
    for core, *wait in rows["wait"]:
        waits[core].append(of_row(WaitCycles, wait))
    return Times(
        mhz=mhz,
        cores=tuple(
            of_row(CoreTimes, row, waits=tuple(sorted(waits[row[0]], key=lambda w: -w.cycles)))
            for row in rows["core"]
        ),
        ports=tuple(
            of_row(PortTimes, [name, *numbers], is_input=way == "in", mhz=mhz)
            for name, way, *numbers in rows["port"]
        ),
        slices=tuple(of_row(TimeSlice, row) for row in rows["slice"]),
        units=tuple(of_row(UnitTimes, row) for row in rows["unit"]),
        fills=tuple(
            of_row(StreamFill, row, shares=tuple(min(1.0, int(p) / 100) for p in percents.split()))
            for *row, percents in rows["fill"]
        ),
        host=int(rows["host"][0][0]) if rows["host"] else 0,
    )
