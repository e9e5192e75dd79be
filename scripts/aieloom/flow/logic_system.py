"""Emulated systems without an array: a kernel in the logic and the host program that drives it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aieloom.emit.files import Files, write_tree
from aieloom.emit.printer import SOURCE_FOLDERS
from aieloom.emulator.build import (
    Design,
    Step,
    compile_step,
    design_steps,
    link_program,
    runtime_steps,
    write_xclbin,
)
from aieloom.emulator.scratch import scratch_folder
from aieloom.emulator.units import unit_objects
from aieloom.flow.batch import Run, run_program
from aieloom.lock import held
from aieloom.network.tensor import TensorType
from aieloom.parallel import compilers
from aieloom.spec.device import Device

Values = NDArray[np.float32]


def link_beside(build: Path, names: Sequence[str], folder: Path) -> None:
    """Link files of a build folder into another one: a program looks for them beside its xclbin."""
    for name in names:
        link = folder / Path(name).name
        link.unlink(missing_ok=True)
        link.symlink_to(os.path.relpath(build / name, folder))


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicSystem:
    """A design's sources in a build folder; `beside` are files that the host program reads beside its xclbin."""

    name: str
    build: Path
    kernels: tuple[str, ...]
    program_name: str
    y: TensorType
    beside: tuple[str, ...] = ()
    device: Device | None = None  # where part of it is on an array: the graph lies in src/aie
    cores: tuple[str, ...] = ()  # the sources of the cores' kernels
    together: int = 1  # inputs that it takes at a time

    @property
    def folder(self) -> Path:
        """Where the emulated system is."""
        return self.build / "emu"

    @property
    def program(self) -> Path:
        """The emulated host program."""
        return self.folder / self.program_name

    @property
    def xclbin(self) -> Path:
        """The file that it loads."""
        return self.folder / f"{self.name}.xclbin"

    @property
    def config(self) -> Path:
        """What v++ links."""
        return self.build / "src" / "system.cfg"

    @property
    def design(self) -> Design:
        """The generated sources as the emulator's builder takes them."""
        host, array = self.build / "src" / "host", self.build / "src" / "aie"
        return Design(
            name=self.name,
            architecture=self.device.architecture if self.device else None,
            device=self.device,
            graph=array / "graph.cpp" if self.device else None,
            kernels=tuple(self.build / kernel for kernel in self.cores),
            pl=tuple(self.build / kernel for kernel in self.kernels),
            host=(host / f"{self.program_name}.cpp",),
            config=self.config,
            includes=(array, host) if self.device else (host,),
        )

    def steps(self) -> tuple[Step, ...]:
        """Return every compilation that the emulated system needs."""
        return (*runtime_steps(self.folder), *design_steps(self.design, self.folder))

    def link(self) -> None:
        """Link the emulated system and write the file that it loads."""
        link_program(unit_objects(self.steps(), self.config, self.folder), self.program)
        write_xclbin(self.config, self.xclbin)
        link_beside(self.build, self.beside, self.folder)

    def make(self, files: Files) -> None:
        """Write, compile and link the emulated system in the build folder.

        Raises:
            ToolError: the C++ compiler fails.
        """
        with held(self.build):
            write_tree(self.build, files, owned=SOURCE_FOLDERS)
            with ThreadPoolExecutor(compilers()) as pool:
                list(pool.map(compile_step, self.steps()))
            self.link()

    def run(self, x: Values) -> Run:
        """Run what is linked on `x` `(n, channels, height, width)`.

        Raises:
            RunFailed: the program ended with an error.
        """
        files = (self.program, self.xclbin, *(self.build / name for name in self.beside))
        with scratch_folder(self.folder, files) as folder:
            names = (self.program.name, self.xclbin.name)
            return run_program(folder, names, x, self.y, log=self.folder / "run.log", together=self.together)
