"""The code of a pool's kernel: what its template prints, the cycles of its schedules, and what it computes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from aieloom.arrays import Values
from aieloom.cost.blocks import MOST_UNROLLED, Loops, Rows, call_cycles, rows_of
from aieloom.cpp_text import Constant, View
from aieloom.plan.types import AieLayerDraft, AieLayerPlan
from aieloom.products.view import product_view
from aieloom.schedule.code import Code
from aieloom.schedule.loops import source_of
from aieloom.schedule.machine import machine_of
from aieloom.spec.architecture import Architecture
from aieloom.spec.types import Buffers
from aieloom.strategies.chained.cycles import ELEMENT, Bounds, bounds_of
from aieloom.strategies.chained.grid import BLOCK, PIXELS
from aieloom.strategies.chained.pool import LOAD_BYTES, PoolGrid
from aieloom.strategies.chained.reference import within
from aieloom.words import plural

LANES = PIXELS * BLOCK
_MACHINE = machine_of(Architecture.AIE_ML)


def pooled(draft: AieLayerDraft, grid: PoolGrid, x: Values) -> Values:
    """Return the largest of each window of `x` `(batch, channels, height, width)`, within the bounds of what is fused."""
    x = x.reshape(len(x), *draft.x.shape)
    (down, along), axes = grid.window.stride, (2, 3)
    y = sliding_window_view(x, grid.window.kernel, axis=axes)[:, :, ::down, ::along].max(axis=(4, 5))
    return within(grid, y)


def scheduled_pool(grid: PoolGrid) -> int:
    """Return the cycles of a call."""
    rows = _schedules(_step_of(grid), grid.trips)
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
def _schedules(step: PoolStep, trips: int) -> Rows:
    """Return the schedules of the loop of steps; they hang on its trips where those are no loop."""
    return rows_of(lambda _: None, step, trips, _MACHINE)


@dataclass(frozen=True, slots=True)
class PoolStep:
    """The code of a step: it loads rows, takes the largest down, then along them, and stores."""

    element: int  # bytes
    kernel: tuple[int, int]
    along: int  # columns from one window to the next
    bounds: Bounds

    def __call__(self, code: Code) -> None:
        """Write it."""
        (rows, cols), along, element = self.kernel, self.along, ELEMENT[self.element]
        size, kept = LANES * self.element, LANES // along
        beyond = max(0, cols - along)  # columns that the last window of a step sees besides
        # half a vector has them, and is a whole load
        short = beyond <= PIXELS // 2 and size > LOAD_BYTES
        vectors = [self._down(code, v, rows, LANES // (1 + (v and short))) for v in range(2 if beyond else 1)]
        fill = "v1"
        if beyond and short:
            code.say(f"const auto w1 = v1.grow<{LANES}>();")
            fill = "w1"
        made = f"aie::vector<{element}, {kept}> y ="
        if cols == along == 2:  # pairs of neighbours, one beside the other
            y = self._largest(code, [code.op("shuffle", vectors, bits=4 * size) for _ in range(2)], 4 * size)
            code.say(f"{made} aie::max(aie::filter_even(v0, {BLOCK}), aie::filter_odd(v0, {BLOCK}));")
        else:
            shifted = [code.op("shuffle", vectors, bits=8 * size) for _ in range(cols - 1)]
            y = self._largest(code, [vectors[0], *shifted], 8 * size)
            code.say(f"aie::vector<{element}, {LANES}> m = v0;")
            for tap in range(1, cols):
                code.say(f"m = aie::max(m, aie::shuffle_down_fill(v0, {fill}, {tap * BLOCK}));")
            if along > 1:
                y = code.op("shuffle", [y], bits=4 * size)
            code.say(f"{made} {f'aie::filter_even(m, {BLOCK})' if along > 1 else 'm'};")
        code.store(size // along, self.bounds.keep(code, y, "y", kept), "out")
        code.say("aie::store_v(o, y);")

    def _down(self, code: Code, v: int, rows: int, lanes: int) -> int:
        """Return the largest of a vector of each row."""
        size, offset = lanes * self.element, f" + {LANES}" if v else ""
        for r in range(rows):
            load = f"aie::load_v<{lanes}>(a{r}{offset})"
            code.say(f"v{v} = aie::max(v{v}, {load});" if r else f"auto v{v} = {load};")
        return self._largest(code, [code.load(size, (0, 1), "in") for _ in range(rows)], 8 * size)

    def _largest(self, code: Code, values: list[int], bits: int) -> int:
        found = values[0]
        for v in values[1:]:
            found = code.op("compare", [found, v], bits=bits)
        return found


def _step_of(grid: PoolGrid) -> PoolStep:
    return PoolStep(grid.element_bytes, grid.window.kernel, grid.along, bounds_of(grid))


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
        "steps": source_of(_step_of(grid), _MACHINE),
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
