"""report/index.html of a design whose layers share units: engines, one circuit, products on the matrix engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path

from aieloom.emit.files import write_text
from aieloom.plan.types import ArrayPart
from aieloom.report.compare import read_other
from aieloom.report.files import read_summary
from aieloom.report.floorplan import floorplan
from aieloom.report.outcome import Card, Outcome, energy_cards, outcome_of
from aieloom.report.shape import Stage, Summary
from aieloom.report.site import template
from aieloom.report.svg import colour
from aieloom.report.turns_drawings import memory_bytes, memory_map, network_map
from aieloom.spec.device import Device
from aieloom.units.plan import Plan, ahead_us, resources, time_by_cause
from aieloom.words import duration, plural

PAGE, NETWORK, MEMORY, FLOORPLAN = "index.html", "network.svg", "memory.svg", "floorplan.svg"
MODELLED = "modelled, not measured"


@dataclass(frozen=True, kw_only=True)
class Bar:
    """What time goes to."""

    name: str
    us: str
    percent: str
    share: float
    colour: str


@dataclass(frozen=True, kw_only=True)
class LayerRow:
    """A layer in the table: everything as text."""

    name: str
    op: str
    shape: str
    on: str
    products: str
    weights: str
    bytes: str
    us: str
    share: float
    bound: str
    colour: str


@dataclass(frozen=True, kw_only=True)
class Page:
    """The whole page."""

    run: Outcome
    how: str
    what: str  # is computed again and again: an image, or a product
    cards: tuple[Card, ...]
    pace: str
    bars: tuple[Bar, ...]
    leaves_out: tuple[str, ...]
    batch: int
    layers: tuple[LayerRow, ...]
    colours: tuple[tuple[str, str], ...]
    network: str
    memory: str
    memory_note: str
    remarks: tuple[str, ...]
    uses: tuple[tuple[str, str, str, str], ...]
    floorplan: str


def files_of(plan: Plan) -> tuple[str, ...]:
    """Return what `write_page` makes."""
    return (PAGE, NETWORK, *([MEMORY] if plan.buffers else []), *([FLOORPLAN] if plan.on_cores else []))


def write_page(plan: Plan, arrays: Sequence[ArrayPart], how: str, folder: Path, compare: Path | None) -> None:
    """Write index.html, which needs no other file, and beside it its drawings; summary.json is there.

    `arrays` are the parts that have a graph on the array; `how` says how the network runs; `compare` is the build or report
    folder of another design.

    Raises:
        SpecError: there is no summary yet, nothing to compare with, or the folder cannot be written.
    """
    summary = read_summary(folder)
    run = outcome_of(summary, folder, read_other(compare) if compare else None)
    page = page_of(plan, arrays, how, summary, run)
    drawings = {NETWORK: page.network, MEMORY: page.memory, FLOORPLAN: page.floorplan}
    for name in files_of(plan)[1:]:
        write_text(folder / name, drawings[name])
    write_text(folder / PAGE, template(Path(__file__).parent / "turns.html.j2").render(p=page))


def page_of(plan: Plan, arrays: Sequence[ArrayPart], how: str, summary: Summary, run: Outcome) -> Page:
    """Return the page of a run."""
    performance = summary["performance"]
    stages = performance["per_layer"]
    on = {s["name"]: s["on"] for s in stages if "on" in s}
    words = {unit: on[turn.name] for turn in plan.schedule.turns if turn.name in on for unit in turn.units}
    words |= {task.unit: on[task.name] for task in plan.tasks if task.name in on and task.unit not in words}
    shown = dict.fromkeys((*words.values(), *on.values()))
    shades = {word: colour(i) for i, word in enumerate(shown)}

    def shade(unit: str) -> str:
        return shades.get(words.get(unit, unit), "#999999")

    return Page(
        run=run,
        how=how,
        what=_what(plan),
        cards=tuple(_cards(plan, summary)),
        pace=_pace(plan),
        bars=tuple(_bars(plan)),
        leaves_out=tuple(performance.get("leaves_out", ())),
        batch=plan.schedule.batch,
        layers=tuple(_layers(plan, stages, shades)),
        colours=tuple(shades.items()),
        network=network_map(plan, shade),
        memory=memory_map(plan, shade) if plan.buffers else "",
        memory_note=_memory_note(plan, summary),
        remarks=plan.remarks,
        uses=tuple(_uses(plan)),
        floorplan=floorplan(reduce(_beside, arrays)) if arrays else "",
    )


def _beside(first: ArrayPart, second: ArrayPart) -> ArrayPart:
    return replace(first, aie=(*first.aie, *second.aie), plios=(*first.plios, *second.plios))


def _what(plan: Plan) -> str:
    return "product" if plan.schedule.kind == "once" else "image"


def _pace(plan: Plan) -> str:
    """Say how the layers' times make the rate."""
    laid = ahead_us(plan)
    batch = plural(plan.schedule.batch, _what(plan))
    beside = (
        f" Meanwhile the processor lays out the next batch's images, {laid:,.1f} us each." if laid else ""
    )
    return f"What takes turns follows one another, {batch} at a time: the times add up.{beside}"


def _memory_note(plan: Plan, summary: Summary) -> str:
    weights = summary["performance"].get("weights_bytes", 0)
    return (
        f"{memory_bytes(plan) / 1e6:,.1f} MB of tensors for {plan.schedule.batch} images at a time, from the command that "
        f"makes one to the last that reads it; beside them {weights / 1e6:,.1f} MB of weights, which stay."
    )


def _cards(plan: Plan, summary: Summary) -> Iterator[Card]:
    performance = summary["performance"]
    rate, macs = performance["throughput_fps"], sum(s.get("macs", 0) for s in performance["per_layer"])
    yield Card(
        title="throughput",
        value=f"{rate:,.0f} {_what(plan)}s/s",
        note=f"with memory and the host program; bound by {performance['bottleneck']}",
        source=MODELLED,
    )
    yield Card(
        title="latency",
        value=duration(performance["latency_us"]),
        note=f"of a batch of {plan.schedule.batch:,}"
        if plan.schedule.kind == "commands"
        else f"of one {_what(plan)}",
        source=MODELLED,
    )
    if macs:
        share = performance.get("share_of_peak")
        yield Card(
            title="arithmetic",
            value=f"{2 * macs * rate / 1e9:,.4g} GOP/s",
            note=f"{macs / 1e6:,.3g} million products an image"
            + (f"; {share:.1%} of what the array's cores could" if share else ""),
            source=MODELLED,
        )
    if plan.buffers:
        weights, crossing = performance.get("weights_bytes", 0), performance.get("memory_bytes_per_image", 0)
        yield Card(
            title="device memory",
            value=f"{(weights + memory_bytes(plan)) / 1e6:,.1f} MB",
            note=f"{weights / 1e6:,.1f} MB of weights; {crossing / 1e6:,.1f} MB cross ports an image",
            source="the plan",
        )
    yield from energy_cards(performance)
    if "emulated_s_per_image" in performance:
        yield Card(
            title="emulated",
            value=f"{performance['emulated_s_per_image']:,.3g} s",
            note=f"an image; {performance['emulated_peak_mb']:,.0f} MB of memory at most",
            source="measured on this machine",
        )


def _bars(plan: Plan) -> Iterator[Bar]:
    found = time_by_cause(plan)
    most, total = max(found.values()), sum(found.values())
    for i, (what, us) in enumerate(found.items()):
        share = round(100 * us / most, 2)
        yield Bar(name=what, us=f"{us:,.3g}", percent=f"{us / total:.1%}", share=share, colour=colour(i))


def _layers(plan: Plan, stages: Sequence[Stage], shades: dict[str, str]) -> Iterator[LayerRow]:
    tasks = {name: task for task in plan.tasks for name in (task.name, *task.layers)}
    most = max((s.get("us_per_image", 0.0) for s in stages), default=0.0) or 1.0
    for stage in stages:
        task, us, on = tasks.get(stage["name"]), stage.get("us_per_image", 0.0), stage.get("on", "")
        part = f" with {task.layers[-1]}" if task and task.layers[-1] != stage["name"] else ""
        yield LayerRow(
            name=stage["name"],
            op=stage.get("op", task.op if task else "") + part,
            shape=" → ".join("x".join(map(str, t.shape)) for t in (task.x, task.y)) if task else "",
            on=on,
            products=f"{stage['macs'] / 1e6:,.3g}" if stage.get("macs") else "",
            weights=f"{stage['weights_bytes'] / 1e3:,.1f}" if stage.get("weights_bytes") else "",
            bytes=f"{stage['bytes_per_image'] / 1e3:,.0f}" if stage.get("bytes_per_image") else "",
            us="" if "us_per_image" not in stage else f"{us:,.3g}" if us < 100 else f"{us:,.0f}",
            share=min(100.0, round(100 * us / most, 2)),
            bound=stage.get("bound_by", ""),
            colour=shades.get(on, "#999999"),
        )


def _uses(plan: Plan) -> Iterator[tuple[str, str, str, str]]:
    board, use = plan.board, resources(plan)
    rows = [
        ("AI Engines", use.cores, board.array.cores if isinstance(board, Device) and use.cores else 0),
        ("DSP slices", use.dsp, board.logic.dsp),
        ("LUTs", use.lut, board.logic.lut),
        ("block RAMs (36 Kb)", use.bram36, board.logic.bram36),
        ("UltraRAM blocks", use.uram288, board.logic.uram288),
    ]
    for what, used, there in rows:
        if there:
            yield what, f"{used:,}", f"{there:,}", f"{used / there:.1%}"
