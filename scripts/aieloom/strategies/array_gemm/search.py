"""Which cut: of all tiles that fit a core's memory and all grids that fit the array, the fastest by the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from aieloom.errors import CannotFit
from aieloom.hardware.mmul import MmulMode, Shape, no_products
from aieloom.plan.gemm import BLOCK, IllegalTile, blocking, check_tile, round_up, usable_modes
from aieloom.plan.memory import reserved_bytes
from aieloom.spec.architecture import Architecture
from aieloom.spec.device import Device
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.cost import (
    CLOCK_MHZ,
    finish_cycles,
    mover_cycles,
    pass_cycles,
    stream_cycles,
)
from aieloom.strategies.array_gemm.grid import ArrayGrid, array_grid
from aieloom.strategies.array_gemm.memory import memory_of
from aieloom.strategies.array_gemm.place import chains_in_all, columns, is_straight
from aieloom.strategies.array_gemm.types import Request

DTYPES = {  # whose products have published rows
    Architecture.AIE: (DataType.FLOAT32, DataType.INT8),
    Architecture.AIE_ML: (DataType.BFLOAT16, DataType.INT8),
}
MODES = 2  # mmul shapes that are tried: of the fastest those with the largest blocks
LENGTHS = (4, 8, 16, 24, 32, 48, 64, 96, 128)  # of a tile along M and N
# lengths, the likeliest first: what is slower than the best so far is passed over
CHAINS = (4, 5, 3, 6, 8, 2, 1)
MEMORY_SHARE = 0.02  # the array's time decides; of cuts about as fast the one with less traffic to memory
PASSES_TRIED = 3  # numbers of passes over K worth trying: the fewest that the memory allows, and a few more
PLIO_BITS = (64, 128)
FLATTEST = 4  # a tile's M and N differ by no more, unless the matrix itself is flatter
SLOWER = 1.1  # a share of the work that is slower than the best by this factor on any grid is not looked at further


def refuse(rule: str, text: str, remedy: str) -> CannotFit:
    """Return the error of a product that cannot be."""
    return CannotFit(rule=rule, text=text, remedy=remedy)


def modes(device: Device, dtype: DataType) -> list[MmulMode]:
    """Return the mmul shapes of which the registers hold the most blocks in flight, the fastest ones."""
    usable = usable_modes(device.architecture, dtype)
    most = max((_flight(m) for m in usable), default=0)
    fitting = [m for m in usable if _flight(m) == most]
    if not fitting:
        return []
    best = max(_rate(m) for m in fitting)
    fastest = [m for m in fitting if _rate(m) == best and not m.shuffles] or fitting
    return sorted(fastest, key=lambda m: (-m.shape[0] * m.shape[2], m.shape))[:MODES]


def _flight(mode: MmulMode) -> int:
    """Return how many blocks of C a large tile has in flight."""
    m, k, n = mode.shape
    block = blocking((BLOCK * m, k, BLOCK * n), mode)
    return block.rows * block.cols


def _rate(mode: MmulMode) -> float:
    m, k, n = mode.shape
    return m * k * n / mode.issue_cycles


def grids(
    device: Device, chains_m: int, chains_n: int, cascade: int, cores: int
) -> Iterator[tuple[int, int]]:
    """Yield (X, Z) for chains of so many cores: as many rows and columns of tiles as there are, and fit the array.

    First those that lie straight: a row of tiles along a row of the array, a column of tiles along its columns; more of the
    one than the array has go beside the others, where there is room. Then all that have no more chains than there are places.
    """
    rows = device.array.core_rows
    across = len(columns(device)) // cascade
    most = min(cores // cascade, chains_in_all(device, cascade))
    limit = min(chains_m, rows * across, most)
    yielded = set()
    for x in sorted({*range(1, min(rows, limit) + 1), *range(rows, limit + 1, rows), limit} - {0}):
        beside = -(-x // rows)
        z = across // beside if beside > 1 else across * (rows // x)
        z = min(z, chains_n, most // x)
        if z < 1:
            break
        yielded.add((x, _even(chains_n, z)))
    x = min(chains_m, most)
    while x > 0:
        x = _even(chains_m, x)
        yielded.add((x, _even(chains_n, min(chains_n, most // x))))
        x -= 1
    yield from sorted(yielded)


def _even(tiles_in_all: int, most: int) -> int:
    """Return how many tiles at a time, at most `most`, need as few blocks with the least of them empty."""
    return -(-tiles_in_all // -(-tiles_in_all // most))


def tiles(device: Device, request: Request, mode: MmulMode, cascade: int, results: int) -> Iterator[Shape]:
    """Yield the tiles worth trying: each length fills mmul blocks, K in as few passes as the memory allows."""
    m, k, n = mode.shape
    whole = [round_up(s, b) for s, b in zip(request.size, mode.shape, strict=True)]
    lengths = [sorted({min(round_up(v, b), w) for v in LENGTHS}) for b, w in ((m, whole[0]), (n, whole[2]))]
    for tm in reversed(lengths[0]):
        for tn in reversed(lengths[1]):
            if max(tm, tn) > FLATTEST * min(tm, tn) and min(tm, tn) < min(whole[0], whole[2]):
                continue
            fewest = _fewest_passes(
                device, request, _cut(request, (tm, k, tn), mode, (1, cascade, 1), results)
            )
            for count in range(fewest, fewest + PASSES_TRIED if fewest else 0):
                yield tm, round_up(-(-request.k // (cascade * count)), k), tn


def _fewest_passes(device: Device, request: Request, cut: ArrayGrid) -> int:
    """Return the fewest passes over K for which two tiles of A and of B have room beside C and sums; 0 for none."""
    (tm, step, tn), cascade = cut.tile, cut.grid[1]
    room = device.tile.memory_bytes - reserved_bytes(device, device.tile.default_stack_bytes)
    room -= cut.results * tm * tn * request.out.bytes
    each = 2 * (tm + tn) * request.dtype.bytes
    if round_up(-(-request.k // cascade), step) * each <= room:
        return 1
    if request.out is not request.sums:
        room -= tm * tn * request.sums.bytes
    longest = max(0, room) // each // step * step
    return max(2, -(-request.k // (cascade * longest))) if longest else 0


def _cut(request: Request, tile: Shape, mode: MmulMode, grid: Shape, results: int) -> ArrayGrid:
    return array_grid(request.size, tile, mode, grid, results)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A core's share of a product, whatever the grid: its time, and that of its streams, by their width."""

    cut: ArrayGrid  # with a grid of one chain
    passes: int
    work: float  # of all passes of a block, streams aside
    finish: int
    fill: dict[int, float]  # of one pass
    drain: dict[int, float]

    def block(self, bits: int) -> float:
        """Return the cycles between two blocks."""
        busy = max(self.work, self.passes * self.fill[bits]) + self.finish
        return max(busy, self.drain[bits]) if self.cut.results > 1 else busy + self.drain[bits]


def _part(device: Device, request: Request, cut: ArrayGrid, mode: MmulMode) -> _Part:
    passes = cut.times[1]
    work = pass_cycles(device, cut.tile, mode, request.dtype, cascade=cut.grid[1] > 1)
    streams = {
        bits: stream_cycles(device, request, cut, bits)
        for bits in PLIO_BITS
        if all(e % (bits // (8 * t.bytes)) == 0 for e, t in zip(cut.elements, request.types, strict=True))
    }
    return _Part(
        cut=cut,
        passes=passes,
        work=passes * work,
        finish=finish_cycles(cut, request),
        fill={bits: fill for bits, (fill, _) in streams.items()},
        drain={bits: drain for bits, (_, drain) in streams.items()},
    )


def _plio_bits(device: Device, part: _Part, x: int, y: int, z: int) -> int | None:
    """Return the narrowest streams that keep up with the cores, or the widest; None where the interface has too few."""
    count, face, best = len(device.plio_column_list), device.interface, None
    ins = face.room(is_input=True, registered=device.register_thresholds[-1] < CLOCK_MHZ)
    if x * z > count * device.streams.south or (x + z) * y > count * device.streams.north:
        return None
    for bits in part.fill:
        wide = bits > face.channel_bits
        rooms = (ins, face.room(is_input=False, registered=False))
        most_in, most_out = (count * (r.pairs if wide else r.channels) for r in rooms)
        if (x + z) * y <= most_in and x * z <= most_out:
            best = bits
            if part.block(bits) <= part.work + part.finish:
                break
    return best


# by grid: the rank, the cut, the streams' width
Found = dict[Shape, tuple[tuple[float, int, Shape], ArrayGrid, int]]


def candidates(device: Device, request: Request) -> list[tuple[float, ArrayGrid, int]]:
    """Return cuts with the width of their streams, the fastest first; of equals the one with fewer cores."""
    found: Found = {}
    best = float("inf")
    for mode in modes(device, request.dtype):
        for cascade in (request.grid[1],) if request.grid else CHAINS:
            for tile, results in _tiles(device, request, mode, cascade):
                part = _part(device, request, _cut(request, tile, mode, (1, cascade, 1), results), mode)
                if part.fill and _least(device, request, part) <= SLOWER * best:
                    best = _on_grids(device, request, part, found, best)
    return [
        (rank[0], cut, bits) for rank, cut, bits in sorted(found.values(), key=lambda f: (f[0], f[1].grid))
    ]


def _on_grids(device: Device, request: Request, part: _Part, found: Found, best: float) -> float:
    """Add a share's grids to `found`, but those slower than the best so far; return the best that lies straight."""
    tile, cascade = part.cut.tile, part.cut.grid[1]
    quickest = min(part.block(bits) for bits in part.fill)
    for x, z in _grids(device, request, tile, cascade):
        blocks = -(-request.m // (tile[0] * x)) * -(-request.n // (tile[2] * z))
        if blocks * quickest > SLOWER * best:
            continue
        bits = _plio_bits(device, part, x, cascade, z)
        if bits is None:
            continue
        cut = part.cut.on((x, cascade, z))
        if not (request.grid or request.told) and cut.memory_ports > (device.platform.noc_masters or inf):
            continue  # a grid that is asked for is refused with the numbers
        cycles = blocks * part.block(bits)
        rank = (round(cycles + MEMORY_SHARE * _moved(device, request, cut, bits), 3), cut.cores, tile)
        if is_straight(device, cut.grid):  # others may turn out not to be routed
            best = min(best, cycles)
        if cut.grid not in found or rank < found[cut.grid][0]:
            found[cut.grid] = rank, cut, bits
    return best


def _moved(device: Device, request: Request, cut: ArrayGrid, bits: int) -> float:
    """Return the array cycles in which the movers carry everything between memory and streams."""
    a, b, c = mover_cycles(device, request, cut, bits)
    mi, ki, ni = cut.times
    return mi * ni * max(ki * max(a, b), c) * device.clocks.aie_mhz / CLOCK_MHZ


def _least(device: Device, request: Request, part: _Part) -> float:
    """Return the cycles that no grid of this share can beat."""
    tm, _, tn = part.cut.tile
    cascade = part.cut.grid[1]
    chains = chains_in_all(device, cascade)
    if request.cores:
        chains = min(chains, request.cores // cascade)
    tiles_of_c = -(-request.m // tm) * -(-request.n // tn)
    return max(1.0, tiles_of_c / max(1, chains)) * min(part.block(bits) for bits in part.fill)


def _tiles(device: Device, request: Request, mode: MmulMode, cascade: int) -> Iterator[tuple[Shape, int]]:
    """Yield tiles with the number of buffers of C: two, and one for the tiles that need the room."""
    for results in (2, 1):
        if request.tile:
            cut = _cut(request, request.tile, mode, (1, cascade, 1), results)
            if _fills(request, mode, request.tile) and memory_of(device, request, cut):
                yield request.tile, results
        else:
            yield from ((t, results) for t in tiles(device, request, mode, cascade, results))


def _grids(device: Device, request: Request, tile: Shape, cascade: int) -> Iterator[tuple[int, int]]:
    cores = request.cores or device.array.cores
    if request.grid:
        yield request.grid[0], request.grid[2]
    elif -(-request.k // tile[1]) >= cascade:
        yield from grids(device, -(-request.m // tile[0]), -(-request.n // tile[2]), cascade, cores)


def _fills(request: Request, mode: MmulMode, tile: Shape) -> bool:
    try:
        check_tile(request.size, tile, mode.shape)
    except IllegalTile:
        return False
    return True


def check_request(device: Device, request: Request) -> None:
    """Refuse what no cut can give.

    Raises:
        CannotFit: with the numbers and what to do.
    """
    fault = no_products(device)
    if fault:
        raise refuse("arch-1", *fault)
    legal = DTYPES[device.architecture.costs]
    if request.dtype not in legal:
        names = ", ".join(t.value for t in legal)
        raise refuse(
            "matmul-1",
            f"{device.name} has no product of {request.dtype.value} matrices here",
            f"use one of: {names}",
        )
    outs = {
        DataType.INT8: (DataType.INT32, DataType.INT16, DataType.INT8),
        DataType.BFLOAT16: (DataType.FLOAT32, DataType.BFLOAT16),
    }.get(request.dtype, (DataType.FLOAT32,))
    if request.out not in outs:
        names = ", ".join(t.value for t in outs)
        text = f"{request.dtype.value} matrices give no {request.out.value}"
        raise refuse("matmul-1", text, f"use one of: {names}")
    if request.shift and (request.dtype is not DataType.INT8 or request.out is DataType.INT32):
        text = f"a shift by {request.shift} of {request.out.value} results of {request.dtype.value} matrices"
        raise refuse("matmul-1", text, "shift int8 products that leave as int16 or int8")
    if request.dtype is DataType.INT8 and request.k > MAX_INT8_K:
        text = f"K = {request.k}: sums of so many int8 products exceed 32 bits"
        raise refuse("matmul-1", text, f"use K of at most {MAX_INT8_K}")
    if request.grid:
        check_grid(device, request.grid)
    if request.tile:
        _check_tile(device, request, request.tile)


MAX_INT8_K = (1 << 31) // (128 * 128) - 1


def check_grid(device: Device, grid: Shape) -> None:
    """Refuse a grid of more chains than the array has places for, beside what another graph has of it.

    Raises:
        CannotFit: it is one.
    """
    x, y, z = grid
    most = chains_in_all(device, y)
    if x * z > most:
        text = f"a grid of {x} x {y} x {z}: {x * z} chains of {y} cores, {device.name} has places for {most} of them"
        raise refuse("matmul-2", text, "use fewer rows or columns of tiles, or leave the grid out")


def _check_tile(device: Device, request: Request, tile: Shape) -> None:
    problem = None
    for mode in modes(device, request.dtype):
        try:
            check_tile(request.size, tile, mode.shape)
        except IllegalTile as e:
            problem = problem or e
            continue
        chain = request.grid[1] if request.grid else 1
        if memory_of(device, request, _cut(request, tile, mode, (1, chain, 1), 1)):
            return
        text = f"tile {list(tile)}: its buffers do not fit a core's memory of {device.tile.memory_bytes} B"
        raise refuse("mem-1", text, "make one of M, K and N smaller")
    if problem:
        raise refuse(problem.rule, problem.problem, problem.remedy)
