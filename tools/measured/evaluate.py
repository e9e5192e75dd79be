"""The model against measured rows: figures beside each other, errors, and the rows that no fit may see.

The split is fixed: whole configurations (source, operation, types, shape, cores) go to the hold-out by a hash,
so versions of one experiment never stand on both sides.
"""

from __future__ import annotations

import hashlib
import math
import statistics
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tools.measured.model import model_row
from tools.measured.rows import MeasuredRow, Modelled, NotModelled

HOLD_OUT_ONE_IN = 4
OWN_DESIGN = "ESPCN"  # no fit sees it: it is what the model is asked about


@dataclass(frozen=True, slots=True)
class Outcome:
    """A row with the model's figure, or the reason why there is none."""

    row: MeasuredRow
    result: Modelled | NotModelled

    @property
    def error(self) -> float | None:
        """Relative error, signed; None when not modelled."""
        return self.result.value / self.row.measured - 1 if isinstance(self.result, Modelled) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """Rows modelled, rows not, and the relative errors' size in per cent."""

    rows: int
    not_modelled: int
    median_pct: float
    mean_pct: float
    worst_pct: float
    worst_row: str


def held_out(row: MeasuredRow) -> bool:
    """Return whether a row belongs to the fixed hold-out."""
    return row.family == OWN_DESIGN or bucket(row, "hold-out") % HOLD_OUT_ONE_IN == 0


def bucket(row: MeasuredRow, salt: str) -> int:
    """Return a number of a row's configuration, the same everywhere."""
    digest = hashlib.sha256(f"{salt}/{row.configuration}".encode()).digest()
    return int.from_bytes(digest[:4], "big")


def evaluate(parameters: Mapping[str, float], rows: Iterable[MeasuredRow]) -> list[Outcome]:
    """Model every row."""
    return [Outcome(row, model_row(parameters, row)) for row in rows]


def errors(outcomes: Iterable[Outcome]) -> Errors | None:
    """Return the errors of outcomes; None when there are none at all."""
    found = list(outcomes)
    sizes = [(abs(e) * 100, o.row.id) for o in found if (e := o.error) is not None]
    if not found:
        return None
    nothing = (math.nan, "")
    worst, worst_row = max(sizes, default=nothing)
    values = [size for size, _ in sizes]
    return Errors(
        rows=len(values),
        not_modelled=len(found) - len(values),
        median_pct=statistics.median(values) if values else math.nan,
        mean_pct=statistics.fmean(values) if values else math.nan,
        worst_pct=worst,
        worst_row=worst_row,
    )


def grouped(outcomes: Iterable[Outcome], key: Callable[[MeasuredRow], str]) -> dict[str, Errors]:
    """Return errors by a property of the rows, in order of its name."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(key(outcome.row), []).append(outcome)
    return {name: e for name in sorted(groups) if (e := errors(groups[name]))}
