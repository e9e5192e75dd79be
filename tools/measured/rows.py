"""Rows of a file of measurements: one published figure each, with what was measured and how."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass, fields
from pathlib import Path

from aieloom.cost.machine import DEFAULT_AIE_MHZ
from aieloom.errors import Problem, SpecError


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRow:
    """One line of the file, as text; empty means that the source does not say."""

    id: str
    source: str
    year: str
    device: str
    arch: str
    what: str
    op: str
    dtype_in: str
    dtype_w: str
    dtype_acc: str
    shape: str
    tiles_used: str
    memtiles: str
    plio_in: str
    plio_out: str
    aie_clock_mhz: str
    pl_clock_mhz: str
    metric: str
    value: str
    method: str
    notes: str

    @property
    def measured(self) -> float:
        """The figure."""
        return float(self.value)

    @property
    def family(self) -> str:
        """The source's short name: the id without its number."""
        return self.id.rpartition("-")[0]

    @property
    def aie_mhz(self) -> float:
        """Array clock; the speed grade's where the source does not say."""
        return float(self.aie_clock_mhz or DEFAULT_AIE_MHZ)

    @property
    def tiles(self) -> int:
        """Cores in use; 1 where not stated."""
        return int(self.tiles_used or 1)

    @property
    def earlier(self) -> bool:
        """Whether the note marks an earlier version of code that was improved later."""
        return "earlier code version" in self.notes

    @property
    def configuration(self) -> str:
        """What rows of one experiment share; they stay together on one side of a split into fit and hold-out."""
        return "/".join(
            (self.family, self.what, self.op, self.dtype_in, self.dtype_w, self.shape, self.tiles_used)
        )


@dataclass(frozen=True, slots=True)
class Modelled:
    """A figure of the model in the row's own metric, and what in words gave it."""

    value: float
    how: str


@dataclass(frozen=True, slots=True)
class NotModelled:
    """Why a row has no figure."""

    reason: str


class CannotModel(Exception):
    """Raised inside a model where a row lacks what the model needs; the text is the reason."""


def read_rows(file: Path) -> list[MeasuredRow]:
    """Read a file of measurements.

    Raises:
        SpecError: it cannot be read, lacks a column, or has a figure that is no positive number.
    """
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream, restkey="_more", restval="")
            names = [f.name for f in fields(MeasuredRow)]
            missing = [n for n in names if n not in (reader.fieldnames or ())]
            if missing:
                raise _problem(
                    file, 1, f"column {', '.join(missing)} is missing", f"columns: {','.join(names)}"
                )
            rows = [
                (reader.line_num, MeasuredRow(**{n: (line[n] or "").strip() for n in names}))
                for line in reader
            ]
    except (OSError, UnicodeDecodeError, csv.Error) as e:
        raise _problem(file, 0, f"cannot be read: {e}", "give a CSV file") from e
    for line_number, row in rows:
        _check(file, line_number, row)
    return [row for _, row in rows]


def _check(file: Path, line: int, row: MeasuredRow) -> None:
    try:
        good = row.measured > 0 and math.isfinite(row.measured)
        for text in (row.aie_clock_mhz, row.pl_clock_mhz, row.tiles_used):
            good = good and (not text or float(text) > 0)
    except ValueError:
        good = False
    if not good:
        text = f"row '{row.id}': value, clocks and tiles must be positive numbers (value '{row.value}')"
        raise _problem(file, line, text, "correct the row")


def _problem(file: Path, line: int, text: str, remedy: str) -> SpecError:
    return SpecError(Problem(rule="value", file=str(file), line=line, text=text, remedy=remedy))


def dims(text: str) -> tuple[int, ...] | None:
    """Return the numbers of the first `AxBxC` in a text."""
    found = re.search(r"\d+(?:x\d+)+", text)
    return tuple(int(n) for n in found[0].split("x")) if found else None


def number_in(pattern: str, text: str) -> float | None:
    """Return the first group of a pattern as a number, if the text has it."""
    found = re.search(pattern, text)
    return float(found[1]) if found else None


def from_cycles(
    row: MeasuredRow, cycles: float, operations: float | None = None, ideal: float | None = None
) -> float:
    """Return AIE cycles of one iteration in the row's metric; `operations` (2 per MAC) for rates, `ideal` cycles for a share.

    Raises:
        CannotModel: the metric needs what the caller does not know.
    """
    seconds = cycles / (row.aie_mhz * 1e6)
    simple = {"cycles": cycles, "ii_cycles": cycles, "latency_us": seconds * 1e6, "fps": 1 / seconds}
    if row.metric in simple:
        return simple[row.metric]
    if operations is not None and row.metric in ("gflops", "tops"):
        return operations / seconds / (1e9 if row.metric == "gflops" else 1e12)
    if ideal is not None and row.metric == "efficiency_pct":
        return 100 * ideal / cycles
    raise CannotModel(f"no way from cycles to the metric '{row.metric}' for this operation")
