"""Outcomes as lines of text and as values for JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from aieloom.cost.parameters import held_out_errors, model_name
from tools.measured.evaluate import Errors, Outcome, errors, grouped, held_out
from tools.measured.rows import MeasuredRow, Modelled, NotModelled


def kind(row: MeasuredRow) -> str:
    """Return what sort of row it is: what was measured and the operation's first word."""
    word = row.op.replace("+", " ").replace("(", " ").split()
    return f"{row.what}: {word[0].lower() if word else 'unnamed'}"


def outcome_lines(outcomes: Sequence[Outcome]) -> list[str]:
    """Return a line for each row, then errors by kind and source, then what is not modelled."""
    lines = [f"modelled by {model_name()} (a model, not a measurement; {claim()})", ""]
    lines.append(f"{'row':<14}{'kind':<26}{'metric':<15}{'measured':>12}{'modelled':>12}{'error %':>9}  by")
    lines += [
        f"{o.row.id:<14}{kind(o.row)[:25]:<26}{o.row.metric:<15}{o.row.measured:>12.6g}"
        f"{o.result.value:>12.6g}{100 * o.error:>+9.1f}  {o.result.how}"
        for o in outcomes
        if isinstance(o.result, Modelled) and o.error is not None
    ]
    for title, groups in error_groups(outcomes).items():
        lines += ["", *error_lines(title, groups)]
    missing = [o for o in outcomes if isinstance(o.result, NotModelled)]
    lines += ["", f"not modelled: {len(missing)} of {len(outcomes)} rows"]
    lines += [f"  {o.row.id:<14}{o.result.reason}" for o in missing if isinstance(o.result, NotModelled)]
    return lines


def error_groups(outcomes: Sequence[Outcome]) -> dict[str, dict[str, Errors]]:
    """Return errors over what was measured, by kind and by source."""
    total = errors(outcomes)
    return {
        "what": grouped(outcomes, lambda r: r.what) | ({"all": total} if total else {}),
        "kind": grouped(outcomes, kind),
        "source": grouped(outcomes, lambda r: r.family),
    }


def error_lines(title: str, groups: dict[str, Errors]) -> list[str]:
    """Return a table of errors."""
    lines = [f"{'by ' + title:<32}{'rows':>5}{'none':>6}{'median %':>10}{'worst %':>9}  worst row"]
    return lines + [
        f"{name:<32}{e.rows:>5}{e.not_modelled:>6}{_number(e.median_pct):>10}{_number(e.worst_pct):>9}  {e.worst_row}"
        for name, e in groups.items()
    ]


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.1f}"


def claim() -> str:
    """Return the model's error in words: on rows that no fit saw."""
    parts = [f"{name} {e['median_pct']:.1f} %" for name, e in held_out_errors().items()]
    return "median error on rows that no fit saw: " + ", ".join(parts) if parts else "not calibrated"


def as_values(outcomes: Iterable[Outcome]) -> dict[str, object]:
    """Return everything as plain values for JSON."""
    found = list(outcomes)
    return {
        "produced_by": model_name(),
        "kind": "modelled, not measured",
        "model_error_pct": held_out_errors(),
        "rows": [_row(o) for o in found],
        "errors": {
            title: {
                name: {
                    "rows": e.rows,
                    "not_modelled": e.not_modelled,
                    "median_pct": _finite(e.median_pct),
                    "worst_pct": _finite(e.worst_pct),
                    "worst_row": e.worst_row,
                }
                for name, e in groups.items()
            }
            for title, groups in error_groups(found).items()
        },
    }


def _finite(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 3)


def _row(o: Outcome) -> dict[str, object]:
    known = {
        "id": o.row.id,
        "source": o.row.source,
        "kind": kind(o.row),
        "metric": o.row.metric,
        "measured": o.row.measured,
        "held_out": held_out(o.row),
    }
    if isinstance(o.result, Modelled):
        assert o.error is not None
        return known | {"modelled": o.result.value, "error_pct": round(100 * o.error, 3), "by": o.result.how}
    return known | {"modelled": None, "error_pct": None, "reason": o.result.reason}
