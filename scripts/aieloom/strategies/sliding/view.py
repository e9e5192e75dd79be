"""What the template of a sliding convolution's kernel prints: flat values, taken from the plan."""

from __future__ import annotations

from typing import cast

from aieloom.cost.blocks import row_loops
from aieloom.cpp_text import Constant, View
from aieloom.network.layers import Parameters
from aieloom.pl.streams import TiledStreams
from aieloom.plan.types import AieLayerPlan
from aieloom.products.rows import row_tiles
from aieloom.products.view import hints_of, product_view
from aieloom.products.weights import packed_weights
from aieloom.strategies.sliding.grid import LANES, LineGrid


def line_view(layer: AieLayerPlan, params: Parameters) -> View:
    """Return what the templates of a layer print."""
    grid = cast(LineGrid, layer.grid)
    together = grid.together
    view = product_view(layer, packed_weights(layer, params))
    return view.but(
        rows=tuple(range(together)),
        cols=(0,),
        block_note=f"{together} channels x {LANES} pixels share the lines that they load",
        constants=_constants(grid),
        weights_note="[pass][outputs together][channel][kernel row]: their taps, filled up to vectors of 8",
        bias_note=f"{grid.tile_m} channels, each 8 times: a vector of pixels",
        in_note=f"{grid.channels} channels x {grid.in_rows} lines x {grid.in_width}",
        start_hints=hints_of(row_loops(grid.tile_m, grid.tile_n // LANES)),
    )


def _constants(grid: LineGrid) -> tuple[Constant, ...]:
    """Return the kernel's constants."""
    window, together, lines = grid.window, grid.together, grid.window.kernel[0]
    line = grid.weight_vectors * LANES
    found = [
        Constant("kOutputs", grid.tile_m, "output channels of a tile"),
        Constant("kOutputPixels", grid.tile_n, f"{grid.out_rows} rows x {window.out_width}"),
        Constant("kRows", grid.out_rows, "output rows of a tile"),
        Constant("kWidth", window.out_width, "pixels of an output row"),
        Constant("kStride", window.stride[0], "input lines from one output row to the next"),
        Constant("kChannels", grid.channels, "input channels of a pass"),
        Constant("kInRows", grid.in_rows, "input lines of a tile"),
        Constant("kInWidth", grid.in_width, "values of a line, with its border"),
        Constant("kWeightsOfChannel", lines * line, f"{lines} kernel rows x {line}"),
        Constant(
            "kWeightsOfOutput",
            grid.channels * lines * line // together,
            f"{grid.channels} x {lines * line} / {together} channels together",
        ),
    ]
    if grid.passes > 1:
        size = grid.tile_m // together * grid.channels * lines * line
        found.append(
            Constant("kPasses", grid.passes, f"{window.channels} channels, {grid.channels} at a time")
        )
        found.append(Constant("kWeightsPerPass", size, f"{grid.tile_m} outputs x {grid.channels} channels"))
    return tuple(found)


def line_tiles(sink: TiledStreams, lanes: int) -> tuple[Constant, ...]:
    """Return how PL kernels and the host program cut what the cores read."""
    grid = cast(LineGrid, sink.grid)
    return row_tiles(
        sink,
        lanes,
        Constant("kOutChannels", grid.passes * grid.channels, f"{grid.passes} passes x {grid.channels}"),
        Constant("kOutLineWords", grid.in_width // lanes, f"{grid.in_width} / {lanes}"),
    )
