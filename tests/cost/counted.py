"""What a counting build of the emulator counted of kernels, and what the cost model says that they do."""

from __future__ import annotations

import re
from math import prod

from aieloom.cost.blocks import Loops, row_loops
from aieloom.cost.kernels import Gemm, depth_nest
from aieloom.cost.loops import Node, counts, pipelined_trips
from aieloom.emit.names import SIMULATED_IMAGES
from aieloom.hardware.mmul import MmulMode
from aieloom.plan.gemm import find_mode, gemm_of
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.spec.architecture import Architecture
from aieloom.spec.device import Device
from aieloom.spec.types import DataType
from aieloom.strategies.chained.grid import BLOCK, ChainGrid
from aieloom.strategies.chained.pool import PoolGrid
from aieloom.strategies.lanes.cost import lanes_of
from aieloom.strategies.lanes.grid import LaneGrid
from aieloom.strategies.sliding.grid import LANES, LineGrid
from tests.cost.loops import (
    Epilogue,
    chained_loops,
    chained_of,
    epilogue,
    generated_direct,
    generated_gemm,
    generated_lanes,
    generated_link,
    generated_narrow,
)

# A beat of the cascade: 384 bits on AIE (8 lanes of 48), 512 on AIE-ML (16 of 32, 8 of 64) [UG1079, UG1603].
BEAT_LANES = {
    Architecture.AIE: {"acc48": 8, "accfloat": 8},
    Architecture.AIE_ML: {"acc32": 16, "acc64": 8, "accfloat": 16},
}

COUNTING = ("AIELOOM_COUNTED",)  # the macro of a build that counts operations (core_state.h)

_LINE = re.compile(
    r"^(\w+)::run\[\d+\]: calls (\d+), vector loads (\d+), stores (\d+), multiplications (\d+) \((\d+) products\), "
    r"shuffles (\d+), stream words (\d+), cascade beats (\d+), pipelined trips (\d+)$",
    re.MULTILINE,
)


def counted(text: str) -> dict[str, tuple[int, ...]]:
    """Return calls and operations of each class of kernels; all of a class must have done the same.

    Loads, stores, multiplications, products, shuffles, stream words, cascade beats, pipelined trips.
    """
    found: dict[str, tuple[int, ...]] = {}
    for kind, *numbers in _LINE.findall(text):
        said = tuple(map(int, numbers))
        assert found.setdefault(kind, said) == said, kind
    return found


def check_counts(plan: ArrayPart, text: str) -> None:
    """Compare what the array did in a counting build with the model: all layers, all their kernels."""
    found = counted(text)
    for layer in plan.aie:
        calls = SIMULATED_IMAGES * layer.grid.rounds
        for kind, ops in modelled(layer, plan.device).items():
            assert found[kind] == (calls, *(calls * n for n in ops)), f"{layer.name}: {kind}"


def modelled(layer: AieLayerPlan, device: Device) -> dict[str, tuple[float, ...]]:
    """Return one call's operations of each class of a layer's kernels, in the order of `counted`."""
    name, grid = layer.draft.class_name, layer.grid
    if isinstance(grid, ChainGrid):
        return {f"{name}Kernel": _chained(layer, grid)}
    if isinstance(grid, PoolGrid):
        return {f"{name}Kernel": (*_pool(grid), marked(layer))}
    if isinstance(grid, LineGrid):
        nodes = generated_direct(grid)
        products = grid.passes * grid.tile_m * grid.tile_k * grid.tile_n
        start = row_loops(grid.tile_m, grid.tile_n // LANES)
        return {f"{name}Kernel": totals(nodes, products, grid.passes * marked(layer) + trips_of(start))}
    if isinstance(grid, LaneGrid):
        return {f"{name}Kernel": _lanes(layer, grid, device)}
    return _gemm(layer, device)


def totals(nodes: tuple[Node, ...], products: float, trips: float | None = None) -> tuple[float, ...]:
    """Return the operations of nodes in the order of `counted`; `trips` of marked loops are theirs, where it is None."""
    ops = counts(*nodes)
    trips = pipelined_trips(*nodes) if trips is None else trips
    return (
        ops.loads, ops.stores, ops.macs, products, ops.shuffles, ops.stream_words, ops.cascades, trips,
    )  # fmt: skip


def trips_of(loops: Loops) -> int:
    """Return how often marked loops run: those inside, or the last one that turns around them, or none where none does."""
    around = prod(loops.outer)
    return (around if max(loops.outer) > 1 else 0) if loops.flattened else sum(loops.trips) * around


def marked(layer: AieLayerPlan, kind: int = 0) -> int:
    """Return how often marked loops run in a pass of one of the layer's kinds of cores."""
    return trips_of(layer.draft.loops[kind])


def marked_in_passes(layer: AieLayerPlan) -> int:
    """Return how often marked loops run in a call that begins sums in memory, adds passes to them, and ends them."""
    size = layer.grid.size_in_blocks
    return (
        layer.grid.passes * marked(layer)
        + trips_of(row_loops(*size))
        + trips_of(row_loops(*size, unrolled=1))
    )


def _by_table(ops: tuple[float, ...], mode: MmulMode, products: int) -> tuple[float, ...]:
    """Return operations whose float32 multiplications on AIE-ML the emulator counts by the table, the model by their parts."""
    if not mode.emulated:
        return ops
    m, k, n = mode.shape
    return (*ops[:2], products // (m * k * n) * mode.issue_cycles, *ops[3:])


def _gemm(layer: AieLayerPlan, device: Device) -> dict[str, tuple[float, ...]]:
    grid, mode = layer.grid, find_mode(device, layer.draft.dtype, layer.grid.mmul)
    products = grid.passes * grid.tile_m * grid.tile_k * grid.tile_n
    return {kind: _by_table(ops, mode, products) for kind, ops in _modelled_gemm(layer, device).items()}


def _modelled_gemm(layer: AieLayerPlan, device: Device) -> dict[str, tuple[float, ...]]:
    draft, grid = layer.draft, layer.grid
    mode = find_mode(device, draft.dtype, grid.mmul)
    gemm = gemm_of(grid, mode, draft.dtype)
    macs = counts(depth_nest(gemm)).macs
    lanes = mode.shape[0] * mode.shape[2]
    end = epilogue(lanes, draft.dtype.bytes, draft.requant, device.architecture)
    scaled = end.scale_products * grid.out_elements
    products = grid.passes * gemm.m * gemm.k * gemm.n
    trips = marked(layer) if grid.passes == 1 else marked_in_passes(layer)
    if grid.cascade > 1:
        beats = -(-lanes // BEAT_LANES[device.architecture][mode.accumulator])
        links = {
            kind: (
                generated_link(gemm, end, beats, first=kind == "First", last=kind == "Last"),
                scaled * (kind == "Last"),
            )
            for kind in ("First", *(["Middle"] if grid.cascade > 2 else []), "Last")
        }
        for nodes, extra in links.values():
            assert counts(*nodes).macs - bool(extra) * _scale_macs(gemm, end) == macs
        return {
            f"{kind}Of{draft.class_name}": totals(n, products + extra, marked(layer, i))
            for i, (kind, (n, extra)) in enumerate(links.items())
        }
    if draft.dtype is DataType.FLOAT32:
        nodes = generated_gemm(gemm, grid.passes, draft.dtype.bytes)
        assert counts(*nodes).macs == grid.passes * macs
        trips = grid.passes * marked(layer) + trips_of(row_loops(*grid.size_in_blocks))
        return {f"{draft.class_name}Kernel": totals(nodes, products, trips)}
    nodes = generated_narrow(gemm, grid.passes, end)
    assert counts(*nodes).macs - _scale_macs(gemm, end) == grid.passes * macs
    return {f"{draft.class_name}Kernel": totals(nodes, products + scaled, trips)}


def _scale_macs(gemm: Gemm, end: Epilogue) -> float:
    """Return the multiplier's cycles of scaling all sums of a call back."""
    return end.scale_macs * (gemm.m // gemm.shape.m) * (gemm.n // gemm.shape.n)


def _lanes(layer: AieLayerPlan, grid: LaneGrid, device: Device) -> tuple[float, ...]:
    mode = find_mode(device, layer.draft.dtype, grid.mmul)
    draft, (m, _, n) = layer.draft, grid.mmul
    end = epilogue(m * n, draft.dtype.bytes, draft.requant, device.architecture)
    nodes = generated_lanes(lanes_of(grid, mode, draft.dtype), grid, end)
    products = grid.passes * grid.out_elements * grid.tile_k
    trips = marked(layer) if grid.passes == 1 else marked_in_passes(layer)
    made = totals(nodes, products + end.scale_products * grid.out_elements, trips)
    return _by_table(made, mode, products)


def _chained(layer: AieLayerPlan, grid: ChainGrid) -> tuple[float, ...]:
    chained = chained_of(grid, layer.draft.requant)
    m, k, n = grid.mmul
    scaled = chained.steps * chained.blocks * chained.scaled
    nodes = chained_loops(chained)
    mmuls = counts(*nodes).macs - scaled * chained.end.scale_macs
    return totals(nodes, mmuls * m * k * n + scaled * m * n * chained.end.scale_products, marked(layer))


def _pool(grid: PoolGrid) -> tuple[float, ...]:
    """Return what a pool's kernel does: loads and stores of 256 bits, and a shuffle for each column of a window but the first.

    Columns beyond a step's four pixels are loaded as whole loads. Pairs of neighbours are two halves of a vector; else every
    second pixel is kept by one shuffle more.
    """
    (rows, cols), size = grid.window.kernel, grid.element_bytes
    along, steps = grid.along, grid.band_rows * grid.col_steps * grid.blocks
    pixel = BLOCK * size
    loads = rows * (4 * pixel // 32 + -(-max(0, cols - along) * pixel // 32))
    shuffles = 2 if cols == along == 2 else cols - 1 + (along > 1)
    stores = -(-4 // along * pixel // 32)
    return (steps * loads, steps * stores, 0, 0, steps * shuffles, 0, 0)
