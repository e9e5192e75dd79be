"""A max_pool in a chain on cores of its own: what each computes, holds and exchanges. See pool for its steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from aieloom.cpp_text import TemplateUse
from aieloom.hardware.registers import Registers
from aieloom.layout.grid import Window
from aieloom.network.layers import Layer
from aieloom.plan.gemm import BASE_PROGRAM_BYTES, INSTRUCTION_BYTES, UNROLLED_COPIES, IllegalTile
from aieloom.plan.memory import MemoryMap, Need, arrange
from aieloom.plan.types import AieLayerDraft
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec
from aieloom.spec.types import Buffers, pair
from aieloom.strategies.chained.grid import BLOCK, PIXELS, Link
from aieloom.strategies.chained.layer import ChainedLayer
from aieloom.strategies.chained.pool import LOAD_BYTES, MAX_KERNEL, STRIDES, PoolGrid
from aieloom.strategies.chained.pool_code import pool_loops, scheduled_pool
from aieloom.words import plural

EXIT_BITS = 64  # of the stream to the PL, where the mapping says nothing
USE = "leave strategy: chained out of this layer"


class ChainedPool(ChainedLayer):
    """Builds the draft of a pool of a chain."""

    use = USE

    def __init__(self, spec: NetworkSpec, device: Device, layer: Layer, mapping: Any, *, link: Link) -> None:
        said: Any = layer.spec  # a max_pool's, which ops/ knows
        channels, height, width = link.x.shape
        window = Window(
            channels=channels,
            height=height,
            width=width,
            kernel=pair(said.kernel),
            stride=pair(said.kernel if said.stride is None else said.stride),
        )
        super().__init__(spec, device, layer, mapping, window=window, link=link)
        self.is_padded = any(said.padding) if isinstance(said.padding, tuple) else bool(said.padding)

    def is_even(self, blocks: int, parts: int) -> bool:
        """Tell whether all parts have as many blocks: each is read by a port of its own."""
        return blocks % parts == 0

    def check_layer(self) -> None:
        """Refuse windows that a core's steps do not have, and a pool that no core hands an image."""
        before, layer = self.link.before, self.layer
        if before is None:
            text = "strategy chained: it reads what cores hand on, and no chained layer stands before it"
            raise IllegalTile(
                "chain-5", "strategy", text, f"use strategy: chained on the layer before it, or {USE}"
            )
        (rows, cols), (down, along) = self.window.kernel, self.window.stride
        if max(rows, cols) > MAX_KERNEL or {down, along} - set(STRIDES) or self.is_padded:
            padded = " with padding" if self.is_padded else ""
            text = (
                f"a window of {rows} x {cols} by {down} x {along}{padded}: cores take windows of up to {MAX_KERNEL} x "
                f"{MAX_KERNEL} by {' or '.join(map(str, STRIDES))}, without padding"
            )
            raise IllegalTile("chain-5", "strategy", text, f"{USE}: it runs on programmable logic then")
        if layer.x.quant != layer.y.quant:
            text = f"elements mean {layer.x.quant} before it and {layer.y.quant} behind it: cores compare them as they are"
            raise IllegalTile("chain-5", "strategy", text, USE)
        assert self.device.memory_tile is not None  # else a rule before refuses
        writers = self.device.memory_tile.s2mm_channels
        if before.cores > writers:
            text = f"the layer before it has {before.cores} cores; a pool reads one memory tile, which takes {writers} streams"
            raise IllegalTile("chain-4", "cores", text, f"use at most {writers} cores there, or {USE}")

    def planned(self) -> AieLayerDraft:
        """Return the layer as its mapping says, or raise IllegalTile."""
        grid = self._grid()
        for buffers in self.buffer_choices:
            needs = self._needs(grid, buffers.copies)
            if memory := arrange(self.device, needs, stack=self.mapping.stack, memories=1):
                return self._assemble(grid, buffers, needs, memory)
        raise self.too_large(plural(grid.cores, "core"), self._needs(grid, self.buffer_choices[-1].copies))

    def _grid(self) -> PoolGrid:
        window, parts, link = self.window, self.parts(), self.link
        tile_m = self.blocks // parts * BLOCK
        area = window.kernel[0] * window.kernel[1]
        grid = PoolGrid(
            m=self.channels,
            k=area,
            n=window.pixels,
            tile_m=tile_m,
            tile_k=area,
            tile_n=-(-window.pixels // self.bands),
            mmul=(PIXELS, BLOCK, 1),
            groups=self.bands,
            window=window,
            in_blocks=(tile_m // BLOCK,),
            element_bytes=self.dtype.bytes,
            low=link.fusion.low,
            high=link.fusion.high,
        )
        if self.is_handed(grid):
            assert link.before is not None
            spare = link.before.make.rows - grid.need.rows
            grid = replace(grid, handed=True, spare_rows=spare)
        return replace(grid, exit=self.exit_of(grid, self.mapping.plio_out or EXIT_BITS))

    def _needs(self, grid: PoolGrid, copies: int) -> tuple[Need, ...]:
        """Return what a core keeps."""
        size = self.dtype.bytes
        read = Need(role="in[0]", label="input", bytes=grid.in_elements * size, copies=copies)
        made = Need(role="out[0]", label="output", bytes=grid.out_elements * size, copies=copies)
        return (made,) if grid.handed else (read, made)

    def _assemble(
        self, grid: PoolGrid, buffers: Buffers, needs: tuple[Need, ...], memory: MemoryMap
    ) -> AieLayerDraft:
        name, cycles = self.layer.name, scheduled_pool(grid)
        vector = -(-PIXELS * BLOCK * grid.element_bytes // LOAD_BYTES)
        unrolled = grid.vectors * grid.window.kernel[0] + 2 * grid.window.kernel[1]
        return AieLayerDraft(
            **self.kept(buffers, needs, memory),
            grid=grid,
            has_bias=False,
            plio_bits=EXIT_BITS,
            program_bytes=BASE_PROGRAM_BYTES + UNROLLED_COPIES * INSTRUCTION_BYTES * unrolled,
            registers=Registers(vectors=(grid.vectors + 3) * vector),
            kernel_cycles=cycles,
            bank_conflicts=0,
            loops=(pool_loops(grid),),
            templates=tuple(
                TemplateUse(template=f"chained/{template}.j2", output=f"src/aie/{name}{output}")
                for template, output in (
                    ("kernel.h", "_kernel.h"), ("pool.cc", ".cc"), ("graph.h", "_graph.h"),
                )
            ),
            why=tuple(self._why(grid, cycles)),
        )  # fmt: skip

    def _why(self, grid: PoolGrid, cycles: int) -> Iterator[str]:
        (rows, cols), (down, along) = grid.window.kernel, grid.window.stride
        words = grid.in_elements * grid.element_bytes // 4
        yield (
            f"{grid.parts} parts of the channels x {grid.groups} bands of the rows = {plural(grid.cores, 'core')} of its own, "
            f"each {grid.tile_m} channels x {grid.band_rows} output rows"
        )
        yield (
            f"it reads {grid.need} where the core before it, in the tile beside, has written them: no DMA, no stream"
            if grid.handed
            else f"a core reads {grid.need} by a stream of {words} words of 4 B"
        )
        yield f"and writes {grid.make}"
        yield (
            f"the largest of windows of {rows} x {cols} by {down} x {along}, {PIXELS} pixels x {BLOCK} channels at a step: "
            f"{grid.band_rows * grid.around} x {grid.trips} steps; {cycles} cycles modelled"
        )
        if self.link.fused:
            yield f"the kernel does {', '.join(self.link.fused)} as well"
