"""conv2d on AI Engines without im2col: the cores read lines of the feature map and slide along them.

A line of 16 (or 8) output pixels and the border beside it is loaded once and multiplied by each tap of a kernel row: the
multiplier selects neighbouring lanes by itself (`aie::sliding_mul`, 8 products a cycle of float on AIE [UG1079]). Two
output channels share the line, so that two loads a cycle feed it with ease. Weights stay in the cores' memories; each
input value crosses its PLIO once for the tile and a few more times at the tile's border, in place of once for each tap.
"""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.cost.kernels import direct_kernel
from aieloom.cost.parameters import load_parameters
from aieloom.ops.conv2d.im2col_gemm import PASS_COUNTS, Im2colGemm
from aieloom.plan.direct import direct_of
from aieloom.plan.gemm import (
    BASE_PROGRAM_BYTES,
    INSTRUCTION_BYTES,
    PASS_CYCLES,
    UNROLLED_COPIES,
    IllegalTile,
    divisor_like,
)
from aieloom.plan.layout import LANES, RowGrid, TileGrid
from aieloom.plan.mmul import MmulMode, Shape
from aieloom.plan.template import TemplateUse
from aieloom.spec.architecture import Architecture
from aieloom.spec.types import DataType

STRATEGY = "direct"
FOLDER = "direct"
OUT_BLOCK = (1, 1, LANES)  # elements of an output tile: channel by channel, vectors of a row
MAX_TAPS = LANES  # of a kernel row: its weights are one vector
TRIED_ROWS = 32  # rows of a tile that the planner tries at most


class DirectConvolution(Im2colGemm):
    """Builds drafts of one layer for one device; tiles are M x K x N as of im2col_gemm, of whole channels and rows."""

    name = STRATEGY

    def modes(self) -> list[MmulMode]:
        """Return the one way to multiply: its shape is what tiles are multiples of.

        Raises:
            IllegalTile: the layer, the device or the mapping's `mmul` does not allow it.
        """
        window, dtype = self.window, self.layer.x.dtype
        use = "use strategy: im2col_gemm"
        if dtype is not DataType.FLOAT32 or self.device.architecture is not Architecture.AIE:
            text = (
                f"direct convolution is for float32 on AIE, not for {dtype.value} on "
                f"{self.device.architecture.value}"
            )
            raise IllegalTile("conv-1", "strategy", text, use)
        if window.stride[1] != 1 or window.kernel[1] > MAX_TAPS or window.out_width % LANES:
            text = (
                f"direct convolution slides by 1 along rows of a multiple of {LANES} pixels with up to {MAX_TAPS} taps; "
                f"here stride {window.stride[1]}, {window.out_width} pixels, {window.kernel[1]} taps"
            )
            raise IllegalTile("conv-1", "strategy", text, use)
        if self.mapping.mmul:
            text = "direct convolution multiplies without aie::mmul"
            raise IllegalTile("conv-1", "mmul", text, "leave mmul out")
        if self.mapping.cascade:
            text = "direct convolution has no chains of cores: each takes all of K"
            raise IllegalTile("conv-1", "cascade", text, "leave cascade out, or use strategy: im2col_gemm")
        area = window.kernel[0] * window.kernel[1]
        return [
            MmulMode(
                shape=(1, area, window.out_width), accumulator="accfloat", issue_cycles=1, shuffles=False
            )
        ]

    def grid(self, mode: MmulMode, tile: Shape, groups: int, cascade: int = 1) -> RowGrid:  # noqa: ARG002 - one mode
        """Return how the layer is cut."""
        m, k, n = self.size
        return RowGrid(
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

    def tilings(self, mode: MmulMode) -> Iterator[Shape]:
        """Yield the tiles worth trying: parts of the channels out and in, and rows, that cut each evenly."""
        _, area, width = mode.shape
        height, channels = self.window.out_height, self.window.channels
        parts = dict.fromkeys(-(-channels // count) for count in PASS_COUNTS)
        for tile_m in divisor_like(self.size[0], 1, self.size[0]):
            for part in parts:
                for rows in divisor_like(height, 1, min(height, TRIED_ROWS)):
                    yield tile_m, part * area, rows * width

    def chain_tilings(self, mode: MmulMode, cascade: int) -> Iterator[Shape]:  # noqa: ARG002
        """Yield nothing: a core takes all of K."""
        yield from ()

    def cycles(self, mode: MmulMode, grid: TileGrid) -> int:  # noqa: ARG002
        """Model one kernel call."""
        assert isinstance(grid, RowGrid)
        values = load_parameters()
        kernel = direct_kernel(values, self.device.architecture.value, direct_of(grid))
        return round(values["iteration"] + grid.passes * (kernel.cycles - kernel.call + PASS_CYCLES))

    def odd_words(self, tile: Shape, bits: int) -> bool:  # noqa: ARG002
        """Tell whether a tile's buffers leave a stream word part full; lines have whole 128-bit words."""
        return False

    def input_words(self, mode: MmulMode) -> int:  # noqa: ARG002
        """Return stream words of an image, each row once: what the planner's choice keeps up with."""
        return self.window.channels * self.window.height * self.window.width * 32 // self.bits

    def program(self, mode: MmulMode, grid: TileGrid) -> int:  # noqa: ARG002
        """Estimate the kernel's program memory: the unrolled taps of one input channel."""
        assert isinstance(grid, RowGrid)
        taps = direct_of(grid)
        steps = taps.lines * taps.taps * taps.outputs_together * taps.vectors
        return BASE_PROGRAM_BYTES + UNROLLED_COPIES * INSTRUCTION_BYTES * steps // 2

    def weight_elements(self, grid: TileGrid) -> int:
        """Return elements of a core's weights: each kernel row's fill up vectors."""
        return len(grid.weight_order()[0])

    def strategy(self, grid: TileGrid) -> tuple[str, tuple[TemplateUse, ...]]:  # noqa: ARG002
        """Return the strategy's name and templates."""
        name = self.layer.name
        return self.name, (
            TemplateUse(template="im2col_gemm/kernel.h.j2", output=f"src/aie/{name}.h"),
            TemplateUse(template="direct/kernel.cc.j2", output=f"src/aie/{name}.cc"),
            *self.weights_file(),
            TemplateUse(template="im2col_gemm/graph.h.j2", output=f"src/aie/{name}_graph.h"),
        )

    def more(self, grid: TileGrid) -> tuple[str, ...]:
        """Return what else the plan says."""
        assert isinstance(grid, RowGrid)
        taps = self.window.taps * grid.tile_n
        read = grid.passes * grid.in_elements
        return (
            f"a tile reads {grid.passes} x {grid.channels} channels x {grid.in_rows} lines of {grid.in_width} values "
            f"= {read}, {taps / read:.1f} times less than its im2col matrix",
        )
