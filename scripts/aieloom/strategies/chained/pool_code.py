"""The code of a pool's kernel: what its template prints, the cycles of its schedules, and what it computes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from aieloom.arrays import Values
from aieloom.cost.blocks import MOST_UNROLLED, Loops, Rows, call_cycles, rows_of
from aieloom.cpp_text import Constant, View
from aieloom.plan.types import AieLayerDraft, AieLayerPlan
from aieloom.products.view import product_view
from aieloom.schedule.code import Code
from aieloom.schedule.machine import machine_of
from aieloom.spec.architecture import Architecture
from aieloom.spec.types import Buffers
from aieloom.strategies.chained.grid import BLOCK, PIXELS
from aieloom.strategies.chained.pool import LOAD_BYTES, PoolGrid
from aieloom.strategies.chained.reference import within
from aieloom.strategies.chained.view import bounded
from aieloom.words import plural

LANES = PIXELS * BLOCK


def pooled(draft: AieLayerDraft, grid: PoolGrid, x: Values) -> Values:
    """Return the largest of each window of `x` `(batch, channels, height, width)`, within the bounds of what is fused."""
    x = x.reshape(len(x), *draft.x.shape)
    (down, along), axes = grid.window.stride, (2, 3)
    y = sliding_window_view(x, grid.window.kernel, axis=axes)[:, :, ::down, ::along].max(axis=(4, 5))
    return within(grid, y)


def scheduled_pool(grid: PoolGrid) -> int:
    """Return the cycles of a call, by schedules of the kernel's code as its template writes it."""
    bounds = (grid.low is not None) + (grid.high is not None)
    rows = _schedules(grid.element_bytes, grid.window.kernel, grid.along, bounds, grid.trips)
    loops = pool_loops(grid)
    turns = grid.band_rows if loops.flattened and loops.last == 1 else 1
    each = rows.cycles(grid.band_rows * grid.around // turns, grid.trips)
    return call_cycles(2, rows.machine) + turns * each + (turns * rows.machine.branch if turns > 1 else 0)


def pool_loops(grid: PoolGrid) -> Loops:
    """Return what the source says of the kernel's loops: rows, steps along a row, those inside."""
    return Loops(
        trips=(grid.trips,), outer=(grid.band_rows, grid.around), flattened=grid.trips <= MOST_UNROLLED
    )


@lru_cache(maxsize=256)
def _schedules(element: int, kernel: tuple[int, int], along: int, bounds: int, trips: int) -> Rows:
    """Return the schedules of the loop of steps; they hang on its trips where those are no loop."""
    size = LANES * element

    def largest(code: Code, values: list[int], bits: int) -> int:
        found = values[0]
        for v in values[1:]:
            found = code.op("compare", [found, v], bits=bits)
        return found

    def step(code: Code) -> None:
        beyond = max(0, kernel[1] - along)
        sizes = [size, *([size // (1 + _is_short(beyond, element))] if beyond else [])]
        rows = [largest(code, [code.load(s, (0, 1), "in") for _ in range(kernel[0])], 8 * s) for s in sizes]
        if _is_paired(kernel[1], along):
            made = largest(code, [code.op("shuffle", rows, bits=4 * size) for _ in range(2)], 4 * size)
        else:
            shifted = [code.op("shuffle", rows, bits=8 * size) for _ in range(kernel[1] - 1)]
            made = largest(code, [rows[0], *shifted], 8 * size)
            if along > 1:
                made = code.op("shuffle", [made], bits=4 * size)
        for _ in range(bounds):
            made = code.op("compare", [made, code.constant(size)], bits=8 * size // along)
        code.store(size // along, made, "out")

    return rows_of(lambda _: None, step, trips, machine_of(Architecture.AIE_ML))


def _is_paired(cols: int, along: int) -> bool:
    """Tell whether a step's windows are pairs of neighbours, one beside the other."""
    return cols == along == 2


def _is_short(beyond: int, element: int) -> bool:
    """Tell whether the columns beyond a step are in half a vector, which is a whole load."""
    return beyond <= PIXELS // 2 and LANES * element > LOAD_BYTES


def pool_view(layer: AieLayerPlan, grid: PoolGrid) -> View:
    """Return what the templates of a layer print."""
    none = np.zeros((grid.parts, 0), np.int16)
    view = product_view(layer, (none, none))
    element = layer.draft.dtype.cpp
    single = layer.draft.buffers is Buffers.SINGLE
    fields: dict[str, object] = {
        "constants": tuple(_constants(grid)),
        "compiled": False,
        "fed": False,
        "does": "The largest of each window",
        "ports": (
            f"adf::input_buffer<{element}>& __restrict in0",
            f"adf::output_buffer<{element}>& __restrict out",
        ),
        "ports_note": "streams into a core",
        "in_ports": (View(number=0, elements=grid.in_elements, note=str(grid.need)),),
        "steps": tuple(_steps(grid, element)),
        "lines": tuple(f"a{r}" for r in range(grid.window.kernel[0])),
        "out_note": str(grid.make),
        "in_note": str(grid.need),
        "single_ports": (*([] if grid.handed else ["in[0]"]), "out[0]") if single else (),
    }
    return view.but(**fields)


def _constants(grid: PoolGrid) -> Iterator[Constant]:
    need, make = grid.need, grid.make
    stored = LANES // grid.along
    yield Constant("kRows", grid.band_rows, "rows of the output")
    yield Constant("kColSteps", grid.around, "steps along a row around the inner loop")
    yield Constant("kTrips", grid.trips, _trips_note(grid))
    yield Constant("kDown", grid.down, "rows from one window to the next")
    yield Constant(
        "kInRow",
        need.blocks * need.cols * BLOCK,
        f"{plural(need.blocks, 'block')} x {need.cols} columns x {BLOCK}",
    )
    yield Constant(
        "kOutRow",
        make.blocks * make.cols * BLOCK,
        f"{plural(make.blocks, 'block')} x {make.cols} columns x {BLOCK}",
    )
    yield Constant("kInStep", LANES if grid.is_even else need.cols * BLOCK, "from one trip to the next")
    yield Constant("kOutStep", stored if grid.is_even else make.cols * BLOCK, "the same of the output")
    yield Constant("kStepPixels", LANES, f"{PIXELS} pixels x {BLOCK}")
    yield Constant("kOutPixels", stored, f"{PIXELS // grid.along} pixels x {BLOCK}")


def _trips_note(grid: PoolGrid) -> str:
    return (
        f"{plural(grid.blocks, 'block')} x {grid.col_steps} steps of a row"
        if grid.is_even
        else "blocks of 8 channels"
    )


def _steps(grid: PoolGrid, element: str) -> Iterator[str]:
    """Yield the statements of a step: load rows, take the largest down, then along them, and store."""
    (rows, cols), along = grid.window.kernel, grid.along
    for v in range(grid.vectors):
        short = v and _is_short(grid.beyond, grid.element_bytes)
        offset = f" + {LANES}" if v else ""
        for r in range(rows):
            load = f"aie::load_v<{LANES // 2 if short else LANES}>(a{r}{offset})"
            yield f"auto v{v} = {load};" if not r else f"v{v} = aie::max(v{v}, {load});"
    if grid.vectors > 1 and _is_short(grid.beyond, grid.element_bytes):
        yield f"const auto w1 = v1.grow<{LANES}>();"
    fill = "w1" if _is_short(grid.beyond, grid.element_bytes) else "v1"
    kept = LANES // along
    if _is_paired(cols, along):
        yield f"aie::vector<{element}, {kept}> y = aie::max(aie::filter_even(v0, {BLOCK}), aie::filter_odd(v0, {BLOCK}));"
    else:
        yield f"aie::vector<{element}, {LANES}> m = v0;"
        for tap in range(1, cols):
            yield f"m = aie::max(m, aie::shuffle_down_fill(v0, {fill}, {tap * BLOCK}));"
        yield f"aie::vector<{element}, {kept}> y = {f'aie::filter_even(m, {BLOCK})' if along > 1 else 'm'};"
    yield from bounded(grid, "y", element, kept)
    yield "aie::store_v(o, y);"
