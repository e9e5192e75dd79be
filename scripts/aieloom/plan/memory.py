"""Where a kernel's data lies: its own tile's memory first, then a neighbour's that its core reaches."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.spec.device import Device, Tile


@dataclass(frozen=True, slots=True)
class Address:
    """A byte in a tile's data memory, as ADF's `address(col, row, offset)`."""

    col: int
    row: int
    offset: int

    @property
    def tile(self) -> Tile:
        """The tile whose memory it is."""
        return self.col, self.row


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Data that a kernel needs in memory: `copies` blocks of `bytes` each.

    `role` is how the ADF graph calls it: `in[0]`, `out[0]`, `param[0]`, `stack`.
    """

    role: str
    label: str
    bytes: int
    copies: int = 1

    @property
    def total_bytes(self) -> int:
        """Bytes of all copies."""
        return self.bytes * self.copies


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A block's place relative to its kernel: which of its memories (0 = own tile), which byte."""

    memory: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryMap:
    """Places of a kernel's blocks, equal for all kernels of a layer; `slots[role]` has one entry per copy."""

    memories: int  # how many tiles' memories it uses
    slots: dict[str, tuple[Slot, ...]]
    used_bytes: tuple[int, ...]  # per memory, with stack, heap and the tools' share


def reserved_bytes(device: Device, stack_bytes: int) -> int:
    """Return what stack, heap and the tools' own block take of the core's tile [UG1702]."""
    return stack_bytes + device.tile.default_heap_bytes + device.tile.sync_bytes


def _align(value: int, to: int) -> int:
    return -(-value // to) * to


class _Memory:
    """One tile's memory being filled from offset 0 upwards, block starts preferring a fresh bank."""

    def __init__(self, device: Device, limit: int) -> None:
        self.device = device
        self.limit = limit
        self.end = 0

    def offset_for(self, size: int, *, fresh_bank: bool) -> int | None:
        """Return where `size` bytes go, or None. Blocks read in the same cycle want banks of their own."""
        bank = _align(self.end, self.device.tile.bank_bytes)
        packed = _align(self.end, self.device.tile.buffer_alignment_bytes)
        for start in (bank, packed) if fresh_bank else (packed,):
            if start + size <= self.limit:
                return start
        return None


def arrange(device: Device, needs: tuple[Need, ...], *, stack_bytes: int, memories: int) -> MemoryMap | None:
    """Place `needs` in at most `memories` tile memories, in the order given; None when they do not fit.

    The first need that no longer fits opens the next memory. A block lies wholly in one memory [UG1079].
    With banks of their own for the large blocks nothing may fit that fits packed, so packing is tried next.
    """
    own = device.tile.memory_bytes - reserved_bytes(device, stack_bytes)
    for fresh_bank in (True, False):
        spaces = [_Memory(device, own)] + [
            _Memory(device, device.tile.memory_bytes) for _ in range(memories - 1)
        ]
        slots = _fill(spaces, needs, fresh_bank)
        if slots is None:
            continue
        used = [s.end for s in spaces]
        used[0] = device.tile.memory_bytes - own + used[0]
        count = max((s.memory for placed in slots.values() for s in placed), default=0) + 1
        slots["stack"] = (Slot(memory=0, offset=own),)
        return MemoryMap(memories=count, slots=slots, used_bytes=tuple(used[:count]))
    return None


def arrange_beside(
    device: Device, needs: tuple[Need, ...], beside: Need, *, stack_bytes: int
) -> MemoryMap | None:
    """Place `needs` in the core's own memory and `beside` in a neighbour's, whose DMA then fills it; None when they do not fit.

    A tile's DMA has two channels that write memory (S2MM), a core's third buffer takes one of another tile [AM020].
    """
    own = arrange(device, needs, stack_bytes=stack_bytes, memories=1)
    if own is None or beside.total_bytes > device.tile.memory_bytes:
        return None
    slots = own.slots | {
        beside.role: tuple(Slot(memory=1, offset=i * beside.bytes) for i in range(beside.copies))
    }
    return MemoryMap(memories=2, slots=slots, used_bytes=(*own.used_bytes, beside.total_bytes))


def _fill(
    spaces: list[_Memory], needs: tuple[Need, ...], fresh_bank: bool
) -> dict[str, tuple[Slot, ...]] | None:
    slots: dict[str, tuple[Slot, ...]] = {}
    for need in needs:
        placed: list[Slot] = []
        for _ in range(need.copies):
            slot = _place(spaces, need.bytes, fresh_bank and need.bytes >= _SMALL)
            if slot is None:
                return None
            placed.append(slot)
        slots[need.role] = tuple(placed)
    return slots


_SMALL = 256  # blocks below this share a bank: they are read once, not in the inner loop


def _place(spaces: list[_Memory], size: int, fresh_bank: bool) -> Slot | None:
    for index, space in enumerate(spaces):
        offset = space.offset_for(size, fresh_bank=fresh_bank)
        if offset is not None:
            space.end = offset + size
            return Slot(memory=index, offset=offset)
    return None
