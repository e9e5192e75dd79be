"""Do the streams fit through the switches? A negotiated routing on the grid of tiles answers.

The vendor's router does its own work; what is shown here is that a routing exists under the documented port
counts: 6 streams north, 4 south, 4 east and 4 west of every tile, interface tiles included. Rows of memory tiles lie between
the interface and the cores: their switches lead north and south only [AM020]. A stream that passes such a tile keeps its
port's number; as the ways up a column, and those down, are intervals, as many ports as lie above each other are enough.
Method: every net takes its cheapest path; edges that too many share become dearer; repeat (PathFinder).
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from aieloom.spec.device import Device, Tile

Edge = tuple[Tile, Tile]
MAX_ROUNDS = 60
PATIENCE = 15  # rounds without fewer overused edges, after which the answer is no


@dataclass(frozen=True, slots=True)
class Net:
    """A stream from one tile to one or more others (a broadcast).

    Rows from 0 are the cores'; below them are the memory tiles, and lowest the interface (Device.interface_row).
    """

    name: str
    source: Tile
    sinks: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Routing:
    """Edges of every net, and the edges that carry more streams than they have ports."""

    paths: dict[str, frozenset[Edge]]
    overused: dict[Edge, int]
    worst_use: float  # highest share of an edge's ports

    @property
    def feasible(self) -> bool:
        """True when no edge is overused."""
        return not self.overused


def _distance(a: Tile, b: Tile) -> int:
    """Return the city-block distance."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


class _Grid:
    def __init__(self, device: Device) -> None:
        s = device.streams
        self.cols = range(device.taken_columns, device.array.columns)
        self.rows = range(device.interface_row, device.array.core_rows)
        self.upright = (((0, 1), s.north), ((0, -1), s.south))
        self.steps = (*self.upright, ((1, 0), s.east), ((-1, 0), s.west))
        self.penalty: Counter[Edge] = Counter()  # history of overuse
        self.use: Counter[Edge] = Counter()

    def edges(self, at: Tile) -> list[tuple[Tile, int]]:
        """Return the neighbours of a tile with the ports towards each."""
        found = []
        memory_tile = self.rows[0] < at[1] < 0
        for (dc, dr), ports in self.upright if memory_tile else self.steps:
            col, row = at[0] + dc, at[1] + dr
            if col in self.cols and row in self.rows:
                found.append(((col, row), ports))
        return found

    def price(self, edge: Edge, ports: int, pressure: float) -> float:
        over = max(0, self.use[edge] + 1 - ports)
        return (1.0 + 0.5 * self.penalty[edge]) * (1.0 + pressure * over)

    def path(self, start: frozenset[Tile], goal: Tile, pressure: float) -> list[Tile]:
        """Return the cheapest way from any tile of `start` to `goal` (A* with the city-block distance)."""
        best: dict[Tile, float] = dict.fromkeys(start, 0.0)
        before: dict[Tile, Tile] = {}
        queue: list[tuple[float, float, Tile]] = [(_distance(t, goal), 0.0, t) for t in sorted(start)]
        heapq.heapify(queue)
        while queue:
            _, cost, at = heapq.heappop(queue)
            if at == goal:
                break
            if cost > best[at]:
                continue
            for to, ports in self.edges(at):
                c = cost + self.price((at, to), ports, pressure)
                if c < best.get(to, float("inf")):
                    best[to] = c
                    before[to] = at
                    heapq.heappush(queue, (c + _distance(to, goal), c, to))
        way = [goal]
        while way[-1] in before:
            way.append(before[way[-1]])
        return way[::-1]


@dataclass(frozen=True, slots=True)
class Cut:
    """A line through the array that streams must cross, and the ports there are."""

    where: str
    streams: int
    ports: int
    is_input: bool | None = None  # of a line over all columns: which streams cross it


def interface_capacity(device: Device, *, is_input: bool) -> int:
    """Return how many streams can leave (inputs) or reach (outputs) the interface tiles that PLIOs can use."""
    straight = device.streams.north if is_input else device.streams.south
    return len(device.plio_column_list) * straight + device.streams.east + device.streams.west


def narrow_cuts(device: Device, nets: tuple[Net, ...]) -> list[Cut]:
    """Return the lines that no routing can cross often enough; cheap, and exact about what it finds."""
    rows = device.array.core_rows + 1  # and the interface's; memory tiles lead nowhere sideways
    streams, face = device.streams, device.interface_row
    up = sum(n.source[1] == face for n in nets)
    down = sum(n.source[1] != face and any(t[1] == face for t in n.sinks) for n in nets)
    cuts = [
        Cut("into the interface's row", down, interface_capacity(device, is_input=False), is_input=False),
        Cut("out of the interface's row", up, interface_capacity(device, is_input=True), is_input=True),
    ]
    for col in range(device.array.columns - 1):
        east = sum(n.source[0] <= col and any(t[0] > col for t in n.sinks) for n in nets)
        west = sum(n.source[0] > col and any(t[0] <= col for t in n.sinks) for n in nets)
        cuts.append(Cut(f"eastwards between columns {col} and {col + 1}", east, streams.east * rows))
        cuts.append(Cut(f"westwards between columns {col} and {col + 1}", west, streams.west * rows))
    return [cut for cut in cuts if cut.streams > cut.ports]


def route(device: Device, nets: tuple[Net, ...]) -> Routing:
    """Route all nets; deterministic. Overused edges that remain when it gives up are reported."""
    grid = _Grid(device)
    ports = {(at, to): n for at in _tiles(device) for to, n in grid.edges(at)}
    paths: dict[str, frozenset[Edge]] = {}
    overused: dict[Edge, int] = {}
    fewest, since = len(ports) + 1, 0
    for attempt in range(MAX_ROUNDS):
        todo = [n for n in nets if n.name not in paths or paths[n.name] & overused.keys()]
        for net in todo:
            for edge in paths.pop(net.name, frozenset()):
                grid.use[edge] -= 1
            paths[net.name] = _route_net(grid, net, pressure=0.5 * 1.5 ** min(attempt, 20))
            grid.use.update(paths[net.name])
        overused = {e: n for e, n in grid.use.items() if n > ports[e]}
        if len(overused) < fewest:
            fewest, since = len(overused), attempt
        if not overused or attempt - since >= PATIENCE:
            break
        grid.penalty.update(overused.keys())
    worst = max((n / ports[e] for e, n in grid.use.items() if n), default=0.0)
    return Routing(paths, overused, worst)


def _tiles(device: Device) -> list[Tile]:
    rows = range(device.interface_row, device.array.core_rows)
    return [(c, r) for c in range(device.array.columns) for r in rows]


def _route_net(grid: _Grid, net: Net, pressure: float) -> frozenset[Edge]:
    """Grow a tree from the source to every sink, nearest first."""
    tree: set[Tile] = {net.source}
    edges: set[Edge] = set()
    for sink in sorted(net.sinks, key=lambda t: (_distance(t, net.source), t)):
        if sink in tree:
            continue
        way = grid.path(frozenset(tree), sink, pressure)
        edges.update(pairwise(way))
        tree.update(way)
    return frozenset(edges)
