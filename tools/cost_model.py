"""The cost model's errors: fit on part of the rows, hold-out, cross-validation; writes docs/cost-model.md.

    python -m tools.cost_model [FILE.csv] [--fit]

FILE.csv is the file of published measurements (default ../shared/facts/measured.csv beside the repository).
Without --fit the shipped parameters are judged; with it they are calibrated anew and written first.
Cross-validation fits once per fold and once per source: some minutes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from aieloom.cost import parameters as stored
from aieloom.cost.parameters import Parameters, definitions, load_parameters
from aieloom.cost.published import published_times
from tools.calibrate import FOLDS, cross_validate, determined, evaluate_unseen, fit, leave_sources_out
from tools.cost_document import document
from tools.cost_store import rounded, with_errors, with_values
from tools.measured.evaluate import HOLD_OUT_ONE_IN, Errors, Outcome, evaluate, grouped, held_out
from tools.measured.rows import MeasuredRow, read_rows

ROOT = Path(__file__).resolve().parents[1]
MEASURED = ROOT.parent / "shared" / "facts" / "measured.csv"


def calibrated(rows: Sequence[MeasuredRow]) -> Parameters:
    """Return parameters fitted to the rows outside the hold-out, rounded as they are stored."""
    found = fit(load_parameters(), definitions(), rows)
    return Parameters(found.version, {name: rounded(value) for name, value in found.items()})


def store(values: Mapping[str, float], errors: Mapping[str, Errors]) -> None:
    """Write values and errors into the package's parameters.yaml."""
    text = stored.FILE.read_text(encoding="utf-8")
    stored.FILE.write_text(with_errors(with_values(text, definitions(), values), errors), encoding="utf-8")


def by_what(outcomes: Sequence[Outcome]) -> dict[str, Errors]:
    """Return the errors by what was measured."""
    return grouped(outcomes, lambda row: row.what)


def main() -> None:
    """Fit if asked, judge, write the document."""
    parser = argparse.ArgumentParser(description="Judge the cost model and write docs/cost-model.md.")
    parser.add_argument("file", type=Path, nargs="?", default=MEASURED)
    parser.add_argument("--fit", action="store_true", help="calibrate and store the parameters first")
    options = parser.parse_args()
    began = time.perf_counter()
    rows = read_rows(options.file)
    seen, unseen = [r for r in rows if not held_out(r)], [r for r in rows if held_out(r)]
    values = calibrated(seen) if options.fit else load_parameters()
    on_hold_out = evaluate_unseen(values, definitions(), seen, unseen)
    store(values, by_what(on_hold_out))
    folds = cross_validate(values, definitions(), seen)
    sources = leave_sources_out(values, definitions(), seen)
    text = document(
        version=values.version,
        values=values,
        one_in=HOLD_OUT_ONE_IN,
        folds_of=FOLDS,
        known=determined(values, definitions(), seen),
        fitted=evaluate(values, seen),
        held_out=on_hold_out,
        folds=folds,
        sources=sources,
        design=published_times(values),
    )
    (ROOT / "docs" / "cost-model.md").write_text(text, encoding="utf-8")
    for name, e in by_what(on_hold_out).items():
        print(
            f"hold-out {name:<8} {e.rows:>4} rows, median {e.median_pct:5.1f} %, worst {e.worst_pct:6.1f} %"
        )
    print(f"docs/cost-model.md written, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
