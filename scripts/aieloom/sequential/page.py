"""report/index.html of a design that runs layer by layer: flat values, taken from its plan and from summary.json."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from aieloom.emit.files import write_text
from aieloom.layout.channel_words import LANES
from aieloom.report.floorplan import floorplan
from aieloom.report.outcome import Card, Outcome, energy_cards, outcome_of
from aieloom.report.shape import Summary
from aieloom.report.site import read_summary, template
from aieloom.report.svg import colour
from aieloom.sequential.drawings import memory_map, network_map
from aieloom.sequential.listing import LayerCommand, weights_of
from aieloom.sequential.plan import InTurn, engines_of
from aieloom.sequential.recurrent import RecurrentStep
from aieloom.sequential.remarks import bytes_per_image, costed, on, pace
from aieloom.sequential.steps import ConvStep, Step
from aieloom.spec.device import Device
from aieloom.units.plan import Plan, resources, time_by_cause
from aieloom.units.types import Turn
from aieloom.words import plural

PAGE = "index.html"
NETWORK, MEMORY, FLOORPLAN = "network.svg", "memory.svg", "floorplan.svg"
ENGINES = {
    "array": colour(0),
    "engine": colour(1),
    "vector unit": colour(2),
    "row unit": colour(3),
    "recurrent unit": colour(7),
    "array's rows": colour(4),
    "cores": colour(6),
    "processor": colour(5),
}


@dataclass(frozen=True, kw_only=True)
class Cause:
    """What time goes to."""

    name: str
    us: str
    percent: str
    share: float
    slowest: bool
    colour: str


@dataclass(frozen=True, kw_only=True)
class LayerRow:
    """A layer in the table: everything as text."""

    name: str
    op: str
    shape: str
    engine: str
    products: str
    weights: str
    bytes: str
    us: str
    share: float
    bound: str
    slowest: bool
    colour: str


@dataclass(frozen=True, kw_only=True)
class Page:
    """The whole page."""

    run: Outcome
    cards: tuple[Card, ...]
    pace: str
    causes: tuple[Cause, ...]
    leaves_out: tuple[str, ...]
    batch: int
    layers: tuple[LayerRow, ...]
    colours: tuple[tuple[str, str], ...]
    network: str
    memory: str
    memory_note: str
    engines: tuple[tuple[str, tuple[str, ...]], ...]
    uses: tuple[tuple[str, str, str, str], ...]
    floorplan: str


def files_of(plan: Plan) -> tuple[str, ...]:
    """Return what `write_page` makes."""
    return (PAGE, NETWORK, MEMORY, *([FLOORPLAN] if plan.on_cores else []))


def write_page(plan: Plan, folder: Path) -> None:
    """Write index.html, which needs no other file, and beside it its drawings; summary.json is there.

    Raises:
        SpecError: there is no summary yet, or the folder cannot be written.
    """
    page = page_of(plan, read_summary(folder))
    write_text(folder / NETWORK, page.network)
    write_text(folder / MEMORY, page.memory)
    if page.floorplan:
        write_text(folder / FLOORPLAN, page.floorplan)
    write_text(folder / PAGE, template(Path(__file__).parent / "page.html.j2").render(p=page))


def page_of(plan: Plan, summary: Summary) -> Page:
    """Return the page of a run."""
    performance, design = summary["performance"], engines_of(plan)
    seen = {on(turn) for turn in costed(plan)}
    return Page(
        run=outcome_of(summary),
        cards=tuple(_cards(plan, summary)),
        pace=pace(plan),
        causes=_causes(plan),
        leaves_out=tuple(performance["leaves_out"]),
        batch=plan.schedule.batch,
        layers=_layers(plan),
        colours=tuple((name, shade) for name, shade in ENGINES.items() if name in seen),
        network=network_map(plan, ENGINES),
        memory=memory_map(plan, ENGINES),
        memory_note=(
            f"{design.memory_bytes / 1e6:,.1f} MB of tensors for {plan.schedule.batch} images at a time, from the command that "
            f"makes one to the last that reads it; beside them {design.weights_bytes / 1e6:,.1f} MB of weights, which stay."
            f"{_stored(design)}"
        ),
        engines=_engines(design),
        uses=tuple(_uses(plan)),
        floorplan=_floorplan(design),
    )


def _floorplan(design: InTurn) -> str:
    """Return the picture of the array, where something is on it."""
    own = design.spatial.plan if design.spatial else None
    engine = design.array.gemm.array if design.array and design.array.gemm else None
    if own and engine:
        return floorplan(replace(own, aie=(*own.aie, *engine.aie), plios=(*own.plios, *engine.plios)))
    shown = own or engine
    return floorplan(shown) if shown else ""


def _stored(design: InTurn) -> str:
    """Say what lies in the rows' stores, where they are."""
    if not design.staying:
        return ""
    size = design.staying.store_words * LANES / 1e6
    return f" What layers make of an image lies in the stores of {design.staying.rows} rows, {size:,.2f} MB each."


def _cards(plan: Plan, summary: Summary) -> Iterator[Card]:
    performance, design = summary["performance"], engines_of(plan)
    model = "modelled, not measured"
    macs = design.macs
    rate = performance["throughput_fps"]
    yield Card(
        title="throughput",
        value=f"{rate:,.0f} images/s",
        note=f"with memory and the host program; bound by {performance['bottleneck']}",
        source=model,
    )
    yield Card(
        title="latency",
        value=f"{performance['latency_us'] / 1e3:,.2f} ms",
        note=f"of a batch of {plan.schedule.batch}",
        source=model,
    )
    yield Card(
        title="arithmetic",
        value=f"{2 * macs * rate / 1e9:,.4g} GOP/s",
        note=f"{macs / 1e6:,.1f} million products an image{_share(design, 2 * macs * rate / 1e9)}",
        source=model,
    )
    yield Card(
        title="device memory",
        value=f"{(design.weights_bytes + design.memory_bytes) / 1e6:,.1f} MB",
        note=f"{design.weights_bytes / 1e6:,.1f} MB of weights; {bytes_per_image(plan) / 1e6:,.1f} MB cross ports an image",
        source="the plan",
    )
    yield from energy_cards(performance)
    yield Card(
        title="emulated",
        value=f"{performance['emulated_s_per_image']:,.3g} s",
        note=f"an image; {performance['emulated_peak_mb']:,.0f} MB of memory at most",
        source="measured on this machine",
    )


def _share(design: InTurn, gops: float) -> str:
    return f"; {gops / design.array.peak_gops:.1%} of what the array's cores could" if design.array else ""


def _causes(plan: Plan) -> tuple[Cause, ...]:
    found = time_by_cause(plan)
    most, total = max(found.values()), sum(found.values())
    return tuple(
        Cause(
            name=what,
            us=f"{us:,.1f}",
            percent=f"{us / total:.1%}",
            share=round(100 * us / most, 2),
            slowest=i == 0,
            colour=colour(i),
        )
        for i, (what, us) in enumerate(found.items())
    )


def _layers(plan: Plan) -> tuple[LayerRow, ...]:
    steps = {s.layer: s for s in engines_of(plan).steps}
    turns = costed(plan)
    most = max(turn.total_us for turn in turns if not turn.ahead)

    def row(turn: Turn) -> LayerRow:
        step = steps.get(turn.name) if turn.tasks else None
        held = weights_of(turn.record) if isinstance(turn.record, LayerCommand) else 0
        return LayerRow(
            name=turn.name,
            op=f"{turn.op}, meanwhile" if turn.ahead else with_what(turn, step),
            shape=" → ".join("x".join(map(str, t.shape)) for t in (step.x, step.y)) if step else "",
            engine=on(turn),
            products=f"{step.products / 1e6:,.1f}" if isinstance(step, ConvStep | RecurrentStep) else "",
            weights=f"{held / 1e3:,.1f}" if held else "",
            bytes=f"{turn.bytes / 1e3:,.0f}" if turn.bytes else "",
            us=f"{turn.total_us:,.1f}",
            share=min(100.0, round(100 * turn.total_us / most, 2)),
            bound=turn.bound,
            slowest=turn.total_us == most and not turn.ahead,
            colour=ENGINES[on(turn)],
        )

    return tuple(map(row, turns))


def with_what(turn: Turn, step: Step | None) -> str:
    """Return a layer's operator, with the layer that is part of it."""
    part = step.gives if isinstance(step, ConvStep) and step.gives != step.layer else ""
    return f"{turn.op} with {part}" if part else turn.op


def _engines(design: InTurn) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: list[tuple[str, tuple[str, ...]]] = [("Why so", (design.reason,))]
    if design.spatial:
        found += [("Layers with cores of their own", design.spatial.why)]
    if design.array:
        found += [("On the AI Engine array", design.array.why())]
    if design.in_logic:
        names = ", ".join(s.layer for s in design.in_logic)
        more = (f"for {names}",) if design.array else ()
        found += [("Convolution engine in the logic", (*design.engine.why(), *more))]
    if design.unit:
        names = ", ".join(design.forms)
        found += [("Vector unit in the logic", (f"{design.unit.lanes} elements a cycle, for {names}",))]
    if design.row_unit:
        names = ", ".join(s.layer for s in design.rows)
        said = f"{plural(design.row_unit.units, 'unit')} of {plural(design.row_unit.lanes, 'element')} a cycle, for {names}"
        laid = "keys and values are laid out there as the engine reads weights"
        found += [("Row units in the logic", (said, laid) if design.row_unit.held_words else (said,))]
    if design.recurrent:
        names = ", ".join(s.layer for s in design.recurrences)
        found += [("Recurrent unit in the logic", (*design.recurrent.why(), f"for {names}"))]
    if design.functions:
        found += [("Processor", tuple(f"{s.layer} ({s.op})" for s in design.functions))]
    return tuple(found)


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
