"""Writes calibrated values and their errors back into parameters.yaml, one line a parameter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from aieloom.cost.parameters import Parameter
from tools.measured.evaluate import Errors

DIGITS = 4


def rounded(value: float) -> float:
    """Return a value as it is stored."""
    return float(f"{value:.{DIGITS}g}")


def with_values(text: str, definitions: Sequence[Parameter], values: Mapping[str, float]) -> str:
    """Return the file's text with the fitted parameters' values replaced.

    Raises:
        KeyError: a fitted parameter has no line.
    """
    for d in (d for d in definitions if d.fitted):
        pattern = re.compile(rf"^(  {re.escape(d.name)}: {{value: )[^,]+", re.MULTILINE)
        text, changed = pattern.subn(rf"\g<1>{rounded(values[d.name]):g}", text)
        if changed != 1:
            raise KeyError(d.name)
    return text


def with_errors(text: str, held_out: Mapping[str, Errors]) -> str:
    """Return the file's text with the errors on the hold-out replaced."""
    entries = ", ".join(
        f"{name}: {{rows: {e.rows}, median_pct: {e.median_pct:.1f}, worst_pct: {e.worst_pct:.1f}}}"
        for name, e in held_out.items()
    )
    return re.sub(r"^held_out: .*$", f"held_out: {{{entries}}}", text, count=1, flags=re.MULTILINE)
