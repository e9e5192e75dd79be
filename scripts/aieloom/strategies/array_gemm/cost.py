"""What a cut costs: the calibrated model of one core's product, its streams, the movers. See docs/cost-model.md.

The core's time is that of the model for every published array product (`gemm.block` or `gemm.flat_block`, `gemm.iteration`,
`array.exchange` of cost/parameters.yaml). Reading sums from the cascade comes on top on AIE, where the published arrays
add by other cores; on AIE-ML the published array has cascades itself (GAMA), so that `array.exchange` contains it.
"""

from __future__ import annotations

from functools import lru_cache

from aieloom.cost.kernels import FLAT_BLOCK, depth_nest, gemm_kernel, turn_cycles
from aieloom.cost.loops import paired_loads
from aieloom.cost.machine import access_count, cascade_cycles, plio_cycles
from aieloom.cost.parameters import load_parameters
from aieloom.hardware.mmul import MmulMode, Shape
from aieloom.plan.gemm import blocking, find_mode, gemm_of, program_bytes, tile_product
from aieloom.plan.memory import conflict_share
from aieloom.spec.architecture import Architecture
from aieloom.spec.device import Device
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.grid import ArrayGrid
from aieloom.strategies.array_gemm.memory import CoreMemory
from aieloom.strategies.array_gemm.types import Request

MEASURED_WITH_CASCADES = (Architecture.AIE_ML,)
# of the movers: a quarter of the array's clock, at which 128 bits fill an array stream [UG1079]
CLOCK_MHZ = 312.5


@lru_cache(maxsize=100_000)
def is_flattened(device: Device, tile: Shape, mode: MmulMode, dtype: DataType) -> bool:
    """Tell whether a kernel's loop over K is flattened and the one over its register blocks pipelined [UG1079, UG1603].

    So are the public kernels of int8 on AIE (MaxEVA) and all on AIE-ML (XD100) that the model is calibrated on; those of
    float32 are not. Where the code would not fit, or there is one block only, the loop over K is pipelined instead.
    """
    published_so = device.architecture.costs is Architecture.AIE_ML or dtype is DataType.INT8
    block, (m, k, n) = blocking(tile, mode), mode.shape
    blocks = tile[0] // m // block.rows * (tile[2] // n // block.cols)
    fits = program_bytes(block, mode, steps=tile[1] // k) <= device.tile.program_bytes
    return published_so and blocks > 1 and fits


@lru_cache(maxsize=100_000)
def pass_cycles(device: Device, tile: Shape, mode: MmulMode, dtype: DataType, *, cascade: bool) -> int:
    """Return the cycles of a core between two passes: product, cascade, locks, meeting of the broadcasts."""
    p, arch = load_parameters(), device.architecture.costs
    gemm = tile_product(tile, blocking(tile, mode), mode, dtype)
    flat = is_flattened(device, tile, mode, dtype)
    # which on AIE-ML is of flattened code
    code = FLAT_BLOCK if flat and arch is Architecture.AIE else "gemm.block"
    kernel = gemm_kernel(p, arch.value, gemm, code, turn=0.0 if flat else turn_cycles(arch.value))
    links = 0.0
    if cascade and arch not in MEASURED_WITH_CASCADES:
        links = cascade_cycles(tile[0] * tile[2], accumulator_bits=mode.accumulator_bits, arch=arch.value)
    return round(
        kernel.cycles
        - kernel.call
        + p[f"gemm.iteration.{arch.value}"]
        + p[f"array.exchange.{arch.value}"]
        + links
    )


def conflict_cycles(device: Device, cut: ArrayGrid, dtype: DataType, memory: CoreMemory) -> int:
    """Return the cycles of a pass in which both load units want one bank."""
    mode = find_mode(device, dtype, cut.mmul)
    pairs = paired_loads(depth_nest(gemm_of(cut, mode, dtype)))
    return round(pairs * conflict_share(device, memory.needs, memory.places))


def finish_cycles(cut: ArrayGrid, request: Request) -> int:
    """Return the cycles of narrowing sums that waited between passes: a load, a shift and a store of each vector."""
    if cut.times[1] == 1 or request.out is request.sums:
        return 0
    return 3 * access_count(cut.elements[2], request.sums.bytes)


def stream_cycles(device: Device, request: Request, cut: ArrayGrid, bits: int) -> tuple[float, float]:
    """Return the cycles of a tile's inputs (A and B side by side) and of its result on their streams."""
    a, b, c = cut.elements

    def cycles(size: int) -> float:
        return plio_cycles(size, bits=bits, pl_mhz=CLOCK_MHZ, aie_mhz=device.clocks.aie_mhz)

    return cycles(max(a * request.dtype.bytes + request.tail_bytes, b * request.dtype.bytes)), cycles(
        c * request.out.bytes
    )


def block_cycles(device: Device, request: Request, cut: ArrayGrid, bits: int, conflicts: int = 0) -> float:
    """Return the cycles between two blocks of C in the steady state; `conflicts` of each pass are between banks."""
    mode = find_mode(device, request.dtype, cut.mmul)
    work = pass_cycles(device, cut.tile, mode, request.dtype, cascade=cut.grid[1] > 1) + conflicts
    fill, drain = stream_cycles(device, request, cut, bits)
    passes = cut.times[1]
    busy = passes * max(work, fill) + finish_cycles(cut, request)
    return max(busy, drain) if cut.results > 1 else busy + drain


def side_by_side(device: Device, streams: int, bits: int) -> int:
    """Return how many stream words a memory word has: a power of two, as ports of HLS are wide [UG1399], at most the port's.

    Where it does not divide the streams, the last memory word for a word of each has zeros for the streams that are missing.
    """
    most = max(1, device.platform.axi_max_bits // bits)
    return min(most, 1 << (streams - 1).bit_length())


def mover_cycles(device: Device, request: Request, cut: ArrayGrid, bits: int) -> tuple[int, int, int]:
    """Return PL cycles in which one port for each would carry a pass of A, a pass of B, a block of C: cuts are compared so."""
    a, b, c = (
        elements * dtype.bytes * 8 // bits * -(-streams // side_by_side(device, streams, bits))
        for elements, dtype, streams in zip(cut.elements, request.types, cut.port_streams, strict=True)
    )
    return a, b, c
