"""From a request to a plan: choose a cut, place it, check it by the design rules; the next cut where one refuses it."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.cost.parameters import load_parameters, produced_by
from aieloom.errors import CannotFit, Problem
from aieloom.gemm.choose import candidates, check_request, refuse
from aieloom.gemm.cost import (
    CLOCK_MHZ,
    block_cycles,
    conflict_cycles,
    finish_cycles,
    is_flattened,
    mode_of,
    mover_cycles,
    pass_cycles,
    side_by_side,
    stream_cycles,
)
from aieloom.gemm.memory import STACK_BYTES, CoreMemory, memory_of
from aieloom.gemm.place import Layout, is_straight, layouts, stream_columns, streams_of
from aieloom.gemm.types import CorePlace, Cost, Cut, GemmPlan, Request
from aieloom.model.tensor import TensorType
from aieloom.plan import rules
from aieloom.plan.cascade import cascades
from aieloom.plan.cost import summarise
from aieloom.plan.finding import Finding
from aieloom.plan.gemm import blocking, program_bytes
from aieloom.plan.layout import TileGrid, Window
from aieloom.plan.logic import MoverPlan
from aieloom.plan.memory import Address
from aieloom.plan.rules_streams import plio_columns, registered_inputs, streams_route
from aieloom.plan.stretch import Stretch
from aieloom.plan.template import TemplateUse
from aieloom.plan.types import (
    AieLayerDraft,
    AieLayerPlan,
    Connection,
    KernelPlan,
    Plan,
    PlioPlan,
    RuleResult,
    StageCost,
)
from aieloom.plan.wire import AIE, port_names
from aieloom.spec.device import Device
from aieloom.spec.network import INPUT
from aieloom.spec.types import Buffers

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


def make_gemm(device: Device, request: Request) -> GemmPlan:
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
            return _planned(device, request, cut, bits)
        except CannotFit as e:
            first = first or e
    assert first is not None
    raise first


def _worth_trying(device: Device, found: list[tuple[float, Cut, int]]) -> Iterator[tuple[float, Cut, int]]:
    """Yield the first cuts: of those that do not lie straight fewer, since routing them takes longer."""
    tried = {True: TRIED, False: TRIED_IN_BANDS}
    for candidate in found:
        straight = is_straight(device, candidate[1].grid)
        tried[straight] -= 1
        if tried[straight] >= 0:
            yield candidate


def _planned(device: Device, request: Request, cut: Cut, bits: int) -> GemmPlan:
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
    device: Device, request: Request, choice: tuple[Cut, int], memory: CoreMemory, layout: Layout
) -> GemmPlan:
    cut, bits = choice
    columns = stream_columns(device, cut, layout, bits)
    if columns is None:
        a, b, c = cut.streams
        text = f"{a} + {b} streams of {bits} bits into the array and {c} out: more than {device.name} has channels"
        raise refuse("plio-1", text, "use a longer chain (Y) or a smaller grid")
    movers = _movers(device, request, cut, bits)
    draft = _draft(device, request, cut, bits, memory)
    kernels = tuple(_kernel(cut, memory, core) for core in layout.cores)
    plios = tuple(_plios(cut, layout.cores, bits, columns))
    array = _array(device, AieLayerPlan(draft=draft, kernels=kernels), plios, movers)
    return GemmPlan(
        request=request,
        device=device,
        cut=cut,
        accumulator=mode_of(device, request.dtype, cut.mmul).accumulator,
        flattened=is_flattened(device, cut.tile, mode_of(device, request.dtype, cut.mmul), request.dtype),
        plio_bits=bits,
        cores=layout.cores,
        array=array,
        movers=movers,
        cost=_cost(device, request, cut, bits, draft.bank_conflicts),
        checks=_checked(array),
    )


def _checked(array: Plan) -> tuple[RuleResult, ...]:
    findings: list[Finding] = [f for rule in RULES for f in rule(array)]
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
    worst: dict[str, Finding] = {}
    for f in findings:
        if f.rule not in worst or f.share > worst[f.rule].share:
            worst[f.rule] = f
    return tuple(
        RuleResult(rule=f.rule, what=f.what, used=f.used, limit=f.limit, where=f.where)
        for f in worst.values()
    )


def _cost(device: Device, request: Request, cut: Cut, bits: int, conflicts: int) -> Cost:
    mode, mhz = mode_of(device, request.dtype, cut.mmul), device.clocks.aie_mhz
    chain = cut.grid[1]
    work = pass_cycles(device, cut.tile, mode, request.dtype, cascade=chain > 1) + conflicts
    fill, drain = stream_cycles(device, request, cut, bits)
    block = block_cycles(device, request, cut, bits, conflicts)
    mi, ki, ni = cut.times
    p = load_parameters()
    ends = fill + drain + p["latency.cascade"] * (chain - 1) + finish_cycles(cut, request)
    array_us = (mi * ni * block + ends) / mhz
    a, b, c = mover_cycles(device, request, cut, bits)
    stages = {
        "array": block / mhz,
        "load_a": ki * a / CLOCK_MHZ,
        "load_b": ki * b / CLOCK_MHZ,
        "store_c": c / CLOCK_MHZ,
    }
    slowest = max(stages, key=lambda name: stages[name])
    return Cost(
        produced_by=produced_by(),
        pass_cycles=work,
        fill_cycles=round(fill),
        drain_cycles=round(drain),
        array_us=array_us,
        steady_tera_ops=cut.operations / (mi * ni * block / mhz) / 1e6,
        system_us=mi * ni * stages[slowest] + ends / mhz + c / CLOCK_MHZ,
        bottleneck=slowest,
    )


def _movers(device: Device, request: Request, cut: Cut, bits: int) -> tuple[MoverPlan, MoverPlan, MoverPlan]:
    sizes = (request.dtype.bytes, request.dtype.bytes, request.out.bytes)
    cycles = mover_cycles(device, request, cut, bits)
    passes = (cut.times[1], cut.times[1], 1)
    made = []
    for i, name in enumerate(("load_a", "load_b", "store_c")):
        streams, together = cut.streams[i], side_by_side(device, cut.streams[i], bits)
        made.append(
            MoverPlan(
                name=name,
                reads_memory=i < 2,
                streams=streams,
                bits=bits,
                memory_bits=together * bits,
                words=cut.elements[i] * sizes[i] * 8 // bits,
                clock_mhz=CLOCK_MHZ,
                cycles=cycles[i] * passes[i],
                bram36=15,  # burst buffers of one 512-bit m_axi port (estimate)
                lut=4000,
                template=TemplateUse(
                    template="gemm_load.cpp.j2" if i < 2 else "gemm_store.cpp.j2",
                    output=f"src/pl/{name}.cpp",
                ),
            )
        )
    return made[0], made[1], made[2]


def _array(
    device: Device,
    layer: AieLayerPlan,
    plios: tuple[PlioPlan, ...],
    movers: tuple[MoverPlan, MoverPlan, MoverPlan],
) -> Plan:
    """Return the array as the design rules and the floor plan read it: one layer with all kernels and streams."""
    mhz = device.clocks.aie_mhz
    cycles = layer.draft.kernel_cycles
    stage = StageCost(
        name=NAME,
        kind="aie",
        interval_us=cycles / mhz,
        latency_us=cycles / mhz,
        cycles=cycles,
        clock_mhz=mhz,
    )
    stretch = Stretch(
        name=NAME,
        sends=INPUT,
        receives=NAME,
        x=layer.draft.x,
        y=layer.draft.y,
        layers=(NAME,),
        kernels=(),
        mm2s=movers[0],
        s2mm=movers[2],
        fed=None,
    )
    return Plan(
        project=NAME,
        device=device,
        graph_class="GemmGraph",
        graph_name="gemm_graph",
        x=layer.draft.x,
        y=layer.draft.y,
        aie=(layer,),
        gaps=(),
        stretches=(stretch,),
        plios=plios,
        connections=_connections(movers),
        cost=summarise([[stage]]),
        checks=(),
    )


def _kernel(cut: Cut, memory: CoreMemory, core: CorePlace) -> KernelPlan:
    last = core.link == cut.grid[1] - 1
    blocks = {
        role: tuple(Address(*core.tile, s.offset) for s in slots)
        for role, slots in memory.places.slots.items()
        if last or not role.startswith(("out", "param"))
    }
    return KernelPlan(group=core.z, part=core.x, tile=core.tile, blocks=blocks, link=core.link)


def _draft(device: Device, request: Request, cut: Cut, bits: int, memory: CoreMemory) -> AieLayerDraft:
    (m, k, n), (tm, tk, tn), (_, y, z) = request.size, cut.tile, cut.grid
    mode = mode_of(device, request.dtype, cut.mmul)
    block = blocking(cut.tile, mode)
    grid = TileGrid(
        m=m, k=k, n=n, tile_m=tm, tile_k=tk, tile_n=tn, mmul=cut.mmul, groups=z, cascade=y, block=block.counts
    )
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
        strategy="streamed",
        grid=grid,
        window=Window(channels=1, height=m, width=k, kernel=(1, k), stride=(1, 1), padding=(0, 0)),
        has_bias=False,
        buffers=Buffers.PING_PONG,
        plio_bits=bits,
        needs=memory.needs,
        memory=memory.places,
        stack_bytes=STACK_BYTES,
        program_bytes=program_bytes(block, mode, steps=tk // cut.mmul[1] if flattened else 1),
        registers=mode.registers(*block.counts),
        region=None,
        kernel_cycles=pass_cycles(device, cut.tile, mode, request.dtype, cascade=y > 1) + conflicts,
        bank_conflicts=conflicts,
        templates=(),
        why=(),
        accumulator=mode.accumulator,
    )


def _plios(cut: Cut, cores: tuple[CorePlace, ...], bits: int, columns: dict[str, int]) -> Iterator[PlioPlan]:
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


def _connections(movers: tuple[MoverPlan, MoverPlan, MoverPlan]) -> tuple[Connection, ...]:
    found = []
    for mover, kind in zip(movers, "abc", strict=True):
        base = "out" if mover.reads_memory else "in"
        for i, port in enumerate(port_names(base, mover.streams)):
            ends = (f"{mover.name}_1.{port}", f"{AIE}.{kind}_{i}")
            source, target = ends if mover.reads_memory else ends[::-1]
            found.append(Connection(source=source, target=target, bits=mover.bits))
    return tuple(found)
