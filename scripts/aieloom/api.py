"""The Python binding: a project as an object that takes and gives NumPy arrays."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aieloom.digests import named_digest
from aieloom.errors import AieloomError
from aieloom.flow.designs import Design, design_of
from aieloom.flow.inputs import opened
from aieloom.flow.layer_alone import LayerAlone
from aieloom.flow.opening import open_any
from aieloom.flow.project import FILE, Project, no_project
from aieloom.lock import held
from aieloom.network.inputs import Given, returned
from aieloom.network.outputs import outputs_of, separated
from aieloom.reference.results import torch_reference
from aieloom.units.plan import Plan

if TYPE_CHECKING:
    from aieloom.flow.programs import Program

Values = NDArray[np.float32]


class _Planning:
    """One thread plans at a time: operators and their templates are registered for the whole process."""

    lock = threading.RLock()


def _forked() -> None:
    """Give a forked child a lock that none of its parent's threads has."""
    _Planning.lock = threading.RLock()


os.register_at_fork(after_in_child=_forked)


class _Opened:
    """A project as its files were at one moment; `files` is their digest."""

    def __init__(self, project: Project, files: str) -> None:
        self.project, self.files, self.design = project, files, design_of(project)
        self._layers: dict[str, tuple[LayerAlone, Program]] = {}

    @property
    def is_present(self) -> bool:
        """Whether its files have the same contents still."""
        return _files(self.project) == self.files

    @staticmethod
    def _program(design: Design) -> Program:
        from aieloom.flow.programs import Program  # noqa: PLC0415 - builds, which looking at a plan does without

        with _Planning.lock:
            return Program.of(design)

    @cached_property
    def program(self) -> Program:
        """The program, built or not."""
        return self._program(self.design)

    def alone(self, name: str) -> tuple[LayerAlone, Program]:
        """Return one layer's system and its program."""
        with _Planning.lock:
            if name not in self._layers:
                alone = self.design.alone(name)
                self._layers[name] = alone, self._program(design_of(alone.project))
            return self._layers[name]


class LayerHandle:
    """One layer of a design, which runs by itself: `design.layer(name)`."""

    def __init__(self, design: DesignHandle, name: str) -> None:
        self._design, self._name = design, name

    def emulate(self, *xs: NDArray[Any]) -> Values:
        """Run the layer's inputs, one array for each, through a system of this layer alone; return its output.

        It is cut as in the design, with the same kernels, tensors and types of elements. Of integers, inputs are rounded to
        what the layer's input can hold, and the output is what its integers mean.

        Raises:
            SpecError: there is no such layer, it has no system of its own, or an input is none of its.
            ToolError: the C++ compiler fails.
            RunFailed: the emulator refuses the design.
        """
        alone, program = self._design._present().alone(self._name)
        y = program.run(alone.system_input(xs)).y
        return returned(y, alone.y, xs[0])

    def reference(self, *xs: NDArray[Any]) -> Values:
        """Return what the hardware computes of the layer's inputs by definition."""
        alone, _ = self._design._present().alone(self._name)
        return returned(alone.reference(xs), alone.y, xs[0])

    def __repr__(self) -> str:
        return f"<aieloom layer {self._design._present().alone(self._name)[0]}>"


class DesignHandle:
    """A project for one target, planned and built when it is first used, and again when its files change.

    It may be used from any number of threads and processes at once, also as an argument of theirs. Its program lies in a
    folder of its own, so that other designs of the project, and `doit`, do not change what it gives.
    """

    def __init__(self, folder: Path, *, target: str | None, build: Path, weights: Path | None) -> None:
        self._folder, self._target, self._build = folder.absolute(), target, build.absolute()
        self._weights = weights.absolute() if weights else None
        self._opened: _Opened | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what opens the same project in another process."""
        again = partial(DesignHandle, target=self._target, build=self._build, weights=self._weights)
        return again, (self._folder,)

    @property
    def project(self) -> Project:
        """The project: network, weights, plan, and the folders of its own program, from the present files."""
        return self._present().program.project

    def _present(self) -> _Opened:
        """Return the project of the present files."""
        last = self._opened
        if last is None or not last.is_present:
            with _Planning.lock:
                last = self._opened
                if last is None or not last.is_present:
                    last = self._opened = _Opened(*opened(self._read, _files))
        return last

    def _read(self) -> Project:
        project = open_any(self._folder, target=self._target, build=self._build, weights=self._weights)
        with suppress(AieloomError):  # a plan can be looked at without weights
            _ = project.parameters
        return project

    @property
    def plan(self) -> Plan:
        """Every decision about the design: units, tasks, links, buffers and turns; `body` has what its kind of design adds."""
        return self._present().project.plan

    def report(self) -> Path:
        """Run the project's samples in the emulator and write its report.

        Return index.html.

        Raises:
            RunFailed: the emulator refuses the design.
        """
        from aieloom.flow.sim import simulate  # noqa: PLC0415 - draws tables, which a plain emulate() does not need

        program = self._present().program
        design = design_of(program.project)
        folder = program.project.build / "report"
        with held(folder):
            simulate(design, program.run)
            design.write_report()
        return folder / "index.html"

    def __repr__(self) -> str:
        return f"<aieloom design {self._present().design}>"

    def _repr_html_(self) -> str:
        """Return the design's figures, for notebooks, with a picture where it has one."""
        return f"<p>{escape(repr(self).strip('<>'))}</p>{self._present().design.drawing()}"

    def inputs(self, x: Given) -> Values:
        """Return `x` as `(n, channels, height, width)`: of a matrix, its features are channels.

        A network with several inputs takes an array for each, by name: `{"left": a, "right": b}`; returned is their record.

        Raises:
            SpecError: it is no array of numbers in the network's shape, or has some that the device cannot carry.
        """
        return self._present().project.taken(x)

    def emulate(self, x: Given) -> Values:
        """Run `x` through the whole emulated system: `(n, channels, height, width)`, `(n, rows, features)` or `(n, features)`.

        Results have the rank of `x`. Of a network with several inputs `x` is an array for each, by name.

        Raises:
            SpecError: the project is wrong; or `x` is no array of real numbers in float32's range and the network's
                shape, or has NaN or infinite values, which the device cannot carry.
            ToolError: the C++ compiler fails.
            RunFailed: the emulator refuses the design.
        """
        now = self._present()
        y = now.program.run(now.project.taken(x)).y
        return returned(y, now.project.plan.y, x)

    def outputs(self, y: Values) -> dict[str, Values]:
        """Return the outputs in what `emulate`, `reference` or `torch` gave, by the names of the layers that give them.

        Of a network with several outputs results are their record: the values of one behind those of the one before.
        """
        network = self._present().project.network
        return {
            name: part for (name, _), part in zip(outputs_of(network), separated(y, network), strict=True)
        }

    def layer(self, name: str) -> LayerHandle:
        """Return one layer, which can be emulated by itself: `design.layer("conv2").emulate(x)`."""
        return LayerHandle(self, name)

    def reference(self, x: Given) -> Values:
        """Return what the hardware computes by definition: floats in the plan's order of accumulation."""
        now = self._present()
        return returned(now.design.reference(now.project.taken(x)), now.project.plan.y, x)

    def torch(self, x: Given) -> Values:
        """Return PyTorch's result."""
        project = self._present().project
        y = torch_reference(project.network, project.float_parameters, project.taken(x))
        return returned(y, project.plan.y, x)


def _files(project: Project) -> str:
    """Return a digest of every file that decides what the project computes."""
    return named_digest((str(f), f) for f in (*project.description, project.weights))


def design(
    folder: str | Path,
    *,
    target: str | None = None,
    build: str | Path | None = None,
    weights: str | Path | None = None,
) -> DesignHandle:
    """Open the project in `folder` for `target`; `build` takes what is made, `weights` replaces the project's file.

    Raises:
        SpecError: there is no such project; when it is used: network.yaml is wrong, or the design breaks a rule of the device.
    """
    path = Path(folder)
    if not (path / FILE).is_file() and not path.is_file():
        raise no_project(path)
    made, other = Path(build) if build else path / "build", Path(weights) if weights else None
    return DesignHandle(path, target=target, build=made, weights=other)
