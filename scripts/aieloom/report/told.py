"""What is said of what a design on the array consists of: a layer, a kernel, a mover; with the arithmetic to check by hand."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from aieloom.layout.grid import TileGrid
from aieloom.pl.kernel import PlKernel
from aieloom.pl.lines.streamable import frame_line
from aieloom.pl.movers import MoverPlan
from aieloom.pl.streams import TiledStreams, is_by_row
from aieloom.plan.clocks import origin
from aieloom.plan.cost import chain_latency, stream_cycles
from aieloom.plan.energy import peak_macs, plan_energy
from aieloom.plan.linked import linking_of
from aieloom.plan.memory import reserved_bytes
from aieloom.plan.processor import Segment
from aieloom.plan.rates import Rates, banks, rate_lines
from aieloom.plan.shared_buffers import LinkedGrid
from aieloom.plan.types import AieLayerDraft, AieLayerPlan, ArrayPart, StageCost
from aieloom.plan.whole import subgraph_lines
from aieloom.report.roofline import multiplies
from aieloom.simulation.of_plan import modelled_rates
from aieloom.spec.types import Buffers
from aieloom.units.types import Task, Unit
from aieloom.words import plural


def why(plan: ArrayPart, unit: Unit, tasks: Sequence[Task]) -> Iterator[str]:
    """Yield why a unit is as it is and does these tasks as it does, the rules whose worst case it is, and the whole's rate."""
    told = _TOLD.get(type(unit.body))
    rates = modelled_rates(plan)
    yield from told(plan, unit, {task.name for task in tasks}) if told else _host(rates)
    yield from dict.fromkeys(line for task in tasks for line in subgraph_lines(plan, task.name))
    yield from _rules(plan, {unit.name, *(task.name for task in tasks)})
    yield from (f"Images are cut: {line}" for line in (plan.frame.why if plan.frame else ()))
    yield "the design's rate"
    yield from (f"  {line}" for line in rate_lines(rates))
    energy = plan_energy(plan, rates.system.interval_us)
    yield from (f"  energy of the whole design: {e.text}" for e in [energy] if e)
    yield f"Times are modelled: {plan.cost.produced_by}."


def _host(rates: Rates) -> Iterator[str]:
    each = rates.host.image_us + rates.host.batch_us / rates.host.images
    yield f"  {each:.3g} us for each image, where the device takes {rates.memory.interval_us:.3g} us"
    yield "  narrower elements (quantize:) are fewer bytes to copy; starts and synchronisations are shared by a batch's images"


def _mover(plan: ArrayPart, unit: Unit, _names: Collection[str]) -> Iterator[str]:
    mover = unit.read(MoverPlan)
    way = "from memory to" if mover.reads_memory else "to memory from"
    yield f"  moves images {way} the design: {mover.image_bytes:,} bytes of each, by a port at {banks(plan)[mover.name]}"
    yield _verdict(plan, plan.cost.stage(mover.name))


def _array_layer(plan: ArrayPart, unit: Unit, _names: Collection[str]) -> Iterator[str]:
    layer = next(la for la in plan.aie if la.name == (unit.lead or unit.name))
    draft, grid = layer.draft, layer.grid
    yield f"  {draft.op} {draft.x} to {draft.y} by {draft.strategy}, on the array"
    yield "cut"
    for why in draft.why:
        yield f"  {why}"
    if isinstance(grid, LinkedGrid):
        yield from _memory(plan, layer)
        yield from _shared_buffers(plan, layer)
        yield from _linked_time(plan, layer, grid, plan.cost.stage(layer.name))
        yield _verdict(plan, plan.cost.stage(layer.name))
        return
    yield (
        f"  {grid.m} / {grid.tile_m} = {grid.parts} parts of M, {_along_k(grid)} of K, "
        f"{grid.n} / {grid.tile_n} = {-(-grid.n // grid.tile_n)} tiles of N in {grid.groups} groups: "
        f"{grid.rounds} rounds (each rounded up)"
    )
    yield from _memory(plan, layer)
    yield from _time(plan, layer)


def _shared_buffers(plan: ArrayPart, layer: AieLayerPlan) -> Iterator[str]:
    """Yield the memory tiles beside a layer."""
    for b in plan.buffers:
        if layer.name in (b.before, b.after):
            ends = f"{plural(len(b.writers), 'writer')}, {plural(len(b.readers), 'reader')}"
            yield f"  memory tile {b.tile}: {b.name}, {b.copies} x {b.bytes} B, {ends}"


def _linked_time(plan: ArrayPart, layer: AieLayerPlan, grid: LinkedGrid, stage: StageCost) -> Iterator[str]:
    """Yield how long an image takes, transfer by transfer."""
    before = next((la for la in plan.aie if la.name == layer.draft.inputs[0]), None)
    strategy = linking_of(grid)
    times = strategy.times(plan.device, layer, plan.plios, None if grid.entry else before)
    yield f"time, in cycles of {stage.clock_mhz:g} MHz"
    yield f"  a kernel call: {layer.draft.kernel_cycles} cycles by schedules of its code"
    yield from strategy.explain_time(layer, times, before.name if before else None)
    how = "transfers beside work" if layer.draft.buffers is Buffers.PING_PONG else "one after another"
    yield f"  {layer.draft.buffers.value} buffers, {how}: {stage.cycles}"
    if multiplies(layer):
        yield _macs_line(plan, layer, grid.executed_macs, grid.counting_macs)


def _macs_line(plan: ArrayPart, layer: AieLayerPlan, executed: int, counting: int) -> str:
    """Return how many MACs a core does in a cycle: all that are executed, and those of them that are the layer's own."""
    stage = plan.cost.stage(layer.name)
    cores, cycles = layer.grid.cores, stage.cycles
    each = [macs / (cores * cycles) for macs in (executed, counting)]
    return (
        f"  {executed:,} MACs are executed, {counting:,} of them the layer's own: / ({cores} cores x {cycles} cycles) = "
        f"{each[0]:.2f} and {each[1]:.2f} a cycle and core, of {peak_macs(plan, layer):g}"
    )


def _along_k(grid: TileGrid) -> str:
    if grid.cascade > 1:
        return f"{grid.k} / {grid.tile_k} = {grid.cascade} links"
    return f"{grid.k} / {grid.tile_k} = {grid.passes} passes"


def _memory(plan: ArrayPart, layer: AieLayerPlan) -> Iterator[str]:
    draft, tile = layer.draft, plan.device.tile
    yield f"memory of a core, of {tile.memory_bytes} B a tile"
    for need in draft.needs:
        copies = f"{need.copies} x {need.bytes}" if need.copies > 1 else f"{need.bytes}"
        yield f"  {need.label:<8} {copies} = {need.copies * need.bytes} B"
    reserved = reserved_bytes(plan.device, draft.stack_bytes)
    total = sum(n.copies * n.bytes for n in draft.needs)
    yield f"  stack, heap and the tools' share: {reserved} B; together {total + reserved} B"
    used = " + ".join(f"{b} B" for b in draft.memory.used_bytes)
    where = "one memory" if draft.memory.memories == 1 else f"{draft.memory.memories} memories"
    yield f"  laid out in {where}, large blocks at the start of a bank: up to {used}"


def _time(plan: ArrayPart, layer: AieLayerPlan) -> Iterator[str]:
    draft, grid, device = layer.draft, layer.grid, plan.device
    stage = plan.cost.stage(layer.name)
    clocks = {i: plan.streams_of(layer.name, is_input=i)[0].clock_mhz for i in (True, False)}
    size = draft.dtype.bytes
    fill = stream_cycles(device, grid.in_elements * size, draft.plio_bits, clocks[True])
    drain = stream_cycles(device, grid.out_elements * size, draft.out_bits, clocks[False])
    m, k, n = grid.mmul
    calls = grid.out_elements // (m * n) * (grid.tile_k // k)
    yield f"time, in cycles of {stage.clock_mhz:g} MHz"
    mmuls = f"{calls * grid.passes} aie::mmul of {m} x {k} x {n}"
    yield f"  a kernel call: {mmuls}, {draft.kernel_cycles} cycles by schedules of its code"
    yield (
        f"  fill an input buffer: {grid.in_elements} x {size} B on a {draft.plio_bits}-bit PLIO at "
        f"{clocks[True]:g} MHz = {fill:.0f}; drain an output: {grid.out_elements} x {size} B = {drain:.0f}"
    )
    work = grid.rounds * draft.kernel_cycles
    if grid.cascade > 1:
        yield (
            f"  a chain's last core is {grid.cascade - 1} cascades, {chain_latency(grid.cascade):.0f} cycles, "
            "behind its first: latency only"
        )
    if draft.buffers is Buffers.PING_PONG:
        yield (
            f"  ping-pong, transfers beside work: max({grid.rounds} x {draft.kernel_cycles} = {work}, "
            f"{grid.rounds} x {grid.passes} x {fill:.0f} = {grid.rounds * grid.passes * fill:.0f}, "
            f"{grid.rounds} x {drain:.0f} = {grid.rounds * drain:.0f}) = {stage.cycles}"
        )
    else:
        yield (
            f"  single buffers, one after another: {grid.rounds} x ({grid.passes} x {fill:.0f} + "
            f"{draft.kernel_cycles} + {drain:.0f}) = {stage.cycles}"
        )
    executed = grid.cores * grid.rounds * grid.passes * calls * m * k * n
    yield _macs_line(plan, layer, executed, grid.m * grid.k * grid.n)
    yield _verdict(plan, stage)


def _buffers(kernel: PlKernel) -> str:
    """Return what a PL kernel keeps."""
    if kernel.part:
        return f"line buffers: {kernel.sink.streams} of {kernel.part.tasks.rows} rows in {kernel.storage}"
    if kernel.lines:
        return f"line buffers of {len(kernel.lines.parts)} parts, {len(kernel.lines.images)} queues of images"
    assert kernel.frames is not None
    copies = f"{kernel.outlets[0].lanes} copies of {kernel.frames.holds}"
    return f"frame buffer: {copies} in {kernel.storage}, one read a cycle each"


def _logic_layer(plan: ArrayPart, unit: Unit, names: Collection[str]) -> Iterator[str]:
    kernel = unit.read(PlKernel)
    steps = [s for s in kernel.steps if s.name in names]
    for s in steps:
        yield f"  {s.op} {s.x} to {s.y} on programmable logic, {s.kind}, in kernel {kernel.name}"
    own = (why for s in steps for why in s.why)
    for why in dict.fromkeys((*own, *kernel.why, *filter(None, [frame_line(kernel)]))):
        yield f"  {why}"
    yield "streams"
    ends = ((i.port, i.streams, f"from {i.producer}") for i in kernel.inlets)
    for name, side, whom in (*ends, *((o.port, o.streams, f"to {o.reader}") for o in kernel.outlets)):
        kind = (
            f"tiles of {side.layer}"
            if isinstance(side, TiledStreams)
            else f"{'order of rows' if is_by_row(side) else 'plain order'}, {whom}"
        )
        yield f"  {name}: {side.streams} x {side.words} words of {side.bits} bits, {kind}"
    for inlet in kernel.inlets if kernel.join else ():
        yield f"  {inlet.port}: {inlet.depth} image(s) wait for the other inputs at most, in {inlet.storage}"
    yield "logic (estimates)"
    blocks = f"{kernel.bram36} BRAM36, {kernel.uram288} URAM288, {kernel.dsp} DSP58"
    yield f"  {blocks}, {kernel.lut} LUT, {kernel.ff} FF; {_buffers(kernel)}"
    yield "time"
    yield f"  {kernel.cycles} cycles an image for its longest process, first word to last {kernel.latency_cycles} cycles"
    yield f"  {kernel.cycles} / {kernel.clock_mhz:g} MHz = {kernel.cycles / kernel.clock_mhz:.2f} us"
    yield f"  {origin(plan.device, kernel.clock_mhz)}"
    yield _verdict(plan, plan.cost.stage(kernel.name))


def _processor_layer(plan: ArrayPart, unit: Unit, names: Collection[str]) -> Iterator[str]:
    for step in unit.read(Segment).steps:
        if step.name in names:
            yield f"  {step.op} {step.x} to {step.y} on the processor, in the host program"
            yield from (f"  {line}" for line in (step.reason, *step.why))
    stage = plan.cost.stage(unit.name)
    yield f"  {stage.name}: about {stage.latency_us:.2f} us an image for all layers there (an estimate)"


def _verdict(plan: ArrayPart, stage: StageCost) -> str:
    slowest = plan.cost.stage(plan.cost.bottleneck)
    head = f"  an image every {stage.interval_us:.2f} us, latency {stage.latency_us:.2f} us"
    if slowest is stage:
        return f"{head}: the bottleneck of the design"
    return (
        f"{head}; the bottleneck is {slowest.name} with {slowest.interval_us:.2f} us, "
        f"{slowest.interval_us / stage.interval_us:.1f} times as much"
    )


def _rules(plan: ArrayPart, names: Collection[str]) -> Iterator[str]:
    """Design rules whose worst case is at one of these."""
    mine = [c for c in plan.checks if any(n in c.where.replace(",", " ").split() for n in names)]
    if mine:
        yield "design rules whose worst case of the whole design is here"
    for c in mine:
        yield f"  {c.rule}: {c.what}: {c.used:g} of {c.limit:g}"


_TOLD: Mapping[type, Callable[[ArrayPart, Unit, Collection[str]], Iterator[str]]] = {
    AieLayerDraft: _array_layer,
    PlKernel: _logic_layer,
    MoverPlan: _mover,
    Segment: _processor_layer,
}
