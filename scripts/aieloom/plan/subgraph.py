"""A subgraph: a part of the network that the device computes between one tensor from memory and one back to it.

All subgraphs of a design are kernels of one graph and loaded at once, each with data movers of its own. Those of the
first are called `mm2s` and `s2mm`, those of another one after its first layer. See plan.partition for which there are.
"""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.network.tensor import TensorType
from aieloom.pl.movers import MoverPlan
from aieloom.pl.streams import TiledStreams

MM2S, S2MM = "mm2s", "s2mm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subgraph:
    """What lies between the tensor `sends`, as the device takes it `x`, and the one that comes back, `y` of `receives`."""

    name: str  # its first layer
    sends: str  # INPUT, or a layer on the processor or of an earlier subgraph
    receives: str  # its last layer
    x: TensorType
    y: TensorType
    layers: tuple[str, ...]
    kernels: tuple[str, ...]  # its layers' on programmable logic
    mm2s: MoverPlan
    s2mm: MoverPlan
    # the first layer's streams, where its mover feeds them and no PL kernel stands between
    fed: TiledStreams | None
    plain: bool = False  # they are one, which carries images as memory holds them

    @property
    def host_im2col(self) -> TiledStreams | None:
        """The first layer's streams, when the host program tiles its input."""
        return None if self.mm2s.spread or self.plain else self.fed


def mover_names(number: int, first: str) -> tuple[str, str]:
    """Return what the movers of subgraph `number`, from 0 on, whose first layer is `first`, are called."""
    return (f"{MM2S}_{first}", f"{S2MM}_{first}") if number else (MM2S, S2MM)
