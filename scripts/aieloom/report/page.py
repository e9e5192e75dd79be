"""What report/index.html prints: flat values, taken from the plan, from summary.json, and from a design to compare with."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from pathlib import Path

from aieloom.network.tensor import TensorType
from aieloom.pl.use import logic_use
from aieloom.plan.energy import peak_macs
from aieloom.plan.processor import Function
from aieloom.plan.types import AieLayerPlan, ArrayPart, RuleResult
from aieloom.report.files import TIMED_RUNS
from aieloom.report.floorplan import floorplan
from aieloom.report.graph import graph
from aieloom.report.memorymap import LEGEND, memory_map
from aieloom.report.outcome import Card, Outcome, energy_cards, outcome_of
from aieloom.report.roofline import Point, multiplies, points, roofline
from aieloom.report.routing import routing
from aieloom.report.shape import LayerFigures, Summary
from aieloom.report.svg import colour
from aieloom.report.tables import Batch, Use, batches, qualities, uses
from aieloom.report.timeline import StageTime, stage_times, timeline
from aieloom.simulation.of_plan import simulate_plan
from aieloom.words import plural


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A stage's time: `share` of the slowest stage's, in percent."""

    name: str
    kind: str
    interval: str
    latency: str
    cycles: str
    clock: str
    share: float
    slowest: bool
    colour: str


@dataclass(frozen=True, kw_only=True)
class LayerRow:
    """A layer in the table: everything as text."""

    name: str
    op: str
    shape: str
    dtype: str
    where: str
    tile: str
    cores: str
    cycles: str
    efficiency: str
    utilisation: str  # at the design's rate
    error: str
    sqnr: str


@dataclass(frozen=True, kw_only=True)
class Logic:
    """A PL kernel's resources, or the sum; with the device's in `share`."""

    name: str
    cells: tuple[str, ...]


TRACED_TILES = 2  # of large images: each takes thousands of steps
ONE_OF_ONE = frozenset({"core-2", "dma-3", "name-1"})  # of what there is one: always full where they are kept
RELEASE = "release-1"  # whose numbers are years with a dot


@dataclass(frozen=True, kw_only=True)
class Check:
    """A design rule: `percent` of its limit, None where it is kept or not."""

    rule: str
    what: str
    used: str
    limit: str
    where: str
    percent: float | None


@dataclass(frozen=True, kw_only=True)
class Page:
    """The whole page."""

    run: Outcome
    cards: tuple[Card, ...]
    graph: str
    floorplan: str
    bars: tuple[Bar, ...]
    layers: tuple[LayerRow, ...]
    errors_of: str
    roofline: str
    points: tuple[Point, ...]
    memories: tuple[str, ...]
    memory_colours: tuple[tuple[str, str], ...]
    logic_heads: tuple[str, ...]
    logic: tuple[Logic, ...]
    checks: tuple[Check, ...]
    pace: str  # how the stages' times make the design's rate
    timeline: str
    timed_runs: tuple[
        tuple[str, str], ...
    ]  # pages that timed runs have left beside this one, and what each is of
    stage_times: tuple[StageTime, ...]
    routing: str
    uses: tuple[Use, ...]
    batches: tuple[Batch, ...]
    qualities: tuple[tuple[str, str, str, str], ...]
    has_float: bool  # whether they have figures of PyTorch


def page_of(plan: ArrayPart, summary: Summary, folder: Path, other: tuple[str, Summary] | None) -> Page:
    """Return the page of a run; `other` is the name and summary of a design to compare with."""
    run = simulate_plan(plan, TRACED_TILES, waits=True) if plan.frame else simulate_plan(plan, waits=True)
    return Page(
        run=outcome_of(summary, folder, other),
        cards=_cards(plan, summary),
        graph=graph(plan),
        floorplan=floorplan(plan),
        bars=_bars(plan),
        layers=_layers(plan, summary),
        errors_of=_errors_of(summary),
        roofline=roofline(plan),
        points=points(plan),
        memories=tuple(memory_map(plan, layer) for layer in plan.aie),
        memory_colours=LEGEND,
        logic_heads=("kernel", "clock", "BRAM36", "URAM288", "DSP58", "LUT", "FF"),
        logic=_logic(plan),
        checks=tuple(_check(c) for c in plan.checks),
        pace=_pace(plan),
        timeline=timeline(plan, run),
        timed_runs=tuple((name, of) for name, of in TIMED_RUNS.items() if (folder / name).is_file()),
        stage_times=stage_times(plan, run),
        routing=routing(plan),
        uses=uses(plan),
        batches=batches(plan, summary),
        qualities=qualities(summary),
        has_float=any(row[1] for row in qualities(summary)),
    )


def _errors_of(summary: Summary) -> str:
    if not summary.get("layers"):
        return ""
    return "the float network, all samples" if "quantisation" in summary else "PyTorch, the first samples"


def _pace(plan: ArrayPart) -> str:
    """Say how the stages' times make the design's rate."""
    together = "The stages work on successive images at the same time: the slowest one sets the rate"
    if not plan.processor:
        return together
    what = "the device's subgraphs" if len(plan.subgraphs) > 1 else "the device"
    return (
        f"A batch goes through the processor's layers and {what} one after another: their times add up. On the device the "
        "stages work on successive images at the same time: the slowest one counts"
    )


def _tiles(plan: ArrayPart) -> str:
    frame = plan.frame
    return f"; {frame.tiles} tiles an image, {frame.halo_share:.1%} of the work is halo" if frame else ""


def _cards(plan: ArrayPart, s: Summary) -> tuple[Card, ...]:
    performance, r = s["performance"], s["resources"]
    model = performance["produced_by"].partition(",")[0]
    cores = plan.device.array.cores
    arithmetic = arithmetic_of(plan, performance["throughput_fps"])
    cards = [
        Card(
            title="throughput",
            value=f"{performance['throughput_fps']:,.0f} images/s",
            note=f"end to end; slowest: {performance['bottleneck']}{_tiles(plan)}",
            source=f"modelled, {model}",
        ),
        *(
            Card(
                title=title,
                value=f"{rate['images_per_s']:,.0f} images/s",
                note=f"bound by {rate['bottleneck']}; leaves out {rate['leaves_out']}",
                source=f"modelled, {model}",
            )
            for title, rate in (
                ("the array alone", performance["rates"]["array"]),
                ("with movers and memory", performance["rates"]["memory"]),
            )
        ),
        Card(
            title="latency",
            value=f"{performance['latency_us']:,.1f} us",
            note="first word in to last word out",
            source=f"modelled, {model}",
        ),
        Card(
            title="arithmetic",
            value=f"{arithmetic.gops:,.4g} GOP/s",
            note=f"{_percent(arithmetic.utilisation)} of what the design's cores could multiply meanwhile",
            source=f"modelled, {model}",
        ),
        Card(
            title="AI Engines",
            value=plural(r["aie_cores"], "core"),
            note=f"{r['aie_tiles']} of {cores} tiles, {r['plio_in']} + {r['plio_out']} PLIO",
            source="the plan",
        ),
        Card(
            title="logic",
            value=f"{r['pl']['bram36']} BRAM36",
            note=f"{r['pl']['uram288']} URAM, {r['pl']['dsp']} DSP, {r['pl']['lut']:,} LUT",
            source=r["pl"]["produced_by"],
        ),
        *energy_cards(performance),
    ]
    best = next((k for k in s["quality"] if "emulated" in k), next(iter(s["quality"]), ""))
    if best:
        value = f"{s['quality'][best]:.4g}{' dB' if best.endswith('_db') else ''}"
        cards.insert(
            0,
            Card(
                title=best.removesuffix("_db").replace("_", " "),
                value=value,
                note=f"{s['golden']['samples']} samples",
                source="measured in the emulator",
            ),
        )
    return tuple(cards)


def _bars(plan: ArrayPart) -> tuple[Bar, ...]:
    slowest = max(s.interval_us for s in plan.cost.stages)
    colours = {layer.name: colour(i) for i, layer in enumerate(plan.aie)}
    kinds = {"aie": "array", "pl": "PL kernel", "mover": "data mover", "ps": "processor"}
    return tuple(
        Bar(
            name=s.name,
            kind=kinds[s.kind],
            interval=f"{s.interval_us:,.2f}",
            latency=f"{s.latency_us:,.2f}",
            cycles=f"{s.cycles:,}",
            clock=f"{s.clock_mhz:g}",
            share=round(100 * s.interval_us / slowest, 2),
            slowest=s.name == plan.cost.bottleneck,
            colour=colours.get(s.name, "#999999"),
        )
        for s in plan.cost.stages
    )


def _layers(plan: ArrayPart, summary: Summary) -> tuple[LayerRow, ...]:
    errors = {e["layer"]: e for e in summary.get("layers", ())}
    rows = [
        (
            layer.draft.layer_index,
            _array_row(
                plan,
                layer,
                errors.get((layer.name, *layer.draft.fused)[-1]),
                summary["performance"]["throughput_fps"],
            ),
        )
        for layer in plan.aie
    ]
    for kernel in plan.pl:
        for step in kernel.steps:
            where, cycles = (
                f"PL, {kernel.name}{_subgraph(plan, step.layer)}",
                f"{kernel.cycles:,} at {kernel.clock_mhz:g} MHz",
            )
            row = _step_row(step, where, cycles, errors.get(step.layer))
            rows.append((step.layer_index, row))
    for ps in plan.processor.steps if plan.processor else ():
        where, cycles = f"processor: {ps.reason}", f"{ps.operations:,} operations"
        row = _step_row(ps, where, cycles, errors.get(ps.layer))
        rows.append((ps.layer_index, row))
    return tuple(row for _, row in sorted(rows, key=lambda pair: pair[0]))


def _subgraph(plan: ArrayPart, layer: str) -> str:
    """Return which of several subgraphs a layer belongs to."""
    found = (f", subgraph {n}" for n, s in enumerate(plan.subgraphs, 1) if layer in s.layers)
    return next(found, "") if len(plan.subgraphs) > 1 else ""


def _step_row(step: Function, where: str, cycles: str, found: LayerFigures | None) -> LayerRow:
    """Return the row of a layer that is not on the array."""
    error, sqnr = _error(found)
    return LayerRow(
        name=step.layer,
        op=step.op,
        shape=_shapes(step.x, step.y),
        dtype=step.y.dtype.value,
        where=where,
        tile="",
        cores="",
        cycles=cycles,
        efficiency="",
        utilisation="",
        error=error,
        sqnr=sqnr,
    )


@dataclass(frozen=True, kw_only=True)
class Arithmetic:
    """What the array multiplies and adds at a rate: GOP/s (two a MAC), and the share of what its cores could."""

    gops: float
    utilisation: float


def arithmetic_of(plan: ArrayPart, images_per_s: float) -> Arithmetic:
    """Return the whole design's arithmetic at a rate; MACs and peaks are those of the layers' own efficiencies."""
    macs = plan.tiles * sum(la.grid.m * la.grid.k * la.grid.n for la in plan.aie if multiplies(la))
    clocks = {s.name: s.clock_mhz * 1e6 for s in plan.cost.stages}
    peak = plan.copies * sum(la.grid.cores * peak_macs(plan, la) * clocks[la.name] for la in plan.aie)
    return Arithmetic(gops=2 * macs * images_per_s / 1e9, utilisation=macs * images_per_s / peak)


def _at_rate(plan: ArrayPart, layer: AieLayerPlan, images_per_s: float) -> float:
    """Return what a layer multiplies at the design's rate, of what its cores could: the card's share, of one layer."""
    stage = next(s for s in plan.cost.stages if s.name == layer.name)
    macs = plan.tiles * layer.grid.m * layer.grid.k * layer.grid.n * images_per_s
    return macs / (plan.copies * layer.grid.cores * peak_macs(plan, layer) * stage.clock_mhz * 1e6)


def _array_row(
    plan: ArrayPart, layer: AieLayerPlan, found: LayerFigures | None, images_per_s: float
) -> LayerRow:
    stage = next(s for s in plan.cost.stages if s.name == layer.name)
    grid = layer.grid
    peak = grid.cores * stage.cycles * peak_macs(plan, layer)
    error, sqnr = _error(found)
    sums, mmul = multiplies(layer), "x".join(map(str, grid.mmul))
    return LayerRow(
        name=layer.name,
        op=layer.draft.op,
        shape=_shapes(layer.draft.x, layer.draft.y),
        dtype=layer.draft.dtype.value,
        where=f"array, {layer.draft.strategy}{_subgraph(plan, layer.name)}",
        tile=f"{' x '.join(map(str, grid.tile))}{f' by {mmul}' if sums else ''}",
        cores=str(len(layer.kernels)),
        cycles=f"{stage.cycles:,} at {stage.clock_mhz:g} MHz",
        efficiency=_percent(grid.m * grid.k * grid.n / peak) if sums else "",
        utilisation=_percent(_at_rate(plan, layer, images_per_s)) if sums else "",
        error=error,
        sqnr=sqnr,
    )


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 else f"{share:.2%}"


def _shapes(x: TensorType, y: TensorType) -> str:
    """Return input and output; a change of type is told, the type itself stands in its own column."""
    a, b = ("x".join(map(str, t.shape)) for t in (x, y))
    return f"{a} → {b}" if x.dtype is y.dtype else f"{a} {x.dtype.value} → {b}"


def _error(found: LayerFigures | None) -> tuple[str, str]:
    if not found:
        return "", ""
    error, sqnr = found.get("max_abs_err"), found.get("sqnr_db")
    return "" if error is None else f"{error:.2g}", "" if sqnr is None else f"{sqnr:.1f} dB"


def _logic(plan: ArrayPart) -> tuple[Logic, ...]:
    facts, n = plan.device.logic, plan.copies
    rows = [
        Logic(name=m.name, cells=(f"{m.clock_mhz:g}", str(m.bram36), "0", "0", f"{m.lut:,}", f"{m.ff:,}"))
        for m in plan.movers
    ]
    rows[1:1] = [
        Logic(
            name=g.name,
            cells=(f"{g.clock_mhz:g}", str(g.bram36), str(g.uram288), str(g.dsp), f"{g.lut:,}", f"{g.ff:,}"),
        )
        for g in plan.pl
    ]
    taken = logic_use(plan.pl, plan.movers, n)
    kinds = ("bram36", "uram288", "dsp", "lut", "ff")
    sums = tuple((getattr(taken, kind), getattr(facts, kind)) for kind in kinds)
    rows.append(
        Logic(
            name=f"together{f', {n} copies' if n > 1 else ''}, of {plan.device.name}'s",
            cells=("", *(f"{used:,} of {there:,} ({used / there:.0%})" for used, there in sums)),
        )
    )
    return tuple(rows)


def _check(c: RuleResult) -> Check:
    """Return a rule's row; one that is kept or not, as one kernel on a core, has no share that could be near its limit."""
    kept = not c.limit or isinf(c.limit) or c.rule in ONE_OF_ONE
    return Check(
        rule=c.rule,
        what=c.what,
        used=f"{c.used:.6g}" if c.rule == RELEASE else f"{c.used:,.6g}",
        limit="any" if isinf(c.limit) else f"{c.limit:,.6g}",
        where=c.where,
        percent=None if kept else min(100.0, round(100 * c.used / c.limit, 1)),
    )
