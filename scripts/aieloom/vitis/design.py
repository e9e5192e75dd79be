"""What of a plan the vendor's flow needs to know: names of files, kernels and clocks."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.emit.graph import SIMULATED_IMAGES
from aieloom.emit.host import program_name
from aieloom.emit.project import output_names
from aieloom.plan.types import Plan

CYCLES_MARGIN = 10  # an AIE simulation that takes this many times the modelled cycles hangs
LEAST_CYCLES = 200_000  # start-up of cores and graph, whatever the model says


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledKernel:
    """A PL kernel: its top function, its source below the build folder, its clock."""

    name: str
    source: str
    hz: int


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


def design_of(plan: Plan) -> VitisDesign:
    """Return what the tools need to know about a plan."""
    names = output_names(plan)
    cycles = round(plan.cost.latency_us * plan.device.clocks.aie_mhz) * SIMULATED_IMAGES
    return VitisDesign(
        project=plan.project,
        aie_sources=tuple(sorted(n for n in names if n.startswith("src/aie/"))),
        kernels=tuple(
            CompiledKernel(name=u.name, source=u.output, hz=round(u.clock_mhz * 1e6)) for u in plan.units
        ),
        host_source=f"src/host/{program_name(plan)}.cpp",
        host_program=program_name(plan),
        host_headers=tuple(n for n in names if n.startswith("src/host/") and n.endswith(".h")),
        cycle_limit=max(LEAST_CYCLES, CYCLES_MARGIN * cycles),
        register_mhz=None if plan.register_mhz == plan.device.register_thresholds[0] else plan.register_mhz,
    )
