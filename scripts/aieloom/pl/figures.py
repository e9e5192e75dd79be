"""What a kernel of the programmable logic, or a part of one, takes of time and of the device, and why."""

from __future__ import annotations

from dataclasses import dataclass


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
