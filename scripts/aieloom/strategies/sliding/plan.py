"""A convolution in float32 on AIE without im2col: the cores read lines of the feature map and slide along them.

A line of 8 output pixels and the border beside it is loaded once and multiplied by each tap of a kernel row: the
multiplier selects neighbouring lanes by itself (`aie::sliding_mul`, 8 products a cycle of float on AIE [UG1079]). Two
output channels share the line, so that two loads a cycle feed it with ease. Weights stay in the cores' memories; each
input value crosses its PLIO once for the tile and a few more times at the tile's border, in place of once for each tap.
"""

from __future__ import annotations

from aieloom.cost.blocks import Loops
from aieloom.cpp_text import TemplateUse
from aieloom.hardware.mmul import MmulMode, Shape
from aieloom.hardware.registers import FLOAT_SUMS, Registers, register_files
from aieloom.layout.grid import RowGrid, TileGrid, Window
from aieloom.plan.gemm import BASE_PROGRAM_BYTES, INSTRUCTION_BYTES, UNROLLED_COPIES
from aieloom.plan.row_cut import RowCut
from aieloom.spec.architecture import Architecture
from aieloom.spec.types import DataType
from aieloom.strategies.sliding.cost import direct_of, direct_pairs, sliding_registers
from aieloom.strategies.sliding.cycles import scheduled_sliding, sliding_nest
from aieloom.strategies.sliding.grid import LANES, LineGrid

OUT_BLOCK = (1, 1, LANES)  # elements of an output tile: channel by channel, vectors of a row
MAX_TAPS = LANES  # of a kernel row: its weights are one vector


def slides(window: Window, dtype: DataType, architecture: Architecture) -> bool:
    """Tell whether a layer can slide: float32 on AIE, by 1, along whole vectors of pixels, with one vector of taps."""
    fits = window.stride[1] == 1 and window.kernel[1] <= MAX_TAPS and window.out_width % LANES == 0
    return dtype is DataType.FLOAT32 and architecture.facts.sliding_floats and fits


class SlidingConvolution(RowCut):
    """Builds drafts of a layer that `slides`."""

    key = "direct"
    by_mmul = False

    def modes(self) -> list[MmulMode]:
        """Return the one way to multiply: its shape is what tiles are multiples of.

        Raises:
            IllegalTile: the mapping does not allow it.
        """
        self.check_single()
        shape = (1, self.area, self.window.out_width)
        files, size = register_files(self.device.architecture), self.layer.x.dtype.bytes
        return [
            MmulMode(
                shape=shape,
                accumulator=FLOAT_SUMS,
                issue_cycles=1,
                shuffles=False,
                files=files,
                sizes=(size, size),
            )
        ]

    def grid(self, mode: MmulMode, tile: Shape, groups: int, cascade: int = 1) -> LineGrid:
        """Return how the layer is cut."""
        m, k, n = self.size
        return LineGrid(
            m=m,
            k=k,
            n=n,
            tile_m=tile[0],
            tile_k=tile[1],
            tile_n=tile[2],
            mmul=OUT_BLOCK,
            groups=groups,
            window=self.window,
        )

    def cycles(self, mode: MmulMode, grid: TileGrid) -> int:
        """Model one kernel call."""
        assert isinstance(grid, LineGrid)
        return scheduled_sliding(grid)

    def loops(self, mode: MmulMode, grid: TileGrid) -> tuple[Loops, ...]:
        """Return what the source says of the kernel's loops."""
        assert isinstance(grid, LineGrid)
        return (sliding_nest(grid).loops,)

    def input_words(self, mode: MmulMode) -> int:
        """Return stream words of an image, each row once: what the planner's choice keeps up with."""
        return self.window.channels * self.window.height * self.window.width * 32 // self.bits

    def program(self, mode: MmulMode, grid: TileGrid) -> int:
        """Estimate the kernel's program memory: the unrolled taps of one input channel."""
        assert isinstance(grid, LineGrid)
        taps = direct_of(grid)
        steps = taps.lines * taps.taps * taps.outputs_together
        return BASE_PROGRAM_BYTES + UNROLLED_COPIES * INSTRUCTION_BYTES * steps // 2

    def pairs(self, mode: MmulMode, grid: TileGrid) -> float:
        """Return the cycles of a kernel call in which both load units load."""
        assert isinstance(grid, LineGrid)
        return grid.passes * direct_pairs(direct_of(grid))

    def registers(self, mode: MmulMode, grid: TileGrid) -> Registers:
        """Return what the kernel's inner loop keeps in registers."""
        assert isinstance(grid, LineGrid)
        return sliding_registers(grid, mode.files)

    def weight_elements(self, grid: TileGrid) -> int:
        """Return elements of a core's weights: each kernel row's fill up vectors."""
        assert isinstance(grid, LineGrid)
        taps = grid.channels * self.window.kernel[0] * grid.weight_vectors * LANES
        return grid.passes * (grid.tile_m // grid.together) * taps

    def trip(self, mode: MmulMode, grid: TileGrid) -> tuple[float, float]:
        """Return the loads of a trip of the inner loop, a channel's lines, and the cycles of its MACs."""
        assert isinstance(grid, LineGrid)
        d = direct_of(grid)
        return d.lines * (d.line_loads + d.weight_loads), d.lines * d.taps * d.outputs_together

    def peak(self, mode: MmulMode) -> float:
        """Return the MACs that a core does in a cycle."""
        return LANES

    def templates(self, grid: TileGrid) -> tuple[TemplateUse, ...]:
        """Return the templates that print the layer, and the files that they make."""
        name = self.layer.name
        return (
            TemplateUse(template="product/kernel.h.j2", output=f"src/aie/{name}_kernel.h"),
            TemplateUse(template="sliding/kernel.cc.j2", output=f"src/aie/{name}.cc"),
            *self.weights_file(),
            TemplateUse(template="product/graph.h.j2", output=f"src/aie/{name}_graph.h"),
        )

    def lines(self, grid: RowGrid) -> str:
        """Return what a tile reads in a pass."""
        assert isinstance(grid, LineGrid)
        return f"{grid.channels} channels x {grid.in_rows} lines of {grid.in_width} values"
