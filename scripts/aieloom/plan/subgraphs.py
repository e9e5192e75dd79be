"""From a network's layers to the device's subgraphs: their kernels on programmable logic and their movers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import inf

from aieloom.errors import CannotFit, SpecError
from aieloom.network.layers import Network
from aieloom.network.tensor import TensorType
from aieloom.pl.frames import frame_kernel
from aieloom.pl.kernel import PlKernel, Sketch
from aieloom.pl.lines.streamable import CannotStream, is_head, reads_tiles
from aieloom.pl.movers import MOVER_BRAM36, MoverPlan, mover_plan, pixel_mover
from aieloom.pl.steps import PlStep
from aieloom.plan.copies import share_of
from aieloom.plan.frame import FramePlan
from aieloom.plan.graph import Graph, Piece, graph_of, inlets, outlets, read_order
from aieloom.plan.layer_streams import in_plain_order, input_streams, pixel_columns
from aieloom.plan.partition import Partition
from aieloom.plan.remembered import remembered
from aieloom.plan.subgraph import Subgraph, mover_names
from aieloom.plan.types import AieLayerDraft
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec

MODEST = (1.1, 1.5, 3.0, inf)  # times the fewest cycles of a streaming kernel, where memory is short


def subgraphs_of(
    network: Network,
    device: Device,
    pieces: Sequence[Piece],
    parts: Partition,
    *,
    mover_mhz: float,
    frame: FramePlan | None,
    drafts: Sequence[AieLayerDraft],
) -> tuple[tuple[Subgraph, ...], tuple[PlKernel, ...]]:
    """Return the subgraphs of `parts`, whose layers on the device are `pieces`, and the PL kernels of all of them.

    Raises:
        CannotFit: a layer's mapping breaks a rule.
    """
    firsts = [next(la.name for la in network.layers if la.name in names) for names in parts.subgraphs]

    def graphs_of(*, tiled: bool) -> list[Graph]:
        owned = [tuple(p for p in pieces if p.name in names) for names in parts.subgraphs]
        return [
            _graph(own, mover_names(i, first), tiled=tiled)
            for i, (own, first) in enumerate(zip(owned, firsts, strict=True))
        ]

    share = share_of(device, network.spec.copies)
    graphs = graphs_of(tiled=frame is not None)
    kernels = _kernels(network.spec, share, graphs)
    device_us = slowest_us(device, kernels, drafts)
    if any(_tiling_us(device, g) > device_us for g in graphs):
        cut = graphs_of(tiled=True)
        by_logic = _tiled_by_logic(
            network.spec, share, cut, slowest_us=max(device_us, *map(partial(_port_us, device), graphs))
        )
        graphs, kernels = (cut, by_logic) if by_logic else (graphs, kernels)
    found = []
    for first, names, graph in zip(firsts, parts.subgraphs, graphs, strict=True):
        own = [g for g, of in zip(kernels, _owners(graphs), strict=True) if of is graph]
        mm2s, s2mm = _movers(device, graph, own, mover_mhz, frame)
        found.append(
            Subgraph(
                name=first,
                sends=graph.source,
                receives=graph.output,
                x=graph.x,
                y=graph.pieces[graph.output].y,
                layers=tuple(la.name for la in network.layers if la.name in names),
                kernels=tuple(k.name for k in own),
                mm2s=mm2s,
                s2mm=s2mm,
                fed=input_streams(graph.host) if graph.host else None,
                plain=graph.host is not None and in_plain_order(graph.host),
            )
        )
    return tuple(found), tuple(kernels)


def slowest_us(device: Device, kernels: Sequence[PlKernel], drafts: Sequence[AieLayerDraft]) -> float:
    """Return the time of an image in the slowest kernel."""
    logic = [g.cycles / g.clock_mhz for g in kernels]
    return max([*logic, *(d.grid.rounds * d.kernel_cycles / device.clocks.aie_mhz for d in drafts)])


def _tiled_by_logic(
    spec: NetworkSpec, device: Device, graphs: Sequence[Graph], *, slowest_us: float
) -> list[PlKernel] | None:
    """Return the kernels where one on programmable logic tiles what comes from memory; None if that slows the design.

    Memory then holds images as they are, a fraction of what the first layer's streams carry: the processor, which takes some
    cycles for each element that it tiles, only passes them on.
    """
    try:
        kernels = _kernels(spec, device, graphs)
    except CannotFit:
        return None
    first = [g for g in kernels if not g.steps and any(i.from_memory for i in g.inlets)]
    keeps_up = all(g.cycles / g.clock_mhz <= slowest_us for g in first)
    return kernels if keeps_up and _fits(device, kernels, 2 * len(graphs)) else None


def _tiling_us(device: Device, graph: Graph) -> float:
    """Return what the processor takes to tile an image, beside the device's work on others; 0 where it does not."""
    if graph.host is None or pixel_columns(graph.host) or in_plain_order(graph.host):
        return 0.0
    elements = _tiled_bytes(graph.host) // graph.host.dtype.bytes
    return elements * device.processor.cycles_per_operation / device.processor.mhz


def _port_us(device: Device, graph: Graph) -> float:
    """Return what a memory port takes for an image that the processor has tiled; 0 where it does not."""
    if graph.host is None:
        return 0.0
    return _tiled_bytes(graph.host) / device.memory.read_mb_s


def _tiled_bytes(draft: AieLayerDraft) -> int:
    """Return the bytes of an image in the tiles that the first layer's streams carry."""
    streams = input_streams(draft)
    return streams.words * streams.streams * streams.bits // 8


@remembered(lambda pieces, movers, *, tiled: (*map(id, pieces), movers, tiled))
def _graph(pieces: Sequence[Piece], movers: tuple[str, str], *, tiled: bool) -> Graph:
    """Return the PL kernels of a subgraph."""
    inside = {p.name for p in pieces}
    reader, sends = next((p, t) for p in pieces for t in p.inputs if t not in inside)
    return graph_of(_read_as(reader, sends), pieces, sends, tiled=tiled, movers=movers)


def _read_as(reader: Piece, tensor: str) -> TensorType:
    """Return a tensor's type as one of its readers takes it."""
    types = (reader.x, *reader.others)
    return types[reader.inputs.index(tensor)]


def _movers(
    device: Device, graph: Graph, kernels: Sequence[PlKernel], mhz: float, frame: FramePlan | None
) -> tuple[MoverPlan, MoverPlan]:
    """Return the kernels that carry a subgraph's tensors from and to memory; of images in tiles row by row."""
    first = input_streams(graph.host) if graph.host else kernels[0].source
    last = next(o.streams for g in kernels for o in g.outlets if o.to_memory)
    mm2s = mover_plan(device, graph.movers[0], first, mhz, reads_memory=True)
    if graph.host and (columns := pixel_columns(graph.host)):
        mm2s = pixel_mover(mm2s, columns, graph.host.dtype)
    s2mm = mover_plan(device, graph.movers[1], last, mhz, reads_memory=False)
    if frame is None:
        return mm2s, s2mm
    from aieloom.plan.frames.cutting import tile_mover  # noqa: PLC0415 - few networks are cut

    return tile_mover(mm2s, first, frame), tile_mover(s2mm, last, frame)


def _owners(graphs: Sequence[Graph]) -> list[Graph]:
    """Return the subgraph of each PL kernel."""
    return [graph for graph in graphs for _ in graph.kernels]


def _kernels(spec: NetworkSpec, device: Device, graphs: Sequence[Graph]) -> list[PlKernel]:
    """Plan the PL kernels, in order of evaluation.

    Where block RAM is short, frame buffers of some go to UltraRAM; where that is too, some line buffers keep fewer rows.
    """
    sketches, streams = list[Sketch](), list[bool]()
    for graph in graphs:
        clocks = tuple(_clock(spec, device, kernel.steps) for kernel in graph.kernels)
        sketches += _sketches(graph, clocks)
        streams += map(graph.streams, range(len(graph.kernels)))

    def plan(i: int, nearly: float) -> PlKernel:
        return _kernel(spec, device, replace(sketches[i], nearly=nearly), streams=streams[i])

    movers = 2 * len(graphs)
    kernels = [plan(i, 1.0) for i in range(len(sketches))]
    made = _relieved(device, kernels, sketches, movers)
    for nearly in MODEST:
        if _fits(device, made, movers):
            break
        kernels = _modest(device, kernels, plan, nearly, movers)
        made = _relieved(device, kernels, sketches, movers)
    return made


@remembered(lambda graph, clocks: (id(graph), clocks))
def _sketches(graph: Graph, clocks: tuple[float, ...]) -> tuple[Sketch, ...]:
    return tuple(
        Sketch(
            name=graph.name(i),
            steps=tuple(kernel.steps),
            inlets=inlets(graph, i),
            outlets=outlets(graph, i),
            read_order=read_order(graph, i),
            clock_mhz=clock,
        )
        for i, (kernel, clock) in enumerate(zip(graph.kernels, clocks, strict=True))
    )


def _modest(
    device: Device,
    first: list[PlKernel],
    plan: Callable[[int, float], PlKernel],
    nearly: float,
    movers: int,
) -> list[PlKernel]:
    """Return the kernels with less memory for streaming ones, those first that stay the fastest, until they fit."""
    kernels = list(first)
    smaller = {i: plan(i, nearly) for i, g in enumerate(kernels) if g.lines}
    for i in sorted(smaller, key=lambda i: (smaller[i].cycles / smaller[i].clock_mhz, i)):
        if _fits(device, kernels, movers):
            break
        kernels[i] = smaller[i]
    return kernels


def _fits(device: Device, kernels: Sequence[PlKernel], movers: int) -> bool:
    """Tell whether the kernels' memories are there."""
    bram, uram = _excess(device, kernels, movers)
    return bram <= 0 and uram <= 0


def _excess(device: Device, kernels: Sequence[PlKernel], movers: int) -> tuple[float, float]:
    """Return how many block RAMs and UltraRAMs the kernels take beyond the board's margin, beside the movers."""
    room = device.logic.room(max([device.clocks.default_pl_mhz, *(g.clock_mhz for g in kernels)]))
    bram = sum(g.bram36 for g in kernels) + movers * MOVER_BRAM36
    uram = sum(g.uram288 for g in kernels)
    return bram - room.bram36, uram - room.uram288


def _relieved(
    device: Device, first: list[PlKernel], sketches: Sequence[Sketch], movers: int
) -> list[PlKernel]:
    """Return the kernels with as few in UltraRAM as block RAM asks for; as they are where UltraRAM is short as well."""
    kernels, movable = list(first), {i for i, g in enumerate(first) if not g.lines}
    while (excess := _excess(device, kernels, movers)[0]) > 0:
        large = [i for i in movable if kernels[i].bram36 >= excess]
        if not movable:
            return first
        chosen = min(large or movable, key=lambda i: (kernels[i].bram36 if large else -kernels[i].bram36, i))
        movable.remove(chosen)
        kernels[chosen] = frame_kernel(device, replace(sketches[chosen], bram_share=0.0))
        if _excess(device, kernels, movers)[1] > 0:
            return first
    return kernels


@remembered(lambda spec, device, sketch, *, streams: (id(spec.source), id(device), sketch, streams))
def _kernel(spec: NetworkSpec, device: Device, sketch: Sketch, *, streams: bool) -> PlKernel:
    """Plan a PL kernel: with frame buffers, or streaming where that is asked for, or nothing is and it is a faster head.

    Raises:
        CannotFit: it cannot be streaming.
    """
    if not streams and not reads_tiles(sketch):
        frames = frame_kernel(device, sketch)
        faster = _streaming(device, sketch) if is_head(frames) else frames
        return min(frames, faster, key=lambda g: g.cycles)
    try:
        return _streaming(device, sketch)
    except CannotStream as e:
        at = spec.at_mapping(e.layer, e.key)
        raise CannotFit(spec.source.problem(e.rule, at, str(e), e.remedy)) from e


def _streaming(device: Device, sketch: Sketch) -> PlKernel:
    from aieloom.pl.lines.kernel import line_kernel  # noqa: PLC0415 - large, and most designs have none

    return line_kernel(device, sketch)


def _clock(spec: NetworkSpec, device: Device, steps: Sequence[PlStep]) -> float:
    """Return a kernel's clock: what its layers ask for, which must be one."""
    wishes = {s.clock_mhz: s for s in steps if s.clock_mhz}
    if len(wishes) > 1:
        (a, first), (b, second) = list(wishes.items())[:2]
        text = (
            f"'{first.layer}' asks for {a:g} MHz and '{second.layer}' for {b:g} MHz, "
            "but both are one PL kernel"
        )
        raise SpecError(spec.source.problem("clk-2", (*second.at, "clock_mhz"), text, f"use {a:g} for both"))
    return next(iter(wishes), None) or device.clocks.default_pl_mhz
