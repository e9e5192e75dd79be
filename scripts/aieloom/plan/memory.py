"""Where a kernel's data lies: its own tile's memory first, then a neighbour's that its core reaches.

A core loads twice a cycle, but a bank of a tile's memory gives one access of 256 bits (on AIE the even and the odd half of a
logical bank, 128 bits each [UG1079, Data Memory]): two loads of one cycle from one bank take two. A kernel's inner loop loads
an element of each operand side by side, so the two operands are kept in banks of their own, before anything else is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from aieloom.spec.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Data that a kernel needs in memory: `copies` blocks of `bytes` each.

    `role` is how the ADF graph calls it: `in[0]`, `out[0]`, `param[0]`, `stack`. `operand` says which operand of the inner
    loop's products it is, A or B; what is neither is not read there.
    """

    role: str
    label: str
    bytes: int
    copies: int = 1
    operand: str = ""

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
    stack_bytes: int


def reserved_bytes(device: Device, stack_bytes: int) -> int:
    """Return what stack, heap and the tools' own block take of the core's tile [UG1702]."""
    return stack_bytes + device.tile.default_heap_bytes + device.tile.sync_bytes


MOST_STACK = 4096  # that a stack gets of what is free: public kernels ask for 2,048 to 4,096


class Apart(Enum):
    """What has banks of its own, the best first."""

    BLOCKS = "every large block"
    OPERANDS = "the operands of the inner loop"
    NOTHING = "nothing"


def _align(value: int, to: int) -> int:
    return -(-value // to) * to


@dataclass(frozen=True, slots=True)
class _Block:
    """A block that has a place."""

    start: int
    stop: int
    operand: str
    phase: int | None  # which of the copies that take turns; None where there is one
    large: bool

    def meets(self, other: _Block) -> bool:
        """Tell whether the inner loop loads from both side by side: operands' copies take turns together."""
        apart = bool(self.operand and other.operand) and self.operand != other.operand
        return apart and (self.phase is None or other.phase is None or self.phase == other.phase)


class _Tile(NamedTuple):
    """What of a tile's memory says where blocks may lie, in bytes."""

    memory: int
    bank: int
    alignment: int


class _Stack(NamedTuple):
    """What a core's own tile holds beside its blocks, at its end: a stack of `least` to `most` bytes, and what is behind it."""

    least: int
    most: int
    rest: int


class _Memory:
    """One tile's memory being filled from offset 0 upwards."""

    def __init__(self, tile: _Tile, limit: int) -> None:
        self.bank_bytes = tile.bank
        self.alignment = tile.alignment
        self.limit = limit
        self.blocks: list[_Block] = []

    @property
    def end(self) -> int:
        """The first byte behind all blocks."""
        return max((b.stop for b in self.blocks), default=0)

    def place(self, need: Need, phase: int | None, apart: Apart) -> int | None:
        """Place a block at the lowest offset that is free and keeps it apart as told; None when there is none."""
        large = need.bytes >= _SMALL
        starts = {0, *(_align(b.stop, self.alignment) for b in self.blocks)}
        if apart is not Apart.NOTHING and (large or need.operand):
            starts |= {_align(start, self.bank_bytes) for start in starts}
        for start in sorted(starts):
            block = _Block(start, start + need.bytes, need.operand, phase, large)
            if block.stop <= self.limit and not any(
                self._disturbs(block, other, apart) for other in self.blocks
            ):
                self.blocks.append(block)
                return start
        return None

    def _disturbs(self, one: _Block, other: _Block, apart: Apart) -> bool:
        """Tell whether two blocks overlap, or share a bank that they should not share."""
        if one.start < other.stop and other.start < one.stop:
            return True
        if apart is Apart.NOTHING:
            return False
        kept = one.meets(other) or (apart is Apart.BLOCKS and one.large and other.large)
        (first, last), (begin, end) = self._banks(one), self._banks(other)
        return kept and first <= end and begin <= last

    def _banks(self, block: _Block) -> tuple[int, int]:
        return block.start // self.bank_bytes, (block.stop - 1) // self.bank_bytes


def arrange(
    device: Device, needs: tuple[Need, ...], *, memories: int, stack: int | None = None
) -> MemoryMap | None:
    """Place `needs` in at most `memories` tile memories; None when they do not fit.

    Every large block gets banks of its own if that fits, else the operands of the inner loop do, else nothing does. What no
    longer fits a memory goes to the next one. A block lies wholly in one memory [UG1079].

    The stack has `stack` bytes; where that is None, what is free between the tools' default and MOST_STACK. How much a
    kernel needs, its compiler alone knows, and stops where there is less.
    """
    least = stack or device.tile.default_stack_bytes
    most = stack or max(least, MOST_STACK)
    return _arranged(_tile_of(device), _Stack(least, most, reserved_bytes(device, 0)), needs, memories)


def _tile_of(device: Device) -> _Tile:
    facts = device.tile
    return _Tile(facts.memory_bytes, facts.bank_bytes, facts.buffer_alignment_bytes)


@lru_cache(maxsize=1 << 16)  # a search asks for the same blocks once for each of the designs that it compares
def _arranged(tile: _Tile, stack: _Stack, needs: tuple[Need, ...], memories: int) -> MemoryMap | None:
    """Place `needs` where the first memory has a stack too."""
    last = tile.memory - stack.rest
    own = last - stack.least
    for apart in Apart:
        spaces = [_Memory(tile, own)] + [_Memory(tile, tile.memory) for _ in range(memories - 1)]
        slots = _fill(spaces, needs, apart)
        if slots is None:
            continue
        used = [s.end for s in spaces]
        given = min(stack.most, (last - used[0]) // tile.alignment * tile.alignment)
        used[0] += given + stack.rest
        count = max((s.memory for placed in slots.values() for s in placed), default=0) + 1
        slots["stack"] = (Slot(memory=0, offset=last - given),)
        return MemoryMap(memories=count, slots=slots, used_bytes=tuple(used[:count]), stack_bytes=given)
    return None


def arrange_beside(
    device: Device,
    needs: tuple[Need, ...],
    beside: tuple[Need, ...],
    *,
    stack: int | None = None,
    reserved: int = 0,
) -> MemoryMap | None:
    """Place `needs` in the core's own memory and `beside` in a neighbour's, whose DMA then fills it; None when they do not fit.

    A tile's DMA has two channels that write memory (S2MM), a core's third buffer takes one of another tile [AM020]. `reserved`
    bytes of the neighbour's memory are those of a kernel on it.
    """
    own = arrange(device, needs, stack=stack, memories=1)
    other = _arranged(_tile_of(device), _Stack(0, 0, reserved), beside, 1)
    if own is None or other is None:
        return None
    slots = own.slots | {
        role: tuple(Slot(memory=1, offset=s.offset) for s in placed)
        for role, placed in other.slots.items()
        if role != "stack"
    }
    used = (*own.used_bytes, *other.used_bytes)
    return MemoryMap(memories=2, slots=slots, used_bytes=used, stack_bytes=own.stack_bytes)


def _fill(spaces: list[_Memory], needs: tuple[Need, ...], apart: Apart) -> dict[str, tuple[Slot, ...]] | None:
    """Place operands first where banks matter, so that they find banks; the order of the result is that of `needs`."""
    order = needs if apart is Apart.NOTHING else sorted(needs, key=lambda need: not need.operand)
    placed: dict[str, tuple[Slot, ...]] = {}
    for need in order:
        found = _place(spaces, need, apart)
        if found is None:
            return None
        placed[need.role] = found
    return {need.role: placed[need.role] for need in needs}


_SMALL = 256  # blocks below this share a bank: they are read once, not in the inner loop


def _place(spaces: list[_Memory], need: Need, apart: Apart) -> tuple[Slot, ...] | None:
    """Place all copies of a need in one memory: the DMA that fills them by turns reaches that of its own tile alone."""
    phases = range(need.copies) if need.copies > 1 else (None,)
    for index, space in enumerate(spaces):
        before = list(space.blocks)
        offsets = [space.place(need, phase, apart) for phase in phases]
        if None not in offsets:
            return tuple(Slot(memory=index, offset=offset) for offset in offsets if offset is not None)
        space.blocks = before
    return None


def conflict_share(device: Device, needs: tuple[Need, ...], memory: MemoryMap) -> float:
    """Return which share of the inner loop's pairs of loads meet in one bank: 0 to 1.

    Operands are read evenly; copies take turns, those of both operands together. Inputs of one operand that come by
    several ports count alike.
    """
    pairs = [(a, b) for a in needs for b in needs if a.operand == "A" and b.operand == "B"]
    met: list[float] = []
    for a, b in pairs:
        for phase in range(max(a.copies, b.copies)):
            one, other = (_spread(device, n, memory.slots[n.role][phase % n.copies]) for n in (a, b))
            met.append(sum(share * other.get(bank, 0.0) for bank, share in one.items()))
    return sum(met) / len(met) if met else 0.0


def _spread(device: Device, need: Need, slot: Slot) -> dict[tuple[int, int], float]:
    """Return which share of a block lies in which bank: (memory, bank)."""
    size, start, stop = device.tile.bank_bytes, slot.offset, slot.offset + need.bytes
    banks = range(start // size, (stop - 1) // size + 1)
    return {
        (slot.memory, bank): (min(stop, (bank + 1) * size) - max(start, bank * size)) / need.bytes
        for bank in banks
    }
