"""A convolution on AI Engines without im2col, by `aie::mmul`: any element type, any stride, any width.

A core reads the lines of the feature map that its output rows see once, in blocks of channels as the mmul wants them, and
multiplies each tap's weights by the pixels that the tap sees: loads at an offset. Operands are aligned whatever the offset,
because the columns of a block are not neighbours but lanes, each with a strip of the row of its own (see grid).
"""

from __future__ import annotations

from aieloom.cost.blocks import Loops
from aieloom.cpp_text import TemplateUse
from aieloom.hardware.mmul import MmulMode, Shape
from aieloom.hardware.registers import Registers
from aieloom.layout.grid import words_of
from aieloom.plan.gemm import find_mode, round_up
from aieloom.plan.row_cut import RowCut
from aieloom.strategies.lanes.cost import (
    balance,
    lane_pairs,
    lane_program,
    lane_registers,
    lanes_of,
    with_held,
)
from aieloom.strategies.lanes.cycles import lane_nest, scheduled_lanes
from aieloom.strategies.lanes.grid import LaneGrid


class LaneConvolution(RowCut[LaneGrid]):
    """Builds drafts of a layer by `aie::mmul`."""

    key = "direct"
    tall = True

    @property
    def sums_apart(self) -> bool:
        """Whether sums between passes have an array of their own, of float32 too."""
        return True

    def modes(self) -> list[MmulMode]:
        """Return the mmul that the mapping names, or all: first those that cut the mapping's tile and fill up least.

        Raises:
            IllegalTile: the device or the mapping does not allow it.
        """
        self.check_single()
        # Those that suit the mapping's tile first, then by cycles with all that fills up; of equal ones the order stays.
        return sorted(super().modes(), key=lambda mode: (self.misfit(mode), self._work(mode)))

    def _work(self, mode: MmulMode) -> int:
        m, k, n = mode.shape
        outputs, channels, width = self.size[0], self.window.channels, self.window.out_width
        return -(-outputs // m) * -(-channels // k) * -(-width // n) * mode.issue_cycles

    def step(self, mode: MmulMode) -> Shape:
        """Return what tiles are multiples of: blocks of channels, whole rows."""
        m, k, _ = mode.shape
        return m, k * self.area, self.window.out_width

    def grid(self, mode: MmulMode, tile: Shape, groups: int, cascade: int = 1) -> LaneGrid:
        """Return how the layer is cut."""
        (m, k, n), (tile_m, tile_k, tile_n) = self.size, tile
        grid = LaneGrid(
            m=m, k=k, n=n, tile_m=tile_m, tile_k=tile_k, tile_n=tile_n,
            mmul=mode.shape, groups=groups, window=self.window, held=(1, 1, 1),
        )  # fmt: skip
        return with_held(grid, self.code(mode), self.device)

    def cycles(self, mode: MmulMode, grid: LaneGrid) -> int:
        """Model one kernel call, scaling to elements included."""
        return scheduled_lanes(grid, self.code(mode))

    def loops(self, mode: MmulMode, grid: LaneGrid) -> tuple[Loops, ...]:
        """Return what the source says of the kernel's loops."""
        return (lane_nest(grid, self.code(mode)).loops,)

    def input_words(self, mode: MmulMode) -> int:
        """Return stream words of an image, each row once: what the planner's choice keeps up with."""
        elements = round_up(self.window.channels, mode.shape[1]) * self.window.height * self.window.width
        return words_of(elements, self.layer.x.dtype, self.bits)

    def program(self, mode: MmulMode, grid: LaneGrid) -> int:
        """Estimate the kernel's program memory."""
        return lane_program(grid, mode)

    def pairs(self, mode: MmulMode, grid: LaneGrid) -> float:
        """Return the cycles of a kernel call in which both load units load."""
        return grid.passes * lane_pairs(grid, mode, self.layer.x.dtype)

    def registers(self, mode: MmulMode, grid: LaneGrid) -> Registers:
        """Return what the kernel's inner loop keeps in registers."""
        return lane_registers(grid, mode)

    def trip(self, mode: MmulMode, grid: LaneGrid) -> tuple[float, float]:
        """Return the loads of a trip of the inner loop, and the cycles of its MACs."""
        d = lanes_of(grid, mode, self.layer.x.dtype)
        return d.trip.loads, d.trip.macs

    def templates(self, grid: LaneGrid) -> tuple[TemplateUse, ...]:
        """Return the templates that print the layer, and the files that they make: the loops alone are its own."""
        return self.printed_by("product/narrow", "product/narrow")

    def lines(self, grid: LaneGrid) -> str:
        """Return what a tile reads in a pass."""
        _, k, n = grid.mmul
        return f"{grid.in_rows} lines x {grid.blocks} blocks of {k} channels x {n} lanes of {grid.columns} values"

    def more(self, grid: LaneGrid) -> tuple[str, ...]:
        """Return what else the plan says."""
        dtype = self.layer.x.dtype
        return (*super().more(grid), balance(grid, find_mode(self.device, dtype, grid.mmul), dtype))
