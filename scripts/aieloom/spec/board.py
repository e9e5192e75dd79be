"""What every board has, with or without an AI Engine array: logic, its clocks, device memory, a processor."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field, Strict, model_validator

from aieloom.spec.types import Frozen, MHz, NonNegative, Number, Positive, Text

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


def _board_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"'{name[:64]}' cannot name a board: use a letter, then letters, digits, _ and -, at most 64"
        )
    return name


class LogicClocks(Frozen):
    """Clocks of the programmable logic."""

    source: Text
    kernel_max_mhz: MHz  # a PL kernel clock that the linker can derive and that HLS code usually closes at
    default_pl_mhz: MHz  # of kernels and movers


class Margin(Frozen):
    """Shares of the logic up to which kernels of a clock, `from_mhz` or more, are expected to place, route and close."""

    from_mhz: Number = Field(ge=0)
    memory: Number = Field(gt=0, le=1)  # block RAM and UltraRAM
    dsp: Number = Field(gt=0, le=1)
    lut: Number = Field(gt=0, le=1)  # and flip-flops


# What careful engineers plan with; no document gives a share. A board's file may say its own, the highest clock first.
MARGINS = (
    Margin(from_mhz=300, memory=0.7, dsp=0.7, lut=0.6),
    Margin(from_mhz=200, memory=0.8, dsp=0.8, lut=0.7),
    Margin(from_mhz=0, memory=0.85, dsp=0.85, lut=0.8),
)


KINDS = {  # of logic, by the names of LogicRoom
    "bram36": "block RAMs",
    "uram288": "UltraRAM blocks",
    "dsp": "DSP slices",
    "lut": "LUTs",
    "ff": "flip-flops",
}


class LogicRoom(NamedTuple):
    """So much of each kind of logic."""

    lut: int
    ff: int
    bram36: int
    uram288: int
    dsp: int


class LogicFacts(Frozen):
    """Programmable logic."""

    source: Text
    lut: Positive
    ff: Positive
    bram36: Positive
    uram288: NonNegative
    dsp: Positive
    slrs: Positive = 1  # super logic regions, each a die
    margins: Annotated[tuple[Margin, ...], Field(min_length=1)] = MARGINS

    @model_validator(mode="after")
    def _every_clock_has_a_margin(self) -> LogicFacts:
        clocks = [m.from_mhz for m in self.margins]
        if clocks != sorted(set(clocks), reverse=True) or clocks[-1] != 0:
            raise ValueError(
                "margins: the highest from_mhz first, each lower than the one before, the last one 0"
            )
        return self

    @property
    def whole(self) -> LogicRoom:
        """All of it: what takes more is refused."""
        return LogicRoom(self.lut, self.ff, self.bram36, self.uram288, self.dsp)

    def room(self, mhz: float) -> LogicRoom:
        """Return what kernels of such a clock may take together; of a design that takes more a warning is said."""
        m = next(m for m in self.margins if mhz >= m.from_mhz)
        return LogicRoom(
            lut=int(self.lut * m.lut),
            ff=int(self.ff * m.lut),
            bram36=int(self.bram36 * m.memory),
            uram288=int(self.uram288 * m.memory),
            dsp=int(self.dsp * m.dsp),
        )

    def crowded(self, used: Mapping[str, int], mhz: float) -> Iterator[str]:
        """Yield a line for each kind of logic of which kernels of such a clock take more than the margin."""
        room, whole = self.room(mhz), self.whole
        for kind, what in KINDS.items():
            there, margin, taken = getattr(whole, kind), getattr(room, kind), used.get(kind, 0)
            if taken > margin:
                share = taken / there if there else 1
                yield (
                    f"warning: {taken:,} of {there:,} {what} ({share:.0%}), more than the {margin:,} of the board's margin: "
                    f"it may not close at {mhz:g} MHz"
                )


class MemoryFacts(Frozen):
    """Device memory as a kernel's memory port sees it, in MB/s (10^6 bytes)."""

    source: Text
    port_mb_s: Positive  # a port's way onto the network on chip, each direction
    read_mb_s: Positive  # what one port was seen to read
    write_mb_s: Positive  # and to write
    bank_mb_s: Positive  # one bank (`sp` tag), reads and writes of all ports together
    mib: Positive | None = None  # of all banks, in MiB; None where no document read here gives it


class ProcessorFacts(Frozen):
    """The processor that the host program runs on, and what XRT's calls take there."""

    source: Text
    name: Text
    mhz: MHz
    cores: Annotated[int, Strict(), Field(ge=1)] = 1
    cycles_per_operation: Positive
    copy_mb_s: Positive
    kernel_start_us: Positive
    sync_us: Positive
    graph_start_us: Positive


class PowerFacts(Frozen):
    """What a board's chip draws beside a design; the design's own power is the cost model's."""

    source: Text
    rest_w: Number = Field(gt=0)  # leakage, processor, network on chip, controllers of memory


class Board(Frozen):
    """A board: what kernels in its logic are planned from."""

    name: Annotated[str, Strict(), AfterValidator(_board_name)]
    description: Text
    part: Text
    clocks: LogicClocks
    logic: LogicFacts
    memory: MemoryFacts
    processor: ProcessorFacts
    power: PowerFacts | None = None  # None: no public figure, and no energy is modelled

    @property
    def rooms(self) -> tuple[LogicRoom, LogicRoom]:
        """What kernels of its default clock may take of the logic: the margin's part, and, where that is too little, all."""
        return self.logic.room(self.clocks.default_pl_mhz), self.logic.whole
