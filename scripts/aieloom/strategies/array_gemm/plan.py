"""From a request to a plan: choose a cut, place it, check it by the design rules; the next cut where one refuses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aieloom.cost.parameters import load_parameters, produced_by
from aieloom.errors import CannotFit, Problem
from aieloom.layout.grid import Window
from aieloom.network.tensor import TensorType
from aieloom.plan import rules
from aieloom.plan.cascade import cascades
from aieloom.plan.cost import array_cost, summarise
from aieloom.plan.finding import Finding, worst
from aieloom.plan.gemm import blocking_of, find_mode, program_bytes
from aieloom.plan.rates import Rate
from aieloom.plan.rules_streams import memory_ports, plio_columns, registered_inputs, streams_route
from aieloom.plan.subgraph import Subgraph
from aieloom.plan.types import (
    AieLayerDraft,
    AieLayerPlan,
    ArrayPart,
    Connection,
    PlioPlan,
    RuleResult,
)
from aieloom.plan.wire import AIE, port_names
from aieloom.spec.device import Device
from aieloom.spec.network import INPUT
from aieloom.spec.types import Buffers
from aieloom.strategies.array_gemm.cost import (
    CLOCK_MHZ,
    block_cycles,
    conflict_cycles,
    finish_cycles,
    is_flattened,
    pass_cycles,
    stream_cycles,
)
from aieloom.strategies.array_gemm.grid import ArrayGrid
from aieloom.strategies.array_gemm.memory import CoreMemory, memory_of
from aieloom.strategies.array_gemm.movers import MATRICES, NAMES, stages_of, units_of
from aieloom.strategies.array_gemm.place import Layout, is_straight, layouts, stream_columns, streams_of
from aieloom.strategies.array_gemm.search import candidates, check_grid, check_request, refuse
from aieloom.strategies.array_gemm.types import CorePlace, Cost, PlacedProduct, Request, Unit
from aieloom.units.types import Address, KernelPlan

NAME = "gemm"
TRIED = 24  # cuts that are placed and checked before the fault of the first is told
TRIED_IN_BANDS = 6  # of them, those whose rows of tiles do not lie along rows of the array
RULES = (
    rules.one_kernel_per_core,
    rules.memory_is_reached,
    rules.memory_blocks,
    rules.dma_channels,
    rules.program_memory,
    rules.registers,
    rules.memory_banks,
    cascades,
    plio_columns,
    registered_inputs,
    streams_route,
)


def make_gemm(device: Device, request: Request) -> PlacedProduct:
    """Decide everything about a product.

    Raises:
        CannotFit: nothing that was tried keeps to the design rules; the first cut's faults are told.
    """
    check_request(device, request)
    found = candidates(device, request)
    if not found:
        raise refuse(
            "matmul-2",
            f"no tile and grid of {' x '.join(map(str, request.size))} fit {device.name}"
            + (f" with at most {request.cores} cores" if request.cores else ""),
            "leave tile and grid out, or allow more cores",
        )
    first: CannotFit | None = None
    for _, cut, bits in _worth_trying(device, found):
        try:
            return planned(device, request, cut, bits)
        except CannotFit as e:
            first = first or e
    assert first is not None
    raise first


def _worth_trying(
    device: Device, found: list[tuple[float, ArrayGrid, int]]
) -> Iterator[tuple[float, ArrayGrid, int]]:
    """Yield the first cuts: of those that do not lie straight fewer, since routing them takes longer."""
    tried = {True: TRIED, False: TRIED_IN_BANDS}
    for candidate in found:
        straight = is_straight(device, candidate[1].grid)
        tried[straight] -= 1
        if tried[straight] >= 0:
            yield candidate


def planned(device: Device, request: Request, cut: ArrayGrid, bits: int) -> PlacedProduct:
    """Place a cut and check it by the design rules.

    Raises:
        CannotFit: a rule refuses it.
    """
    check_grid(device, cut.grid)
    memory = memory_of(device, request, cut)
    if memory is None:
        text = (
            f"tile {list(cut.tile)}: its buffers do not fit a core's memory of {device.tile.memory_bytes} B"
        )
        raise refuse("mem-1", text, "make one of M, K and N smaller")
    first: CannotFit | None = None
    for layout in layouts(device, cut):
        try:
            return _laid_out(device, request, (cut, bits), memory, layout)
        except CannotFit as e:
            first = first or e
            if not any(p.rule == "route-1" for p in e.problems):
                break  # elsewhere it would be the same
    assert first is not None
    raise first


def _laid_out(
    device: Device, request: Request, choice: tuple[ArrayGrid, int], memory: CoreMemory, layout: Layout
) -> PlacedProduct:
    cut, bits = choice
    columns = stream_columns(device, cut, layout, bits)
    if columns is None:
        a, b, c = cut.port_streams
        text = f"{a} + {b} streams of {bits} bits into the array and {c} out: more than {device.name} has channels"
        raise refuse("plio-1", text, "use a longer chain (Y) or a smaller grid")
    draft = _draft(device, request, cut, bits, memory)
    block_us = block_cycles(device, request, cut, bits, draft.bank_conflicts) / device.clocks.aie_mhz
    units = units_of(device, request, cut, bits, block_us=block_us)
    kernels = tuple(_kernel(cut, memory, core) for core in layout.cores)
    plios = tuple(_plios(cut, layout.cores, bits, columns))
    array = _array(device, AieLayerPlan(draft=draft, kernels=kernels), plios, units)
    return PlacedProduct(
        request=request,
        device=device,
        cut=cut,
        accumulator=find_mode(device, request.dtype, cut.mmul).accumulator,
        flattened=is_flattened(device, cut.tile, find_mode(device, request.dtype, cut.mmul), request.dtype),
        plio_bits=bits,
        cores=layout.cores,
        array=array,
        units=units,
        cost=_cost(device, request, choice, draft.bank_conflicts, units),
        checks=_checked(array, 0 if request.told else len(units)),
    )


def _checked(array: ArrayPart, ports: int) -> tuple[RuleResult, ...]:
    findings: list[Finding] = [f for rule in RULES for f in rule(array)]
    findings += memory_ports(array.device, ports) if ports else ()  # an engine has movers of its own
    broken = {f.rule: f for f in findings if f.broken}
    if broken:
        problems = [
            Problem(
                rule=f.rule,
                text=f"{f.where}: {f.what}: {f.used:g}, at most {f.limit:g}",
                remedy="use a smaller grid or tile",
            )
            for f in broken.values()
        ]
        raise CannotFit(problems)
    return worst(findings)


def _cost(
    device: Device, request: Request, choice: tuple[ArrayGrid, int], conflicts: int, units: Sequence[Unit]
) -> Cost:
    cut, bits = choice
    mode, mhz = find_mode(device, request.dtype, cut.mmul), device.clocks.aie_mhz
    chain = cut.grid[1]
    work = pass_cycles(device, cut.tile, mode, request.dtype, cascade=chain > 1) + conflicts
    fill, drain = stream_cycles(device, request, cut, bits)
    block = block_cycles(device, request, cut, bits, conflicts)
    mi, _, ni = cut.times
    p = load_parameters()
    ends = (fill + drain + p["latency.cascade"] * (chain - 1) + finish_cycles(cut, request)) / mhz
    array = Rate(
        what="the array",
        interval_us=mi * ni * block / mhz + ends,
        bottleneck="the array",
        leaves_out="streams that run dry, and the host program",
    )
    stages = stages_of(device, cut, units)
    held = {"the array": block / mhz, **{_named(name): us for name, (_, us) in stages.items()}}
    slowest = max(held, key=lambda name: held[name])
    memory = Rate(
        what="with its movers and the device's memory",
        interval_us=mi * ni * held[slowest] + ends + stages["store_c"][1] * (slowest != "the array"),
        bottleneck=slowest,
        leaves_out="the host program, and what else uses the memory",
    )
    return Cost(
        produced_by=produced_by(),
        pass_cycles=work,
        fill_cycles=round(fill),
        drain_cycles=round(drain),
        steady_tera_ops=cut.operations / (mi * ni * block / mhz) / 1e6,
        array=array,
        memory=memory,
        system=_hosted(device, request, memory, units),
    )


def _named(stage: str) -> str:
    """Return what a stage's time is of, for people."""
    return f"the memory ports of {stage}" if stage in NAMES else f"the memory bank {stage}"


def _hosted(device: Device, request: Request, memory: Rate, units: Sequence[Unit]) -> Rate:
    """Return the rate with the host program: it tiles A and B, runs one product, and puts C together, one after another."""
    facts = device.processor
    m, k, n = request.size
    tiling = (m * k + k * n + m * n) * facts.cycles_per_operation / facts.mhz
    starts = facts.graph_start_us + len(units) * (facts.kernel_start_us + facts.sync_us)
    return Rate(
        what="end to end with the host program",
        interval_us=memory.interval_us + tiling + starts,
        bottleneck="the host program" if tiling + starts > memory.interval_us else memory.bottleneck,
        leaves_out=f"reading and writing files; of it {tiling:,.0f} us tile matrices, {starts:,.0f} us start graph and kernels",
    )


def _array(
    device: Device,
    layer: AieLayerPlan,
    plios: tuple[PlioPlan, ...],
    units: Sequence[Unit],
) -> ArrayPart:
    """Return the array as the design rules and the floor plan read it: one layer with all kernels and streams."""
    cycles = layer.draft.kernel_cycles
    subgraph = Subgraph(
        name=NAME,
        sends=INPUT,
        receives=NAME,
        x=layer.draft.x,
        y=layer.draft.y,
        layers=(NAME,),
        kernels=(),
        mm2s=units[0].mover,
        s2mm=units[-1].mover,
        fed=None,
    )
    return ArrayPart(
        project=NAME,
        device=device,
        graph_class="GemmGraph",
        graph_name="gemm_graph",
        x=layer.draft.x,
        y=layer.draft.y,
        aie=(layer,),
        pl=(),
        subgraphs=(subgraph,),
        plios=plios,
        connections=_connections(units),
        cost=summarise([[array_cost(device, NAME, cycles, cycles)]]),
        checks=(),
    )


def _kernel(cut: ArrayGrid, memory: CoreMemory, core: CorePlace) -> KernelPlan:
    last = core.link == cut.grid[1] - 1
    blocks = {
        role: tuple(Address(*core.tile, s.offset) for s in slots)
        for role, slots in memory.places.slots.items()
        if last or not role.startswith(("out", "param"))
    }
    return KernelPlan(group=core.z, part=core.x, tile=core.tile, blocks=blocks, link=core.link)


def _draft(device: Device, request: Request, cut: ArrayGrid, bits: int, memory: CoreMemory) -> AieLayerDraft:
    m, k, n = request.size
    mode = find_mode(device, request.dtype, cut.mmul)
    block = blocking_of(cut)
    flattened = is_flattened(device, cut.tile, mode, request.dtype)
    conflicts = conflict_cycles(device, cut, request.dtype, memory)
    return AieLayerDraft(
        name=NAME,
        class_name="Gemm",
        op="matmul",
        layer_index=0,
        at=(NAME,),
        x=TensorType((1, m, k), request.dtype),
        y=TensorType((1, m, n), request.out),
        dtype=request.dtype,
        strategy="array_gemm",
        grid=cut,
        window=Window(channels=1, height=m, width=k, kernel=(1, k)),
        has_bias=False,
        buffers=Buffers.PING_PONG,
        plio_bits=bits,
        needs=memory.needs,
        memory=memory.places,
        stack_bytes=memory.places.stack_bytes,
        program_bytes=program_bytes(block, mode, steps=cut.tile_k // cut.mmul[1] if flattened else 1),
        registers=mode.registers(*block.counts),
        region=None,
        kernel_cycles=pass_cycles(device, cut.tile, mode, request.dtype, cascade=cut.cascade > 1) + conflicts,
        bank_conflicts=conflicts,
        templates=(),
        why=(),
        accumulator=mode.accumulator,
    )


def _plios(
    cut: ArrayGrid, cores: tuple[CorePlace, ...], bits: int, columns: dict[str, int]
) -> Iterator[PlioPlan]:
    for kind, streams in zip("abc", streams_of(cut, cores), strict=True):
        for index, (name, fed) in enumerate(streams.items()):
            yield PlioPlan(
                name=name,
                is_input=kind != "c",
                bits=bits,
                column=columns[name],
                layer=NAME,
                stream=index,
                kernels=fed,
                clock_mhz=CLOCK_MHZ,
                data_file=f"data/{name}.txt",
            )


def _connections(units: Sequence[Unit]) -> tuple[Connection, ...]:
    found = []
    for unit in units:
        base = "out" if unit.mover.reads_memory else "in"
        for i, port in enumerate(port_names(base, unit.mover.streams), unit.first):
            ends = (f"{unit.name}.{port}", f"{AIE}.{MATRICES[unit.matrix]}_{i}")
            source, target = ends if unit.mover.reads_memory else ends[::-1]
            found.append(Connection(source=source, target=target, bits=unit.mover.bits))
    return tuple(found)
