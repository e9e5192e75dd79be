"""Where the time goes: the stages that work at the same time, or what follows one another in turns."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from aieloom.plan.types import ArrayPart
from aieloom.report.cards import item_of
from aieloom.report.parts import Cell, Column, Note, Section, Table, table
from aieloom.report.shape import Summary
from aieloom.report.svg import colour
from aieloom.units.plan import Plan, ahead_us, time_by_cause
from aieloom.words import plural

KINDS = {"aie": "array", "pl": "PL kernel", "mover": "data mover", "ps": "processor"}
UNUSED = "#999999"  # of what has no colour of its own
BINDS = Markup("{}<br><b>◀ bottleneck</b>")
Cells = dict[str, Cell | str]


def times(plan: Plan, streams: ArrayPart | None, summary: Summary) -> Section:
    """Return the section; `streams` is the design on the array, where all of it works at the same time."""
    performance = summary["performance"]
    made = f"{performance['kind']}: {performance['produced_by']}"
    pace, rows = (_pace(streams), [*_stages(streams)]) if streams else (_turns(plan), [*_causes(plan)])
    slowest, _ = max(rows, key=lambda row: row[1])
    slowest["what"] = BINDS.format(slowest["what"])
    left_out = tuple(performance.get("leaves_out", ()))
    notes = (Note(text="The rate leaves out:", lines=left_out),) if left_out else ()
    return Section(
        id="time",
        link="Time",
        title="Where the time goes",
        parts=(Note(text=f"{made}. {pace}"), _table(plan, [cells for cells, _ in rows]), *notes),
    )


def _table(plan: Plan, rows: list[Cells]) -> Table:
    columns = {
        "what": Column("stage" if plan.schedule.kind == "stream" else "what"),
        "kind": Column("kind", "more"),
        "us": Column(f"us {an_item(plan)}", "n"),
        "latency": Column("latency, us", "n more"),
        "cycles": Column("cycles", "n more"),
        "clock": Column("MHz", "n more"),
        "share": Column("share", "n"),
        "bar": Column("", "graph"),
    }
    return table(columns, rows, classes="bars")


def an_item(plan: Plan) -> str:
    """Return `an image`, or what else a time is of."""
    item = item_of(plan)
    return f"a {item}" if item == "product" else f"an {item}"


def _pace(streams: ArrayPart) -> str:
    """Say how the stages' times make the design's rate."""
    if not streams.processor:
        return "The stages work on successive images at the same time: the slowest one sets the rate."
    what = "the device's subgraphs" if len(streams.subgraphs) > 1 else "the device"
    return (
        f"A batch goes through the processor's layers and {what} one after another: their times add up. On the device the "
        "stages work on successive images at the same time: the slowest one counts."
    )


def _turns(plan: Plan) -> str:
    """Say how the turns' times make the design's rate."""
    laid, batch = ahead_us(plan), plural(plan.schedule.batch, item_of(plan))
    beside = (
        f" Meanwhile the processor lays out the next batch's images, {laid:,.1f} us each." if laid else ""
    )
    return f"What takes turns follows one another, {batch} at a time: the times add up.{beside}"


def _stages(streams: ArrayPart) -> Iterator[tuple[Cells, float]]:
    """Yield each stage's row and its time; a bar's length is of the slowest one's."""
    slowest = max(s.interval_us for s in streams.cost.stages)
    colours = {layer.name: colour(i) for i, layer in enumerate(streams.aie)}
    for s in streams.cost.stages:
        share = round(100 * s.interval_us / slowest, 2)
        cells: Cells = {
            "what": s.name,
            "kind": KINDS[s.kind],
            "us": f"{s.interval_us:,.2f}",
            "latency": f"{s.latency_us:,.2f}",
            "cycles": f"{s.cycles:,}",
            "clock": f"{s.clock_mhz:g}",
            "bar": Cell(bar=share, colour=colours.get(s.name, UNUSED)),
        }
        yield cells, s.interval_us


def _causes(plan: Plan) -> Iterator[tuple[Cells, float]]:
    """Yield the row of each thing that time goes to, the most first, and its time."""
    found = time_by_cause(plan)
    most, total = max(found.values()), sum(found.values())
    for i, (what, us) in enumerate(found.items()):
        bar = Cell(bar=round(100 * us / most, 2), colour=colour(i))
        yield {"what": what, "us": f"{us:,.3g}", "share": f"{us / total:.1%}", "bar": bar}, us
