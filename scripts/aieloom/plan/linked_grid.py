"""How a layer is cut that hands its results on to the next layer's cores, or takes them so, without the PL between."""

from __future__ import annotations

from aieloom.layout.grid import TileGrid
from aieloom.pl.streams import TiledStreams


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
