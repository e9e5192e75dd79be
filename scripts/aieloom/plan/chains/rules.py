"""Design rules of memory tiles: bytes, channels, buffer descriptors, locks, address dimensions, 32-bit words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from aieloom.plan.chains.shared import Access, SharedBuffer
from aieloom.plan.finding import Finding, Rule
from aieloom.plan.route import SHIM_ROW, Net
from aieloom.plan.types import Plan
from aieloom.spec.device import Tile
from aieloom.spec.lines import KeyPath

WORD_BYTES = 4
LOCKS_PER_COPY = 2  # semaphores: free and full [AM020]
PADDING_WORDS = 63  # of dimension 0 before or after, 6 bits [AM029, unconfirmed]
REMEDY = (
    "use fewer cores: or bands: on the layers beside it, or end the chain there with strategy: im2col_gemm"
)


def memory_tiles(plan: Plan) -> Iterator[Finding]:
    """memtile-1, memtile-2, memtile-3, memtile-4: what the buffers of each memory tile take together."""
    facts = plan.device.memory_tile
    at = _places(plan)
    groups: dict[Tile, list[SharedBuffer]] = defaultdict(list)
    for buffer in plan.buffers:
        groups[buffer.tile].append(buffer)
    for tile, buffers in groups.items():
        assert facts is not None, "no strategy makes such buffers for devices without memory tiles"
        writers = sum(len(b.writers) for b in buffers)
        readers = sum(len(b.readers) for b in buffers)
        copies = sum((len(b.writers) + len(b.readers)) * b.copies for b in buffers)
        for rule, what, used, limit in (
            (
                "memtile-1",
                "bytes of a memory tile",
                sum(b.copies * b.bytes for b in buffers),
                facts.memory_bytes,
            ),
            ("memtile-2", "S2MM channels of a memory tile", writers, facts.s2mm_channels),
            ("memtile-2", "MM2S channels of a memory tile", readers, facts.mm2s_channels),
            ("memtile-3", "buffer descriptors of a memory tile", copies, facts.buffer_descriptors),
            (
                "memtile-4",
                "locks of a memory tile",
                sum(b.copies * LOCKS_PER_COPY for b in buffers),
                facts.locks,
            ),
        ):
            where = f"{' and '.join(b.name for b in buffers)} in memory tile {tile}"
            yield Finding(
                rule=rule,
                what=what,
                used=used,
                limit=limit,
                where=where,
                at=at[buffers[0].layer],
                remedy=REMEDY,
            )


def accesses(plan: Plan) -> Iterator[Finding]:
    """memtile-5, memtile-6: address dimensions and whole 32-bit words of every access, and zeros that a descriptor can add."""
    facts, at = plan.device.memory_tile, _places(plan)
    for buffer in plan.buffers:
        for access in (*buffer.writers, *buffer.readers):
            assert facts is not None, "no strategy makes such buffers for devices without memory tiles"
            size = buffer.dtype.bytes
            parts = [
                access.tile[0],
                access.offset[0],
                *(t.stride for t in access.traversal if t.dimension == 0),
            ]
            common = {"where": f"{buffer.name} and {access.layer}", "at": at[buffer.layer], "remedy": REMEDY}
            yield Finding(
                rule="memtile-5",
                what="address dimensions of a memory tile's DMA",
                used=sum(n > 1 for n in (*access.tile, *(t.wrap for t in access.traversal))),
                limit=facts.address_dimensions,
                **common,  # type: ignore[arg-type]
            )
            yield Finding(
                rule="memtile-6",
                what=f"extents of no whole {WORD_BYTES}-byte words, or with more than {PADDING_WORDS} words of zeros",
                used=sum(n * size % WORD_BYTES != 0 for n in parts)
                + (_padding(access, size) > PADDING_WORDS),
                limit=0,
                **common,  # type: ignore[arg-type]
            )


def shared_nets(plan: Plan) -> list[Net]:
    """Return the streams between cores and memory tiles, for the routing: memory tiles stand where the interface does."""
    tiles = {la.name: [k.tile for k in la.kernels] for la in plan.all_aie}
    nets = []
    for b in plan.buffers:
        at = (b.tile[0], SHIM_ROW)
        for i, access in enumerate(b.writers):
            nets += [Net(f"{b.name} in {i}", tiles[access.layer][k], (at,)) for k in access.kernels]
        for i, access in enumerate(b.readers):
            if access.kernels:
                cores = tuple(tiles[access.layer][k] for k in access.kernels)
                nets.append(Net(f"{b.name} out {i}", at, cores))
    return nets


def _padding(access: Access, size: int) -> int:
    """Return the words of zeros before or after a run, whichever are more."""
    if not access.boundary:
        return 0
    before = max(0, -access.offset[0])
    after = max(0, access.offset[0] + access.tile[0] - access.boundary[0])
    return max(before, after) * size // WORD_BYTES


def _places(plan: Plan) -> dict[str, KeyPath]:
    return {la.name: la.draft.at for la in plan.all_aie}


MEMORY_TILE_RULES: tuple[Rule, ...] = (memory_tiles, accesses)
