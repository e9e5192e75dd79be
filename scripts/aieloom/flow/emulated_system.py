"""A design's emulated system in its build folder: PL kernels, array and the host program that drives them, as one program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aieloom.arrays import Floats
from aieloom.emit.files import Files, write_tree
from aieloom.emit.names import SOURCE_FOLDERS
from aieloom.emulator.build import (
    Design,
    Step,
    compile_step,
    design_steps,
    runtime_steps,
    write_xclbin,
)
from aieloom.emulator.compiler import link
from aieloom.flow.sources import Sources
from aieloom.network.tensor import TensorType
from aieloom.parallel import compilers
from aieloom.progress import working

if TYPE_CHECKING:
    from aieloom.flow.batch import Run


def link_beside(build: Path, names: Sequence[str], folder: Path) -> None:
    """Link files of a build folder into another one: a program looks for them beside its xclbin."""
    for name in names:
        link = folder / Path(name).name
        link.unlink(missing_ok=True)
        link.symlink_to(os.path.relpath(build / name, folder))


@dataclass(frozen=True, slots=True)
class EmulatedSystem:
    """A design's sources in a build folder, and the program that is made of them.

    `y` is what it gives for an image. It is made quickly where it is for `few` images and its logic only moves data.
    """

    name: str
    build: Path
    y: TensorType
    sources: Sources
    few: bool = False

    @property
    def folder(self) -> Path:
        """Where the emulated system is."""
        return self.build / "emu"

    @property
    def program(self) -> Path:
        """The emulated host program."""
        return self.folder / self.sources.host.stem

    @property
    def xclbin(self) -> Path:
        """The file that it loads."""
        return self.folder / f"{self.name}.xclbin"

    @property
    def programs(self) -> tuple[Path, Path]:
        """What linking makes: the host program and the file that it loads."""
        return self.program, self.xclbin

    @property
    def config(self) -> Path:
        """What v++ links."""
        return self.build / "src" / "system.cfg"

    @property
    def design(self) -> Design:
        """The generated sources as the emulator's builder takes them."""
        host, array, device = self.build / "src" / "host", self.build / "src" / "aie", self.sources.device
        return Design(
            name=self.name,
            architecture=device.architecture if device else None,
            device=device,
            graph=array / "graph.cpp" if device else None,
            kernels=tuple(self.build / kernel for kernel in self.sources.cores),
            pl=tuple(self.build / kernel.source for kernel in self.sources.kernels),
            host=(self.build / self.sources.host,),
            config=self.config,
            includes=(array, host) if device else (host,),
            few=self.few,
        )

    def steps(self) -> tuple[Step, ...]:
        """Return every compilation that the emulated system needs."""
        return (*runtime_steps(self.folder), *design_steps(self.design, self.folder))

    def link(self) -> None:
        """Link the emulated system and write the file that it loads."""
        from aieloom.emulator.units import unit_objects  # noqa: PLC0415 - where it is linked

        link(unit_objects(self.steps(), self.config, self.folder), self.program)
        write_xclbin(self.config, self.xclbin)
        link_beside(self.build, self.sources.beside, self.folder)

    def make(self, files: Files) -> None:
        """Write, compile and link the emulated system in the build folder, which the caller has locked.

        Raises:
            ToolError: the C++ compiler fails.
        """
        write_tree(self.build, files, owned=SOURCE_FOLDERS)
        self.compile()

    def compile(self) -> None:
        """Compile and link what is written in the build folder, which the caller has locked.

        Raises:
            ToolError: the C++ compiler fails.
        """
        steps = self.steps()
        with working(f"compiling {self.name}") as doing, ThreadPoolExecutor(compilers()) as pool:
            for number, _ in enumerate(pool.map(compile_step, steps), 1):
                doing.far = f"{number} of {len(steps)} sources"
            self.link()

    def private_run(self) -> AbstractContextManager[Path]:
        """Give a folder with what is linked now, for one run of it; the build folder is locked when it is entered.

        Raises:
            SpecError: the folder cannot be written.
            FileNotFoundError: the program is not there.
        """
        from aieloom.emulator.scratch import scratch_folder  # noqa: PLC0415 - of a run

        files = (self.program, self.xclbin, *(self.build / name for name in self.sources.beside))
        return scratch_folder(self.folder, files)

    def run_in(self, folder: Path, x: Floats) -> Run:
        """Run the program in a folder that `private_run` gave on `x` `(n, channels, height, width)`.

        Raises:
            RunFailed: the program ended with an error; what it said is in the message.
        """
        from aieloom.flow.batch import run_program  # noqa: PLC0415 - of a run

        names = (self.program.name, self.xclbin.name)
        return run_program(
            folder, names, x, self.y, log=self.folder / "run.log", together=self.sources.together
        )

    def run(self, x: Floats) -> Run:
        """Run what is linked in the build folder, which the caller has locked, on `x` `(n, channels, height, width)`.

        Raises:
            SpecError: the folder cannot be written.
            RunFailed: the program ended with an error; what it said is in the message.
        """
        with self.private_run() as folder:
            return self.run_in(folder, x)
