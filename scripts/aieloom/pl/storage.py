"""What a kernel of the programmable logic takes of the device: its figures, and the memory of its frame buffers."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.network.tensor import TensorType
from aieloom.pl.ends import PING_PONG
from aieloom.spec.device import Device

BRAM36_WORDS = 1024  # 32-bit words of one block RAM (36 Kb as 1K x 36)
URAM_WORDS = 4096  # 32-bit words of one UltraRAM (4K x 72)
WORD_BYTES = 4
BRAM_SHARE = 0.25  # a frame buffer beyond this share of the block RAM goes to UltraRAM


@dataclass(frozen=True, slots=True)
class Storage:
    """The memory of a frame buffer: its kind, `bram` or `uram`, and how many blocks."""

    kind: str
    bram36: int
    uram288: int


def buffer_storage(
    device: Device, holds: TensorType, lanes: int, depth: int = PING_PONG, share: float = BRAM_SHARE
) -> Storage:
    """Choose the memory of a frame buffer of `depth` images: block RAM up to a share of it, then UltraRAM."""
    bram = stored_in("bram", holds, lanes, depth)
    if bram.bram36 <= device.logic.room(device.clocks.default_pl_mhz).bram36 * share:
        return bram
    return stored_in("uram", holds, lanes, depth)


def stored_in(kind: str, holds: TensorType, lanes: int, depth: int = PING_PONG) -> Storage:
    """Return the blocks of a kind of memory that a frame buffer takes.

    A block RAM is narrowed to the element (1K x 36 is 4K x 9); an UltraRAM is always 72 bits wide, two words of 32.
    """
    narrow = WORD_BYTES // holds.dtype.bytes if holds.quant else 1  # of bfloat16 the buffers hold float32
    if kind == "bram":
        return Storage(kind, -(-holds.elements // (BRAM36_WORDS * narrow)) * lanes * depth, 0)
    return Storage(kind, 0, -(-holds.elements // URAM_WORDS) * lanes * depth)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Cycles are modelled, of one image; memories, DSPs and LUTs are estimates."""

    cycles: int  # the longest process or task
    latency_cycles: int  # first word in to last word out
    bram36: int
    uram288: int
    dsp: int
    lut: int
    why: tuple[str, ...]
    lutram: int = 0  # of the LUTs, those that hold lines
