"""Streams between array and PL: their names, columns, clocks, and every stream_connect of system.cfg."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from aieloom.errors import CannotFit
from aieloom.pl.kernel import PlKernel
from aieloom.pl.movers import MoverPlan
from aieloom.pl.streams import Streams, TiledStreams
from aieloom.plan.columns import assign_columns, wish
from aieloom.plan.subgraph import Subgraph
from aieloom.plan.types import AieLayerPlan, Connection, PlioPlan
from aieloom.plan.weights import BITS
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec

IN, OUT, WEIGHTS = "in", "out", "weights"  # of a layer's subgraph
AIE = "ai_engine_0"  # the array's name in stream_connect [UG1702 connectivity section]


def plio_clocks(
    layers: Sequence[AieLayerPlan], kernels: Sequence[PlKernel], mover_mhz: float
) -> dict[tuple[str, bool], float]:
    """Return the PL clock of each layer's inputs (True) and outputs (False): that of the kernel beyond."""
    clocks = {(layer.name, is_input): mover_mhz for layer in layers for is_input in (True, False)}
    for g in kernels:
        for inlet in g.inlets:
            clocks[inlet.producer, False] = g.clock_mhz
        for outlet in g.outlets:
            clocks[outlet.reader, True] = g.clock_mhz
    return clocks


def plios(
    spec: NetworkSpec,
    device: Device,
    layers: Sequence[AieLayerPlan],
    clocks: Mapping[tuple[str, bool], float],
    mover_mhz: float,
) -> tuple[PlioPlan, ...]:
    """Name every stream between PL and array and give it a column.

    Raises:
        CannotFit: the interface has too few channels.
    """

    def clock_of(e: _End) -> float:
        return mover_mhz if e.port == WEIGHTS else clocks[e.layer.name, e.is_input]

    ends = [end for layer in layers for end in _ends(layer)]
    wishes = [
        wish(
            e.name,
            is_input=e.is_input,
            bits=e.bits,
            tiles=[e.layer.kernels[k].tile for k in e.kernels],
            mhz=clock_of(e),
        )
        for e in ends
    ]
    columns = assign_columns(device, wishes)
    if columns is None:
        fast = any(clock_of(e) > device.register_thresholds[-1] for e in ends if e.is_input)
        raise _too_many_plios(spec, device, layers, fast)
    return tuple(
        PlioPlan(
            name=e.name,
            is_input=e.is_input,
            bits=e.bits,
            column=columns[e.name],
            layer=e.layer.name,
            stream=e.stream,
            kernels=e.kernels,
            clock_mhz=clock_of(e),
            data_file=f"data/{e.name}.txt",
            weights=e.port == WEIGHTS,
        )
        for e in ends
    )


class _End(NamedTuple):
    """A stream's end in the array: stream `stream` of a layer's port, and the kernels behind it."""

    layer: AieLayerPlan
    port: str
    stream: int
    kernels: tuple[int, ...]

    @property
    def name(self) -> str:
        return plio_name(self.layer.name, self.port, self.stream)

    @property
    def is_input(self) -> bool:
        return self.port != OUT

    @property
    def bits(self) -> int:
        draft = self.layer.draft
        return {IN: draft.plio_bits, OUT: draft.out_bits, WEIGHTS: BITS}[self.port]


def _ends(layer: AieLayerPlan) -> Iterator[_End]:
    grid = layer.grid
    each = grid.parts * grid.cascade  # cores of a group
    for s in range(grid.in_streams):
        group, link = divmod(s, grid.cascade)
        yield _End(layer, IN, s, tuple(range(group * each + link, (group + 1) * each, grid.cascade)))
    for c in range(grid.out_streams):
        yield _End(layer, OUT, c, ((c + 1) * grid.cascade - 1,))
    if layer.draft.streamed:
        for part in range(grid.parts):
            yield _End(layer, WEIGHTS, part, tuple(range(part, grid.cores, grid.parts)))


def plio_name(layer: str, port: str, stream: int) -> str:
    """Return a PLIO's logical name, the same in the graph and in system.cfg."""
    return f"{layer}_{port}_{stream}"


def channels_of(device: Device, bits: int) -> int:
    """Return how many channels of the interface a PLIO takes."""
    return max(1, bits // device.interface.channel_bits)


def port_names(base: str, streams: int) -> tuple[str, ...]:
    """Return a kernel's port names: HLS splits an array argument into `<arg>_<i>`; one stream is `<arg>`."""
    return tuple(f"{base}_{i}" for i in range(streams)) if streams > 1 else (base,)


def _too_many_plios(
    spec: NetworkSpec, device: Device, layers: Sequence[AieLayerPlan], fast: bool
) -> CannotFit:
    """Say which direction runs out of channels, and which layer takes most of them."""
    face, columns = device.interface, len(device.plio_column_list)
    room = face.room(is_input=True, registered=fast)

    def tables(layer: AieLayerPlan) -> int:
        return layer.draft.streamed.streams if layer.draft.streamed else 0

    def inward(layer: AieLayerPlan) -> int:
        return layer.grid.in_streams * channels_of(device, layer.draft.plio_bits) + tables(layer)

    def outward(layer: AieLayerPlan) -> int:
        return layer.grid.out_streams * channels_of(device, layer.draft.out_bits)

    ins, outs = sum(map(inward, layers)), sum(map(outward, layers))
    most = max(layers, key=outward)
    text = (
        f"the streams need {ins} channels into and {outs} out of the array (a 128-bit PLIO takes two); "
        f"{device.name} has {columns * room.channels} and {columns * face.out_channels}; "
    )
    if fast:
        text += (
            f"{room.channels} of a column's {face.in_channels} inputs have the registers that clocks above "
        )
        text += f"{device.register_thresholds[-1]:g} MHz need, in {room.pairs} pairs for 128 bits; "

    sends = max(layers, key=tables)
    if ins > columns * room.channels and tables(sends):
        text += f"the weights of '{sends.name}' take {tables(sends)} in"
        remedy = f"use weights: constant or fewer cores on '{sends.name}'"
        return CannotFit(spec.source.problem("plio-1", spec.at_mapping(sends.name, "weights"), text, remedy))
    text += f"'{most.name}' takes {outward(most)} out"
    room_in, room_out = columns * room.channels, columns * face.out_channels
    fewer = _fewer_groups(
        {at.name: (at.grid.groups, inward(at), outward(at)) for at in layers}, (room_in, room_out)
    )
    ways = [" and ".join(f"groups: {groups} on '{name}'" for name, groups in fewer.items())] if fewer else []
    if ins <= room_in and outs - outward(most) + most.grid.out_streams <= room_out:
        width = "plio" if most.draft.plio_out_bits or most.draft.plio_bits <= 64 else "plio_out"
        ways.insert(0, f"{width}: 64 on '{most.name}'")
    remedy = f"use {' or '.join([*ways, 'larger tiles'])}"
    return CannotFit(spec.source.problem("plio-1", spec.at_mapping(most.name, "plio"), text, remedy))


def _fewer_groups(layers: Mapping[str, tuple[int, int, int]], room: tuple[int, int]) -> dict[str, int]:
    """Return the groups with which the streams have room, of layers with groups and channels in and out.

    Those of the layer that takes most are halved by turns; without a result no number of groups is enough.
    """
    groups = {name: known[0] for name, known in layers.items()}

    def taken(name: str, way: int) -> int:
        known = layers[name]
        return -(-known[way + 1] * groups[name] // known[0])

    def over(way: int) -> bool:
        return sum(taken(name, way) for name in layers) > room[way]

    while over(0) or over(1):
        way = int(over(1))
        several = [name for name in layers if groups[name] > 1]
        if not several:
            return {}
        groups[max(several, key=lambda name: taken(name, way))] //= 2
    return {name: n for name, n in groups.items() if n < layers[name][0]}


def connections(kernels: Sequence[PlKernel], subgraphs: Sequence[Subgraph]) -> tuple[Connection, ...]:
    """Return every stream_connect in the order of the data's way, memory to memory."""
    links: list[Connection] = []
    for host, mover in ((s.fed, s.mm2s.name) for s in subgraphs):
        if host:
            links += _join(_kernel_ends(host, mover, "out"), _array_ends(host, "in"), host.bits)
    for g in kernels:
        for inlet in g.inlets:
            s, ends = inlet.streams, _kernel_ends(inlet.streams, g.name, inlet.port)
            if isinstance(s, TiledStreams):
                links += _join(_array_ends(s, "out"), ends, s.bits)
            elif inlet.from_memory:
                links += _join(_kernel_ends(s, inlet.producer, "out"), ends, s.bits)
        for outlet in g.outlets:
            s = outlet.streams
            tiled = isinstance(s, TiledStreams)
            beyond = _array_ends(s, "in") if tiled else _kernel_ends(s, outlet.reader, outlet.reader_port)
            links += _join(_kernel_ends(s, g.name, outlet.port), beyond, s.bits)
    return tuple(links)


def weight_connections(movers: Sequence[MoverPlan], layers: Sequence[AieLayerPlan]) -> tuple[Connection, ...]:
    """Return the stream_connect of what sends weights: `movers` in the order of their layers."""
    streamed = [layer for layer in layers if layer.draft.streamed]
    links: list[Connection] = []
    for mover, layer in zip(movers, streamed, strict=True):
        sources = [f"{mover.name}_1.{p}" for p in port_names("out", mover.streams)]
        targets = [f"{AIE}.{plio_name(layer.name, WEIGHTS, i)}" for i in range(mover.streams)]
        links += _join(sources, targets, mover.bits)
    return tuple(links)


def _join(sources: Sequence[str], targets: Sequence[str], bits: int) -> list[Connection]:
    return [Connection(source=s, target=t, bits=bits) for s, t in zip(sources, targets, strict=True)]


def _kernel_ends(streams: Streams, kernel: str, base: str) -> list[str]:
    """Return the ports `base` of PL kernel `kernel` that carry `streams`."""
    return [f"{kernel}_1.{port}" for port in port_names(base, streams.streams)]


def _array_ends(streams: Streams, direction: str) -> list[str]:
    """Return the array's PLIOs that carry `streams`."""
    assert isinstance(streams, TiledStreams)
    return [f"{AIE}.{plio_name(streams.layer, direction, i)}" for i in range(streams.streams)]
