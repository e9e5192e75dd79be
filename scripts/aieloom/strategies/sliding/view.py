"""What the template of a sliding convolution's kernel prints: flat values, taken from the plan."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.cost.blocks import row_loops
from aieloom.cpp_text import Constant
from aieloom.network.layers import Parameters
from aieloom.pl.streams import TiledStreams
from aieloom.plan.types import AieLayerPlan
from aieloom.products.rows import rows_of, seen
from aieloom.products.view import ProductView, extended, hints_of, product_view
from aieloom.products.weights import packed_weights
from aieloom.strategies.sliding.cost import direct_of
from aieloom.strategies.sliding.grid import LANES, LineGrid


@dataclass(frozen=True, slots=True, kw_only=True)
class MacView:
    """One step: 8 neighbouring pixels from `start` on, times one weight."""

    sum: str
    weights: int  # number of the vector
    coefficient: int
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopsView:
    """The loop over the channels, unrolled over a kernel's lines and taps."""

    lines: tuple[int, ...]
    pieces: tuple[int, ...]  # of 4 values of a line
    weights: tuple[int, ...]  # vectors for a line
    macs: tuple[MacView, ...]  # of a line; neighbours add to different sums


def line_view(layer: AieLayerPlan, grid: LineGrid, params: Parameters) -> ProductView:
    """Return what the templates of a layer print."""
    together = direct_of(grid).outputs_together
    fields = {
        "rows": tuple(range(together)),
        "cols": (0,),
        "block_note": f"{together} channels x {LANES} pixels share the lines that they load",
        "constants": _constants(grid),
        "weights_note": "[pass][outputs together][channel][kernel row]: their taps, filled up to vectors of 8",
        "bias_note": f"{grid.tile_m} channels, each 8 times: a vector of pixels",
        "in_note": f"{grid.channels} channels x {grid.in_rows} lines x {grid.in_width}",
        "loops": _loops_view(grid),
        "start_hints": hints_of(row_loops(grid.tile_m, grid.tile_n // LANES)),
    }
    return extended(product_view(layer, packed_weights(layer, params)), fields)


def _loops_view(grid: LineGrid) -> LoopsView:
    """Return the kernel's inner loop."""
    d = direct_of(grid)
    apart = d.weight_loads > 1  # each output's taps have a vector of their own
    return LoopsView(
        lines=tuple(range(d.lines)),
        pieces=tuple(range(d.line_loads)),
        weights=tuple(range(d.weight_loads)),
        macs=tuple(
            MacView(
                sum=f"s{output}",
                weights=output if apart else 0,
                coefficient=tap if apart else output * d.taps + tap,
                start=tap,
            )
            for tap in range(d.taps)
            for output in range(d.outputs_together)
        ),
    )


def _constants(grid: LineGrid) -> tuple[Constant, ...]:
    """Return the kernel's constants."""
    window, d = grid.window, direct_of(grid)
    line = d.weight_loads * LANES
    found = [
        Constant("kOutputs", grid.tile_m, "output channels of a tile"),
        Constant("kOutputPixels", grid.tile_n, f"{grid.out_rows} rows x {window.out_width}"),
        Constant("kRows", grid.out_rows, "output rows of a tile"),
        Constant("kWidth", window.out_width, "pixels of an output row"),
        Constant("kStride", window.stride[0], "input lines from one output row to the next"),
        Constant("kChannels", grid.channels, "input channels of a pass"),
        Constant("kInRows", grid.in_rows, "input lines of a tile"),
        Constant("kInWidth", grid.in_width, "values of a line, with its border"),
        Constant("kWeightsOfChannel", d.lines * line, f"{d.lines} kernel rows x {line}"),
        Constant(
            "kWeightsOfOutput",
            grid.channels * d.lines * line // d.outputs_together,
            f"{grid.channels} x {d.lines * line} / {d.outputs_together} channels together",
        ),
    ]
    if grid.passes > 1:
        size = grid.tile_m // d.outputs_together * grid.channels * d.lines * line
        found.append(
            Constant("kPasses", grid.passes, f"{window.channels} channels, {grid.channels} at a time")
        )
        found.append(Constant("kWeightsPerPass", size, f"{grid.tile_m} outputs x {grid.channels} channels"))
    return tuple(found)


def line_tiles(sink: TiledStreams, grid: LineGrid, lanes: int) -> tuple[Constant, ...]:
    """Return how PL kernels and the host program cut what the cores read."""
    window = sink.window
    per_round = grid.passes * grid.in_elements
    return (
        *rows_of(grid, window),
        Constant("kOutChannels", grid.passes * grid.channels, f"{grid.passes} passes x {grid.channels}"),
        Constant("kOutLines", grid.in_rows, "input lines of a tile"),
        Constant("kOutLineWords", grid.in_width // lanes, f"{grid.in_width} / {lanes}"),
        Constant("kOutTileWords", per_round // lanes, f"{grid.passes} x {grid.in_elements} / {lanes}"),
        *seen(window),
    )
