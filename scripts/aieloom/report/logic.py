"""What the design takes of the programmable logic, kernel by kernel."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.report.in_numbers import KINDS
from aieloom.report.parts import Column, Note, Section, table
from aieloom.report.times import Cells
from aieloom.units.plan import Plan, resources


def logic(plan: Plan, counted_by: str) -> Section:
    """Return the section; `counted_by` says what counted."""
    columns = {
        "name": Column("kernel"),
        "instances": Column("compute units", "n"),
        "clock": Column("clock", "n"),
        **{kind: Column(name, "n") for kind, name in KINDS.items()},
    }
    note = Note(text=f"By {counted_by}, all compute units of a kernel together; the clock in MHz.")
    rows = table(columns, _rows(plan), sums=True)
    return Section(id="logic", link="Logic", title="Programmable logic", parts=(note, rows))


def _rows(plan: Plan) -> Iterator[Cells]:
    use, there = resources(plan), plan.board.logic
    for unit in plan.units:
        place = plan.in_logic.get(unit.name)
        if place:
            yield {
                "name": unit.name,
                "instances": f"{len(place.instances)}",
                "clock": f"{place.clock_mhz:g}",
                **{kind: f"{getattr(unit.use, kind):,}" for kind in KINDS},
            }
    shares = {kind: (getattr(use, kind), getattr(there, kind)) for kind in KINDS}
    told = {kind: f"{used:,} of {of:,} ({used / of:.0%})" for kind, (used, of) in shares.items() if of}
    yield {"name": f"together, of {plan.board.name}'s", **told}
