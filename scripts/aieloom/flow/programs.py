"""Programs of designs that Python opened, each in a folder of its own, which is named by what is linked in it.

Two designs of one project, with other weights for instance, have two folders, and neither has doit's. So nobody can get
the results of another one's program, whoever built last.
"""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from aieloom.arrays import Floats
from aieloom.digests import bytes_digest, code_digest, text_digest
from aieloom.emit.files import Files
from aieloom.emulator.build import runtime_digest
from aieloom.emulator.compiler import build_identity
from aieloom.emulator.scratch import PREFIX, in_use
from aieloom.errors import RunFailed, SpecError
from aieloom.flow.batch import Run
from aieloom.flow.designs import Design, design_of
from aieloom.flow.emulated_system import EmulatedSystem
from aieloom.flow.project import Project, write_plan
from aieloom.flow.results import FOLDER as FOLDER_OF_STAMPS
from aieloom.flow.results import Results
from aieloom.lock import held
from aieloom.progress import working

FOLDER = "programs"
KEPT = 8  # of a project and target; of older ones sources and reports stay, and they are linked again when they are used
_NAME = 20  # digits of a folder's name
_TASK = "link"
_TRIES = 3  # for a folder that somebody removes meanwhile


@dataclass(frozen=True, kw_only=True)
class Program:
    """A design whose build folder is its program's own, with the sources that are linked in it."""

    design: Design
    sources: Files

    @classmethod
    def of(cls, design: Design) -> Program:
        """Print a design's sources, and name the folder by them and by all else that makes the program.

        Raises:
            SpecError: the weights cannot be read, or are not of this network.
        """
        project, sources = design.project, design.render()
        named = (
            part
            for name, made in sorted(sources.items())
            for part in (name, bytes_digest(made if isinstance(made, bytes) else made.encode()))
        )
        name = text_digest(code_digest(), runtime_digest(), *build_identity(), *named)[:_NAME]
        own = design_of(replace(project, build=project.build / FOLDER / name))
        return cls(design=own, sources=sources)

    @property
    def project(self) -> Project:
        """The project whose build folder is the program's."""
        return self.design.project

    @property
    def system(self) -> EmulatedSystem:
        """What is linked, or will be."""
        return replace(self.design.emulated, few=False)  # who calls a program says how many

    def run(self, x: Floats) -> Run:
        """Build the program unless it is there, and run it on `x` `(n, channels, height, width)`.

        Builds exclude each other; any number of runs go on side by side.

        Raises:
            SpecError: the folder cannot be written.
            ToolError: the C++ compiler fails.
            RunFailed: the emulator refuses the design.
        """
        system = self.system
        for _ in range(_TRIES):
            with ExitStack() as run:
                try:
                    with held(system.build):
                        self._build()
                        folder = run.enter_context(system.private_run())
                except FileNotFoundError:
                    continue
                with working(f"emulating {len(x)} inputs of {system.name}"):
                    return system.run_in(folder, x)
        raise RunFailed(f"{system.build} is removed again and again while a program is built in it")

    @property
    def _results(self) -> Results:
        build = self.project.build
        return Results(
            task=_TASK, build=build, made_of=lambda: build.name, files=lambda: self.system.programs
        )

    def _build(self) -> None:
        """Compile and link unless that was done and nobody has touched the result."""
        if self._results.are_current():
            os.utime(self._results.stamp)  # used last
        else:
            self._results.make(self._link)
            self._tidy()

    def _link(self) -> None:
        write_plan(self.project)
        self.system.make(self.sources)

    def _tidy(self) -> None:
        """Remove the objects, which the cache has, and the programs that were not used for longest."""
        for made in self.system.folder.iterdir():
            if made not in self.system.programs and made.is_file():
                made.unlink()
        others = self.project.build.parent.glob("*/emu")
        for emu in sorted(others, key=_when, reverse=True)[KEPT:]:
            with suppress(OSError, SpecError):
                _forget(emu)


def _when(emu: Path) -> int:
    """Return when a program was used last; 0 of what is none."""
    try:
        return (emu.parent / FOLDER_OF_STAMPS / f"{_TASK}.json").stat().st_mtime_ns
    except OSError:
        return 0


def _forget(folder: Path) -> None:
    """Remove a program, unless somebody builds or runs it."""
    with held(folder.parent, patience_s=0):
        if not any(in_use(run) for run in folder.glob(f"{PREFIX}*")):
            shutil.rmtree(folder)
