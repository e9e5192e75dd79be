"""The Python binding: a project as an object that takes and gives NumPy arrays."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.emit.files import write_tree
from aieloom.emit.project import SOURCE_FOLDERS, render
from aieloom.emulator.build import compile_step
from aieloom.flow import emulation
from aieloom.flow.lock import held
from aieloom.flow.project import Project, open_project, write_plan
from aieloom.model.inputs import check_finite, returned, taken
from aieloom.model.reference import hardware_reference, torch_reference
from aieloom.plan.types import Plan

Values = NDArray[np.float32]
COMPILERS = 2  # at a time


class DesignHandle:
    """A project for one target, planned and built when it is first used, and again when its files change."""

    def __init__(self, folder: Path, *, target: str | None, build: Path | None, weights: Path | None) -> None:
        self._folder, self._target, self._build, self._weights = folder, target, build, weights
        self._project: Project | None = None
        self._stamp: tuple[int, ...] = ()
        self._built = False

    @property
    def project(self) -> Project:
        """The project: network, weights, plan and folders, from the present files."""
        if self._project is None or self._stamp != self._stamps(self._project):
            self._project = open_project(
                self._folder, target=self._target, build=self._build, weights=self._weights
            )
            self._stamp, self._built = self._stamps(self._project), False
        return self._project

    @property
    def plan(self) -> Plan:
        """Every decision about the design."""
        return self.project.plan

    def report(self) -> Path:
        """Run the project's samples in the emulator and write its report; return index.html.

        Raises:
            RunFailed: the emulator refuses the design.
        """
        from aieloom.flow import sim  # noqa: PLC0415 - draws tables, which a plain emulate() does not need
        from aieloom.report.site import write_report  # noqa: PLC0415

        with held(self.project.build):
            project = self._opened()
            sim.simulate(project)
            write_report(project.plan, project.build / "report")
        return project.build / "report" / "index.html"

    def __repr__(self) -> str:
        plan = self.plan
        return (
            f"<aieloom design {plan.project} on {plan.device.name}: {plan.x} to {plan.y}, {plan.cores} cores, "
            f"{plan.tiles_in_use} tiles, modelled {plan.cost.throughput_fps:,.0f} images/s, "
            f"slowest {plan.cost.bottleneck}>"
        )

    def _repr_html_(self) -> str:
        """Return the floor plan with the design's figures, for notebooks."""
        from aieloom.report.floorplan import floorplan  # noqa: PLC0415

        return f"<p>{escape(repr(self).strip('<>'))}</p>{floorplan(self.plan)}"

    def inputs(self, x: NDArray[Any]) -> Values:
        """Return `x` as `(n, channels, height, width)`: of a matrix, its features are channels.

        Raises:
            SpecError: it is no array of numbers in the network's shape, or has some that the device cannot carry.
        """
        return self._inputs(self.project, x)

    def emulate(self, x: NDArray[Any]) -> Values:
        """Run `x` through the whole emulated system: `(n, channels, height, width)`, `(n, rows, features)` or `(n, features)`.

        Results have the rank of `x`.

        Raises:
            SpecError: the project is wrong; or `x` is no array of real numbers in float32's range and the network's
                shape, or has NaN or infinite values, which the device cannot carry.
            ToolError: the C++ compiler fails.
            RunFailed: the emulator refuses the design.
        """
        values = self.inputs(x)  # refused before anything is built
        with held(self.project.build):
            project = self._opened()
            y = emulation.run_system(project, values).y
        return returned(y, project.plan.y, x)

    def reference(self, x: NDArray[Any]) -> Values:
        """Return what the hardware computes by definition: float32 in the plan's order of accumulation."""
        project = self.project
        y = hardware_reference(project.plan, project.parameters, self._inputs(project, x))
        return returned(y, project.plan.y, x)

    def torch(self, x: NDArray[Any]) -> Values:
        """Return PyTorch's result."""
        project = self.project
        y = torch_reference(project.network, project.float_parameters, self._inputs(project, x))
        return returned(y, project.plan.y, x)

    @staticmethod
    def _inputs(project: Project, x: NDArray[Any]) -> Values:
        values = taken(x, project.plan.x)
        check_finite(values, project.plan.elements)
        return values

    def _opened(self) -> Project:
        """Return the project, built from the present files."""
        project = self.project
        if not self._built:
            write_plan(project)
            write_tree(project.build, render(project.plan, project.parameters), owned=SOURCE_FOLDERS)
            with ThreadPoolExecutor(COMPILERS) as pool:
                list(pool.map(compile_step, emulation.steps(project)))
            emulation.link_system(project)
            self._built = True
        return project

    @staticmethod
    def _stamps(project: Project) -> tuple[int, ...]:
        files = (project.weights, *project.description)
        return tuple(f.stat().st_mtime_ns if f.is_file() else 0 for f in files)


def design(
    folder: str | Path,
    *,
    target: str | None = None,
    build: str | Path | None = None,
    weights: str | Path | None = None,
) -> DesignHandle:
    """Open the project in `folder` for `target`; `build` takes what is made, `weights` replaces the project's file.

    Raises:
        SpecError: network.yaml is wrong, or the design breaks a rule of the device.
    """
    path = Path(folder)
    return DesignHandle(
        path,
        target=target,
        build=Path(build) if build else path / "build",
        weights=Path(weights) if weights else None,
    )
