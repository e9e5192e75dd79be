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
from aieloom.sequential.cost import StepCost
from aieloom.sequential.drawings import memory_map, network_map
from aieloom.sequential.listing import layer_commands, weights_of
from aieloom.sequential.plan import SequentialPlan
from aieloom.sequential.recurrent import RecurrentStep
from aieloom.sequential.row_unit import RowStep
from aieloom.sequential.steps import ConvStep, Step
from aieloom.spec.device import Device
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


def files_of(plan: SequentialPlan) -> tuple[str, ...]:
    """Return what `write_page` makes."""
    return (PAGE, NETWORK, MEMORY, *([FLOORPLAN] if plan.array or plan.spatial else []))


def write_page(plan: SequentialPlan, folder: Path) -> None:
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


def page_of(plan: SequentialPlan, summary: Summary) -> Page:
    """Return the page of a run."""
    performance = summary["performance"]
    seen = {cost.on for cost in plan.costs}
    return Page(
        run=outcome_of(summary),
        cards=tuple(_cards(plan, summary)),
        pace=plan.pace,
        causes=_causes(plan),
        leaves_out=tuple(performance["leaves_out"]),
        batch=plan.batch,
        layers=_layers(plan),
        colours=tuple((name, shade) for name, shade in ENGINES.items() if name in seen),
        network=network_map(plan, ENGINES),
        memory=memory_map(plan, ENGINES),
        memory_note=(
            f"{plan.memory_bytes / 1e6:,.1f} MB of tensors for {plan.batch} images at a time, from the command that makes one "
            f"to the last that reads it; beside them {plan.weights_bytes / 1e6:,.1f} MB of weights, which stay.{_stored(plan)}"
        ),
        engines=_engines(plan),
        uses=tuple(_uses(plan)),
        floorplan=_floorplan(plan),
    )


def _floorplan(plan: SequentialPlan) -> str:
    """Return the picture of the array, where something is on it."""
    own = plan.spatial.plan if plan.spatial else None
    engine = plan.array.gemm.array if plan.array and plan.array.gemm else None
    if own and engine:
        return floorplan(replace(own, aie=(*own.aie, *engine.aie), plios=(*own.plios, *engine.plios)))
    shown = own or engine
    return floorplan(shown) if shown else ""


def _stored(plan: SequentialPlan) -> str:
    """Say what lies in the rows' stores, where they are."""
    if not plan.staying:
        return ""
    size = plan.staying.store_words * LANES / 1e6
    return (
        f" What layers make of an image lies in the stores of {plan.staying.rows} rows, {size:,.2f} MB each."
    )


def _cards(plan: SequentialPlan, summary: Summary) -> Iterator[Card]:
    performance = summary["performance"]
    model = "modelled, not measured"
    macs = plan.macs
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
        note=f"of a batch of {plan.batch}",
        source=model,
    )
    yield Card(
        title="arithmetic",
        value=f"{2 * macs * rate / 1e9:,.4g} GOP/s",
        note=f"{macs / 1e6:,.1f} million products an image{_share(plan, 2 * macs * rate / 1e9)}",
        source=model,
    )
    yield Card(
        title="device memory",
        value=f"{(plan.weights_bytes + plan.memory_bytes) / 1e6:,.1f} MB",
        note=f"{plan.weights_bytes / 1e6:,.1f} MB of weights; {plan.bytes_per_image / 1e6:,.1f} MB cross ports an image",
        source="the plan",
    )
    yield from energy_cards(performance)
    yield Card(
        title="emulated",
        value=f"{performance['emulated_s_per_image']:,.3g} s",
        note=f"an image; {performance['emulated_peak_mb']:,.0f} MB of memory at most",
        source="measured on this machine",
    )


def _share(plan: SequentialPlan, gops: float) -> str:
    return f"; {gops / plan.array.peak_gops:.1%} of what the array's cores could" if plan.array else ""


def _causes(plan: SequentialPlan) -> tuple[Cause, ...]:
    found = plan.time_by_cause()
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


def _layers(plan: SequentialPlan) -> tuple[LayerRow, ...]:
    steps = {s.layer: s for s in plan.steps}
    held = {name: weights_of(command) for name, _, command in layer_commands(plan)}
    most = max(cost.total_us for cost in plan.costs if not cost.meanwhile)

    def row(cost: StepCost) -> LayerRow:
        step = steps.get(cost.layer)
        return LayerRow(
            name=cost.layer,
            op=f"{cost.op}, meanwhile" if cost.meanwhile else with_what(cost, step),
            shape=" → ".join("x".join(map(str, t.shape)) for t in (step.x, step.y)) if step else "",
            engine=cost.on,
            products=f"{step.products / 1e6:,.1f}" if isinstance(step, ConvStep | RecurrentStep) else "",
            weights=f"{held[cost.layer] / 1e3:,.1f}" if held.get(cost.layer) else "",
            bytes=f"{cost.bytes / plan.batch / 1e3:,.0f}" if cost.bytes else "",
            us=f"{cost.total_us / plan.batch:,.1f}",
            share=min(100.0, round(100 * cost.total_us / most, 2)),
            bound=cost.bound,
            slowest=cost.total_us == most and not cost.meanwhile,
            colour=ENGINES[cost.on],
        )

    return tuple(map(row, plan.costs))


def with_what(cost: StepCost, step: Step | None) -> str:
    """Return a layer's operator, with the layer that is part of it."""
    part = step.gives if isinstance(step, ConvStep) and step.gives != step.layer else ""
    return f"{cost.op} with {part}" if part else cost.op


def _engines(plan: SequentialPlan) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: list[tuple[str, tuple[str, ...]]] = [("Why so", (plan.reason,))]
    if plan.spatial:
        found += [("Layers with cores of their own", plan.spatial.why)]
    if plan.array:
        found += [("On the AI Engine array", plan.array.why())]
    if plan.in_logic:
        names = ", ".join(s.layer for s in plan.in_logic)
        more = (f"for {names}",) if plan.array else ()
        found += [("Convolution engine in the logic", (*plan.engine.why(), *more))]
    if plan.unit:
        names = ", ".join(plan.forms)
        found += [("Vector unit in the logic", (f"{plan.unit.lanes} elements a cycle, for {names}",))]
    if plan.row_unit:
        names = ", ".join(s.layer for s in plan.steps if isinstance(s, RowStep))
        said = f"{plural(plan.row_unit.units, 'unit')} of {plural(plan.row_unit.lanes, 'element')} a cycle, for {names}"
        laid = "keys and values are laid out there as the engine reads weights"
        found += [("Row units in the logic", (said, laid) if plan.row_unit.held_words else (said,))]
    if plan.recurrent:
        names = ", ".join(s.layer for s in plan.recurrences)
        found += [("Recurrent unit in the logic", (*plan.recurrent.why(), f"for {names}"))]
    if plan.functions:
        found += [("Processor", tuple(f"{s.layer} ({s.op})" for s in plan.functions))]
    return tuple(found)


def _uses(plan: SequentialPlan) -> Iterator[tuple[str, str, str, str]]:
    board = plan.engine.board
    logic, use = board.logic, plan.logic_use
    rows = [
        ("DSP slices", use["dsp"], logic.dsp),
        ("LUTs", use["lut"], logic.lut),
        ("block RAMs (36 Kb)", use["bram36"], logic.bram36),
        ("UltraRAM blocks", use["uram288"], logic.uram288),
    ]
    cores = (plan.array.cores if plan.array else 0) + (plan.spatial.plan.cores if plan.spatial else 0)
    if cores and isinstance(board, Device):
        rows.insert(0, ("AI Engines", cores, board.array.cores))
    for what, used, there in rows:
        if there:
            yield what, f"{used:,}", f"{there:,}", f"{used / there:.1%}"
