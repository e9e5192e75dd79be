"""What would be configured for a plan, as commands for ask.c: descriptors, queues, locks, switches, interface ports, cascades.

The vendor's mapper chooses channels, descriptors, locks and ports itself; what is chosen here shows that the plan leaves it a
choice that the driver takes. Numbers are given out in order, and never beyond a limit quietly: the driver sees each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from aieloom.layout.dma import WORD_BYTES
from aieloom.plan.memory import Need
from aieloom.plan.memory_tiles.rules import descriptor_of
from aieloom.plan.nets import buffer_tile, nets_of, role_of
from aieloom.plan.route import Edge, Net, route
from aieloom.plan.shared_buffers import ENTRY, EXIT, Access, SharedBuffer
from aieloom.plan.types import AieLayerPlan, ArrayPart, PlioPlan
from aieloom.spec.device import Device, Tile

GENERATIONS = {"aie": 1, "aie-ml": 2}  # XAIE_DEV_GEN_AIE, XAIE_DEV_GEN_AIEML
SHIFTS = {"aie": (23, 18), "aie-ml": (25, 20)}  # of a column's and a row's addresses
CORE, DMA, SOUTH, WEST, NORTH, EAST = 0, 1, 4, 5, 6, 7  # StrmSwPortType
TOWARDS = {(0, 1): NORTH, (0, -1): SOUTH, (1, 0): EAST, (-1, 0): WEST}
OPPOSITE = {NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST}
INTO, OUT_OF = 0, 1  # directions of a DMA: S2MM, MM2S
MEMORY_TILE_BASE = 0x80000  # of its own memory; below is its western neighbour's [AM020]
MEMORY_TILE_LOCKS = 64  # its own are numbered from here by its DMA


def device_command(device: Device) -> str:
    """Return the command that tells the driver which array it is."""
    name, array = device.architecture.value, device.array
    rows = array.core_rows + array.memory_tile_rows + 1
    return f"device {GENERATIONS[name]} {array.columns} {rows} {array.memory_tile_rows} {SHIFTS[name][0]} {SHIFTS[name][1]}"


def commands(plan: ArrayPart) -> list[str]:
    """Return the commands of a plan, the device's first."""
    return [device_command(plan.device), *_Allocation(plan).commands()]


def descriptor(  # noqa: PLR0917 - the command's words in order
    at: tuple[int, int],
    number: int,
    address: int,
    size: int,
    lock: tuple[int, int],
    dims: tuple[tuple[int, int], ...] = (),
    iteration: tuple[int, int] = (1, 1),
    pads: tuple[tuple[int, int], ...] = (),
) -> str:
    """Return the command that writes a buffer descriptor."""
    flat = [len(dims), *(n for d in dims for n in d), *iteration, len(pads), *(n for p in pads for n in p)]
    return " ".join(map(str, ["descriptor", *at, number, address, size, *lock, *flat]))


Port = tuple[str, int, str]  # of a kernel: its layer, its number, its block


@dataclass
class _Allocation:
    """Numbers for everything, as they are given out."""

    plan: ArrayPart
    channels: Counter[tuple[Tile, int]] = field(default_factory=Counter)
    descriptors: Counter[tuple[Tile, int]] = field(default_factory=Counter)  # by tile and pool
    locks: Counter[Tile] = field(default_factory=Counter)
    of_port: dict[Port, tuple[Tile, int]] = field(default_factory=dict)  # its DMA's tile and channel
    of_access: dict[tuple[str, str, int], int] = field(default_factory=dict)  # a memory tile's channel

    def at(self, tile: Tile) -> tuple[int, int]:
        """Return the driver's (column, row) of a tile: its rows count from the interface."""
        return tile[0], tile[1] - self.plan.device.interface_row

    def commands(self) -> Iterator[str]:
        for layer in self.plan.all_aie:
            needs = {n.role: n for n in layer.draft.needs}
            for number in range(len(layer.kernels)):
                yield from self.kernel(layer, number, needs)
        for tile in sorted({b.tile for b in self.plan.buffers}):
            yield from self.memory_tile(tile)
        ports = self.interface_ports()
        yield from self.interface(ports)
        yield from self.switches(ports)
        yield from self.cascades()

    def lock(self, tile: Tile, value: int, base: int = 0) -> tuple[int, str]:
        number = self.locks[tile]
        self.locks[tile] += 1
        return number + base, " ".join(map(str, ["lock", *self.at(tile), number, value]))

    def channel(self, tile: Tile, direction: int) -> int:
        self.channels[tile, direction] += 1
        return self.channels[tile, direction] - 1

    def kernel(self, layer: AieLayerPlan, number: int, needs: dict[str, Need]) -> Iterator[str]:
        """Yield what a kernel's ports take of the memory modules in which their buffers lie."""
        semaphores = self.plan.device.architecture.value != "aie"
        for role, places in layer.kernels[number].blocks.items():
            if not role.startswith(("in", "out")) or (role.startswith("out") and layer.draft.hands):
                continue
            direction = INTO if role.startswith("in") else OUT_OF
            tile = places[0].tile
            if role == layer.draft.fed_role:  # the core of that tile writes it, from its own port
                self.of_port[layer.name, number, role] = tile, 0
                continue
            channel = self.channel(tile, direction)
            self.of_port[layer.name, number, role] = tile, channel
            for turn, place in enumerate(places):
                assert place.tile == tile, "a DMA reaches its own tile's memory"
                assert place.offset + needs[role].bytes <= self.plan.device.tile.memory_bytes
                lock, command = self.lock(tile, 1 if turn == 0 else 0)
                yield command
                if semaphores and len(places) == 1:
                    yield self.lock(tile, 0)[1]  # free and full
                bd = self.descriptors[tile, 0]
                self.descriptors[tile, 0] += 1
                yield descriptor(
                    self.at(tile), bd, place.offset, needs[role].bytes, (lock, 0 if direction == INTO else 1)
                )
                yield " ".join(map(str, ["queue", *self.at(tile), direction, channel, bd]))

    def memory_tile(self, tile: Tile) -> Iterator[str]:
        """Yield what the buffers of a memory tile take."""
        facts = self.plan.device.memory_tile
        assert facts is not None
        at = self.plan.device.memory_tile_at(tile)
        buffers = [b for b in self.plan.buffers if b.tile == tile]
        free = {
            INTO: list(range(facts.s2mm_channels)),
            OUT_OF: list(range(facts.mm2s_channels)),
        }
        ends = [(b, a, i, INTO) for b in buffers for i, a in enumerate(b.writers)]
        ends += [(b, a, i, OUT_OF) for b in buffers for i, a in enumerate(b.readers)]
        locks: dict[tuple[str, int], int] = {}
        for b in buffers:
            for turn in range(b.copies):
                for value in (1, 0):  # free, full
                    locks[b.name, turn], command = self.lock(at, value, MEMORY_TILE_LOCKS)
                    yield command
        for b, a, i, direction in sorted(ends, key=lambda e: -e[0].copies):
            pools = sorted({c % facts.descriptor_pools for c in free[direction]})
            assert pools, f"more than {len(free[direction])} ports at memory tile {tile}"
            pool = min(pools, key=lambda p: self.descriptors[at, p])
            channel = next(c for c in free[direction] if c % facts.descriptor_pools == pool)
            free[direction].remove(channel)
            self.of_access[b.name, "in" if direction == INTO else "out", i] = channel
            for turn in range(b.copies):
                each = facts.buffer_descriptors // facts.descriptor_pools
                bd = pool * each + self.descriptors[at, pool]
                self.descriptors[at, pool] += 1
                yield self.access(b, a, turn, bd, locks[b.name, turn])
                yield " ".join(map(str, ["queue", *self.at(at), direction, channel, bd]))

    def access(self, buffer: SharedBuffer, access: Access, turn: int, bd: int, lock: int) -> str:
        """Return the descriptor of an access to one copy of a buffer."""
        facts = self.plan.device.memory_tile
        assert facts is not None
        found = descriptor_of(buffer, access, facts.descriptor)
        inside = found.loops[: facts.descriptor.dimensions]
        outside = found.loops[facts.descriptor.dimensions :]
        strides = [1]
        for extent in buffer.dimensions[:-1]:
            strides.append(strides[-1] * extent)
        start = sum(max(0, o) * s for o, s in zip(access.offset, strides, strict=True)) * buffer.dtype.bytes
        words = 1
        for loop in inside:
            words *= loop.wrap
        wrapped = set(map(id, found.wrapped(facts.descriptor)))
        dims = tuple((loop.step, loop.wrap if id(loop) in wrapped else 0) for loop in inside)
        pads = tuple((loop.before, loop.after) for loop in inside) if any(p.padded for p in inside) else ()
        while pads and pads[-1] == (0, 0):
            pads = pads[:-1]
        return descriptor(
            self.at(self.plan.device.memory_tile_at(buffer.tile)),
            bd,
            MEMORY_TILE_BASE + buffer.offset + turn * buffer.bytes + start,
            words * WORD_BYTES,
            (lock, 1),
            dims if len(dims) > 1 or pads else (),
            (outside[0].step, outside[0].wrap) if outside else (1, 1),
            pads,
        )

    def interface_ports(self) -> dict[str, int]:
        """Return the first channel of each PLIO in its column: fast ones where there are registers."""
        face, found = self.plan.device.interface, dict[str, int]()
        by_column: dict[tuple[int, bool], list[PlioPlan]] = defaultdict(list)
        for p in self.plan.plios:
            by_column[p.column, p.is_input].append(p)
        for (_, is_input), plios in by_column.items():
            count = face.in_channels if is_input else face.out_channels
            free = list(range(count))

            def slow(p: PlioPlan) -> bool:
                return p.is_input and p.clock_mhz <= self.plan.register_mhz

            for p in sorted(plios, key=lambda p: (-p.bits, slow(p))):
                wide = p.bits > face.channel_bits
                room = [c for c in free if not wide or (c % 2 == 0 and c + 1 in free)]
                fast = [
                    c
                    for c in room
                    if c in face.registered_inputs and (not wide or c + 1 in face.registered_inputs)
                ]
                plain = [c for c in room if c not in fast]
                first = (plain + fast if slow(p) else fast) if is_input else room
                assert first, f"no channel for {p.name}"
                found[p.name] = first[0]
                free = [c for c in free if c not in range(first[0], first[0] + 1 + wide)]
        return found

    def interface(self, ports: dict[str, int]) -> Iterator[str]:
        for p in self.plan.plios:
            if p.is_input:
                yield f"in {p.column} {ports[p.name]} {p.bits} {int(p.clock_mhz > self.plan.register_mhz)}"
            else:
                yield f"out {p.column} {ports[p.name]} {p.bits}"

    def ends(self, ports: dict[str, int]) -> Iterator[tuple[tuple[int, int], dict[Tile, tuple[int, int]]]]:
        """Yield for each net of nets_of its slave port (kind, number) and the master at each of its sinks."""
        for p in self.plan.plios:
            shim, inside = (SOUTH, ports[p.name]), self.plio_ends(p)
            if p.is_input:
                yield shim, inside
            else:
                yield next(iter(inside.values())), {(p.column, self.plan.device.interface_row): shim}
        for b in self.plan.buffers:
            at = self.plan.device.memory_tile_at(b.tile)
            for i, a in enumerate(b.writers):
                end = {at: (DMA, self.of_access[b.name, "in", i])}
                yield from (((DMA, self.of_port[a.layer, k, f"out[{a.port}]"][1]), end) for k in a.kernels)
            for i, a in enumerate(b.readers):
                cores = [self.of_port[a.layer, k, f"in[{a.port}]"] for k in a.kernels]
                if cores:
                    yield (DMA, self.of_access[b.name, "out", i]), {t: (DMA, c) for t, c in cores}

    def plio_ends(self, p: PlioPlan) -> dict[Tile, tuple[int, int]]:
        """Return the DMA channels that a PLIO fills or empties, in memory tiles or beside cores, or the ports of feeders."""
        tile = buffer_tile(self.plan, p)
        if tile is None:
            layer = next(la for la in self.plan.all_aie if la.name == p.layer)
            role = role_of(p, layer)
            kind = CORE if role == layer.draft.fed_role else DMA
            return {at: (kind, n) for at, n in (self.of_port[p.layer, k, role] for k in p.kernels)}
        ends = (ENTRY, p.layer) if p.is_input else (p.layer, EXIT)
        b = next(b for b in self.plan.buffers if (b.before, b.after) == ends)
        accesses = b.writers if p.is_input else b.readers
        i = next(i for i, a in enumerate(accesses) if not a.kernels)
        channel = self.of_access[b.name, "in" if p.is_input else "out", i]
        return {self.plan.device.memory_tile_at(tile): (DMA, channel)}

    def switches(self, ports: dict[str, int]) -> Iterator[str]:
        """Yield every connection in a switch, along the routes that the planner found."""
        nets = nets_of(self.plan)
        routing = route(self.plan.device, nets)
        assert routing.feasible
        numbers = edge_channels(self.plan.device, nets, routing.paths)
        for net, (slave, masters) in zip(nets, self.ends(ports), strict=True):
            ends = [
                (edge[0], _port(edge, numbers[net.name, edge])) for edge in sorted(routing.paths[net.name])
            ]
            slaves = {net.source: slave}
            for edge in routing.paths[net.name]:
                side, number = _port(edge, numbers[net.name, edge])
                slaves[edge[1]] = OPPOSITE[side], number
            for tile, master in (*ends, *masters.items()):
                yield " ".join(map(str, ["switch", *self.at(tile), *slaves[tile], *master]))

    def cascades(self) -> Iterator[str]:
        """Yield the directions of cascades, where the array lets them be chosen."""
        if self.plan.device.architecture.value == "aie":
            return
        for layer in self.plan.all_aie:
            for k in layer.kernels:
                if layer.grid.cascade > 1:
                    yield " ".join(map(str, ["cascade", *self.at(k.tile), WEST, EAST]))


def _port(edge: Edge, number: int) -> tuple[int, int]:
    (a, b) = edge
    return TOWARDS[b[0] - a[0], b[1] - a[1]], number


def edge_channels(
    device: Device, nets: tuple[Net, ...], paths: dict[str, frozenset[Edge]]
) -> dict[tuple[str, Edge], int]:
    """Return each net's port number on each edge; one that passes a memory tile keeps its number.

    The edges through a column's memory tiles are given out as intervals, in order of where they begin: as few numbers as
    ever lie side by side.
    """
    found: dict[tuple[str, Edge], int] = {}
    taken: dict[Edge, set[int]] = defaultdict(set)
    runs = [(first, net.name, run) for net in nets for first, run in _runs(device, paths[net.name])]
    for _, name, run in sorted(runs):
        number = next(n for n in range(99) if all(n not in taken[e] for e in run))
        for edge in run:
            taken[edge].add(number)
            found[name, edge] = number
    return found


def _runs(device: Device, edges: frozenset[Edge]) -> Iterator[tuple[int, list[Edge]]]:
    """Yield a net's edges, those that follow each other through a column's memory tiles together, with where they begin."""
    rows, rest = list(range(device.interface_row, 1)), set(edges)
    for column in sorted({a[0] for a, b in edges}) if device.array.memory_tile_rows else ():
        for way in (rows, rows[::-1]):
            steps = [((column, a), (column, b)) for a, b in pairwise(way)]
            for inside, group in groupby(enumerate(steps), lambda s: s[1] in edges):
                run = list(group)
                if inside:
                    yield run[0][0], [edge for _, edge in run]
                    rest -= {edge for _, edge in run}
    yield from ((0, [edge]) for edge in sorted(rest))
