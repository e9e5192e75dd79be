"""What the templates of chained layers print: flat values, taken from the plan."""

from __future__ import annotations

from typing import cast

import numpy as np

from aieloom.cpp_text import Constant, View
from aieloom.layout.expression import index
from aieloom.network.elements import stored
from aieloom.network.layers import Parameters, Tensor, weight_matrix
from aieloom.plan.scaling_code import rows_label
from aieloom.plan.types import AieLayerDraft, AieLayerPlan
from aieloom.plan.weights import FEEDER_STACK_BYTES, table_role
from aieloom.products.requant import requant_constants
from aieloom.products.view import product_view
from aieloom.products.weights import packed_rows
from aieloom.schedule.loops import source_of
from aieloom.spec.types import Buffers
from aieloom.strategies.chained.cycles import ChainedCode, chained_code
from aieloom.strategies.chained.grid import BLOCK, PIXELS, ChainGrid
from aieloom.words import plural

PIXEL_VECTOR = PIXELS * BLOCK
FED_WORDS = 4  # that a feeder reads at once


def chained_view(layer: AieLayerPlan, grid: ChainGrid, params: Parameters) -> View:
    """Return what the templates of a layer print."""
    view = product_view(layer, chained_weights(layer, params), note=_rows_note(grid))
    return view.but(**_fields(layer, grid))


def _fields(layer: AieLayerPlan, grid: ChainGrid) -> dict[str, object]:
    """Return what the templates of a chained kernel print beside what all GEMM kernels have."""
    draft = layer.draft
    code = chained_code(grid, draft.requant)
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
        "in_ports": tuple(_port(grid, p, code) for p in ports),
        "starts": range(grid.step_blocks * grid.halves),  # sums begin with so many vectors of biases
        "sums_in_flight": source_of(code.start, code.machine),
        "results": source_of(code.end, code.machine),
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


def _port(grid: ChainGrid, port: int, code: ChainedCode) -> View:
    need = grid.need
    return View(
        number=port,
        rows=tuple(range(grid.step_rows)),  # of pixels in flight
        trip=source_of(lambda written: code.trip(written, port), code.machine),
        elements=grid.port_elements(port),
        note=f"{need.rows} rows x {plural(grid.in_blocks[port], 'block')} x {need.cols} columns x {BLOCK}",
    )


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
