"""Layers that hand on to each other's cores without the PL between: their cut, and the buffers in memory tiles between them.

Of a buffer it is said who writes which part of it, and who reads which.

Dimensions and extents are in elements, dimension 0 is contiguous; see adf::tiling_parameters [UG1603].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from aieloom.layout.expression import Constant, Expression, index
from aieloom.layout.grid import TileGrid
from aieloom.layout.nest import Axis, Layout
from aieloom.pl.streams import TiledStreams
from aieloom.spec.device import Tile
from aieloom.spec.types import DataType


class LinkedGrid(TileGrid):
    """What the planner asks of such a cut, whatever lies between the layers; its fields are those of the strategy's grid."""

    entry: TiledStreams | None  # the first layer's input from the PL
    exit: TiledStreams | None  # the last layer's output to the PL
    handed: bool  # its core reads in the memory beside it what the core before it wrote there
    hands: bool  # the layer behind it is handed its results like that

    @property
    def counting_macs(self) -> int:
        """Products of the layer itself that its cores compute."""
        raise NotImplementedError

    @property
    def executed_macs(self) -> int:
        """Products that its cores execute, with all that fills up."""
        raise NotImplementedError

    def entered_as(self, first: LinkedGrid) -> LinkedGrid:
        """Return the cut with the input of the first of its layers."""
        raise NotImplementedError


ENTRY, EXIT = "plio_in", "plio_out"  # what stands for a PLIO where a core could


@dataclass(frozen=True, slots=True, kw_only=True)
class Traversal:
    """One loop of a tile traversal."""

    dimension: int
    stride: int
    wrap: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """One port of a buffer: the cores that it serves, and how it walks."""

    layer: str  # whose cores, or PLIO
    kernels: tuple[int, ...]  # numbers of the layer's kernels; of ENTRY and EXIT none
    port: int  # of these kernels
    tile: tuple[int, ...]
    offset: tuple[int, ...]
    traversal: tuple[Traversal, ...] = ()
    boundary: tuple[int, ...] = ()  # extents beyond which zeros are read

    @property
    def elements(self) -> int:
        """Elements that pass in one round."""
        return math.prod(self.tile) * math.prod(t.wrap for t in self.traversal)

    def layout(self, dimensions: Sequence[int]) -> Layout:
        """Return the order in which it walks a buffer of these dimensions, zeros beyond the boundary as padding."""
        within = [index(f"tile_{d}", extent) for d, extent in enumerate(self.tile)]
        moves = [index(f"move_{i}", t.wrap) for i, t in enumerate(self.traversal)]
        places: list[Expression] = [i + first for i, first in zip(within, self.offset, strict=True)]
        for move, t in zip(moves, self.traversal, strict=True):
            places[t.dimension] = places[t.dimension] + move * t.stride
        axes = [
            Axis(f"at_{d}", place, Constant(n))
            for d, (place, n) in enumerate(zip(places, dimensions, strict=True))
        ]
        limits = [
            Axis(f"in_{d}", place, Constant(n))
            for d, (place, n) in enumerate(zip(places, self.boundary, strict=False))
        ]
        return Layout((*reversed(moves), *reversed(within)), tuple(reversed(axes)), tuple(reversed(limits)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedBuffer:
    """A buffer in a memory tile, `copies` of it taking turns."""

    name: str
    dtype: DataType
    dimensions: tuple[int, ...]
    writers: tuple[Access, ...]
    readers: tuple[Access, ...]
    copies: int
    before: str  # the layer that writes it, or ENTRY
    after: str  # the layer that reads it, or EXIT
    tile: Tile = (0, 0)  # column and row among the memory tiles
    offset: int = 0  # of its first copy

    @property
    def bytes(self) -> int:
        """Bytes of one copy."""
        return math.prod(self.dimensions) * self.dtype.bytes

    @property
    def layer(self) -> str:
        """The layer to which a report counts it: the one that reads it, or the last one."""
        return self.before if self.after == EXIT else self.after
