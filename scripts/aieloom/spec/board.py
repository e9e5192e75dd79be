"""What every board has, with or without an AI Engine array: logic, its clocks, device memory, a processor."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field, Strict

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


class LogicFacts(Frozen):
    """Programmable logic."""

    source: Text
    lut: Positive
    ff: Positive
    bram36: Positive
    uram288: NonNegative
    dsp: Positive
    usable_fraction: Number = Field(gt=0, le=1)  # a platform keeps the rest


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
