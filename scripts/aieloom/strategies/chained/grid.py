"""How a layer of a chain on the AIE-ML array is cut, and in which order its elements lie: buffers carries them on.

Images lie in blocks of 8 channels: `[row][block][column][8]`. Four neighbouring pixels of a block are the A operand of
one aie::mmul, 8 channels by 4 or 8 outputs its B operand, and what a core stores lies again as the next layer reads it.
Between two layers a memory tile collects the cores' channels, fills borders with zeros and hands the image on. The
rows of a kernel and the blocks are one loop of even steps, as `[row][block]` has one pitch.

Handing on. Where one core makes exactly what the one core behind it reads (dense layers after each other, mostly), the two
stand beside each other and share the buffer: no memory tile, no DMA, no stream.

Patches. A layer with a 2x2 pool behind it and few channels would fill 1 of 8 channels. There the 8 "channels" are 2 rows
x 4 columns of one input channel, a pixel is a pooled one, and each of the pool's four positions has weights of its own;
the largest of the four sums is the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from aieloom.layout.expression import Integers, index
from aieloom.layout.grid import Window
from aieloom.layout.nest import Layout, axis
from aieloom.network.tensor import TensorType
from aieloom.pl.streams import TiledStreams
from aieloom.plan.linked import Fusion
from aieloom.plan.shared_buffers import LinkedGrid

STRATEGY = "chained"
BLOCK = 8  # channels that lie together: the K of an mmul of bfloat16 and int8 on AIE-ML
PIXELS = 4  # neighbouring pixels of an mmul, its M
PATCH_ROWS, PATCH_COLS = 2, 4  # of a patch that fills a block
POOL = 2  # the pool that a core does


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """An image in the order `[row][block][column][8]`."""

    rows: int
    blocks: int
    cols: int

    @property
    def elements(self) -> int:
        """Elements in all."""
        return self.rows * self.blocks * self.cols * BLOCK

    def __str__(self) -> str:
        return f"{self.rows} rows x {self.blocks} blocks x {self.cols} columns x {BLOCK}"


class Reader(NamedTuple):
    """A port on the memory tile before a layer: the cores that it serves, their band, their first block of channels."""

    kernels: tuple[int, ...]
    band: int
    block: int


@dataclass(frozen=True, kw_only=True)
class BlockGrid(LinkedGrid):
    """How a layer of a chain is cut, whatever its cores do: `groups` bands of output rows, `parts` of the output channels.

    `m`, `n` are channels and pixels of what its window gives.
    """

    order: ClassVar[str] = "blocks"

    window: Window
    in_blocks: tuple[int, ...]  # blocks that come by each of a core's input ports
    element_bytes: int
    low: float | None = None  # no result is below: a relu or clip that the core does
    high: float | None = None
    entry: TiledStreams | None = None  # the first layer's input from the PL
    exit: TiledStreams | None = None  # the last layer's output to the PL
    handed: bool = False  # its core reads in the memory beside it what the core before it wrote there
    hands: bool = False  # the layer behind it is handed its results like that

    @property
    def asked_mmul(self) -> None:
        """None: it follows from the elements' type."""
        return

    @property
    def in_streams(self) -> int:
        """PLIOs that feed it."""
        return 1 if self.entry else 0

    @property
    def out_streams(self) -> int:
        """PLIOs that it drains into."""
        return 1 if self.exit else 0

    @property
    def in_ports(self) -> int:
        """Input ports of a core that take elements: one for each memory tile that it reads."""
        return len(self.in_blocks)

    @property
    def held_blocks(self) -> tuple[int, ...]:
        """Blocks in each memory tile that it reads: what a core takes of it, where all cores take the same."""
        return self.in_blocks

    @property
    def out_size(self) -> tuple[int, int]:
        """Rows and columns of the output."""
        raise NotImplementedError

    @property
    def down(self) -> int:
        """Rows of its input from one output row to the next."""
        raise NotImplementedError

    @property
    def need(self) -> Blocked:
        """What a core reads, all ports together."""
        raise NotImplementedError

    @property
    def make(self) -> Blocked:
        """What a core writes; rows and columns beyond the layer's own mean nothing."""
        raise NotImplementedError

    @property
    def readers(self) -> Iterator[Reader]:
        """Its ports on the memory tile before it, by bands."""
        raise NotImplementedError

    def takes(self, made: Blocked) -> bool:
        """Tell whether its one core can read, as it lies, what the one core before it has made."""
        raise NotImplementedError

    @cached_property
    def band_rows(self) -> int:
        """Output rows of a band of cores."""
        return -(-self.out_size[0] // self.groups)

    def entered_as(self, first: LinkedGrid) -> BlockGrid:
        """Return the cut with the input of the first of its layers."""
        return replace(self, entry=first.entry)

    @property
    def in_elements(self) -> int:
        """Elements that a core reads of an image."""
        return self.need.elements

    @property
    def out_elements(self) -> int:
        """Elements that a core writes of an image."""
        return self.make.elements

    @property
    def exits_directly(self) -> bool:
        """Tell whether the last layer's one core sends its buffer to the PL as it is: a single row."""
        return self.cores == 1 and self.make.rows == 1

    def may_hand_to(self, after: BlockGrid) -> bool:
        """Tell whether its one core's results are, as they lie, all that the one core of the next layer reads."""
        one = self.cores == after.cores == len(after.in_blocks) == 1
        return one and not any(after.window.padding) and after.takes(self.make)

    def port_elements(self, port: int) -> int:
        """Elements of one input port's buffer."""
        return self.need.rows * self.in_blocks[port] * self.need.cols * BLOCK

    def inputs(self, window: Window) -> Layout:
        """Return the elements of an image on the entry's stream, of the layer's input `[channel][y][x]`."""
        assert self.entry is not None
        return self.entry.grid.inputs(self.entry.window)

    @property
    def output(self) -> Layout:
        """The elements of an image on the exit's stream, of the output `[channel][pixel]`."""
        assert self.exit is not None
        return self.exit.grid.output


@dataclass(frozen=True, kw_only=True)
class ChainGrid(BlockGrid):
    """How a convolution, or a dense layer, of a chain is cut.

    `m`, `k`, `n` are channels, taps and pixels of the convolution; `mmul` is pixels x 8 x outputs.
    """

    pooled: bool
    patches: bool
    step_rows: int  # rows of pixels whose sums are in flight
    step_blocks: int  # blocks of 8 output channels whose sums are in flight

    @property
    def fold(self) -> int:
        """Neighbouring pixels each way of which the core keeps the largest."""
        return POOL if self.pooled and not self.patches else 1

    @property
    def down(self) -> int:
        """Rows of its sums from one output row to the next."""
        return self.fold

    @property
    def readers(self) -> Iterator[Reader]:
        """One port for each band: all parts of the channels see all of its rows."""
        return (Reader(tuple(range(b * self.parts, (b + 1) * self.parts)), b, 0) for b in range(self.groups))

    def takes(self, made: Blocked) -> bool:
        """Tell whether it is what its core reads."""
        return made == self.need

    @property
    def positions(self) -> int:
        """Sums of which each output is the largest: those of a pool's window, of patches."""
        return POOL * POOL if self.patches else 1

    @cached_property
    def out_size(self) -> tuple[int, int]:
        """Rows and columns of the output."""
        pool = POOL if self.pooled else 1
        return self.window.out_height // pool, self.window.out_width // pool

    @cached_property
    def taps(self) -> tuple[int, int]:
        """Kernel rows and columns as the core steps along them; of patches one step is a row of them."""
        rows, cols = self.window.kernel
        return (patch_steps(rows), 1) if self.patches else (rows, cols)

    @property
    def halves(self) -> int:
        """Mmuls for a block of 8 output channels."""
        return BLOCK // self.mmul[2]

    @cached_property
    def row_steps(self) -> int:
        """Steps down a band."""
        return -(-self.band_rows * self.fold // self.step_rows)

    @cached_property
    def col_steps(self) -> int:
        """Steps along a row."""
        return -(-self.out_size[1] * self.fold // PIXELS)

    @property
    def block_steps(self) -> int:
        """Steps along a core's output channels."""
        return self.tile_m // BLOCK // self.step_blocks

    @property
    def border(self) -> int:
        """Columns that a row has beyond the steps: as many whole loads as hold the kernel's columns but one."""
        pixels = max(1, 32 // (BLOCK * self.element_bytes))
        return -(-(self.taps[1] - 1) // pixels) * pixels

    @cached_property
    def need(self) -> Blocked:
        """What a core reads, all ports together."""
        rows = self.row_steps * self.step_rows + self.taps[0] - 1
        return Blocked(rows=rows, blocks=sum(self.in_blocks), cols=self.col_steps * PIXELS + self.border)

    @cached_property
    def make(self) -> Blocked:
        """What a core writes; rows and columns beyond the layer's own mean nothing."""
        return Blocked(
            rows=self.row_steps * self.step_rows // self.fold,
            blocks=self.tile_m // BLOCK,
            cols=self.col_steps * PIXELS // self.fold,
        )

    @property
    def mmuls(self) -> int:
        """Mmuls of a core for an image."""
        each = self.row_steps * self.col_steps * self.block_steps * self.sums * self.taps[0] * self.taps[1]
        return each * sum(self.in_blocks)

    @property
    def counting_macs(self) -> int:
        """Products of the layer itself that its cores compute: rows and columns that a pool drops are not computed."""
        rows, cols = (size * (POOL if self.pooled else 1) for size in self.out_size)
        return self.m * self.k * rows * cols

    @property
    def executed_macs(self) -> int:
        """Products that its cores execute, with all that fills up."""
        m, k, n = self.mmul
        return self.mmuls * self.cores * m * k * n

    @property
    def sums(self) -> int:
        """Accumulators of mmuls in flight."""
        return self.step_rows * self.step_blocks * self.halves * self.positions

    def trips(self, port: int) -> int:
        """Steps of the inner loop: kernel rows x blocks of a port."""
        return self.taps[0] * self.in_blocks[port]

    @property
    def weights_elements(self) -> int:
        """Weights of a core."""
        return self.tile_m * self.positions * sum(self.in_blocks) * self.taps[0] * self.taps[1] * BLOCK

    def tap_order(self) -> Iterator[tuple[int, Integers]]:
        """Yield, for each position, the im2col rows in the order in which the core adds them, PADDING for zeros."""
        for position in range(self.positions):
            ports = [self._taps(port).at(position=position) for port in range(self.in_ports)]
            yield position, np.concatenate([p.flat() for p in ports])

    def _taps(self, port: int) -> Layout:
        """Return the weights of an output whose inputs come by a port, of `[channel][y][x]`, for each position.

        The order is [position][kernel row][block][kernel column][8].
        """
        (high, wide), (rows, cols) = self.window.kernel, self.taps
        p, r, c = index("position", self.positions), index("line", rows), index("column", cols)
        b, e = index("block", self.in_blocks[port]), index("e", BLOCK)
        block = b + sum(self.in_blocks[:port])
        if self.patches:
            channel, dy = block, r * PATCH_ROWS + e // PATCH_COLS - p // POOL
            dx = e % PATCH_COLS - p % POOL
        else:
            channel, dy, dx = block * BLOCK + e, r, c
        axes = (axis("channel", channel, self.window.channels), axis("dy", dy, high), axis("dx", dx, wide))
        return Layout((p, r, b, c, e), axes)

    def port_weights(self, port: int) -> Layout:
        """Return the weights of all cores whose inputs come by a port, of `[output][channel][y][x]`.

        The order is [part][step][kernel row][block][kernel column][block of outputs][half][position][8][outputs of an mmul].
        """
        taps = self._taps(port)
        position, *around, e = taps.loops
        part, step = index("part", self.parts), index("step", self.block_steps)
        b, h, j = index("outputs", self.step_blocks), index("half", self.halves), index("j", self.mmul[2])
        output = part * self.tile_m + (step * self.step_blocks + b) * BLOCK + h * self.mmul[2] + j
        return Layout(
            (part, step, *around, b, h, position, e, j), (axis("output", output, self.m), *taps.axes)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A layer's place in its chain: what it reads, and what is fused into it."""

    x: TensorType  # what the layer before it gives, not flattened
    y: TensorType  # its own result, behind what is fused
    fusion: Fusion
    before: BlockGrid | None  # how the layer before it is cut
    beside: bool  # its core, if it has one, can stand beside the one core of the layer before it
    last: bool

    @property
    def fused(self) -> tuple[str, ...]:
        """The layers behind it that its kernels do as well."""
        return tuple(layer.name for layer in self.fusion.layers)


def row_loads(taps: int, element_bytes: int) -> tuple[int, bool]:
    """Return the vectors of pixels that so many kernel columns see, and whether of the last one they see half, a load alone."""
    return -(-(taps + PIXELS - 1) // PIXELS), (taps - 1) % PIXELS in (1, 2) and element_bytes > 1


def patch_steps(kernel_rows: int) -> int:
    """Return how many rows of patches a pooled pixel sees: its two rows of sums see one row more than the kernel has."""
    return -(-(kernel_rows + POOL - 1) // PATCH_ROWS)
