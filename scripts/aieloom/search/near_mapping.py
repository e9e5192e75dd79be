"""The neighbours of a layer's mapping that the cost model finds better, each a legal plan.

A neighbour differs in one key of the layer's mapping, or in its tile and its buffers. Each is planned as a whole, so
that every design rule holds; what the rules refuse is counted. Figures are the cost model's: a stage's time alone, the
design's from the event simulation, in which stages wait for each other's buffers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from aieloom.errors import CannotFit
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
from aieloom.search.goal import Rank
from aieloom.search.mapped import Mapped, as_whole
from aieloom.search.scope import remapped
from aieloom.search.suggestions import Suggestion, Suggestions
from aieloom.simulation.of_plan import modelled_rates
from aieloom.spec.flow_style import flow_yaml
from aieloom.spec.network import MappingSpec

_SAME = 1e-6  # microseconds


def _better(new: Mapped, old: Mapped, stage: str) -> str:
    """Return what is better than in another design, in a word; empty when nothing is, or something is worse."""
    tiles, before = new.plan.tiles_in_use, old.plan.tiles_in_use
    blocks, blocks_before = _bram36(new.plan), _bram36(old.plan)
    if new.interval_us > old.interval_us + _SAME:
        return ""
    if new.interval_us < old.interval_us - _SAME:
        return "faster"
    if (
        new.plan.cost.stage(stage).interval_us < old.plan.cost.stage(stage).interval_us - _SAME
        and tiles <= before
    ):
        return "faster stage"
    if new.latency_us < old.latency_us - _SAME and tiles <= before:
        return "lower latency"
    if (tiles, blocks) < (before, blocks_before):
        return "fewer tiles" if tiles < before else "less BRAM"
    return ""


def _bram36(plan: ArrayPart) -> int:
    return sum(g.bram36 for g in plan.pl) + sum(m.bram36 for m in plan.movers)


def suggest_mapping(network: Network, plan: ArrayPart, name: str, stage: str) -> Suggestions:
    """Plan the neighbours of a layer's mapping, whose work the cost model has as a `stage`; return those that are better."""
    now = as_whole(network, plan)
    mapping = network.spec.mapping

    def line(d: Mapped) -> str:
        return f"{d.plan.cost.stage(stage).interval_us:>9.2f} {d.line}"

    found: list[tuple[Rank, Suggestion]] = []
    refused: Counter[str] = Counter()
    tried = 0
    for changes in _neighbours(network, plan, name):
        tried += 1
        at(f"{tried} neighbours planned")
        changed = remapped(network, {**mapping, name: mapping[name].model_copy(update=dict(changes))})
        try:
            design = as_whole(changed, make_plan(changed, plan.device, REGISTRY))
        except CannotFit as e:
            refused.update({p.rule for p in e.problems})
            continue
        if better := _better(design, now, stage):
            said = _said(changes, design.plan, name)
            yaml = (_as_yaml(mapping[name], name, said),)
            tiles, own = design.plan.tiles_in_use, design.plan.cost.stage(stage).interval_us
            made = Suggestion(changes=said, better=better, design=design, line=line(design), yaml=yaml)
            found.append(((design.interval_us, tiles, own, design.latency_us), made))
    best = tuple(made for _, made in sorted(found, key=lambda item: item[0]))
    return Suggestions(
        layer=name,
        title=f"{name} of {plan.project} on {plan.device.name}, modelled by {plan.cost.produced_by}",
        head=f"{'stage us':>9} {now.head}",
        now=now,
        line=line(now),
        found=best,
        tried=tried,
        refused=dict(sorted(refused.items())),
        remarks=tuple(_remarks(network, plan, name, stage, best)),
    )


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


def _as_yaml(mapping: MappingSpec, layer: str, changes: Mapping[str, object]) -> str:
    """Return the line of `mapping:` that makes changes so."""
    written = {**mapping.model_dump(exclude_unset=True), **changes}
    return f"{layer}: {flow_yaml({key: value for key, value in written.items() if value is not None})}"


def _remarks(
    network: Network, plan: ArrayPart, layer: str, stage: str, found: Sequence[Suggestion]
) -> Iterator[str]:
    """Yield what is said below the table."""
    kernel = next((g for g in plan.pl if any(s.layer == layer for s in g.steps)), None)
    if kernel and (line := frame_line(kernel)):
        yield line
    slowest = modelled_rates(plan).system.bottleneck
    if not found and stage != slowest:
        yield f"the design waits for {_ask_about(network, plan, slowest)}"
    if found:
        yield "write a line into mapping: of network.yaml, then doit sim"
    if any("clock_mhz" in s.changes for s in found):
        yield "whether a kernel closes timing at a faster clock only the link tells (doit build)"


def _ask_about(network: Network, plan: ArrayPart, stage: str) -> str:
    """Return what a design waits for, with the command that looks at it where there is one."""
    if stage == HOST:
        return f"{stage}: aieloom explain host"
    kernel = next((g for g in plan.pl if g.name == stage), None)
    layer = kernel.steps[0].layer if kernel and kernel.steps else stage
    known = {la.name for la in network.layers}
    return f"{stage}: aieloom suggest {layer}" if layer in known else stage
