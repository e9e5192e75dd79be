"""What the plan says of a layer on the cores, a matrix product or part of a chain: how it is cut, and where its data lies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aieloom.plan.chains.grid import BLOCK, PATCH_COLS, PATCH_ROWS, PIXELS, POOL
from aieloom.plan.layout import TileGrid
from aieloom.plan.memory import MemoryMap
from aieloom.plan.requant import requant_note, rows_label
from aieloom.plan.weights import BITS, streamed_weights
from aieloom.words import plural

if TYPE_CHECKING:
    from aieloom.ops.conv2d.chained import ChainedConvolution, Fit
    from aieloom.ops.conv2d.im2col_gemm import Im2colGemm


def why_of(gemm: Im2colGemm, grid: TileGrid, memory: MemoryMap) -> tuple[str, ...]:
    """Return how the layer is cut and why it fits, a line for each fact."""
    m, k, n = gemm.size
    lines = [
        f"M x K x N = {m} x {k} x {n}: output channels x inputs of one output x output pixels",
        f"cut into {grid.parts} x {grid.passes * grid.cascade} x {grid.groups * grid.rounds} tiles of "
        f"{grid.tile_m} x {grid.tile_k} x {grid.tile_n}; "
        f"{grid.parts} x {grid.groups} = {grid.chains} {'cores' if grid.cascade == 1 else 'chains'}",
    ]
    if grid.cascade > 1:
        lines.append(f"each chain is {grid.cascade} cores: K is cut over them, sums pass along the cascade")
    lines += gemm.more(grid)
    if grid.passes > 1:
        where = "an array of 32-bit sums" if gemm.sums_apart else "the output buffer"
        lines.append(f"K in {grid.passes} passes, summed in {where}")
    if grid.rounds > 1:
        lines.append(f"each core works on {grid.rounds} tiles of an image, one after another")
    if memory.memories > 1:
        lines.append(
            f"{memory.used_bytes[0]} B in its own tile, {memory.used_bytes[1]} B in the one beside it: "
            f"together more than {gemm.device.tile.memory_bytes} B"
        )
    if gemm.streamed:
        lines.append("the weights come over streams, once: the cores of all groups share a part's")
    if gemm.layer.requant:
        lines.append(requant_note(gemm.layer.requant))
    return tuple(lines)


def why_of_chained(conv: ChainedConvolution, fit: Fit) -> tuple[str, ...]:
    """Return how a layer of a chain is cut and what its cores read and write, a line for each fact."""
    grid = fit.grid
    m, k, n = grid.mmul
    share = grid.counting_macs / (grid.mmuls * grid.cores * m * k * n)
    words = [grid.port_elements(p) * conv.dtype.bytes // 4 for p in range(grid.in_ports)]
    lines = [
        f"{grid.parts} parts of the channels x {grid.groups} bands of the rows = {grid.cores} cores, "
        f"each {grid.tile_m} channels x {grid.band_rows} output rows",
        f"it reads {grid.need} where the core before it, in the tile beside, has written them: no DMA, no stream"
        if grid.handed
        else f"a core reads {grid.need} by {plural(len(words), 'stream')} of {' and '.join(map(str, words))} words of 4 B",
        f"and writes {grid.make}",
        f"sums in flight: {plural(grid.step_rows, 'row')} x {PIXELS} pixels x {grid.step_blocks * BLOCK} channels",
        f"{grid.mmuls} mmuls of {m} x {k} x {n} a core, {share:.0%} of whose products count; {fit.cycles} cycles modelled",
    ]
    joined_taps = " x ".join(map(str, conv.window.kernel))
    if grid.patches:
        lines.append(
            f"blocks of 8 are {PATCH_ROWS} rows x {PATCH_COLS} columns of a channel, {POOL} columns apart: the four sums "
            f"of a pooled pixel share them, {grid.taps[0]} mmuls take {joined_taps} taps"
        )
    if conv.streamed:
        lines += _sent(conv, fit)
    if conv.link.fused:
        lines.append(f"the kernel does {', '.join(conv.link.fused)} as well")
    if conv.layer.requant:
        lines.append(requant_note(conv.layer.requant))
    return tuple(lines)


def _sent(conv: ChainedConvolution, fit: Fit) -> Iterator[str]:
    """Yield how a layer's cores get their weights."""
    grid, table = fit.grid, streamed_weights(*conv.table(fit.grid), fit.grid.parts)
    streams = f"{plural(grid.parts, 'stream')} of {table.stream_words} words of {BITS} bits"
    yield f"weights with {rows_label(conv.layer.requant)} come once, before the first image: {streams}"
    if grid.groups > 1:
        yield f"each stream is for the cores of its part in all {grid.groups} bands"
    if fit.memory.memories > 1:
        yield (
            f"their {table.bytes} B lie in the memory beside the core's: {grid.in_ports} streams of images take the "
            f"{conv.device.tile.s2mm_channels} S2MM channels of its own tile's DMA"
        )
