"""A project's design as the vendor's flow takes it, whatever planned it: files, kernels, expected results, its report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aieloom.errors import SpecError
from aieloom.flow import sim
from aieloom.flow.designs import design_of
from aieloom.flow.emulated import EmulatedDesign, EmulatedProject
from aieloom.flow.project import AnyProject, Opened, Project
from aieloom.plan.tolerance import golden_tolerance
from aieloom.reference.results import hardware_reference
from aieloom.report.site import write_report
from aieloom.spec.board import Board
from aieloom.spec.device import Device, array_names
from aieloom.vitis import design as vitis
from aieloom.vitis.design import PlKernel, VitisDesign

Values = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class System:
    """A design that the vendor's tools build.

    Attributes:
        reference: what the hardware computes of `(n, channels, height, width)`.
        tolerance: the largest absolute difference of hardware that counts as agreement.
        write_pages: writes the report's pages beside summary.json.
        show: prints how the emulated run went; returns whether it passed.
    """

    project: Opened
    device: Device
    design: VitisDesign
    reference: Callable[[Values], Values]
    tolerance: float
    write_pages: Callable[[], None]
    show: Callable[[], bool]


def system_of(project: AnyProject) -> System:
    """Return a project's system.

    Raises:
        SpecError: Vitis has no platform of the board that the catalogue knows.
    """
    if isinstance(project, Project):
        return _of_array(project)
    return _emulated(project, design_of(project))


def board_of(project: AnyProject) -> Board:
    """Return the board that a project is planned for."""
    if isinstance(project, Project):
        return project.plan.device
    return design_of(project).board


def no_platform(project: AnyProject) -> SpecError:
    """Return the refusal of a build for a board that aieloom knows no platform of."""
    board = board_of(project)
    text = f"{board.name} has no Vitis platform that aieloom knows, so it cannot be built for"
    *others, last = array_names()
    remedy = (
        f"use target={', '.join(others)} or {last}; or give {project.build.name}/src to v++ with a platform of yours: "
        "doit gen writes kernels, system.cfg and host program"
    )
    return SpecError(project.network.spec.source.problem("build-1", ("target",), text, remedy))


def _of_array(project: Project) -> System:
    plan = project.plan
    return System(
        project=project,
        device=plan.device,
        design=vitis.design_of(plan),
        reference=lambda x: hardware_reference(plan, project.parameters, x),
        tolerance=golden_tolerance(plan),
        write_pages=lambda: write_report(plan, project.build / "report"),
        show=lambda: sim.show(project),
    )


def _emulated(project: EmulatedProject, design: EmulatedDesign) -> System:
    board = design.board
    if not isinstance(board, Device):
        raise no_platform(project)
    hz = round(design.clock_mhz * 1e6)
    program = design.program_name
    return System(
        project=project,
        device=board,
        design=VitisDesign(
            project=project.name,
            aie_sources=tuple(sorted(n for n in design.sources if n.startswith("src/aie/"))),
            kernels=tuple(PlKernel(name=Path(k).stem, source=k, hz=hz) for k in design.kernels),
            host_source=f"src/host/{program}.cpp",
            host_program=program,
            host_headers=tuple(n for n in design.sources if n.startswith("src/host/") and n.endswith(".h")),
            beside=design.beside,
            register_mhz=design.register_mhz,
        ),
        reference=design.reference,
        tolerance=0.0,
        write_pages=design.write_pages,
        show=design.show,
    )
