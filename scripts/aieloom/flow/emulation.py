"""Building and running a project's whole system in the emulator: host program, PL kernels and array as one program."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aieloom.emit.files import write_text
from aieloom.emit.host import program_name
from aieloom.emulator.build import Design, Step, design_steps, link_program, runtime_steps, write_xclbin
from aieloom.emulator.scratch import scratch_folder
from aieloom.emulator.units import unit_objects
from aieloom.errors import Problem, RunFailed, SpecError
from aieloom.flow.project import Project
from aieloom.model.tensor import TensorType
from aieloom.plan.types import Plan

Values = NDArray[np.float32]


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
        kernels=tuple(src / "aie" / f"{layer.name}.cc" for layer in plan.aie),
        pl=tuple(project.build / unit for unit in pl_sources(plan)),
        host=(src / "host" / f"{program_name(plan)}.cpp",),
        config=src / "system.cfg",
        includes=(src / "aie", src / "host"),
    )


def pl_sources(plan: Plan) -> tuple[str, ...]:
    """Return the sources of the PL kernels, relative to the build folder."""
    return tuple(unit.template.output for unit in plan.units)


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


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a run gave: results `(n, channels, height, width)`, its time, the peak memory of the program in bytes."""

    y: Values
    seconds: float
    peak_bytes: int
    output: str


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


def run_program(folder: Path, names: tuple[str, str], x: Values, y: TensorType, *, log: Path) -> Run:
    """Run a host program, `names` of it and of its xclbin, in a folder on `x` `(n, channels, height, width)`.

    Raises:
        SpecError: the folder cannot be written.
        RunFailed: the program ended with an error; what it said is in the message.
    """
    given, made = folder / "input.bin", folder / "output.bin"
    _write_input(x, given)
    command = [str(folder / names[0]), names[1], given.name, "--output", made.name]
    began = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=_environment(), capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - began
    if done.returncode:
        write_text(log, done.stdout + done.stderr)
        raise RunFailed(_failure(done, log))
    values = np.fromfile(made, "<f4")
    if values.size != len(x) * y.elements:
        raise RunFailed(f"the emulated host program wrote {values.size} values, not {len(x)} x {y.elements}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    return Run(y=values.reshape(len(x), *y.shape), seconds=seconds, peak_bytes=peak, output=done.stdout)


def _write_input(x: Values, file: Path) -> None:
    try:
        file.write_bytes(np.ascontiguousarray(x, "<f4").data)
    except OSError as e:
        text = f"cannot write the input of {x.nbytes:,} B: {e.strerror or e}"
        remedy = "free some space, or build elsewhere: build=FOLDER"
        raise SpecError(Problem(rule="write", file=str(file.parent), text=text, remedy=remedy)) from e


def _environment() -> Mapping[str, str]:
    return {**os.environ, "LC_ALL": "C"}


def _failure(done: subprocess.CompletedProcess[str], log: Path) -> str:
    said = done.stderr.strip() or done.stdout.strip() or "nothing was said"
    how = f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
    return f"the emulated system ended with {how}:\n{said}\n  log: {log}"
