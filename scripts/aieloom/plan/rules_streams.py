"""Design rules of what surrounds the array: interface, stream routing, PL clocks and logic, connections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from aieloom.pl.kernel import PlKernel
from aieloom.pl.streams import TiledStreams
from aieloom.plan.clocks import TOLERANCE_PPM, listed_text, sources
from aieloom.plan.finding import Finding, Rule, findings
from aieloom.plan.nets import nets_of
from aieloom.plan.route import narrow_cuts, route
from aieloom.plan.types import ArrayPart
from aieloom.spec.board import KINDS
from aieloom.spec.device import Device
from aieloom.spec.lines import KeyPath
from aieloom.units.types import logic_use

SPREAD = "spread the layers over more columns, nearer to the PL interface's (place:), or use fewer groups"


def plio_columns(plan: ArrayPart) -> Iterator[Finding]:
    """plio-1, plio-3: channels per interface column, documented columns, existing widths, unique names."""
    face = plan.device.interface
    used: Counter[tuple[int, bool]] = Counter()
    names = Counter(p.name for p in plan.plios)
    at = {layer.name: layer.draft.at for layer in plan.all_aie}
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


def registered_inputs(plan: ArrayPart) -> Iterator[Finding]:
    """plio-4: streams of a fast PL clock enter by the channels that have registers, two of 128 bits by a pair of them."""
    face, room = plan.device.interface, plan.device.interface.room(is_input=True, registered=True)
    limit = plan.register_mhz
    fast = [p for p in plan.plios if p.is_input and p.clock_mhz > limit]
    for column in sorted({p.column for p in fast}):
        here = [p for p in fast if p.column == column]
        wide = [p for p in here if p.bits > face.channel_bits]
        above = f"into the array above {limit:g} MHz, by channels with registers"
        numbers = (
            ("plio-4", f"streams of 128 bits {above}", len(wide), room.pairs),
            ("plio-4", f"channels {above}", len(here) + len(wide), room.channels),
        )
        remedy = f"use plio: 64 or fewer groups, or clocks of at most {limit:g} MHz (clock_mhz)"
        yield from findings(numbers, where=f"interface column {column}", at=("mapping",), remedy=remedy)


def streams_route(plan: ArrayPart) -> Iterator[Finding]:
    """route-1: a routing exists under the switches' port counts."""
    nets = nets_of(plan)
    found = False
    for cut in narrow_cuts(plan.device, nets):
        found = True
        remedy = SPREAD if cut.is_input is None else _fewer(plan, is_input=cut.is_input)
        yield _routing(f"streams {cut.where}", "streams that must pass", cut.streams, cut.ports, remedy)
    if not found:
        routing = route(plan.device, nets)
        crowded = max(routing.overused, key=lambda e: routing.overused[e], default=None)
        where = (
            f"streams from {crowded[0]} to {crowded[1]} (row {plan.device.interface_row} = interface)"
            if crowded
            else "stream switches"
        )
        yield _routing(where, "share of the ports of the fullest switch edge", routing.worst_use, 1.0)


def _fewer(plan: ArrayPart, *, is_input: bool) -> str:
    """Return what helps where all columns together have too few streams: fewer of the layer that has most."""
    counts = Counter(p.layer for p in plan.plios if p.is_input == is_input)
    layer, most = max(counts.items(), key=lambda item: (item[1], item[0]))
    ways = (
        "a larger tile, or fewer groups" if is_input else "a larger tile, or a longer cascade of fewer chains"
    )
    return f"give layer '{layer}', which has {most} of them, {ways}: columns have no more streams wherever it lies"


def _routing(where: str, what: str, used: float, limit: float, remedy: str = SPREAD) -> Finding:
    return Finding(
        rule="route-1", what=what, used=used, limit=limit, where=where, at=("mapping",), remedy=remedy
    )


def clocks(plan: ArrayPart) -> Iterator[Finding]:
    """clk-1, clk-3: PL clocks within the kernels' and the interface's limit, which every release's platform gives."""
    for g in plan.pl:
        at = (*g.steps[0].at, "clock_mhz") if g.steps else ("mapping",)
        yield from _clock(plan.device, g.name, g.clock_mhz, at)
    for m in plan.movers:
        yield from _clock(plan.device, m.name, m.clock_mhz, ("movers", "clock_mhz"))


def _clock(device: Device, name: str, mhz: float, at: KeyPath) -> Iterator[Finding]:
    limit = min(device.clocks.kernel_max_mhz, device.clocks.pl_interface_max_mhz)
    yield Finding(
        rule="clk-1",
        what="MHz of the PL clock",
        used=mhz,
        limit=limit,
        where=name,
        at=at,
        remedy=f"use at most {limit:g} MHz",
    )
    worst = max(sources(device, mhz), key=lambda s: s.ppm)
    yield Finding(
        rule="clk-3",
        what=f"ppm between {mhz:g} MHz and the nearest clock of the platforms of {worst.clocks.between}",
        used=round(worst.ppm, 1),
        limit=TOLERANCE_PPM,
        where=name,
        at=at,
        remedy=f"use {worst.mhz:.9g} MHz, which is the nearest, or another that they list ({listed_text(device)})",
    )


def logic(plan: ArrayPart) -> Iterator[Finding]:
    """pl-1: block RAM, UltraRAM, DSP, LUT and flip-flops, estimated, are there; above the board's margin a warning is said."""
    facts = plan.device.logic
    taken = logic_use((*plan.pl, *plan.movers), plan.copies)
    numbers = (
        ("BRAM36", taken.bram36, facts.bram36),
        ("URAM288", taken.uram288, facts.uram288),
        ("DSP58", taken.dsp, facts.dsp),
        ("LUT", taken.lut, facts.lut),
        ("LUT that hold lines", taken.lutram, facts.lut // 2),  # every second LUT can [AM005]
        ("FF", taken.ff, facts.ff),
    )
    worst = max(plan.pl, key=lambda g: g.bram36 + g.uram288)
    yield from findings(
        (("pl-1", f"{what} (estimate)", used, total) for what, used, total in numbers),
        where=f"programmable logic ({worst.name} holds {_held(worst)})",
        at=("input",),
        remedy="use a smaller image, fewer channels, or a narrower plio on the layer behind it",
    )


def crowded_logic(plan: ArrayPart) -> Iterator[str]:
    """Yield a line for each kind of logic of which the plan takes more than the board's margin at its fastest clock."""
    used = logic_use((*plan.pl, *plan.movers), plan.copies)
    kinds = {kind: getattr(used, kind) for kind in KINDS}
    yield from plan.device.logic.crowded(kinds, max(unit.clock_mhz for unit in plan.units))


def _held(g: PlKernel) -> str:
    if g.part:
        return f"{g.part.tasks.rows} rows of {g.part.holds} x {g.sink.streams} streams"
    if g.lines:
        kept = sum(q.bram36 + q.uram288 for q in g.lines.queues)
        return f"queues of {kept} blocks and the lines of {len(g.lines.parts)} parts"
    return f"{g.x} x {g.outlets[0].lanes}"


def memory_ports(
    device: Device, used: int, *, at: KeyPath = (), remedy: str = "use a smaller grid or tile"
) -> Iterator[Finding]:
    """noc-1: the movers' ports to memory take no more masters of the network on chip than there are for the logic."""
    most = device.platform.noc_masters
    if most:
        yield Finding(
            rule="noc-1",
            what="m_axi ports, each a master of the network on chip",
            used=used,
            limit=most,
            where="movers",
            at=at,
            remedy=remedy,
        )


def noc_masters(plan: ArrayPart) -> Iterator[Finding]:
    """noc-1: the same of the layers' movers, copy by copy."""
    used, most = len(plan.movers) * plan.copies, plan.device.platform.noc_masters or 0
    fewer = most // len(plan.movers) if plan.copies > 1 else 0
    at: KeyPath = ("copies",) if fewer else ("mapping",)
    remedy = f"use copies: {fewer} or fewer" if fewer else "use weights: constant"
    yield from memory_ports(plan.device, used, at=at, remedy=remedy)


def rates(plan: ArrayPart) -> Iterator[Finding]:
    """rate-1: what a PL kernel sends in an image is what the buffers behind it take, to the byte."""
    for g in plan.pl:
        ends = (*((o.streams, True) for o in g.outlets), *((i.streams, False) for i in g.inlets))
        for streams, is_input in ends:
            if not isinstance(streams, TiledStreams):
                continue
            layer = next(la for la in plan.aie if la.name == streams.layer)
            grid = streams.grid
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


def connections(plan: ArrayPart) -> Iterator[Finding]:
    """conn-1: every PLIO is connected once, to a port of its width."""
    ends = Counter(e for c in plan.connections for e in (c.source, c.target))
    at = {layer.name: layer.draft.at for layer in plan.all_aie}
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


STREAM_RULES: tuple[Rule, ...] = (
    plio_columns,
    registered_inputs,
    streams_route,
    clocks,
    logic,
    noc_masters,
    rates,
    connections,
)
