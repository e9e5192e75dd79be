"""Which PL kernels stand between the AIE layers, and what runs from each to each.

A kernel begins at what an AIE layer or the memory gives, at a join, or behind a fork; it goes on while one layer on
programmable logic follows another, and ends where its result is read by the array, by memory, by a join, or by several.

Why nothing waits for ever. Every kernel takes its inlets in the order of `read_order` and serves its outlets one by one.
Number the kernels in order of evaluation, and each way from kernel to kernel, be it through an AIE layer or not, by its
sender and its place among the sender's outlets. Every kernel then moves its data in the order of these numbers, image
after image: the ways into it have smaller numbers than those out of it. So of all the ways that wait, the one of the
smallest number and image waits for nobody, whatever the streams between can hold. Processes of a kernel that run side by
side, as in hardware, wait for less. A streaming kernel, which gives while it takes and has one way in and one out, is no
kernel of this proof but a part of its way, as an AIE layer is: it passes on all of an image that it has been given. One of
several ways in or out waits for less than a kernel with frame buffers does: see pl.lines.kernel.

Why nothing waits in vain. An image takes one interval in each frame buffer on its way. A branch that meets another one
`n` buffers later must keep `n` images more than a ping-pong, or it holds up the fork: that is an inlet's `depth`. A layer on
the array delays by its buffers too: what a call takes comes in the time of one, and its results leave in that of the next.
Of `r` calls an image that is 2 / r of an image, which a ping-pong covers up to a whole one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from aieloom.network.tensor import TensorType
from aieloom.pl.ends import KERNEL_PREFIX, PING_PONG, Inlet, Outlet
from aieloom.pl.steps import JOIN, STREAMING, WINDOW, PlStep
from aieloom.pl.streams import Streams, TiledStreams, by_row, raster
from aieloom.plan.layer_streams import input_streams, output_streams
from aieloom.plan.subgraph import MM2S, S2MM
from aieloom.plan.types import AieLayerDraft
from aieloom.spec.network import INPUT

Piece = AieLayerDraft | PlStep


@dataclass(eq=False)
class Kernel:
    """A PL kernel that takes shape: the tensors that it reads, its steps, the tensor that it gives."""

    ins: tuple[str, ...]
    steps: list[PlStep]
    result: str


class _Way(NamedTuple):
    """Where a kernel's result goes: to an inlet of kernel `to`, through AIE layer `layer` if it is not None."""

    layer: AieLayerDraft | None
    to: int | None  # the kernel that reads it from the PL; None: what reads the layer's result, or memory
    port: int


@dataclass(kw_only=True)
class Graph:
    """The kernels of a subgraph of the network in order of evaluation."""

    x: TensorType
    source: str  # the tensor that comes from memory
    pieces: Mapping[str, Piece]
    readers: Mapping[str, Sequence[tuple[str, int]]]  # by tensor: who reads it, as which of its inputs
    kernels: list[Kernel] = field(default_factory=list)
    ends: dict[str, int] = field(default_factory=dict)  # by tensor: the kernel whose result it is
    tiled: bool = False  # images come in tiles, which a PL kernel cuts for the first layer
    host: AieLayerDraft | None = None  # the layer whose input the host program tiles
    movers: tuple[str, str] = (MM2S, S2MM)  # from memory, and back to it

    @property
    def output(self) -> str:
        """The tensor that goes to memory."""
        return list(self.pieces)[-1]

    def name(self, number: int) -> str:
        """Return a kernel's name."""
        kernel = self.kernels[number]
        if kernel.steps:
            return KERNEL_PREFIX + "_".join(s.layer for s in kernel.steps)
        readers = [_enters(self.pieces[name]) for name, _ in self.readers[kernel.result]]
        to = "_and_".join(dict.fromkeys(readers)) if readers else "output"
        return f"{KERNEL_PREFIX}{kernel.ins[0]}_to_{to}"

    def streams(self, number: int) -> bool:
        """Tell whether a kernel is to be a streaming one: a layer of it asks for that, or one whose results it takes."""
        kernel = self.kernels[number]
        before = (self.pieces.get(t) for t in kernel.ins if self.ends.get(t, number) == number)
        return any(s.strategy == STREAMING for s in kernel.steps) or any(
            isinstance(p, AieLayerDraft) and p.pl == STREAMING for p in before
        )

    def _is_part_of_way(self, number: int) -> bool:
        """Tell whether a kernel gives while it takes, with one way in and one out."""
        return self.streams(number) and len(self.kernels[number].ins) == len(self.ways(number)) == 1

    def ways(self, number: int) -> tuple[_Way, ...]:
        """Return where a kernel's result goes, in the order in which it is written."""
        found = []
        result = self.kernels[number].result
        for reader, port in self.readers[result]:
            piece = self.pieces[reader]
            if isinstance(piece, AieLayerDraft):
                found.append(_Way(piece, None, 0))
            else:
                found.append(_Way(None, self._of_step(piece), port if piece.kind == JOIN else 0))
        if result == self.output:
            found.append(_Way(None, None, 0))
        return tuple(found)

    def _of_step(self, step: PlStep) -> int:
        return next(i for i, k in enumerate(self.kernels) if any(s is step for s in k.steps))

    @cached_property
    def senders(self) -> Mapping[tuple[int, int], tuple[int, int]]:
        """By kernel and inlet: the kernel from which its data come, and the way's place there.

        The way may lead through the array and streaming kernels. Memory is kernel -1.
        """
        direct = {
            (k, port): tensor
            for k, kernel in enumerate(self.kernels)
            for port, tensor in enumerate(kernel.ins)
        }
        found = dict.fromkeys(direct, (-1, 0))
        readers: dict[str, list[tuple[int, int]]] = {}
        for end, tensor in direct.items():
            readers.setdefault(tensor, []).append(end)
        for i in range(len(self.kernels)):
            for place, way in enumerate(self.ways(i)):
                sender = found[i, 0] if self._is_part_of_way(i) else (i, place)
                if way.layer is not None:
                    found |= dict.fromkeys(readers[way.layer.name], sender)
                elif way.to is not None:
                    found[way.to, way.port] = sender
        return found

    @cached_property
    def arrivals(self) -> Mapping[tuple[int, int], int]:
        """By kernel and inlet: how many frame buffers lie before it on the longest way from memory."""
        found: dict[tuple[int, int], int] = {}
        behind = {-1: 0}
        for k, kernel in enumerate(self.kernels):
            ends = [(k, port) for port in range(len(kernel.ins))]
            found |= {end: behind[self.senders[end][0]] for end in ends}
            behind[k] = max(found[end] for end in ends) + (0 if self.streams(k) else _buffers(kernel))
        return found

    @cached_property
    def delays(self) -> Mapping[tuple[int, int], Fraction]:
        """By kernel and inlet: the same in images, with the buffers of layers on the array."""
        found: dict[tuple[int, int], Fraction] = {}
        behind: dict[str, Fraction] = {self.source: Fraction(0)}
        for k, kernel in enumerate(self.kernels):
            for port, tensor in enumerate(kernel.ins):
                found[k, port] = self._delay(tensor, behind)
            own = 0 if self.streams(k) else _buffers(kernel)
            behind[kernel.result] = max(found[k, port] for port in range(len(kernel.ins))) + own
        return found

    def _delay(self, tensor: str, behind: dict[str, Fraction]) -> Fraction:
        """Return the delay of a tensor; those of layers on the array are found on the way."""
        if tensor not in behind:
            piece = self.pieces[tensor]
            calls = piece.grid.rounds if isinstance(piece, AieLayerDraft) else 0
            own = Fraction(2, calls) if calls else Fraction(0)
            behind[tensor] = max(self._delay(t, behind) for t in piece.inputs) + own
        return behind[tensor]


def graph_of(
    x: TensorType,
    pieces: Sequence[Piece],
    source: str = INPUT,
    *,
    tiled: bool = False,
    movers: tuple[str, str] = (MM2S, S2MM),
) -> Graph:
    """Return the kernels of a subgraph whose layers are `pieces`, in order of evaluation.

    `source` comes from memory by the first of `movers`; of images in tiles if `tiled`.
    """
    by_name = {p.name: p for p in pieces}
    readers: dict[str, list[tuple[str, int]]] = {source: [], **{name: [] for name in by_name}}
    for name, piece in by_name.items():
        for port, tensor in enumerate(piece.inputs):
            readers[tensor].append((name, port))
    graph = Graph(x=x, source=source, pieces=by_name, readers=readers, tiled=tiled, movers=movers)
    for name in (source, *by_name):
        _visit(graph, name)
    return graph


def _visit(graph: Graph, name: str) -> None:
    """Begin a kernel at a tensor, or add the layer that gives it to one."""
    piece, readers = graph.pieces.get(name), graph.readers[name]
    if piece and piece.logic:
        _place(graph, piece.logic)
        return
    only = graph.pieces[readers[0][0]] if len(readers) == 1 else None
    if piece is None and isinstance(only, AieLayerDraft) and not graph.tiled:
        graph.host = only
    elif not (only and only.logic and only.logic.kind == JOIN):
        _begin(graph, Kernel((name,), [], name))


def _place(graph: Graph, step: PlStep) -> None:
    if step.kind == JOIN:
        _begin(graph, Kernel(step.inputs, [step], step.layer))
        return
    tensor = step.inputs[0]
    if len(graph.readers[tensor]) > 1:
        _begin(graph, Kernel((tensor,), [step], step.layer))
        return
    number = graph.ends.pop(tensor)
    kernel = graph.kernels[number]
    kernel.steps.append(step)
    kernel.result = step.layer
    graph.ends[step.layer] = number


def _begin(graph: Graph, kernel: Kernel) -> None:
    graph.kernels.append(kernel)
    graph.ends[kernel.result] = len(graph.kernels) - 1


def inlets(graph: Graph, number: int) -> tuple[Inlet, ...]:
    """Return where a kernel's tensors enter, each with the depth that its branch needs."""
    kernel = graph.kernels[number]
    levels = [graph.arrivals[number, port] for port in range(len(kernel.ins))]
    delays = [graph.delays[number, port] for port in range(len(kernel.ins))]
    found = []
    for port, tensor in enumerate(kernel.ins):
        before, piece = graph.ends.get(tensor, number), graph.pieces.get(tensor)
        depth = PING_PONG + max(max(levels) - levels[port], math.ceil(max(delays) - delays[port]) - 1)
        name = f"in{port}" if len(kernel.ins) > 1 else "in"
        x = piece.y if piece else graph.x
        if before != number:
            streams: Streams = by_row(x)
            producer = graph.name(before)
        elif isinstance(piece, AieLayerDraft):
            streams, producer = output_streams(piece), piece.name
        else:
            streams, producer = raster(x), graph.movers[0]
        found.append(Inlet(port=name, streams=streams, x=x, producer=producer, depth=depth))
    return tuple(found)


def read_order(graph: Graph, number: int) -> tuple[int, ...]:
    """Return a kernel's inlets in the order of the ways that lead to them."""
    return tuple(sorted(range(len(graph.kernels[number].ins)), key=lambda port: graph.senders[number, port]))


def outlets(graph: Graph, number: int) -> tuple[Outlet, ...]:
    """Return where a kernel's result leaves it; the buffers' memory is chosen later."""
    kernel, ways = graph.kernels[number], graph.ways(number)
    y = kernel.steps[-1].y if kernel.steps else inlets(graph, number)[0].x
    found = []
    for place, way in enumerate(ways):
        port = f"out{place}" if len(ways) > 1 else "out"
        streams: Streams
        if way.layer is not None:
            tiled = input_streams(way.layer)
            streams, reader, reader_port = tiled, tiled.layer, ""
        elif way.to is not None:
            streams, reader = by_row(y), graph.name(way.to)
            reader_port = f"in{way.port}" if len(graph.kernels[way.to].ins) > 1 else "in"
        else:
            streams, reader, reader_port = raster(y), graph.movers[1], "in"
        dtype = y.dtype if isinstance(streams, TiledStreams) else streams.dtype
        found.append(
            Outlet(
                port=port,
                streams=streams,
                dtype=dtype,
                lanes=streams.bits // (8 * dtype.bytes),
                storage="",
                reader=reader,
                reader_port=reader_port,
            )
        )
    return tuple(found)


def _enters(piece: Piece) -> str:
    """Return the layer at which a piece is entered; of a chain the first one."""
    return input_streams(piece).layer if isinstance(piece, AieLayerDraft) else piece.layer


def _buffers(kernel: Kernel) -> int:
    """Return how many frame buffers an image passes in a kernel: one before each window or join, and the last."""
    return 1 + sum(s.kind in (WINDOW, JOIN) for s in kernel.steps)
