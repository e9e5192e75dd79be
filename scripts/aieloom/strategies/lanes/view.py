"""What the template of a direct convolution by aie::mmul prints: flat values, taken from the plan."""

from __future__ import annotations

from itertools import product
from typing import cast

from aieloom.cpp_text import Constant, View
from aieloom.network.layers import Parameters
from aieloom.pl.streams import TiledStreams
from aieloom.plan.types import AieLayerDraft, AieLayerPlan
from aieloom.products.requant import requant_constants
from aieloom.products.rows import row_tiles
from aieloom.products.view import product_view
from aieloom.products.weights import packed_weights
from aieloom.strategies.lanes.grid import LaneGrid
from aieloom.strategies.lanes.loop import sum_name


def lane_view(layer: AieLayerPlan, params: Parameters) -> View:
    """Return what the templates of a layer print."""
    grid = cast(LaneGrid, layer.grid)
    view = product_view(layer, packed_weights(layer, params), narrow=True)
    return view.but(**_fields(layer.draft, grid))


def _fields(draft: AieLayerDraft, grid: LaneGrid) -> dict[str, object]:
    """Return what the templates print of a layer that is cut into lanes."""
    outputs, lines, steps = (range(count) for count in grid.held)
    _, k, n = grid.mmul
    return {
        "loops_template": "lanes/multiply.j2",
        "rows": tuple(outputs),
        "rows_value": "rows" if draft.streamed else "rows_",
        "block_note": f"blocks of {len(outputs)} x {len(lines) * len(steps)} mmuls share what they load",
        "constants": _constants(draft, grid),
        "weights_note": "[pass][block of outputs][kernel row][block of inputs][tap]: an mmul's weights",
        "in_note": f"{grid.in_rows} lines x {grid.blocks} x {grid.columns} blocks of {k} channels x {n} lanes",
        "out_note": f"{grid.tile_m} channels x {grid.out_rows} rows x {grid.steps} blocks of {n} lanes",
        "lines": tuple(lines),
        "steps": tuple(steps),
        "flight": tuple(_flight(*at) for at in product(outputs, lines, steps)),
    }


def _flight(row: int, line: int, step: int) -> View:
    """Return a block of sums in flight: where its sums lie, in blocks, and the pointer to what waits between passes."""
    name = sum_name(row, line, step)
    place = f"((mb + {row}) * kColTiles + (row + {line}) * kSteps + x + {step})"
    return View(name=name, row=row, place=place, sums=f"s{name[1:]}")


def _constants(draft: AieLayerDraft, grid: LaneGrid) -> tuple[Constant, ...]:
    window, (m, k, n) = grid.window, grid.mmul
    lines, taps = window.kernel
    depth = lines * grid.blocks * taps
    found = [
        Constant("kRowTiles", grid.tile_m // m, f"{grid.tile_m} / {m}"),
        Constant("kRows", grid.out_rows, "output rows of a tile"),
        Constant("kSteps", grid.steps, f"output pixels of a lane: {window.out_width} / {n}"),
        Constant("kColTiles", grid.out_rows * grid.steps, f"{grid.out_rows} x {grid.steps}"),
        Constant("kBlocks", grid.blocks, f"of input channels: {grid.channels} / {k}"),
        Constant("kColumns", grid.columns, "input pixels that a lane sees of a line"),
        Constant("kStrideY", window.stride[0], "input lines from one output row to the next"),
        Constant("kStrideX", window.stride[1], "input columns from one output pixel to the next"),
        Constant("kTaps", taps, "kernel columns"),
        Constant("kTrips", lines * grid.blocks, f"{lines} kernel rows x {grid.blocks}"),
        Constant("kWeightsOfRow", depth * m * k, f"{depth} blocks of {m} x {k}"),
    ]
    if grid.passes > 1:
        of = f"{window.channels} channels, {grid.channels} at a time"
        found.append(Constant("kPasses", grid.passes, of))
        found.append(Constant("kWeightsPerPass", grid.tile_m * grid.tile_k, f"{grid.tile_m} x {grid.tile_k}"))
    return (*found, *requant_constants(draft.requant, draft.dtype, narrow=True))


def lane_tiles(sink: TiledStreams, lanes: int) -> tuple[Constant, ...]:
    """Return how PL kernels and the host program cut what the cores read."""
    grid, window = cast(LaneGrid, sink.grid), sink.window
    _, k, n = grid.mmul
    return row_tiles(
        sink,
        lanes,
        Constant("kOutPasses", grid.passes, f"{window.channels} channels, {grid.channels} at a time"),
        Constant("kOutBlocks", grid.blocks, f"of channels: {grid.channels} / {k}"),
        Constant("kOutColumns", grid.columns, "input pixels that a lane sees of a line"),
        Constant("kOutStrip", grid.steps * window.stride[1], "input columns from one lane to the next"),
        Constant("kOutBlockRows", k, "channels of an mmul block"),
        Constant("kOutBlockCols", n, "lanes of an mmul block"),
        Constant("kOutBlockWords", k * n // lanes, f"{k} x {n} / {lanes}"),
    )
