"""`aieloom suggest LAYER`: the neighbours of a layer's mapping that the cost model finds better, each a legal plan.

A neighbour differs in one key of the layer's mapping, or in its tile and its buffers. Each is planned as a whole, so
that every design rule holds; what the rules refuse is counted. Figures are the cost model's: a stage's time alone, the
design's from the event simulation, in which stages wait for each other's buffers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from aieloom.errors import CannotFit, SpecError
from aieloom.flow.project import Project
from aieloom.layout.grid import TILED
from aieloom.network.layers import Network
from aieloom.ops import REGISTRY
from aieloom.pl.kernel import PlKernel
from aieloom.pl.lines.streamable import can_stream, frame_line
from aieloom.pl.steps import STREAMING
from aieloom.pl.streams import TiledStreams
from aieloom.plan.build import make_plan
from aieloom.plan.rates import HOST
from aieloom.plan.strategy import own_keys, strategy_of, takes
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.progress import at
from aieloom.simulation.of_plan import modelled_rates, simulate_plan
from aieloom.spec.flow_style import flow_yaml
from aieloom.spec.network import MappingSpec

SHOWN = 5
_SAME = 1e-6  # microseconds


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What a plan costs, seen from one layer."""

    stage_us: float  # interval of the layer's stage, alone
    stage_latency_us: float
    interval_us: float  # of the whole design, end to end
    latency_us: float
    cores: int
    tiles: int
    bram36: int
    images_per_s: tuple[float, float, float]  # end to end, of the array alone, with movers and memory

    def beats(self, other: Figures) -> str:
        """Return what is better than in another plan, in a word; empty when nothing is, or something is worse."""
        if self.interval_us > other.interval_us + _SAME:
            return ""
        if self.interval_us < other.interval_us - _SAME:
            return "faster"
        if self.stage_us < other.stage_us - _SAME and self.tiles <= other.tiles:
            return "faster stage"
        if self.latency_us < other.latency_us - _SAME and self.tiles <= other.tiles:
            return "lower latency"
        if (self.tiles, self.bram36) < (other.tiles, other.bram36):
            return "fewer tiles" if self.tiles < other.tiles else "less BRAM"
        return ""

    @property
    def rank(self) -> tuple[float, ...]:
        """Best first: rate of the design, then tiles, the stage, latency."""
        return (self.interval_us, self.tiles, self.stage_us, self.latency_us, self.bram36)


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """A mapping near the present one: what to change, what it gives."""

    changes: Mapping[str, object]
    better: str
    figures: Figures


@dataclass(frozen=True, kw_only=True)
class Suggestions:
    """The neighbourhood of a layer's mapping."""

    layer: str
    now: Figures
    found: tuple[Suggestion, ...]  # better ones, best first
    tried: int
    refused: Mapping[str, int]  # by rule
    produced_by: str


def suggest(project: Project, name: str) -> Suggestions:
    """Plan the neighbours of a layer's mapping; return those that are better.

    Raises:
        SpecError: there is no such layer.
    """
    network, plan = project.planned, project.array
    stage = _stage_of(project, name)
    now = _figures(plan, stage)
    found: list[Suggestion] = []
    refused: dict[str, int] = {}
    tried = 0
    for changes in _neighbours(network, plan, name):
        tried += 1
        at(f"{tried} neighbours planned")
        try:
            other = make_plan(_changed(network, name, changes), plan.device, REGISTRY)
        except CannotFit as e:
            for rule in {p.rule for p in e.problems}:
                refused[rule] = refused.get(rule, 0) + 1
            continue
        figures = _figures(other, stage)
        better = figures.beats(now)
        if better:
            found.append(Suggestion(changes=_said(changes, other, name), better=better, figures=figures))
    found.sort(key=lambda s: s.figures.rank)
    return Suggestions(
        layer=name,
        now=now,
        found=tuple(found),
        tried=tried,
        refused=refused,
        produced_by=plan.cost.produced_by,
    )


def _stage_of(project: Project, name: str) -> str:
    """Return the name of the stage that does a layer's work."""
    plan = project.array
    inside = next((la.name for la in plan.aie if name in (la.name, *la.draft.fused)), None)
    if inside:
        return inside
    kernel = next((g for g in plan.pl if any(s.layer == name for s in g.steps)), None)
    for segment in plan.processor.segments if plan.processor else ():
        if any(s.layer == name for s in segment.steps):
            return segment.stage
    if kernel is None and name in project.dissolved.sources:
        text = f"layer '{name}' costs nothing: it only renames the values of the layer before it"
        raise SpecError(project.network.spec.source.problem("layer", (), text, "ask about another layer"))
    if kernel is None:
        names = [la.name for la in project.network.layers]
        source = project.network.spec.source
        raise SpecError(
            source.problem(
                "layer", (), f"the network has no layer '{name}'", f"use one of: {', '.join(names)}"
            )
        )
    return kernel.name


def _figures(plan: ArrayPart, stage_name: str) -> Figures:
    stage = next(s for s in plan.cost.stages if s.name == stage_name)
    run = simulate_plan(plan)
    rates = modelled_rates(plan, run)
    return Figures(
        stage_us=stage.interval_us,
        stage_latency_us=stage.latency_us,
        interval_us=rates.system.interval_us,
        latency_us=run.latency_us,
        cores=plan.cores,
        tiles=plan.tiles_in_use,
        images_per_s=(
            rates.system.images_per_s,
            rates.array.images_per_s,
            rates.memory.images_per_s,
        ),
        bram36=sum(g.bram36 for g in plan.pl) + sum(m.bram36 for m in plan.movers),
    )


def _changed(network: Network, name: str, changes: Mapping[str, object]) -> Network:
    mapping = network.spec.mapping
    model: MappingSpec = mapping[name].model_copy(update=dict(changes))
    return replace(network, spec=network.spec.model_copy(update={"mapping": {**mapping, name: model}}))


def _said(changes: Mapping[str, object], plan: ArrayPart, name: str) -> dict[str, object]:
    """Return the changes with the tile that the planner chose: what a file leaves out, the search chooses anew."""
    if changes.get("tile", True) is not None:
        return dict(changes)
    layer = next(la for la in plan.aie if la.name == name)
    grid = layer.grid
    tile = grid.tile
    return {**changes, "tile": tile, "groups": grid.groups, "buffers": layer.draft.buffers}


def _neighbours(network: Network, plan: ArrayPart, name: str) -> Iterator[Mapping[str, object]]:
    """Yield changes of a layer's mapping, each once."""
    fields = type(network.spec.mapping[name]).model_fields
    if plan.processor and any(s.layer == name for s in plan.processor.steps):
        return  # nothing of it can be cut otherwise
    layer = next((la for la in plan.aie if la.name == name), None)
    if layer:
        yield from strategy_of(layer.grid).moves(layer)
        yield from _other_strategies(layer, type(network.spec.mapping[name]))
    elif "clock_mhz" in fields:
        kernel = next(g for g in plan.pl if any(s.layer == name for s in g.steps))
        if "strategy" in fields:
            yield from _strategies(kernel)
        facts = plan.device.clocks
        limit = min(facts.kernel_max_mhz, facts.pl_interface_max_mhz)
        listed = {f for c in plan.device.platform.clocks for f in c.listed_mhz}
        steps = {kernel.clock_mhz * share for share in (0.8, 1.25, 1.5)} | {limit} | listed
        for mhz in sorted(round(f, 6) for f in steps if f <= limit and abs(f - kernel.clock_mhz) > _SAME):
            yield {"clock_mhz": mhz}


def _other_strategies(layer: AieLayerPlan, mapping: type[MappingSpec]) -> Iterator[Mapping[str, object]]:
    """Yield the strategies that its operator takes and that cut a layer by itself, in place of im2col's product."""
    if layer.grid.order == TILED:
        others = (key for key in own_keys() if takes(mapping, key) and key != layer.draft.strategy)
        yield from ({"strategy": key, "mmul": None, "tile": None, "groups": None} for key in others)


def _strategies(kernel: PlKernel) -> Iterator[Mapping[str, object]]:
    """Yield a streaming kernel in place of one with a frame buffer, or other numbers of readers."""
    if not kernel.lines:
        if can_stream(kernel):
            yield {"strategy": STREAMING}
    elif kernel.part and isinstance(kernel.source, TiledStreams):
        parts = kernel.source.grid.parts
        counts = (n for n in range(1, parts + 1) if parts % n == 0 and n != kernel.part.tasks.readers)
        yield from ({"readers": count} for count in counts)


def as_yaml(project: Project, suggested: Suggestions, suggestion: Suggestion) -> str:
    """Return the line of `mapping:` that makes a suggestion so."""
    spec = project.planned.spec.mapping[suggested.layer]
    written = {**spec.model_dump(exclude_unset=True), **suggestion.changes}
    parts = (f"{key}: {flow_yaml(value)}" for key, value in written.items() if value is not None)
    return f"{suggested.layer}: {{{', '.join(parts)}}}"


def suggestion_lines(project: Project, suggested: Suggestions) -> Iterator[str]:
    """Yield the suggestions for people."""
    now = suggested.now
    yield f"{suggested.layer} of {project.name} on {project.target}, modelled by {suggested.produced_by}"
    rates = f"{'images/s':>10} {'the array':>10} {'at memory':>10}"
    yield f"  {'':<14} {'stage us':>9} {'design us':>10} {rates} {'latency us':>11} {'cores':>6} {'tiles':>6}"
    yield f"  {'now':<14} {_row(now)}"
    for s in suggested.found[:SHOWN]:
        yield f"  {s.better:<14} {_row(s.figures)}"
        yield f"      {as_yaml(project, suggested, s)}"
    refused = ", ".join(f"{rule} {count}" for rule, count in sorted(suggested.refused.items()))
    kernel = next((g for g in project.array.pl if any(s.layer == suggested.layer for s in g.steps)), None)
    if kernel and frame_line(kernel):
        yield f"  {frame_line(kernel)}"
    tail = f"; the design rules refuse {refused}" if refused else ""
    if not suggested.found:
        yield f"  none of {suggested.tried} neighbours is better by the model{tail}"
        slowest = modelled_rates(project.array).system.bottleneck
        if _stage_of(project, suggested.layer) != slowest:
            yield f"  the design waits for {_ask_about(project, slowest)}"
    else:
        more = f"{len(suggested.found)} of {suggested.tried} neighbours are better"
        yield f"  {more}{tail}; write a line into mapping: of network.yaml, then doit sim"
        if any("clock_mhz" in s.changes for s in suggested.found):
            yield "  whether a kernel closes timing at a faster clock only the link tells (doit build)"


def _ask_about(project: Project, stage: str) -> str:
    """Return what a design waits for, with the command that looks at it where there is one."""
    if stage == HOST:
        return f"{stage}: aieloom explain host"
    kernel = next((g for g in project.array.pl if g.name == stage), None)
    layer = kernel.steps[0].layer if kernel and kernel.steps else stage
    known = {la.name for la in project.planned.layers}
    return f"{stage}: aieloom suggest {layer}" if layer in known else stage


def _row(f: Figures) -> str:
    rates = " ".join(f"{rate:>10,.0f}" for rate in f.images_per_s)
    return (
        f"{f.stage_us:>9.2f} {f.interval_us:>10.2f} {rates} {f.latency_us:>11.2f} {f.cores:>6} {f.tiles:>6}"
    )
