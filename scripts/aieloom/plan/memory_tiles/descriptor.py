"""What a memory tile's DMA is told of an access: the loops of one buffer descriptor, as the hardware counts them.

A descriptor has four dimensions; the first three have a wrap each, the fourth runs on to the length. An iteration moves its
base each time that it is used again [AM029; UG1603 Tiling Parameters]. Zeros come before and after a run of the first three.
Steps and runs are counted in 32-bit words; tiling parameters are turned into loops as few as they are contiguous.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from aieloom.plan.shared_buffers import Access, SharedBuffer
from aieloom.spec.device import DescriptorFacts, MemoryTileFacts

WORD_BYTES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A dimension: `wrap` steps of `step` words over what the buffer holds, zeros for so many steps beside."""

    wrap: int
    step: int
    before: int = 0
    after: int = 0

    @property
    def padded(self) -> bool:
        """Tell whether zeros come before or after."""
        return bool(self.before or self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """The loops of an access, the fastest first; `unpadded` dimensions get zeros in ways that no loop has."""

    loops: tuple[Loop, ...]
    unpadded: int = 0

    def iterates(self, facts: DescriptorFacts) -> bool:
        """Tell whether the slowest loop is left to the iteration."""
        return len(self.loops) > facts.dimensions

    def wrapped(self, facts: DescriptorFacts) -> tuple[Loop, ...]:
        """Return the loops that need a wrap: all inside another or with zeros, but the last dimension's."""
        inner = self.loops[: facts.dimensions - 1]
        return tuple(loop for i, loop in enumerate(inner) if loop.padded or i < len(self.loops) - 1)


def descriptor_of(buffer: SharedBuffer, access: Access, facts: DescriptorFacts) -> Descriptor:
    """Return the loops of an access to a buffer."""
    strides = [math.prod(buffer.dimensions[:d]) for d in range(len(buffer.dimensions))]
    found, unpadded = [], 0
    for dimension, extent, stride in _steps(access):
        before, after = _zeros(access, dimension)
        if (before or after) and (stride > 1 or _covering(access, dimension) > 1):
            unpadded += 1
            before = after = 0
        loop = Loop(
            wrap=extent - before - after, step=stride * strides[dimension], before=before, after=after
        )
        if loop.wrap != 1 or loop.padded or dimension == 0:
            found.append(loop)
    words = _in_words(found, buffer.dtype.bytes)
    return Descriptor(loops=tuple(_split(_merged(words), facts.wrap)), unpadded=unpadded)


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


def _steps(access: Access) -> Iterator[tuple[int, int, int]]:
    """Yield (dimension, extent, stride in elements of the dimension) of each loop, the fastest first."""
    for dimension, extent in enumerate(access.tile):
        if extent > 1 or dimension == 0 or not _covering(access, dimension):
            yield dimension, extent, 1
    for t in access.traversal:
        if t.wrap > 1:
            yield t.dimension, t.wrap, t.stride


def _covering(access: Access, dimension: int) -> int:
    return (access.tile[dimension] > 1) + sum(
        t.dimension == dimension and t.wrap > 1 for t in access.traversal
    )


def _zeros(access: Access, dimension: int) -> tuple[int, int]:
    """Return how many of a dimension's elements lie before and behind the boundary."""
    if not access.boundary:
        return 0, 0
    last = access.offset[dimension] + access.tile[dimension] - 1
    last += sum(t.stride * (t.wrap - 1) for t in access.traversal if t.dimension == dimension)
    return max(0, -access.offset[dimension]), max(0, last + 1 - access.boundary[dimension])


def _in_words(loops: Sequence[Loop], size: int) -> list[Loop]:
    """Return loops of elements as loops of words, a part of a word counted as one."""

    def words(elements: int) -> int:
        return -(-elements * size // WORD_BYTES)

    first, *others = loops
    run = replace(first, wrap=words(first.wrap), step=1, before=words(first.before), after=words(first.after))
    return [run, *(replace(loop, step=words(loop.step)) for loop in others)]


def _merged(loops: Sequence[Loop]) -> list[Loop]:
    """Return the loops with those joined that go on where the one inside them ends."""
    found: list[Loop] = []
    for loop in loops:
        inner = found[-1] if found else None
        if inner and not inner.padded and not loop.padded and loop.step == inner.step * inner.wrap:
            found[-1] = replace(inner, wrap=inner.wrap * loop.wrap)
        else:
            found.append(loop)
    if len(found) > 1 and found[0].wrap == 1 and not found[0].padded:
        del found[0]  # runs of a word
    return found


def _split(loops: Sequence[Loop], most: int) -> list[Loop]:
    """Return the loops with those of more than `most` steps in two, where they divide so; the last one runs on."""
    found: list[Loop] = []
    for loop in loops[:-1]:
        parts = [
            n for n in range(2, loop.wrap) if loop.wrap % n == 0 and loop.wrap // n <= most and n <= most
        ]
        if loop.wrap > most and not loop.padded and parts:
            inside = loop.wrap // parts[0]
            found.append(replace(loop, wrap=inside))
            found.append(Loop(wrap=parts[0], step=loop.step * inside))
        else:
            found.append(loop)
    return [*found, *loops[-1:]]
