"""Programs of designs in the logic, each in a folder of its own (see programs.py)."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace

from aieloom.arrays import Values
from aieloom.digests import bytes_digest, code_digest, text_digest
from aieloom.emit.files import Files
from aieloom.emulator.build import runtime_digest
from aieloom.emulator.compiler import build_identity
from aieloom.flow.batch import Run
from aieloom.flow.designs import design_of
from aieloom.flow.emulated import EmulatedDesign, EmulatedProject
from aieloom.flow.programs import FOLDER
from aieloom.progress import working

_NAME = 20  # digits of a folder's name


@dataclass(frozen=True, kw_only=True)
class EmulatedProgram:
    """A design whose build folder is its program's own, with the sources that are linked in it."""

    design: EmulatedDesign
    sources: Files
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _built: list[bool] = field(default_factory=list)

    @classmethod
    def of(cls, project: EmulatedProject) -> EmulatedProgram:
        """Print a project's sources, and name the folder by them and by all else that makes the program.

        Raises:
            SpecError: the weights cannot be read, or are not of this network.
        """
        sources = design_of(project).render()
        named = (
            part
            for name, made in sorted(sources.items())
            for part in (name, bytes_digest(made if isinstance(made, bytes) else made.encode()))
        )
        name = text_digest(code_digest(), runtime_digest(), *build_identity(), *named)[:_NAME]
        return cls(design=design_of(replace(project, build=project.build / FOLDER / name)), sources=sources)

    def run(self, x: Values) -> Run:
        """Build the program unless it is there, and run it on `x` `(n, channels, height, width)`.

        Raises:
            ToolError: the C++ compiler fails.
            RunFailed: the emulator refuses the design.
        """
        with self._lock:
            if not self._built:
                self.design.system.make(self.sources)
                self._built.append(True)
        with working(f"emulating {len(x)} inputs of {self.design.project.name}"):
            return self.design.run(x)
