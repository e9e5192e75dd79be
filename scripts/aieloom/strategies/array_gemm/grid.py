"""How a product of matrices is cut over the whole array and over time.

The array has X x Z chains of Y cores. Chain (x, z) computes the tile of C at row x and column z of a block of X x Z
tiles; its cores have the tiles of A and B of one part of K each, and pass their sums on. A's tile (x, part) is broadcast to
the chains of row x, B's tile (part, z) to those of column z. Blocks follow one another in time: [mi][ni], and within each
the passes over K [ki], whose sums the chain's last core adds up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from aieloom.hardware.mmul import MmulMode, Shape
from aieloom.layout.grid import TileGrid
from aieloom.pl.streams import MOST_STREAMS
from aieloom.plan.gemm import blocking


@dataclass(frozen=True, kw_only=True)
class ArrayGrid(TileGrid):
    """A TileGrid whose A is streamed too: X rows of chains take all of M block after block; `groups` is Z, `cascade` Y."""

    chain_rows: int  # X
    results: int = 2  # buffers of C in a core: with one, it leaves before the next one begins
    in_order: bool = False  # every chain adds the parts of K in the same order, wherever it stands

    @cached_property
    def parts(self) -> int:
        """Cores along M: rows of chains, whatever M is."""
        return self.chain_rows

    @property
    def grid(self) -> Shape:
        """X, Y and Z."""
        return self.chain_rows, self.cascade, self.groups

    @cached_property
    def times(self) -> Shape:
        """Blocks along M, passes over K, blocks along N."""
        return -(-self.m // (self.tile_m * self.chain_rows)), self.passes, self.rounds

    @property
    def operations(self) -> int:
        """Operations of the product itself: two for each product of elements, none for what fills up tiles."""
        return 2 * self.m * self.k * self.n

    @property
    def elements(self) -> Shape:
        """Elements of a core's tiles of A, B and C."""
        return self.tile_m * self.tile_k, self.in_elements, self.out_elements

    @property
    def port_streams(self) -> Shape:
        """Streams that carry A, B and C."""
        x, y, z = self.grid
        return x * y, y * z, x * z

    @property
    def memory_ports(self) -> int:
        """Ports to memory of the movers: a matrix has one for every so many streams."""
        return sum(-(-streams // MOST_STREAMS) for streams in self.port_streams)

    @property
    def in_streams(self) -> int:
        """Input streams: A's and B's."""
        return sum(self.port_streams[:2])

    @property
    def in_ports(self) -> int:
        """Input ports of a core: its tiles of A and of B."""
        return 2

    def on(self, grid: Shape) -> ArrayGrid:
        """Return the same tiles on X x Z chains of Y cores."""
        x, y, z = grid
        return replace(self, chain_rows=x, cascade=y, groups=z)


def array_grid(size: Shape, tile: Shape, mode: MmulMode, grid: Shape, results: int = 2) -> ArrayGrid:
    """Return a product's cut into tiles of an mmul's blocks, on X x Z chains of Y cores."""
    (m, k, n), (tile_m, tile_k, tile_n), (x, y, z) = size, tile, grid
    return ArrayGrid(
        m=m, k=k, n=n, tile_m=tile_m, tile_k=tile_k, tile_n=tile_n, mmul=mode.shape,
        groups=z, cascade=y, chain_rows=x, block=blocking(tile, mode).counts, results=results,
    )  # fmt: skip
