"""The design rules: does the plan respect the device? Checked on the finished plan, whoever chose it.

Each rule has an id (docs/errors.md), and says what was used of how much; a broken one names the line to edit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from aieloom.errors import CannotFit, Problem
from aieloom.plan.memory import reserved_bytes
from aieloom.plan.route import SHIM_ROW, Net, narrow_cuts, route
from aieloom.plan.types import AieLayerPlan, KernelPlan, Plan, RuleResult, TiledStreams
from aieloom.spec.device import Tile
from aieloom.spec.lines import KeyPath
from aieloom.spec.network import NetworkSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A rule's worst case, and the problem when it is over the limit."""

    rule: str
    what: str
    used: float
    limit: float
    where: str
    at: KeyPath = ()
    remedy: str = ""

    @property
    def broken(self) -> bool:
        """True when more is used than there is."""
        return self.used > self.limit

    @property
    def share(self) -> float:
        """How much of the limit is used; a limit of 0 forbids."""
        return self.used / self.limit if self.limit else float(self.used > 0)


Rule = Callable[[Plan], Iterator[Finding]]


def check(plan: Plan, spec: NetworkSpec) -> Plan:
    """Apply every rule; return the plan with the results.

    Raises:
        CannotFit: with every broken rule.
    """
    findings: list[Finding] = []
    for rules in (FIRST_RULES, RULES):
        found = [f for rule in rules for f in rule(plan)]
        if any(f.broken for f in found):
            raise CannotFit(_problems(found, spec))
        findings += found
    worst: dict[str, Finding] = {}
    for f in findings:
        if f.rule not in worst or f.share > worst[f.rule].share:
            worst[f.rule] = f
    results = (
        RuleResult(rule=f.rule, what=f.what, used=f.used, limit=f.limit, where=f.where)
        for f in worst.values()
    )
    return replace(plan, checks=tuple(results))


def _problems(findings: Sequence[Finding], spec: NetworkSpec) -> Iterator[Problem]:
    """Yield one problem for each rule and place in the file: the worst, and how many are like it."""
    alike: dict[tuple[str, int], list[Finding]] = defaultdict(list)
    for f in findings:
        if f.broken:
            alike[f.rule, spec.source.line(f.at)].append(f)
    for group in alike.values():
        f = max(group, key=lambda f: f.share)
        more = f" (and {len(group) - 1} more)" if len(group) > 1 else ""
        text = f"{f.where}: {f.what}: {f.used:g}, at most {f.limit:g}{more}"
        yield spec.source.problem(f.rule, f.at, text, f.remedy)


def _kernels(plan: Plan) -> Iterator[tuple[AieLayerPlan, int, KernelPlan]]:
    for layer in plan.aie:
        for i, k in enumerate(layer.kernels):
            yield layer, i, k


def _name(layer: AieLayerPlan, index: int) -> str:
    return f"{layer.name}[{index}]"


def names(plan: Plan) -> Iterator[Finding]:
    """name-1: no two generated files or PL kernels of one name, also where case does not count."""
    owner = {use.output: (la.name, la.draft.at) for la in plan.aie for use in la.draft.templates}
    outputs = [use.output for la in plan.aie for use in la.draft.templates]
    for g in plan.gaps:
        outputs.append(g.template.output)
        owner[g.template.output] = (g.name, g.steps[-1].at if g.steps else ("layers",))
    outputs += ["src/aie/graph.h", "src/aie/graph.cpp", plan.mm2s.template.output, plan.s2mm.template.output]
    count = Counter(o.lower() for o in outputs)
    for output, (name, at) in owner.items():
        yield Finding(
            rule="name-1",
            what=f"files called {output.rsplit('/', 1)[-1]}",
            used=count[output.lower()],
            limit=1,
            where=name,
            at=at,
            remedy="rename one of the layers",
        )


def layers_apart(plan: Plan) -> Iterator[Finding]:
    """place-2: no tile belongs to two layers, be it by its core or by its memory."""
    for i, layer in enumerate(plan.aie):
        before = {t: la.name for la in plan.aie[:i] for t in la.tiles}
        shared = sorted(t for t in layer.tiles if t in before)
        with_whom = f" with {before[shared[0]]}, first {shared[0]}" if shared else ""
        yield Finding(
            rule="place-2",
            what=f"tiles shared{with_whom}",
            used=len(shared),
            limit=0,
            where=layer.name,
            at=(*layer.draft.at, "place"),
            remedy=_free_place(plan, layer),
        )


def one_kernel_per_core(plan: Plan) -> Iterator[Finding]:
    """core-2: no two kernels on one core, no kernel outside the array."""
    taken: dict[Tile, str] = {}
    for layer, i, k in _kernels(plan):
        outside = not plan.device.has_tile(k.tile)
        other = taken.setdefault(k.tile, _name(layer, i))
        clash = 0 if other == _name(layer, i) else 1
        yield Finding(
            rule="core-2",
            what=f"kernels on core {k.tile}" + (f" ({other} is there)" if clash else ""),
            used=1 + clash + outside,
            limit=1,
            where=_name(layer, i),
            at=(*layer.draft.at, "place"),
            remedy="place the layers apart",
        )


def memory_is_reached(plan: Plan) -> Iterator[Finding]:
    """mem-4: every block lies in a memory that its kernel's core reaches (row parity on AIE)."""
    for layer, i, k in _kernels(plan):
        reach = plan.device.reach(k.tile)
        for role, places in k.blocks.items():
            far = [a.tile for a in places if a.tile not in reach]
            yield Finding(
                rule="mem-4",
                what=f"blocks of {role} out of reach of core {k.tile}" + (f", in {far[0]}" if far else ""),
                used=len(far),
                limit=0,
                where=_name(layer, i),
                at=layer.draft.at,
                remedy="place it away from the array's edge, or use a smaller tile",
            )


def memory_blocks(plan: Plan) -> Iterator[Finding]:
    """mem-2, mem-3: blocks of a tile fit beside stack, heap and tools, do not overlap, and are aligned."""
    spans: dict[Tile, list[tuple[int, int, str, KeyPath]]] = defaultdict(list)
    for layer, i, k in _kernels(plan):
        sizes = {n.role: n.bytes for n in layer.draft.needs}
        sizes["stack"] = reserved_bytes(plan.device, layer.draft.stack_bytes)
        for role, places in k.blocks.items():
            for a in places:
                label = f"{_name(layer, i)} {role}"
                spans[a.tile].append((a.offset, a.offset + sizes[role], label, layer.draft.at))
    for tile, blocks in spans.items():
        yield from _tile_blocks(plan, tile, sorted(blocks))


def _tile_blocks(plan: Plan, tile: Tile, blocks: list[tuple[int, int, str, KeyPath]]) -> Iterator[Finding]:
    facts = plan.device.tile
    end = total = 0
    for start, stop, label, at in blocks:
        total += stop - start
        overlap = max(0, end - start)
        off = start % facts.buffer_alignment_bytes
        where = f"{label} in tile {tile}"
        yield Finding(
            rule="mem-3",
            what=f"bytes over its neighbour's or off {facts.buffer_alignment_bytes}-byte alignment",
            used=overlap + off,
            limit=0,
            where=where,
            at=at,
            remedy="give the layers regions that do not share tiles (place:)",
        )
        end = max(end, stop)
    yield Finding(
        rule="mem-2",
        what="bytes of data memory",
        used=total if end <= facts.memory_bytes else end,
        limit=facts.memory_bytes,
        where=f"tile {tile}",
        at=blocks[-1][3],
        remedy="use a smaller tile or buffers: single",
    )


def dma_channels(plan: Plan) -> Iterator[Finding]:
    """dma-1, dma-2, lock-1: channels, buffer descriptors and locks of each tile's memory module."""
    facts = plan.device.tile
    ins: Counter[Tile] = Counter()
    outs: Counter[Tile] = Counter()
    buffers: Counter[Tile] = Counter()
    owner: dict[Tile, AieLayerPlan] = {}
    for layer, _, k in _kernels(plan):
        for role, places in k.blocks.items():
            if role.startswith(("in", "out")):
                (ins if role.startswith("in") else outs)[places[0].tile] += 1
                buffers.update(a.tile for a in places)
                owner[places[0].tile] = layer
    for tile, layer in owner.items():
        for rule, what, count, limit in (
            ("dma-1", "S2MM channels", ins[tile], facts.s2mm_channels),
            ("dma-1", "MM2S channels", outs[tile], facts.mm2s_channels),
            ("dma-2", "buffer descriptors", buffers[tile], facts.buffer_descriptors),
            ("lock-1", "locks", buffers[tile], facts.locks),
        ):
            where = f"{layer.name}, tile {tile}"
            remedy = "spread the layer over more tiles"
            yield Finding(
                rule=rule, what=what, used=count, limit=limit, where=where, at=layer.draft.at, remedy=remedy
            )


def program_memory(plan: Plan) -> Iterator[Finding]:
    """prog-1: the kernel's code, estimated, fits the core's program memory."""
    for layer in plan.aie:
        yield Finding(
            rule="prog-1",
            what="bytes of program memory (estimate)",
            used=layer.draft.program_bytes,
            limit=plan.device.tile.program_bytes,
            where=layer.name,
            at=layer.draft.at,
            remedy="use a smaller mmul",
        )


def plio_columns(plan: Plan) -> Iterator[Finding]:
    """plio-1, plio-3: channels per interface column, documented columns, existing widths, unique names."""
    face = plan.device.interface
    used: Counter[tuple[int, bool]] = Counter()
    names = Counter(p.name for p in plan.plios)
    at = {layer.name: layer.draft.at for layer in plan.aie}
    for p in plan.plios:
        used[p.column, p.is_input] += max(1, p.bits // face.channel_bits)
        wrong = (
            (p.column not in plan.device.plio_column_list)
            + (p.bits not in face.plio_widths)
            + (names[p.name] - 1)
        )
        yield Finding(
            rule="plio-3",
            what=f"faults of {p.name} ({p.bits} bits, column {p.column})",
            used=wrong,
            limit=0,
            where=p.layer,
            at=(*at[p.layer], "plio"),
            remedy=f"use a width of {face.plio_widths}",
        )
    for (column, is_input), count in used.items():
        yield Finding(
            rule="plio-1",
            what="channels into the array" if is_input else "channels out of the array",
            used=count,
            limit=face.in_channels if is_input else face.out_channels,
            where=f"interface column {column}",
            at=("mapping",),
            remedy="use plio: 64",
        )


def streams_route(plan: Plan) -> Iterator[Finding]:
    """route-1: a routing exists under the switches' port counts."""
    nets = []
    for p in plan.plios:
        layer = next(la for la in plan.aie if la.name == p.layer)
        role = "in[0]" if p.is_input else "out[0]"
        tiles = tuple(dict.fromkeys(layer.kernels[k].blocks[role][0].tile for k in p.kernels))
        shim = (p.column, SHIM_ROW)
        nets.append(Net(p.name, shim, tiles) if p.is_input else Net(p.name, tiles[0], (shim,)))
    found = False
    for cut in narrow_cuts(plan.device, tuple(nets)):
        found = True
        yield _routing(f"streams {cut.where}", "streams that must pass", cut.streams, cut.ports)
    if not found:
        routing = route(plan.device, tuple(nets))
        crowded = max(routing.overused, key=lambda e: routing.overused[e], default=None)
        where = (
            f"streams from {crowded[0]} to {crowded[1]} (row -1 = interface)"
            if crowded
            else "stream switches"
        )
        yield _routing(where, "share of the ports of the fullest switch edge", routing.worst_use, 1.0)


def _routing(where: str, what: str, used: float, limit: float) -> Finding:
    remedy = "spread the layers over more columns, nearer to the PL interface's (place:), or use fewer groups"
    return Finding(
        rule="route-1", what=what, used=used, limit=limit, where=where, at=("mapping",), remedy=remedy
    )


def clocks(plan: Plan) -> Iterator[Finding]:
    """clk-1: PL clocks that the platform can give; every kernel has streams, so the interface limits it too."""
    facts = plan.device.clocks
    limit = min(facts.kernel_max_mhz, facts.pl_interface_max_mhz)
    for g in plan.gaps:
        at = (*g.steps[0].at, "clock_mhz") if g.steps else ("mapping",)
        yield _clock(g.name, g.clock_mhz, limit, at)
    for m in (plan.mm2s, plan.s2mm):
        yield _clock(m.name, m.clock_mhz, limit, ("movers", "clock_mhz"))


def _clock(name: str, mhz: float, limit: float, at: KeyPath) -> Finding:
    remedy = f"use at most {limit:g} MHz"
    return Finding(
        rule="clk-1", what="MHz of the PL clock", used=mhz, limit=limit, where=name, at=at, remedy=remedy
    )


def logic(plan: Plan) -> Iterator[Finding]:
    """pl-1: block RAM, UltraRAM, DSP and LUT, estimated, stay within what a platform leaves free."""
    facts = plan.device.logic
    movers = (plan.mm2s, plan.s2mm)
    for what, used, total in (
        ("BRAM36 (estimate)", sum(g.bram36 for g in plan.gaps) + sum(m.bram36 for m in movers), facts.bram36),
        ("URAM288 (estimate)", sum(g.uram288 for g in plan.gaps), facts.uram288),
        ("DSP58 (estimate)", sum(g.dsp for g in plan.gaps), facts.dsp),
        ("LUT (estimate)", sum(g.lut for g in plan.gaps) + sum(m.lut for m in movers), facts.lut),
    ):
        worst = max(plan.gaps, key=lambda g: g.bram36 + g.uram288)
        yield Finding(
            rule="pl-1",
            what=what,
            used=used,
            limit=int(total * facts.usable_fraction),
            where=f"programmable logic ({worst.name} holds {worst.x} x {worst.lanes})",
            at=("input",),
            remedy="use a smaller image, fewer channels, or a narrower plio on the layer behind it",
        )


def rates(plan: Plan) -> Iterator[Finding]:
    """rate-1: what a PL kernel sends in an image is what the buffers behind it take, to the byte."""
    for g in plan.gaps:
        for streams, is_input in ((g.sink, True), (g.source, False)):
            if not isinstance(streams, TiledStreams):
                continue
            layer = next(la for la in plan.aie if la.name == streams.layer)
            grid = layer.grid
            calls = grid.rounds * (grid.passes if is_input else 1)
            elements = grid.in_elements if is_input else grid.out_elements
            want = calls * elements * layer.draft.dtype.bytes
            yield Finding(
                rule="rate-1",
                what="bytes of difference between stream and buffers",
                used=abs(streams.words * streams.bits // 8 - want),
                limit=0,
                where=f"{g.name} and {layer.name}",
                at=layer.draft.at,
                remedy="use plio: 32, or a tile whose buffers fill whole stream words",
            )


def connections(plan: Plan) -> Iterator[Finding]:
    """conn-1: every PLIO is connected once, to a port of its width."""
    ends = Counter(e for c in plan.connections for e in (c.source, c.target))
    at = {layer.name: layer.draft.at for layer in plan.aie}
    widths = {e: c.bits for c in plan.connections for e in (c.source, c.target)}
    for p in plan.plios:
        end = f"ai_engine_0.{p.name}"
        wrong = abs(ends[end] - 1) + (widths.get(end) != p.bits)
        yield Finding(
            rule="conn-1",
            what="faults of its stream_connect",
            used=wrong,
            limit=0,
            where=p.name,
            at=at[p.layer],
            remedy="report this: aieloom made the connections",
        )


def _free_place(plan: Plan, layer: AieLayerPlan) -> str:
    """Name a region of the layer's size that touches no other layer, when there is one."""
    mine = layer.tiles
    low = (min(t[0] for t in mine), min(t[1] for t in mine))
    size = (max(t[0] for t in mine) - low[0] + 1, max(t[1] for t in mine) - low[1] + 1)
    others = {t for other in plan.aie if other.name != layer.name for t in other.tiles}
    array = plan.device.array
    for col in range(array.columns - size[0] + 1):
        tiles = {(c, r) for c in range(col, col + size[0]) for r in range(low[1], low[1] + size[1])}
        if not tiles & others:
            return f"use place: {{col: {col}, row: {low[1]}, cols: {size[0]}, rows: {size[1]}}}"
    return "place the layers apart, or use larger tiles and so fewer cores"


FIRST_RULES: tuple[Rule, ...] = (names, layers_apart)  # where these are broken, the others find only echoes
RULES: tuple[Rule, ...] = (
    one_kernel_per_core,
    memory_is_reached,
    memory_blocks,
    dma_channels,
    program_memory,
    plio_columns,
    streams_route,
    clocks,
    logic,
    rates,
    connections,
)
