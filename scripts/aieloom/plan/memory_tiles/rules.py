"""Design rules of memory tiles: bytes, channels, locks, buffer descriptors and what their fields hold.

A DMA is told of an access by the loops of one buffer descriptor, as the hardware counts them. It has four dimensions; the first
three have a wrap each, the fourth runs on to the length. An iteration moves its base each time that it is used again [AM029;
UG1603 Tiling Parameters]. Zeros come before and after a run of the first three. Steps and runs are counted in 32-bit words;
tiling parameters are turned into loops as few as they are contiguous.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aieloom.layout import dma
from aieloom.layout.dma import WORD_BYTES, Dimension
from aieloom.plan.finding import Finding, Number, Rule, findings
from aieloom.plan.shared_buffers import Access, SharedBuffer
from aieloom.plan.types import ArrayPart
from aieloom.spec.device import DescriptorFacts, MemoryTileFacts, Tile
from aieloom.spec.lines import KeyPath


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


LOCKS_PER_COPY = 2  # semaphores: free and full [AM020]
REMEDY = (
    "use fewer cores: or bands: on the layers beside it, or end the chain there with strategy: im2col_gemm"
)


def memory_tiles(plan: ArrayPart) -> Iterator[Finding]:
    """memtile-1, memtile-2, memtile-3, memtile-4: what the buffers of each memory tile take together."""
    facts = plan.device.memory_tile
    at = _places(plan)
    groups: dict[Tile, list[SharedBuffer]] = defaultdict(list)
    for buffer in plan.buffers:
        groups[buffer.tile].append(buffer)
    for tile, buffers in groups.items():
        assert facts is not None, "no strategy makes such buffers for devices without memory tiles"
        written = [b.copies for b in buffers for _ in b.writers]
        read = [b.copies for b in buffers for _ in b.readers]
        descriptors = "buffer descriptors of the memory tile's even or odd channels"
        size, locks = (
            sum(b.copies * b.bytes for b in buffers),
            sum(b.copies * LOCKS_PER_COPY for b in buffers),
        )
        pool = facts.buffer_descriptors // facts.descriptor_pools
        numbers = (
            ("memtile-1", "bytes of a memory tile", size, facts.memory_bytes),
            ("memtile-2", "S2MM channels of a memory tile", len(written), facts.s2mm_channels),
            ("memtile-2", "MM2S channels of a memory tile", len(read), facts.mm2s_channels),
            ("memtile-3", descriptors, pool_need(facts, written, read), pool),
            ("memtile-4", "locks of a memory tile", locks, facts.locks),
        )
        where = f"{' and '.join(b.name for b in buffers)} in memory tile {tile}"
        yield from findings(numbers, where=where, at=at[buffers[0].layer], remedy=REMEDY)


def accesses(plan: ArrayPart) -> Iterator[Finding]:
    """memtile-5 to memtile-9: every access is one buffer descriptor, whose fields hold its loops, steps and zeros."""
    facts, at = plan.device.memory_tile, _places(plan)
    for buffer in plan.buffers:
        for access in (*buffer.writers, *buffer.readers):
            assert facts is not None, "no strategy makes such buffers for devices without memory tiles"
            found = descriptor_of(buffer, access, facts.descriptor)
            numbers = (
                _whole_words(buffer, access),
                *_loops(found, facts.descriptor),
                *_zeros(found, facts.descriptor),
            )
            where = f"{buffer.name} and {access.layer}"
            yield from findings(numbers, where=where, at=at[buffer.layer], remedy=REMEDY)


def _whole_words(buffer: SharedBuffer, access: Access) -> Number:
    size = buffer.dtype.bytes
    parts = [access.tile[0], access.offset[0], *(t.stride for t in access.traversal if t.dimension == 0)]
    wrong = sum(n * size % WORD_BYTES != 0 for n in parts)
    return "memtile-6", f"extents of no whole {WORD_BYTES}-byte words", wrong, 0


def _loops(found: Descriptor, facts: DescriptorFacts) -> Iterator[Number]:
    most = facts.dimensions + (facts.iterations > 0)
    yield "memtile-5", "address dimensions of a memory tile's DMA", len(found.loops), most
    wraps = (loop.wrap for loop in found.wrapped(facts))
    yield "memtile-7", "steps of an inner address dimension", max(wraps, default=1), facts.wrap
    if found.iterates(facts):
        yield "memtile-7", "iterations of a buffer descriptor", found.loops[-1].wrap, facts.iterations
    steps = max(loop.step for loop in found.loops)
    yield "memtile-8", f"{WORD_BYTES}-byte words of an address step", steps, facts.step_words


def _zeros(found: Descriptor, facts: DescriptorFacts) -> Iterator[Number]:
    yield "memtile-9", "dimensions whose zeros lie in no single loop", found.unpadded, 0
    for number, loop in enumerate(found.loops):
        limit = facts.padding[number] if number < len(facts.padding) else 0
        what = f"zeros before or after a run of address dimension {number}"
        yield "memtile-9", what, max(loop.before, loop.after), limit


def _places(plan: ArrayPart) -> dict[str, KeyPath]:
    return {la.name: la.draft.at for la in plan.all_aie}


MEMORY_TILE_RULES: tuple[Rule, ...] = (memory_tiles, accesses)
