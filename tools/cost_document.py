"""docs/cost-model.md as text: what the model is, and what it is worth, from the outcomes of a calibration."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from aieloom.cost.parameters import definitions
from aieloom.cost.published import PUBLISHED_FPS, PUBLISHED_LATENCY_US
from tools.measured.evaluate import Errors, Outcome, errors, grouped
from tools.measured.rows import MeasuredRow, NotModelled
from tools.measured.tables import kind

GOALS = {"kernel": 10.0, "graph": 10.0}
UNSEEN_SOURCE = 20.0  # per cent

HEAD = """# The cost model

<!-- Written by `python -m tools.cost_model`; edit tools/cost_document.py instead. -->

Version {version}. Every figure that aieloom prints about speed comes from this model and says so. It is a
model: nothing here was measured by this project. It is calibrated on published figures (their sources are
named by each row's id), and it carries the errors below.

## What it computes

- **Generated kernel** (`cost/blocks.py`, `schedule/`): list schedules of what begins and ends a block of sums, a software
  pipeline's interval by units, recurrences and registers, rules for what is pipelined and flattened: those that a timed run
  takes of compiled code, so that plan and timed run are one model ([timed.md](evidence/timed.md) has both). The code is
  written as operations beside its template, so that no compiler is needed; each shape of a loop is scheduled once, trips
  multiply it. Plans, the search and `aieloom explain` take a call's cycles from here. No figure of it is fitted.
- **Published kernel** (`cost/loops.py`, `cost/kernels.py`): nested loops of counted operations: vector loads, stores,
  MAC issue slots, shuffles, stream words, scalar steps. A pipelined body costs what its busiest unit needs (one
  MAC, one store, two loads a cycle; a product loads A and B over one load unit each); a register block adds the
  entry and drain of its loop, a call adds entry, locks and return. So are published kernels modelled, and the products of
  `aieloom gemm` and of sequential designs on the array costed; the errors below are of these.
- **Edge** (`cost/machine.py`): a stream carries 4 bytes a cycle; a PLIO at most its width at the PL clock; a DMA
  transfer adds its set-up and the stream's hops; a cascade link carries one accumulator a cycle.
- **PL kernel** (`cost/published.py`): each loop `depth + II x trips` at its clock; loops in dataflow overlap. A streaming
  kernel's readers take a beat a cycle, its writers send a word a cycle after the rows that they wait for; pools and borders
  do both.
- **Graph** (`plan/cost.py`): the longest stage sets the interval, the critical path the latency; a stage's
  utilisation is its work over the interval. A batch goes through layers on the processor and subgraphs of the device one
  after another: their intervals add up. An operation on the processor takes 4 cycles of 1.2 GHz, an estimate not calibrated.
- **Event simulation** (`simulation/events.py`): images as tokens through stages and buffers with
  one or two places; a stage waits for its input and for room behind it. Subgraphs are simulated one after another, and
  the processor's time is added. It gives latency and rate with contention, and the
  trace in `report/trace.json` (Perfetto and chrome://tracing open it).

`python -m tools.measured FILE.csv [--json]` models every row of a file with the columns of
the calibration file, prints the errors by kind and source, and says why a row has no figure.

## How it is judged

The split is fixed: a hash of a row's configuration (source, operation, types, shape, cores) keeps one
configuration in {one_in} out of every fit, and deals the others into {folds} folds; all versions of one experiment stay
together. The fit minimises a robust sum of relative errors over the parameters marked *calibrated*. A row that
needs a parameter which the rows of the fit do not determine counts as not modelled, in the hold-out as in the folds:
rows determine a parameter if their figures move by a tenth, all together, over its whole range. A whole network tells
nothing of a pool that is a hundredth of its time; fitted to it alone a pool's rate took up what is wrong elsewhere.
The form of the model was chosen with all rows in view; only the values come from the fit.
"""

NOTES = """
## Where it is weak

- Historic versions of hand-written kernels differ by up to 2x for the same shape and class name; the model has one
  factor for "earlier" code of each style. They are most of the worst rows.
- Row-wise convolutions were fitted on kernels of 3 to 5 taps; at 1x1 the loop around the taps is most of the time, and
  the model is 10 to 40 % off.
- Without a source's own rows most of its kernels have no figure: each style of hand-written code has parameters of its
  own. Of onnx2versal's 111 rows 9 have one then. What is left is code shape: dense layers of several rows pay the start
  of a call in every row (24 to 30 % too little), copies by element differ by four times from one class to the next.
- Matrix-vector products of complex integers on AIE-ML hide the work behind the stream where others do not (35 to 60 %
  too much). The other row of emulated float32 takes 6 cycles a MAC, the fitted one 13: two are too few to tell why.
- Kernels with one loop over their elements (copies, pools, conversions) have one rate each, whatever their code.
- A parameter marked *estimate* belongs to a single experiment outside the fit: it has no error of its own.
- fp32 on AIE-ML (emulated) has two published points; whole networks that do not say how their layers are cut have none.
- PL kernels: only the published ESPCN design; PL-only designs of other tools do not say how their loops are unrolled.
"""


def document(
    *,
    version: str,
    values: Mapping[str, float],
    one_in: int,
    folds_of: int,
    known: Collection[str],
    fitted: Sequence[Outcome],
    held_out: Sequence[Outcome],
    folds: Sequence[Outcome],
    sources: Sequence[Outcome],
    design: tuple[float, float],
) -> str:
    """Return the whole document."""
    parts = [HEAD.format(version=version, one_in=one_in, folds=folds_of)]
    parts.append(_goals(held_out, sources, design))
    named = (
        ("Rows of the fit", fitted, _what),
        ("Hold-out: rows that no fit saw", held_out, _what),
        ("Cross-validation by configuration (rows of the fit)", folds, _what),
        ("Cross-validation by source: the source's own rows unseen", sources, _source),
        ("Hold-out by kind", held_out, kind),
        ("Rows of the fit by kind", fitted, kind),
    )
    parts += [f"\n## {title}\n\n{_table(grouped(outcomes, key))}" for title, outcomes, key in named]
    parts.append(f"\n## The hold-out's worst rows\n\n{_worst(held_out)}")
    parts.append(f"\n## Rows without a figure\n\n{_reasons([*fitted, *held_out])}")
    parts.append(NOTES)
    parts.append(f"\n## Parameters\n\n{_parameters(values, known)}")
    return "\n".join(part.strip("\n") + "\n" for part in parts)


def _what(row: MeasuredRow) -> str:
    return row.what


def _source(row: MeasuredRow) -> str:
    return row.family


def _goals(held_out: Sequence[Outcome], sources: Sequence[Outcome], design: tuple[float, float]) -> str:
    lines = ["## Goals", "", "| goal | figure | reached |", "|---|---|---|"]
    for what, goal in GOALS.items():
        found = errors(o for o in held_out if o.row.what == what)
        size = found.median_pct if found else math.nan
        lines.append(
            f"| median error of {what}s on unseen rows <= {goal:g} % | {size:.1f} % | {_yes(size <= goal)} |"
        )
    kernels = errors(o for o in sources if o.row.what == "kernel")
    if kernels:
        size, of = kernels.median_pct, f"of {kernels.rows} of {kernels.rows + kernels.not_modelled} rows"
        text = f"median error of kernels of a source that the fit never saw <= {UNSEEN_SOURCE:g} %"
        lines.append(f"| {text} | {size:.1f} % {of} | {_yes(size <= UNSEEN_SOURCE)} |")
    latency, interval = design
    for name, modelled, measured in (
        ("latency of the published ESPCN design within 25 % of 3700 us", latency, PUBLISHED_LATENCY_US),
        ("rate of the published ESPCN design within 25 % of 518 images/s", 1e6 / interval, PUBLISHED_FPS),
    ):
        off = 100 * (modelled / measured - 1)
        lines.append(f"| {name} | {modelled:.0f} ({off:+.1f} %) | {_yes(abs(off) <= 25)} |")
    return "\n".join(lines)


def _yes(reached: bool) -> str:
    return "yes" if reached else "**no**"


def _table(groups: Mapping[str, Errors]) -> str:
    lines = [
        "| rows | modelled | not | median % | mean % | worst % | worst row |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, e in groups.items():
        figures = [f"{v:.1f}" if math.isfinite(v) else "-" for v in (e.median_pct, e.mean_pct, e.worst_pct)]
        lines.append(f"| {name} | {e.rows} | {e.not_modelled} | {' | '.join(figures)} | {e.worst_row} |")
    return "\n".join(lines)


def _worst(outcomes: Sequence[Outcome], count: int = 12) -> str:
    found = sorted(
        ((abs(e), e, o) for o in outcomes if (e := o.error) is not None), key=lambda x: (-x[0], x[2].row.id)
    )
    lines = ["| row | what | shape | error % |", "|---|---|---|---|"]
    lines += [f"| {o.row.id} | {o.row.op} | {o.row.shape} | {100 * e:+.1f} |" for _, e, o in found[:count]]
    return "\n".join(lines)


def _reasons(outcomes: Sequence[Outcome]) -> str:
    reasons: dict[str, list[str]] = {}
    for o in outcomes:
        if isinstance(o.result, NotModelled):
            reasons.setdefault(o.result.reason, []).append(o.row.id)
    return "\n".join(f"- {reason}: {', '.join(sorted(ids))}" for reason, ids in sorted(reasons.items()))


def _parameters(values: Mapping[str, float], known: Collection[str]) -> str:
    """Return all parameters; a calibrated one that no row of the fit determines is called an estimate."""
    lines = ["| parameter | value | unit | from | meaning |", "|---|---|---|---|---|"]
    for d in definitions():
        origin = "estimate" if d.fitted and d.name not in known else d.source
        lines.append(f"| `{d.name}` | {values[d.name]:g} | {d.unit} | {origin} | {d.meaning} |")
    return "\n".join(lines)
