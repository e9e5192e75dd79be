"""The design rules that were checked, each where it is tightest."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf

from aieloom.plan.types import RuleResult
from aieloom.report.parts import FULL, Cell, Column, Note, Section, table
from aieloom.report.times import Cells

ONE_OF_ONE = frozenset({"core-2", "dma-3", "name-1"})  # of what there is one: always full where they are kept
RELEASE = "release-1"  # whose numbers are years with a dot


def rules(checks: Sequence[RuleResult]) -> Section:
    """Return the section."""
    columns = {
        "rule": Column("rule", "id"),
        "what": Column("what"),
        "used": Column("used", "n"),
        "limit": Column("limit", "n"),
        "share": Column(""),
        "where": Column("where"),
    }
    note = Note(text="Every rule that was checked, where it is tightest. docs/errors.md explains each.")
    rows = table(columns, map(_row, checks), classes="")
    return Section(id="rules", link="Design rules", title="Design rules", parts=(note, rows))


def _row(c: RuleResult) -> Cells:
    """Return a rule's row; one that is kept or not, as one kernel on a core, has no share that could be near its limit."""
    kept = not c.limit or isinf(c.limit) or c.rule in ONE_OF_ONE
    return {
        "rule": c.rule,
        "what": c.what,
        "used": f"{c.used:.6g}" if c.rule == RELEASE else f"{c.used:,.6g}",
        "limit": "any" if isinf(c.limit) else f"{c.limit:,.6g}",
        "share": Cell(text="✔") if kept else Cell(meter=min(FULL, round(100 * c.used / c.limit, 1))),
        "where": c.where,
    }
