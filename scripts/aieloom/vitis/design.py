"""What of a plan the vendor's flow needs to know: names of files, kernels and clocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from aieloom.emit.names import SIMULATED_IMAGES

CYCLES_MARGIN = 10  # an AIE simulation that takes this many times the modelled cycles hangs
LEAST_CYCLES = 200_000  # start-up of cores and graph, whatever the model says


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledKernel:
    """A PL kernel: its top function, its source below the build folder, its clock, headers that it may include."""

    name: str
    source: str
    hz: int
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VitisDesign:
    """A generated design as the vendor's tools see it; paths are relative to the build folder."""

    project: str
    aie_sources: tuple[str, ...]  # none: no part of it is on an array
    kernels: tuple[CompiledKernel, ...]
    host_source: str
    host_program: str
    host_headers: tuple[str, ...]
    beside: tuple[str, ...] = ()  # what the host program reads beside the xclbin
    cycle_limit: int = LEAST_CYCLES  # of an AIE simulation of the array alone
    register_mhz: float | None = None  # --pl-register-threshold, where the compiler's default does not do

    @property
    def xclbin(self) -> str:
        """Name of the file that the host program loads."""
        return f"{self.project}.xclbin"


def one_clock(sources: Iterable[str], mhz: float) -> tuple[CompiledKernel, ...]:
    """Return kernels that all run on one clock, named as their sources are."""
    return tuple(CompiledKernel(name=Path(s).stem, source=s, hz=round(mhz * 1e6)) for s in sources)


def cycle_limit(latency_us: float, aie_mhz: float) -> int:
    """Return after how many cycles an AIE simulation of the array alone hangs, by the modelled latency of an image."""
    return max(LEAST_CYCLES, CYCLES_MARGIN * round(latency_us * aie_mhz) * SIMULATED_IMAGES)
