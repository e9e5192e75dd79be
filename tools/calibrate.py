"""Calibration of the cost model: the fit itself, and cross-validation.

The fit is a coordinate search over the parameters marked `calibrated`; it minimises a robust sum of relative errors, and it is
deterministic. Which rows it may see: tools.measured.evaluate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from aieloom.cost.parameters import Parameter, Parameters
from tools.measured.evaluate import Outcome, bucket
from tools.measured.model import model_row
from tools.measured.rows import MeasuredRow, Modelled, NotModelled

FOLDS = 5
KNEE = 0.05  # relative errors above this count linearly, below squared
STEPS = (1.5, 1.2, 1.08, 1.03, 1.01)
ROUNDS = 12
TELLS = 0.1  # of a figure: what all rows must move by, over a parameter's whole range, to determine it


class _Recorder(Mapping[str, float]):
    """Parameters that remember which of them a model asked for."""

    def __init__(self, values: Mapping[str, float]) -> None:
        self._values = values
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> float:
        self.asked.add(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _loss(values: Mapping[str, float], rows: Sequence[MeasuredRow]) -> float:
    total = 0.0
    for row in rows:
        result = model_row(values, row)
        if isinstance(result, Modelled):
            off = math.log(max(result.value, 1e-9) / row.measured)
            total += math.sqrt(off * off + KNEE * KNEE)
    return total


def _readers(values: Mapping[str, float], rows: Iterable[MeasuredRow]) -> dict[str, list[MeasuredRow]]:
    """Return which rows ask for which parameter."""
    readers: dict[str, list[MeasuredRow]] = {}
    for row in rows:
        recorder = _Recorder(values)
        if isinstance(model_row(recorder, row), Modelled):
            for name in recorder.asked:
                readers.setdefault(name, []).append(row)
    return readers


def determined(
    values: Mapping[str, float], definitions: Sequence[Parameter], rows: Iterable[MeasuredRow]
) -> set[str]:
    """Return the fitted parameters that rows determine.

    Over the parameter's range from `low` to `high` their figures move by `TELLS` at least (root of the sum of squares), about
    the model's own error. A pool that is a hundredth of a whole network's time tells nothing of pools: fitted to that network
    alone, its rate would only take up what is wrong elsewhere.
    """
    by_name = {d.name: d for d in definitions if d.fitted}
    return {
        name for name, read in _readers(values, rows).items()
        if name in by_name and _told(values, by_name[name], read) >= TELLS
    }  # fmt: skip


def _told(values: Mapping[str, float], d: Parameter, rows: Sequence[MeasuredRow]) -> float:
    """Return by how much of themselves rows' figures move over a parameter's range, as the root of the sum of squares."""
    ends = [{**values, d.name: end} for end in (d.low, d.high)]
    moved = 0.0
    for row in rows:
        low, now, high = (model_row(v, row) for v in (ends[0], values, ends[1]))
        if isinstance(low, Modelled) and isinstance(now, Modelled) and isinstance(high, Modelled):
            moved += ((high.value - low.value) / now.value) ** 2
    return math.sqrt(moved)


def evaluate_unseen(
    parameters: Parameters,
    definitions: Sequence[Parameter],
    fitted_on: Sequence[MeasuredRow],
    rows: Iterable[MeasuredRow],
) -> list[Outcome]:
    """Model rows that the fit did not see; one that needs a parameter which no row of the fit determines has no figure."""
    known = determined(parameters, definitions, fitted_on) | {d.name for d in definitions if not d.fitted}
    outcomes = []
    for row in rows:
        recorder = _Recorder(parameters)
        result = model_row(recorder, row)
        unknown = sorted(recorder.asked - known)
        if isinstance(result, Modelled) and unknown:
            result = NotModelled(f"no row of the fit determines {', '.join(unknown)}")
        outcomes.append(Outcome(row, result))
    return outcomes


def fit(start: Parameters, definitions: Sequence[Parameter], rows: Sequence[MeasuredRow]) -> Parameters:
    """Return parameters that fit the rows best; those that rows do not determine keep their values."""
    readers, known = _readers(start, rows), determined(start, definitions, rows)
    values = dict(start)
    movable = [d for d in definitions if d.name in known]
    for step in STEPS:
        for _ in range(ROUNDS):
            moved = [_improve(values, d, readers[d.name], step) for d in movable]
            if not any(moved):
                break
    return Parameters(start.version, values)


def _improve(values: dict[str, float], d: Parameter, rows: Sequence[MeasuredRow], step: float) -> bool:
    """Move one parameter a step up or down if that lowers the loss of the rows that read it."""
    now = values[d.name]
    best, best_loss = now, _loss(values, rows) - 1e-9
    unit = max(abs(now), 0.02 * min(d.high, 100.0))  # a parameter at zero can leave it
    for trial in (now + unit * (step - 1), now - unit * (1 - 1 / step)):
        values[d.name] = min(max(trial, d.low), d.high)
        loss = _loss(values, rows)
        if loss < best_loss:
            best, best_loss = values[d.name], loss
    values[d.name] = best
    return best != now


def cross_validate(
    start: Parameters, definitions: Sequence[Parameter], rows: Sequence[MeasuredRow], folds: int = FOLDS
) -> list[Outcome]:
    """Model every row with parameters fitted to the other folds; configurations stay together."""
    outcomes: list[Outcome] = []
    for fold in range(folds):
        inside = [r for r in rows if bucket(r, "fold") % folds == fold]
        others = [r for r in rows if bucket(r, "fold") % folds != fold]
        outcomes += evaluate_unseen(fit(start, definitions, others), definitions, others, inside)
    return outcomes


def leave_sources_out(
    start: Parameters, definitions: Sequence[Parameter], rows: Sequence[MeasuredRow]
) -> list[Outcome]:
    """Model every source's rows with parameters fitted to the others; rows with a parameter of their own have no figure."""
    outcomes: list[Outcome] = []
    for family in sorted({r.family for r in rows}):
        inside = [r for r in rows if r.family == family]
        others = [r for r in rows if r.family != family]
        outcomes += evaluate_unseen(fit(start, definitions, others), definitions, others, inside)
    return outcomes
