"""Building and running a project's whole system in the emulator: host program, PL kernels and array as one program."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from aieloom.emit.host import program_name
from aieloom.emulator.build import Design, Step, design_steps, link_program, runtime_steps, write_xclbin
from aieloom.emulator.scratch import scratch_folder
from aieloom.emulator.units import unit_objects
from aieloom.flow.batch import Run, Values, run_program
from aieloom.flow.project import Project
from aieloom.plan.types import Plan


def emu_folder(project: Project) -> Path:
    """Return the folder of the emulated system."""
    return project.build / "emu"


def program(project: Project) -> Path:
    """Return the emulated host program."""
    return emu_folder(project) / program_name(project.plan)


def xclbin(project: Project) -> Path:
    """Return the file that the host program loads."""
    return emu_folder(project) / f"{project.name}.xclbin"


def emulated_design(project: Project) -> Design:
    """Return the generated sources as the emulator's builder takes them."""
    plan, src = project.plan, project.build / "src"
    return Design(
        name=plan.project,
        architecture=plan.device.architecture,
        device=plan.device,
        graph=src / "aie" / "graph.cpp",
        kernels=tuple(project.build / file for layer in plan.aie for file in layer.draft.sources),
        pl=tuple(project.build / unit for unit in pl_sources(plan)),
        host=(src / "host" / f"{program_name(plan)}.cpp",),
        config=src / "system.cfg",
        includes=(src / "aie", src / "host"),
    )


def pl_sources(plan: Plan) -> tuple[str, ...]:
    """Return the sources of the PL kernels, relative to the build folder."""
    return tuple(unit.output for unit in plan.units)


def steps(project: Project) -> tuple[Step, ...]:
    """Return every compilation that the emulated system needs."""
    design = emulated_design(project)
    folder = emu_folder(project)
    return (*runtime_steps(folder), *design_steps(design, folder))


def link_system(project: Project) -> None:
    """Link the emulated system and write the file that it loads."""
    config = emulated_design(project).config
    link_program(unit_objects(steps(project), config, emu_folder(project)), program(project))
    write_xclbin(project.build / "src" / "system.cfg", xclbin(project))


def private_run(project: Project) -> AbstractContextManager[Path]:
    """Give a folder with what is linked now, for one run of it; the build folder is locked when it is entered.

    Raises:
        SpecError: the folder cannot be written.
        FileNotFoundError: the program is not there.
    """
    return scratch_folder(emu_folder(project), (program(project), xclbin(project)))


def run_system(project: Project, x: Values) -> Run:
    """Run what is linked in the build folder, which the caller has locked, on `x` `(n, channels, height, width)`.

    Raises:
        SpecError: the folder cannot be written.
        RunFailed: the program ended with an error; what it said is in the message.
    """
    with private_run(project) as folder:
        return run_in(folder, project, x)


def run_in(folder: Path, project: Project, x: Values) -> Run:
    """Run the program in a folder that `private_run` gave on `x` `(n, channels, height, width)`.

    Raises:
        SpecError: the folder cannot be written.
        RunFailed: the program ended with an error; what it said is in the message.
    """
    names = (program(project).name, xclbin(project).name)
    return run_program(folder, names, x, project.plan.y, log=emu_folder(project) / "run.log")
