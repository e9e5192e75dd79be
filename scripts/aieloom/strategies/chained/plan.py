"""A layer in a chain on the AIE-ML array: cores read the image in blocks of 8 channels and slide over it.

See grid for the order of elements, docs/chained.md for the arithmetic. Each core has a part of
the output channels and a band of the output rows; its weights are compiled in, or come over a stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from aieloom.cost.machine import SUM_BYTES
from aieloom.cpp_text import TemplateUse
from aieloom.hardware.registers import register_files
from aieloom.layout.grid import TileGrid, Window
from aieloom.pl.streams import TiledStreams
from aieloom.plan.gemm import (
    BASE_PROGRAM_BYTES,
    INSTRUCTION_BYTES,
    UNROLLED_COPIES,
    IllegalTile,
    round_up,
)
from aieloom.plan.memory import MemoryMap, Need, arrange, arrange_beside, conflict_share, reserved_bytes
from aieloom.plan.product import Product
from aieloom.plan.published import uncalibrated
from aieloom.plan.scaling_code import requant_note, row_vectors, rows_label
from aieloom.plan.types import AieLayerDraft
from aieloom.plan.weights import BITS, FEEDER_STACK_BYTES, streamed_weights, weight_needs
from aieloom.spec.product import FEEDER
from aieloom.spec.types import Buffers
from aieloom.strategies.chained.cost import chain_pairs, chain_registers
from aieloom.strategies.chained.cycles import chained_nest, scheduled_chained
from aieloom.strategies.chained.grid import (
    BLOCK,
    PATCH_COLS,
    PATCH_ROWS,
    PIXELS,
    POOL,
    ChainGrid,
    Link,
    patch_steps,
)
from aieloom.strategies.chained.layer import MMUL, ChainedLayer
from aieloom.words import plural

MAX_ROWS = 4  # in flight
MAX_PORTS = 2  # of a core, each from a memory tile of its own: a tile has as many S2MM channels [AM020]
USE = "use strategy: im2col_gemm on this layer"


class Fit(NamedTuple):
    """A way to cut a layer that fits its cores."""

    grid: ChainGrid
    buffers: Buffers
    needs: tuple[Need, ...]
    memory: MemoryMap
    cycles: int


class ChainedConvolution(ChainedLayer):
    """Builds the draft of one layer of products of a chain."""

    use = USE

    def __init__(self, product: Product, link: Link) -> None:
        super().__init__(
            product.spec, product.device, product.layer, product.mapping, window=product.window, link=link
        )
        self.has_bias = product.has_bias
        self.streamed = product.mapping.weights != "constant"
        self.fed = product.mapping.weights == FEEDER

    def planned(self) -> AieLayerDraft:
        """Return the layer as its mapping says, or raise IllegalTile."""
        return self._assemble(self._fit())

    def is_even(self, blocks: int, parts: int) -> bool:
        """Tell whether no part is left without a block; the last one may have fewer."""
        return -(-blocks // -(-blocks // parts)) == parts

    def check_layer(self) -> None:
        """Refuse what cores that slide over blocks do not do."""
        if self.window.stride != (1, 1):
            text = f"strategy chained slides by 1; the stride is {list(self.window.stride)}"
            raise IllegalTile("chain-2", "strategy", text, USE)
        if self.layer.x.rows:
            text = "strategy chained hands images on; this layer works on the rows of a matrix"
            raise IllegalTile("chain-2", "strategy", text, USE)
        for key in ("tile", "mmul", "cascade", "groups"):
            if getattr(self.mapping, key) is not None:
                text = f"strategy chained has no {key}: it is cut by cores: and bands:"
                raise IllegalTile("chain-2", key, text, f"leave {key} out, or use strategy: im2col_gemm")
        if self.link.before and any(self.window.padding) and self.link.x.zero:
            text = f"memory tiles pad with 0, and 0 is the element {self.link.x.zero} here"
            raise IllegalTile("chain-2", "strategy", text, f"quantize with symmetric: true, or {USE}")

    def _fit(self) -> Fit:
        """Return the fastest way to cut it as its mapping says, else with the fewest cores that hold it."""
        bands = self.bands
        counts = [self.parts()] if self.mapping.cores else range(1, self.blocks + 1)
        for parts in counts:
            found = [fit for grid in self._grids(parts, bands) if (fit := self._arranged(grid))]
            if found:
                return min(found, key=lambda f: (f.cycles, -f.grid.step_rows))
        raise self._too_large(counts[-1], bands)

    def _grids(self, parts: int, bands: int) -> Iterator[ChainGrid]:
        """Yield every way to hold sums in flight."""
        tile_m = round_up(-(-self.channels // parts), BLOCK)
        for patches in (False, True) if self._may_patch() else (False,):
            first = self._grid(tile_m, bands, patches=patches)
            for rows in range(first.fold, MAX_ROWS + 1, first.fold):
                if bands > 1 and first.band_rows * first.fold % rows:
                    continue  # rows beyond a band would be the next one's
                for blocks in (1, 2, 4):
                    grid = replace(first, step_rows=rows, step_blocks=blocks)
                    fits = chain_registers(grid).fit(register_files(self.device.architecture))
                    fits = fits and self._code(grid) <= max(
                        self.device.tile.program_bytes, self._code(first)
                    )  # the smallest: prog-1
                    if tile_m // BLOCK % blocks == 0 and fits:
                        grid = replace(grid, handed=self.is_handed(grid))
                        yield replace(grid, exit=self.exit_of(grid, self._exit_bits))

    def _code(self, grid: ChainGrid) -> int:
        """Estimate the kernel's program memory: the unrolled kernel columns of each port's loop."""
        unrolled = grid.sums * grid.taps[1] * len(grid.in_blocks)
        return BASE_PROGRAM_BYTES + UNROLLED_COPIES * INSTRUCTION_BYTES * unrolled

    def _may_patch(self) -> bool:
        window = self.window
        if self.link.before or not self.link.fusion.pooled or window.kernel[1] > PATCH_COLS - POOL + 1:
            return False
        patch, (rows, cols) = self._patch_window(), self.link.y.shape[1:]
        return patch.out_height >= rows - 1 + patch_steps(window.kernel[0]) and patch.out_width >= cols

    def _patch_window(self) -> Window:
        return replace(self.window, kernel=(PATCH_ROWS, PATCH_COLS), stride=(POOL, POOL))

    def _grid(self, tile_m: int, bands: int, *, patches: bool) -> ChainGrid:
        window, link = self.window, self.link
        grid = ChainGrid(
            m=self.channels,
            k=window.taps,
            n=window.pixels,
            tile_m=tile_m,
            tile_k=window.taps,
            tile_n=-(-window.pixels // bands),
            mmul=MMUL[self.dtype],
            groups=bands,
            window=window,
            pooled=link.fusion.pooled,
            patches=patches,
            in_blocks=(window.channels,) if patches else self._ports(),
            step_rows=1,
            step_blocks=1,
            element_bytes=self.dtype.bytes,
            low=link.fusion.low,
            high=link.fusion.high,
        )
        grid = replace(grid, step_rows=grid.fold)
        entry = None if link.before else self._entry(patches=patches)
        return replace(grid, entry=entry)

    def _ports(self) -> tuple[int, ...]:
        """Return the blocks that come by each input port: two where the writers are too many for one memory tile."""
        before, blocks = self.link.before, -(-self.window.channels // BLOCK)
        assert self.device.memory_tile is not None  # else _check refuses
        writers = self.device.memory_tile.s2mm_channels
        if before is None or before.cores <= writers:
            return (blocks,)
        first = -(-before.parts // MAX_PORTS) * before.make.blocks
        if before.cores > MAX_PORTS * writers or -(-before.parts // MAX_PORTS) * before.groups > writers:
            text = (
                f"the layer before it has {before.parts} parts x {before.groups} bands = {before.cores} cores; two memory "
                f"tiles take {writers} streams each, all bands of a part in the same"
            )
            raise IllegalTile("chain-4", "cores", text, f"use at most {MAX_PORTS * writers} cores there")
        return first, blocks - first

    def _entry(self, *, patches: bool) -> TiledStreams:
        """Return the stream from the PL: pixel after pixel, its channels filled up to blocks; or patch after patch.

        A border of elements that are not 0, which memory tiles cannot add, comes with the image.
        """
        border = self.window.padding if self.link.x.zero else (0, 0)
        window = (
            self._patch_window()
            if patches
            else replace(self.window, kernel=(1, 1), stride=(1, 1), padding=border)
        )
        k = round_up(window.taps, BLOCK)
        grid = TileGrid(
            m=BLOCK, k=window.taps, n=window.pixels, tile_m=BLOCK, tile_k=k, tile_n=window.pixels,
            mmul=(BLOCK, BLOCK, 1), groups=1,
        )  # fmt: skip
        return self.streams(grid, window, self.mapping.plio, grid.in_elements)

    @property
    def _exit_bits(self) -> int:
        bits: int = self.mapping.plio_out or self.mapping.plio
        return bits

    def table(self, grid: ChainGrid) -> tuple[int, int]:
        """Return the bytes of a core's weights and of what stands beside them for each channel."""
        rows = grid.tile_m * PIXELS * row_vectors(self.layer.requant) * SUM_BYTES
        return grid.weights_elements * self.dtype.bytes, rows

    def _needs(self, grid: ChainGrid, copies: int) -> tuple[Need, ...]:
        """Return what a core keeps, its weights or its table first."""
        size, label = self.dtype.bytes, rows_label(self.layer.requant)
        weights, rows = weight_needs(*self.table(grid), label, streamed=self.streamed, ports=grid.in_ports)
        inputs = (
            Need(
                role=f"in[{p}]", label="input", bytes=grid.port_elements(p) * size, copies=copies, operand="B"
            )
            for p in range(0 if grid.handed else grid.in_ports)
        )
        return (
            weights,
            *inputs,
            Need(role="out[0]", label="output", bytes=grid.out_elements * size, copies=copies),
            *([rows] if rows else []),
        )

    def _arranged(self, grid: ChainGrid) -> Fit | None:
        for buffers in self.buffer_choices:
            needs = self._needs(grid, buffers.copies)
            if memory := self._memory(grid, needs):
                return Fit(grid, buffers, needs, memory, self.cycles(grid))
        return None

    def _memory(self, grid: ChainGrid, needs: tuple[Need, ...]) -> MemoryMap | None:
        """Place a core's data: in its own memory, a table that its DMA has no channel for, or a feeder takes, in a neighbour's.

        Beside a feeder's table lie the core's inputs as well where its own memory is too small for all of them.
        """
        device, stack = self.device, self.mapping.stack
        if not self.fed:
            if self.has_channels(grid):
                return arrange(device, needs, stack=stack, memories=1)
            return arrange_beside(device, needs[1:], needs[:1], stack=stack)
        reserved = reserved_bytes(device, FEEDER_STACK_BYTES)
        images = sum(n.role.startswith("in") for n in needs)
        found = (
            arrange_beside(device, needs[n:], needs[:n], stack=stack, reserved=reserved) for n in (1, images)
        )
        return next((memory for memory in found if memory), None)

    def _too_large(self, parts: int, bands: int) -> IllegalTile:
        grid = next(iter(self._grids(parts, bands)))
        needs = self._needs(grid, (self.mapping.buffers or Buffers.SINGLE).copies)
        beside = self.fed or not self.has_channels(grid)
        whose = f", the first in a neighbour's, whose {'core' if self.fed else 'DMA'} takes it"
        return self.too_large(f"{parts} x {bands} cores", needs, whose if beside else "")

    def cycles(self, grid: ChainGrid) -> int:
        """Model one kernel call."""
        return scheduled_chained(grid, self.layer.requant)

    def _pairs(self, grid: ChainGrid) -> float:
        """Return the cycles of a kernel call in which both load units load."""
        return chain_pairs(grid)

    def _assemble(self, fit: Fit) -> AieLayerDraft:
        layer, grid = self.layer, fit.grid
        name = layer.name
        conflicts = round(self._pairs(grid) * conflict_share(self.device, fit.needs, fit.memory))
        cycles = fit.cycles + conflicts
        weights = TemplateUse(template="product/weights.h.j2", output=f"src/aie/{name}_weights.h")
        feeder = (
            TemplateUse(template="chained/feeder.h.j2", output=f"src/aie/{name}_feeder.h"),
            TemplateUse(template="chained/feeder.cc.j2", output=f"src/aie/{name}_feeder.cc"),
        )
        return AieLayerDraft(
            **self.kept(fit.buffers, fit.needs, fit.memory),
            grid=grid,
            has_bias=self.has_bias,
            plio_bits=self.mapping.plio,
            loops=(chained_nest(grid, layer.requant).loops,),
            program_bytes=self._code(grid),
            registers=chain_registers(grid),
            kernel_cycles=cycles,
            bank_conflicts=conflicts,
            templates=(
                TemplateUse(template="chained/kernel.h.j2", output=f"src/aie/{name}_kernel.h"),
                TemplateUse(template="chained/kernel.cc.j2", output=f"src/aie/{name}.cc"),
                *(() if self.streamed else (weights,)),
                *(feeder if self.fed else ()),
                TemplateUse(template="chained/graph.h.j2", output=f"src/aie/{name}_graph.h"),
            ),
            why=(*why_of_chained(self, fit), *uncalibrated(self.device.architecture, self.dtype, cycles)),
            requant=layer.requant,
            streamed=streamed_weights(*self.table(grid), grid.parts, fed=self.fed) if self.streamed else None,
        )


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
    if conv.fed:
        yield f"a kernel on the tile beside each core copies them into that tile's memory, {table.bytes} B"
        if fit.memory.slots["in[0]"][0].memory:
            yield "the core's images come into it as well: its own memory is too small for all of them"
    elif fit.memory.memories > 1:
        yield (
            f"their {table.bytes} B lie in the memory beside the core's: {grid.in_ports} streams of images take the "
            f"{conv.device.tile.s2mm_channels} S2MM channels of its own tile's DMA"
        )
