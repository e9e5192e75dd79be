"""What a memory tile's DMA is told of an access: the loops of one buffer descriptor, as the hardware counts them.

A descriptor has four dimensions; the first three have a wrap each, the fourth runs on to the length. An iteration moves its
base each time that it is used again [AM029; UG1603 Tiling Parameters]. Zeros come before and after a run of the first three.
Steps and runs are counted in 32-bit words; tiling parameters are turned into loops as few as they are contiguous.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from aieloom.layout import dma
from aieloom.layout.dma import Dimension
from aieloom.plan.shared_buffers import Access, SharedBuffer
from aieloom.spec.device import DescriptorFacts, MemoryTileFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """The loops of an access, the fastest first; `unpadded` dimensions get zeros in ways that no loop has."""

    loops: tuple[Dimension, ...]
    unpadded: int = 0

    def iterates(self, facts: DescriptorFacts) -> bool:
        """Tell whether the slowest loop is left to the iteration."""
        return len(self.loops) > facts.dimensions

    def wrapped(self, facts: DescriptorFacts) -> tuple[Dimension, ...]:
        """Return the loops that need a wrap: all inside another or with zeros, but the last dimension's."""
        inner = self.loops[: facts.dimensions - 1]
        return tuple(loop for i, loop in enumerate(inner) if loop.padded or i < len(self.loops) - 1)


def descriptor_of(buffer: SharedBuffer, access: Access, facts: DescriptorFacts) -> Descriptor:
    """Return the loops of an access to a buffer."""
    found = dma.walk(access.layout(buffer.dimensions))
    words = dma.merged(dma.in_words(found.dimensions, buffer.dtype.bytes))
    return Descriptor(loops=tuple(dma.split(words, facts.wrap)), unpadded=found.unpadded)


def pool_need(facts: MemoryTileFacts, writers: Sequence[int], readers: Sequence[int]) -> int:
    """Return the descriptors of the fuller pool when ports, each with so many, are shared out best among the channels.

    Each pool serves every second channel of both directions.
    """
    pools = facts.descriptor_pools
    ways = [
        {sum(c) for n in _shares(len(p), channels // pools) for c in itertools.combinations(p, n)}
        for p, channels in ((writers, facts.s2mm_channels), (readers, facts.mm2s_channels))
    ]
    total = sum(writers) + sum(readers)
    return min((max(w + r, total - w - r) for w in ways[0] for r in ways[1]), default=total)


def _shares(ports: int, channels: int) -> range:
    """Return how many of the ports one pool's channels may take, so that the other's have room for the rest."""
    return range(max(0, ports - channels), min(ports, channels) + 1)
