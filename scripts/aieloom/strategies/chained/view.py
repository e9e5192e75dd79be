"""What the templates of chained layers print: flat values, taken from the plan."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import cast

import numpy as np

from aieloom.cpp_text import Constant, View, float_literal
from aieloom.layout.expression import index
from aieloom.network.elements import stored
from aieloom.network.layers import Parameters, Tensor, weight_matrix
from aieloom.plan.scaling_code import rows_label
from aieloom.plan.types import AieLayerDraft, AieLayerPlan
from aieloom.plan.weights import FEEDER_STACK_BYTES, table_role
from aieloom.products.requant import requant_constants
from aieloom.products.view import product_view
from aieloom.products.weights import packed_rows
from aieloom.spec.types import Buffers
from aieloom.strategies.chained.grid import BLOCK, PIXELS, BlockGrid, ChainGrid, row_loads
from aieloom.words import plural

PIXEL_VECTOR = PIXELS * BLOCK
SUM_TYPE = "int32"
FED_WORDS = 4  # that a feeder reads at once


def chained_view(layer: AieLayerPlan, grid: ChainGrid, params: Parameters) -> View:
    """Return what the templates of a layer print."""
    view = product_view(layer, chained_weights(layer, params), note=_rows_note(grid))
    return view.but(**_fields(layer, grid))


def _fields(layer: AieLayerPlan, grid: ChainGrid) -> dict[str, object]:
    """Return what the templates of a chained kernel print beside what all GEMM kernels have."""
    draft = layer.draft
    ports = range(len(grid.in_blocks))
    element = draft.dtype.cpp
    inputs = [f"in{p}" for p in ports]
    table = draft.streamed
    return {
        "constants": _constants(draft, grid),
        "compiled": table is None,
        "fed": table is not None and table.fed,
        "feeder_stack": FEEDER_STACK_BYTES,
        "feeder_stack_at": draft.memory.slots["stack"][0].offset + draft.stack_bytes - FEEDER_STACK_BYTES,
        "feeder_class": f"{draft.class_name}Feeder",
        "table_vectors": table.words // FED_WORDS if table else 0,
        "does": "Makes its output channels",
        "weights_note": "[step][kernel row, block][kernel column][block][half][position] of 8 x "
        f"{grid.mmul[2]}",
        "ports": (
            *(f"adf::input_buffer<{element}>& __restrict {name}" for name in inputs),
            *(("adf::input_async_buffer<int32>& __restrict weights",) if table else ()),
            f"adf::output_buffer<{element}>& __restrict out",
        ),
        "ports_note": f"streams {'of images ' if table else ''}into a core",
        "table_note": rows_label(draft.requant),
        "inputs": tuple(f"const {element}* __restrict {name}" for name in inputs),
        "buffers": ", ".join(f"{name}.data()" for name in inputs),
        "in_ports": tuple(_port(grid, p) for p in ports),
        "starts": range(grid.step_blocks * grid.halves),  # sums begin with so many vectors of biases
        "sums_in_flight": tuple(_sums(grid, draft)),
        "taps": tuple(_tap(grid, t) for t in range(grid.taps[1])),
        "results": tuple(_results(grid, draft)),
        "stores": tuple(_stores(grid)),
        "block_note": f"{grid.step_rows} rows x {PIXELS} pixels x {grid.step_blocks * BLOCK} channels share what they load",
        "out_note": str(grid.make),
        "single_ports": (
            *(
                (*(f"in[{p}]" for p in ports if not grid.handed), "out[0]")
                if draft.buffers is Buffers.SINGLE
                else ()
            ),
            *((table_role(grid.in_ports),) if table else ()),
        ),
    }


def _constants(draft: AieLayerDraft, grid: ChainGrid) -> tuple[Constant, ...]:
    need, make = grid.need, grid.make
    trip = grid.taps[1] * grid.step_blocks * BLOCK * grid.positions * BLOCK
    step = trip * sum(grid.trips(p) for p in range(len(grid.in_blocks)))
    found = [
        Constant("kBlockSteps", grid.block_steps, f"{grid.tile_m} channels / {grid.step_blocks * BLOCK}"),
        Constant("kRowSteps", grid.row_steps, f"{grid.band_rows * grid.fold} rows / {grid.step_rows}"),
        Constant("kColSteps", grid.col_steps, f"{grid.out_size[1] * grid.fold} columns / {PIXELS}"),
        Constant("kStepRows", grid.step_rows, "rows of pixels in flight"),
        Constant("kStepBlocks", grid.step_blocks, "blocks of 8 output channels in flight"),
        Constant("kStepPixels", PIXEL_VECTOR, f"{PIXELS} pixels x {BLOCK}"),
        Constant("kPitch", need.cols * BLOCK, f"{need.cols} columns x {BLOCK}: a row of a block"),
        Constant("kWeightsOfTrip", trip, "of one kernel row and block"),
        Constant("kWeightsOfStep", step, "of all of them"),
        Constant("kOutRows", grid.step_rows // grid.fold, "rows that a step stores"),
        Constant("kOutBlocks", make.blocks, "blocks of 8 channels of the output"),
        Constant("kOutPitch", make.cols * BLOCK, f"{make.cols} columns x {BLOCK}"),
        Constant("kOutPixels", PIXEL_VECTOR // grid.fold, f"{PIXELS // grid.fold} pixels x {BLOCK}"),
    ]
    for p, blocks in enumerate(grid.in_blocks):
        found.append(Constant(f"kBlocks{p}", blocks, "blocks of 8 channels of the input"))
        found.append(Constant(f"kTrips{p}", grid.trips(p), f"{grid.taps[0]} kernel rows x {blocks} blocks"))
    return (*found, *requant_constants(draft.requant, draft.dtype, narrow=True))


def _outputs(grid: ChainGrid) -> Iterator[tuple[int, int]]:
    """Yield (block and half, position) of each mmul of a row, in the order of its weights."""
    return ((i, p) for i in range(grid.step_blocks * grid.halves) for p in range(grid.positions))


def _sums(grid: ChainGrid, draft: AieLayerDraft) -> Iterator[str]:
    """Yield the mmuls in flight, each with what its sums begin with."""
    shift = ", kBiasShift" if draft.requant and draft.requant.bias_shift else ""
    for r in range(grid.step_rows):
        for i, p in _outputs(grid):
            yield f"Mmul c{r}_{i}_{p}(start{i}{shift});"


def _port(grid: ChainGrid, port: int) -> View:
    vectors, short = row_loads(grid.taps[1], grid.element_bytes)
    pixels = []
    for r in range(grid.step_rows):
        for v in range(vectors):
            offset = f" + {v * PIXEL_VECTOR}" if v else ""
            load = f"aie::load_v<{PIXEL_VECTOR}>(a{port}_{r}{offset})"
            if short and v == vectors - 1:  # the last columns that the kernel sees are half a vector
                load = f"aie::load_v<{PIXEL_VECTOR // 2}>(a{port}_{r}{offset}).grow<{PIXEL_VECTOR}>()"
            pixels.append(f"const auto v{r}_{v} = {load};")
    need = grid.need
    return View(
        number=port,
        rows=tuple(range(grid.step_rows)),  # of pixels in flight
        pixels=tuple(pixels),
        elements=grid.port_elements(port),
        note=f"{need.rows} rows x {plural(grid.in_blocks[port], 'block')} x {need.cols} columns x {BLOCK}",
    )


def _tap(grid: ChainGrid, tap: int) -> View:
    vector, shift = divmod(tap, PIXELS)
    size = BLOCK * grid.mmul[2]
    shifts = []
    for r in range(grid.step_rows):
        if shift:
            source = f"v{r}_{vector}, v{r}_{vector + 1}, {shift * BLOCK}"
            shifts.append(f"const auto p{r}_{tap} = aie::shuffle_down_fill({source});")
    outputs = list(_outputs(grid))
    mmuls = []
    for number, (i, p) in enumerate(outputs):
        name = f"w{tap}_{i}_{p}"
        macs = tuple(
            f"c{r}_{i}_{p}.mac({f'p{r}_{tap}' if shift else f'v{r}_{vector}'}, {name})"
            for r in range(grid.step_rows)
        )
        mmuls.append(View(weights=name, offset=(tap * len(outputs) + number) * size, macs=macs))
    return View(shifts=tuple(shifts), mmuls=tuple(mmuls))


def _results(grid: ChainGrid, draft: AieLayerDraft) -> Iterator[str]:
    """Yield the statements from sums to what is stored: take the largest, scale back, put halves together, bound.

    Integers are compared before they are scaled, which is dearer and changes no order, unless they wrap.
    """
    rows, outputs = range(grid.step_rows), range(grid.step_blocks * grid.halves)
    kept = tuple(itertools.product(rows[:: grid.fold], outputs))
    early = draft.requant is not None and not draft.requant.wrap
    for r, i in kept:
        sums = [f"c{r + f}_{i}_{p}" for f in range(grid.fold) for p in range(grid.positions)]
        if early:
            yield from _folded(f"Sums s{r}_{i}", [f"{c}.to_vector<{SUM_TYPE}>()" for c in sums])
            yield f"const Elements e{r}_{i} = scaled_back(Mmul(s{r}_{i}), row{i});"
        else:
            yield from _folded(f"Elements e{r}_{i}", [f"scaled_back({c}, row{i})" for c in sums])
    for r in rows[:: grid.fold]:
        for b in range(grid.step_blocks):
            yield from _block_results(grid, draft.dtype.cpp, r, b)


def _folded(variable: str, values: list[str]) -> Iterator[str]:
    """Yield the statements that make a variable the largest of some values."""
    name = variable.rsplit(maxsplit=1)[-1]
    yield f"{variable} = {values[0]};"
    for value in values[1:]:
        yield f"{name} = aie::max({name}, {value});"


def _block_results(grid: ChainGrid, element: str, r: int, b: int) -> Iterator[str]:
    whole = f"e{r}_{b}"
    if grid.halves > 1:
        yield (f"const auto z{r}_{b} = aie::interleave_zip(e{r}_{2 * b}, e{r}_{2 * b + 1}, {grid.mmul[2]});")
        whole = f"aie::concat(z{r}_{b}.first, z{r}_{b}.second)"
    lanes = PIXEL_VECTOR
    yield f"const aie::vector<{element}, {lanes}> q{r}_{b} = {whole};"
    value = f"q{r}_{b}"
    if grid.fold > 1:
        lanes //= grid.fold
        value = f"aie::max(aie::filter_even(q{r}_{b}, {BLOCK}), aie::filter_odd(q{r}_{b}, {BLOCK}))"
    yield f"aie::vector<{element}, {lanes}> y{r}_{b} = {value};"
    yield from bounded(grid, f"y{r}_{b}", element, lanes)


def bounded(grid: BlockGrid, name: str, element: str, lanes: int) -> Iterator[str]:
    """Yield the statements that keep a vector of results within the bounds of a fused layer."""
    for bound, function in ((grid.low, "max"), (grid.high, "min")):
        if bound is not None:
            limit = f"aie::broadcast<{element}, {lanes}>({element}({float_literal(bound)}))"
            yield f"{name} = aie::{function}({name}, {limit});"


def _stores(grid: ChainGrid) -> Iterator[View]:
    for r in range(0, grid.step_rows, grid.fold):
        for b in range(grid.step_blocks):
            yield View(row=r // grid.fold, block=b, value=f"y{r}_{b}")


def chained_weights(layer: AieLayerPlan, params: Parameters) -> tuple[Tensor, Tensor]:
    """Return each part's weights and rows as its cores read them."""
    grid = cast(ChainGrid, layer.grid)
    sizes = grid.m, grid.window.channels, *grid.window.kernel
    weight = stored(weight_matrix(params["weight"], grid.k), layer.draft.dtype).reshape(sizes)
    ports = [grid.port_weights(p).gather(weight) for p in range(grid.in_ports)]
    steps = [p.reshape(grid.parts, grid.block_steps, -1) for p in ports]
    pixel, j = index("pixel", PIXELS), index("j", grid.mmul[2])
    return np.concatenate(steps, axis=2).reshape(grid.parts, -1), packed_rows(layer, params, j, (pixel, j))


def _rows_note(grid: ChainGrid) -> str:
    """Return a comment on the rows."""
    return f"for each {grid.mmul[2]} channels their bias and what scales sums back, each for {PIXELS} pixels"
