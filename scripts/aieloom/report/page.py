"""What report/index.html prints: sections, taken from the plan, from summary.json, and from a design to compare with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path

from markupsafe import Markup

from aieloom.plan.types import ArrayPart
from aieloom.report.cards import Card, cards
from aieloom.report.files import TIMED_RUNS, Shown
from aieloom.report.floorplan import floorplan
from aieloom.report.graph import graph
from aieloom.report.in_numbers import in_numbers
from aieloom.report.layers import layers
from aieloom.report.logic import logic
from aieloom.report.memorymap import LEGEND, memory_map
from aieloom.report.outcome import again, quality, tools, verdict_of
from aieloom.report.parts import Column, Drawing, Note, Section, table
from aieloom.report.roofline import roofline
from aieloom.report.routing import routing
from aieloom.report.rules import rules
from aieloom.report.shape import Stage, Summary
from aieloom.report.svg import colour
from aieloom.report.timeline import stage_times, timeline
from aieloom.report.times import UNUSED, times
from aieloom.simulation.events import SimulatedRun
from aieloom.simulation.of_plan import IMAGES, simulate_plan
from aieloom.units.plan import Plan
from aieloom.words import plural

TRACED_TILES = 2  # of large images: each takes thousands of steps


@dataclass(frozen=True, kw_only=True)
class Page:
    """The whole page."""

    title: str
    passed: bool
    verdict: str
    faults: tuple[str, ...]
    how: str
    cards: tuple[Card, ...]
    sections: tuple[Section, ...]
    run: SimulatedRun | None  # of a design all of which works at the same time: what its timeline shows

    @property
    def drawings(self) -> dict[str, str]:
        """The drawings that lie beside the page too, by name."""
        found = (part for s in self.sections for part in s.parts if isinstance(part, Drawing))
        return {part.name: part.svg for part in found if part.name}


def page_of(shown: Shown, summary: Summary, folder: Path, compared: tuple[Section, ...] = ()) -> Page:
    """Return the page of a run; `compared` is what it says of another design."""
    checked = (rules(shown.streams.checks),) if shown.streams else ()
    run = _simulated(shown.streams) if shown.streams else None
    told = (*_sections(shown, run, summary, folder), *quality(summary, folder), *tools(summary))
    return Page(
        title=f"{summary['project']} on {summary['target']}",
        passed=bool(summary["passed"]),
        verdict=verdict_of(summary),
        faults=tuple(summary["faults"]),
        how=shown.how,
        cards=tuple(cards(shown.plan, shown.streams, summary)),
        sections=(*compared, *told, *checked, again(summary)),
        run=run,
    )


def _simulated(streams: ArrayPart) -> SimulatedRun:
    """Return the run that drawings show: of two tiles where images are cut."""
    return simulate_plan(streams, TRACED_TILES if streams.frame else IMAGES, waits=True)


def _sections(shown: Shown, run: SimulatedRun | None, summary: Summary, folder: Path) -> Iterator[Section]:
    plan, streams = shown.plan, shown.streams
    shades = _Shades(plan, summary["performance"]["per_layer"])
    yield in_numbers(plan, shown.arrays, streams, summary)
    if plan.remarks:
        note = Note(text=Markup("<br>").join(plan.remarks))
        yield Section(id="plan", link="The plan", title="The plan", parts=(note,))
    if streams:
        yield _drawn("network", "Network", graph(streams))
    else:
        from aieloom.report.turns_drawings import network_map  # noqa: PLC0415 - of layers in turn

        yield _drawn(
            "network", "Network", network_map(plan, shades.of), Note(keys=tuple(shades.words.items()))
        )
    if shown.arrays:
        hint = Note(hint="Hover over a tile or a column for what it holds.")
        yield _drawn("floorplan", "Floor plan", floorplan(reduce(_beside, shown.arrays)), hint)
    if streams:
        hint = Note(hint="Hover over a line for how many of the ports are taken.")
        yield _drawn("routing", "Routing", routing(streams), hint)
    yield times(plan, streams, summary)
    if streams and run:
        yield _timeline(streams, run, folder)
    yield layers(plan, streams, summary, shades.words)
    if streams:
        yield _drawn("roofline", "Roofline", roofline(streams), Note(text=ROOFS))
        yield _core_memory(streams)
    if shown.in_memory:
        yield _device_memory(plan, shades, summary)
    yield logic(plan, summary["resources"]["pl"]["produced_by"])


def _drawn(name: str, title: str, svg: str, *notes: Note) -> Section:
    """Return a section of one drawing, which has its name."""
    return Section(id=name, link=title, title=title, parts=(*notes, Drawing(svg, name)))


def _beside(first: ArrayPart, second: ArrayPart) -> ArrayPart:
    return replace(first, aie=(*first.aie, *second.aie), plios=(*first.plios, *second.plios))


class _Shades:
    """The colours of what layers in turn are computed on, by its words and by units."""

    def __init__(self, plan: Plan, stages: list[Stage]) -> None:
        on = {s["name"]: s["on"] for s in stages if "on" in s}
        self._words = {task.unit: on[task.name] for task in plan.tasks if task.name in on}
        self._words |= {
            unit: on[turn.name] for turn in plan.schedule.turns if turn.name in on for unit in turn.units
        }
        shown = dict.fromkeys((*self._words.values(), *on.values()))
        self.words = {word: colour(i) for i, word in enumerate(shown)}

    def of(self, unit: str) -> str:
        """Return a unit's colour."""
        return self.words.get(self._words.get(unit, unit), UNUSED)


ROOFS = (
    "A point is a layer; the mark above it is the layer's own roof: what its cores or its streams allow, whichever is less. "
    "Modelled."
)
EVENTS = Markup(
    "The first images by the event simulation, one copy of the design. Step by step: "
    '<a href="trace.json" download>trace.json</a>, which <a href="https://ui.perfetto.dev">Perfetto</a> and chrome://tracing '
    "open. Below: shares of the time between two images in the steady state. A stage works while any of its parts does; its "
    "parts wait, on average, for what stands there."
)


def _timeline(streams: ArrayPart, run: SimulatedRun, folder: Path) -> Section:
    there = [(name, of) for name, of in TIMED_RUNS.items() if (folder / name).is_file()]
    links = Markup(" ").join(Markup('<a href="{}">{}</a>').format(name, of) for name, of in there)
    timed = (
        (Note(text=Markup("The compiled kernels, streams and locks in time: {}.").format(links)),)
        if there
        else ()
    )
    columns = {"name": Column("stage"), "busy": Column("works", "n"), "waits": Column("its parts wait")}
    rows = ({"name": t.name, "busy": f"{t.busy:.0%}", "waits": t.text} for t in stage_times(streams, run))
    parts = (Note(text=EVENTS), *timed, Drawing(timeline(streams, run), "timeline"), table(columns, rows))
    return Section(id="timeline", link="Timeline", title="Timeline of the array", parts=parts)


def _core_memory(streams: ArrayPart) -> Section:
    text = "The cores of a layer are laid out alike. The marks below a bar are its banks."
    note = Note(text=text, hint="Hover for offsets.", keys=LEGEND)
    maps = (Drawing(memory_map(streams, layer)) for layer in streams.aie)
    return Section(id="memory", link="Memory", title="Memory of a core", parts=(note, *maps))


def _device_memory(plan: Plan, shades: _Shades, summary: Summary) -> Section:
    from aieloom.report.turns_drawings import memory_map as device_memory  # noqa: PLC0415 - of layers in turn

    weights, batch = summary["performance"].get("weights_bytes", 0), plan.schedule.batch
    text = (
        f"{plan.tensor_bytes / 1e6:,.1f} MB of tensors for {plural(batch, 'image')} at a time, from the command that makes "
        f"one to the last that reads it; beside them {weights / 1e6:,.1f} MB of weights, which stay."
    )
    hint = "Hover over a tensor for its name, place and size."
    parts = (Note(text=text, hint=hint), Drawing(device_memory(plan, shades.of), "memory"))
    return Section(id="memory", link="Device memory", title="Device memory", parts=parts)
