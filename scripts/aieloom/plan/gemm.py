"""Cutting a matrix product over cores: which tiles are legal, what they cost, what is near.

Register blocking: a kernel keeps 2 x 2 mmul blocks in flight where the tile and the registers allow it, so that two
loads of A and two of B feed four mac() calls: the documented standard form (aie_api reference, mmul example), which
keeps the two load units below the vector unit's issue rate. Float sums of AIE lie in the vector registers, which hold two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from aieloom.cost.kernels import Gemm
from aieloom.cost.machine import Shape as MmulShape
from aieloom.errors import CannotFit
from aieloom.hardware.mmul import MmulMode, Shape, mmul_modes
from aieloom.layout.grid import TileGrid
from aieloom.spec.architecture import Architecture
from aieloom.spec.device import Device
from aieloom.spec.network import NetworkSpec
from aieloom.spec.types import DataType

INSTRUCTION_BYTES = 16  # one VLIW bundle [UG1079: 16 KB = 1024 x 128 bits]
BASE_PROGRAM_BYTES = 2048  # main, locks, call (2 to 8 KB in all is typical for such kernels [U])
UNROLLED_COPIES = 4  # loop body, prologue and epilogue of software pipelining


class IllegalTile(Exception):
    """A tiling that the kernel or the API cannot have: which rule, what, and the nearest legal choices."""

    def __init__(self, rule: str, key: str, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.rule = rule
        self.key = key
        self.problem = problem
        self.remedy = remedy

    def of_layer(self, spec: NetworkSpec, layer: str) -> CannotFit:
        """Return the refusal of a layer's mapping, with its place in network.yaml."""
        text = f"layer '{layer}': {self.problem}"
        return CannotFit(spec.source.problem(self.rule, spec.at_mapping(layer, self.key), text, self.remedy))


BLOCK = 2  # mmul blocks in flight along M and along N


@dataclass(frozen=True, slots=True)
class Blocking:
    """mmul blocks in flight along M and N."""

    rows: int
    cols: int

    @property
    def counts(self) -> tuple[int, int]:
        """Both."""
        return self.rows, self.cols


def blocking(tile: Shape, mode: MmulMode) -> Blocking:
    """Return the register blocking of a tile: 2 where the number of blocks is even and the registers hold them, else 1.

    Where they hold no four blocks of C, of two blocks beside each other those that load less.
    """
    m, _, n = mode.shape
    row_counts, col_counts = ((1, BLOCK) if tile[i] // mode.shape[i] % BLOCK == 0 else (1,) for i in (0, 2))

    def merit(block: tuple[int, int]) -> tuple[int, int]:
        rows, cols = block
        return rows * cols, -max(rows * m, cols * n)  # blocks, then what the busier load unit loads

    return Blocking(*max((b for b in product(row_counts, col_counts) if mode.fits(*b)), key=merit))


def blocking_of(grid: TileGrid) -> Blocking:
    """Return the register blocking of a grid's tile."""
    return Blocking(*grid.block)


# Elements of a block of C: 8-bit vectors have at least 16 elements, vectors of 32-bit numbers at most 32 [aie_api].
NARROW_BLOCK = (16, 32)


def usable_modes(architecture: Architecture, dtype: DataType) -> tuple[MmulMode, ...]:
    """Return the architecture's mmul shapes for `dtype` whose results can be scaled back and stored."""
    modes = mmul_modes(architecture, dtype, dtype)
    if dtype is DataType.FLOAT32:
        return modes
    low, high = NARROW_BLOCK
    if dtype is DataType.INT16:  # 32 bits would hold the sum of two products
        modes = tuple(m for m in modes if m.accumulator != "acc32")
    return tuple(m for m in modes if low <= m.shape[0] * m.shape[2] <= high)


def find_mode(device: Device, dtype: DataType, mmul: Shape) -> MmulMode:
    """Return the architecture's mmul of this shape.

    Raises:
        IllegalTile: it has none; the legal ones are named.
    """
    modes = usable_modes(device.architecture, dtype)
    for mode in modes:
        if mode.shape == mmul:
            return mode
    arch = device.architecture.value
    if not modes:
        raise IllegalTile(
            "gemm-1", "mmul", f"{arch} multiplies no {dtype.value} matrices", "use another dtype or target"
        )
    legal = ", ".join(str(list(m.shape)) for m in modes)
    text = f"{arch} has no aie::mmul of shape {list(mmul)} for {dtype.value}"
    raise IllegalTile("gemm-1", "mmul", text, f"use one of: {legal}")


def check_tile(size: Shape, tile: Shape, mmul: Shape, block: str = "the mmul's {}") -> None:
    """Refuse a tile that mmul blocks do not fill, or that is larger than the whole matrix; `block` says what {} are.

    Raises:
        IllegalTile: with the nearest legal values of all dimensions that offend.
    """
    whys: list[str] = []
    below, above = [*tile], [*tile]
    for i, axis in enumerate("MKN"):
        whole = round_up(size[i], mmul[i])
        if tile[i] % mmul[i]:
            whys.append(f"{axis} = {tile[i]} is no multiple of {block.format(mmul[i])}")
        elif tile[i] > whole:
            whys.append(f"{axis} = {tile[i]} is more than the whole {axis} = {size[i]}")
        else:
            continue
        low = max(mmul[i], tile[i] // mmul[i] * mmul[i])
        below[i], above[i] = min(low, whole), min(low + mmul[i], whole)
    if whys:
        nearest = " or ".join(dict.fromkeys(map(str, (below, above))))
        raise IllegalTile("gemm-2", "tile", f"tile {list(tile)}: {', '.join(whys)}", f"use {nearest}")


def round_up(value: int, to: int) -> int:
    """Return the smallest multiple of `to` that is not below `value`."""
    return -(-value // to) * to


def gemm_of(grid: TileGrid, mode: MmulMode, dtype: DataType) -> Gemm:
    """Return what one kernel call multiplies in one pass, as the cost model takes it."""
    return tile_product(grid.tile, blocking_of(grid), mode, dtype)


def tile_product(tile: Shape, block: Blocking, mode: MmulMode, dtype: DataType) -> Gemm:
    """Return the product of a core's tiles with so many mmul blocks in flight, as the cost model takes it."""
    (tile_m, tile_k, tile_n), (m, k, n) = tile, mode.shape
    return Gemm(
        m=tile_m,
        k=tile_k,
        n=tile_n,
        shape=MmulShape(m=m, k=k, n=n, issue=mode.issue_cycles),
        rows=block.rows,
        cols=block.cols,
        a_bytes=dtype.bytes,
        b_bytes=dtype.bytes,
        emulated=mode.emulated,
    )


def program_bytes(block: Blocking, mode: MmulMode, *, steps: int = 1) -> int:
    """Estimate the program memory of a kernel with such register blocks; `steps` over K where that loop is flattened."""
    instructions = mode.issue_cycles * block.rows * block.cols * steps
    return BASE_PROGRAM_BYTES + UNROLLED_COPIES * INSTRUCTION_BYTES * instructions


def divisor_like(size: int, step: int, limit: int) -> Iterator[int]:
    """Yield tile lengths worth trying for a dimension: multiples of `step` that cut `size` evenly, longest first."""
    longest = min(round_up(size, step), limit // step * step)
    for length in range(longest, 0, -step):
        count = -(-size // length)
        if round_up(-(-size // count), step) == length:  # no shorter length needs as few tiles
            yield length


def best_first(modes: Iterable[MmulMode]) -> list[MmulMode]:
    """Sort mmul modes: most MACs per issue slot, then no extra shuffles, then most reuse of what is loaded.

    Reuse is that of all blocks in flight: large blocks of which the registers hold two load as much as small ones
    of which they hold four.
    """

    def merit(mode: MmulMode) -> tuple[float, bool, float]:
        m, k, n = mode.shape
        block = blocking((BLOCK * m, k, BLOCK * n), mode)
        macs = m * k * n
        reuse = block.rows * block.cols * m * n / (block.rows * m + block.cols * n)
        return macs / mode.issue_cycles, not mode.shuffles, reuse

    return sorted(modes, key=merit, reverse=True)


def halved(whole: int, step: int) -> Iterator[int]:
    """Yield whole, whole/2, whole/4 ... rounded up to `step`: the lengths that split evenly."""
    count = 1
    while whole // count >= step:
        yield round_up(-(-whole // count), step)
        count *= 2


MULTIPLES = 64  # of the smallest length that are tried, beside the lengths that cut the matrix evenly
NAMED = 3


def nearest_tiles(tile: Shape, size: Shape, steps: Shape, legal: Callable[[Shape], bool]) -> str:
    """Name the legal tiles that differ from `tile` in one length, the nearest ones; empty when there are none.

    `size` is that of the whole matrix product, `steps` are what lengths are multiples of.
    """
    found = [(_apart(tile, other), other) for other in _others(tile, size, steps) if legal(other)]
    nearest = dict.fromkeys(t for _, t in sorted(found))
    return "nearest legal tiles: " + ", ".join(str(list(t)) for t in list(nearest)[:NAMED]) if found else ""


def _others(tile: Shape, size: Shape, steps: Shape) -> Iterator[Shape]:
    for axis, (whole, step) in enumerate(zip(size, steps, strict=True)):
        limit = round_up(whole, step)
        for length in sorted({*range(step, min(limit, MULTIPLES * step) + 1, step), *halved(limit, step)}):
            other = (*tile[:axis], length, *tile[axis + 1 :])
            if other != tile:
                yield other


def _apart(a: Shape, b: Shape) -> float:
    """Return how far two tiles are apart that differ in one length, as a share of the longer one."""
    return max(abs(x - y) / max(x, y) for x, y in zip(a, b, strict=True))
