"""The Python binding: a project as an object that takes and gives NumPy arrays."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aieloom.digests import named_digest
from aieloom.errors import AieloomError, SpecError
from aieloom.flow.alone import LayerAlone, layer_alone
from aieloom.flow.inputs import opened
from aieloom.flow.opening import is_circuit, open_any, open_project, read_description
from aieloom.flow.programs import LinkedProgram
from aieloom.flow.project import FILE, Opened, Project, SequentialProject, no_project
from aieloom.lock import held
from aieloom.matrix_engine.network import is_in_logic
from aieloom.network.inputs import returned
from aieloom.plan.types import Plan
from aieloom.reference.results import hardware_reference, torch_reference
from aieloom.spec.lines import parse_yaml, read_text

if TYPE_CHECKING:
    from aieloom.flow.emulated import EmulatedProject
    from aieloom.flow.emulated_program import EmulatedProgram
    from aieloom.flow.in_turn import LayerInTurn

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
        self.project, self.files = project, files
        self._layers: dict[str, tuple[LayerAlone, LinkedProgram]] = {}

    @property
    def is_present(self) -> bool:
        """Whether its files have the same contents still."""
        return _files(self.project) == self.files

    @cached_property
    def program(self) -> LinkedProgram:
        """The program, built or not."""
        with _Planning.lock:
            return LinkedProgram.of(self.project)

    def alone(self, name: str) -> tuple[LayerAlone, LinkedProgram]:
        """Return one layer's system and its program."""
        with _Planning.lock:
            if name not in self._layers:
                alone = layer_alone(self.project, name)
                self._layers[name] = alone, LinkedProgram.of(alone.project)
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
        return returned(y, alone.layer.y, xs[0])

    def reference(self, *xs: NDArray[Any]) -> Values:
        """Return what the hardware computes of the layer's inputs by definition."""
        alone, _ = self._design._present().alone(self._name)
        own = alone.project
        y = hardware_reference(own.plan, own.parameters, alone.system_input(xs))
        return returned(y, alone.layer.y, xs[0])

    def __repr__(self) -> str:
        alone, _ = self._design._present().alone(self._name)
        layer, plan = alone.layer, alone.project.plan
        return f"<aieloom layer {layer.name} ({layer.op}): {' and '.join(map(str, layer.xs))} to {layer.y}, {plan.cores} cores>"


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
        return _handle, (self._folder, self._target, self._build, self._weights)

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
        project = open_project(self._folder, target=self._target, build=self._build, weights=self._weights)
        with suppress(AieloomError):  # a plan can be looked at without weights
            _ = project.parameters
        return project

    @property
    def plan(self) -> Plan:
        """Every decision about the design."""
        return self._present().project.plan

    def report(self) -> Path:
        """Run the project's samples in the emulator and write its report; return index.html.

        Raises:
            RunFailed: the emulator refuses the design.
        """
        from aieloom.flow import sim  # noqa: PLC0415 - draws tables, which a plain emulate() does not need
        from aieloom.report.site import write_report  # noqa: PLC0415

        program = self._present().program
        folder = program.project.build / "report"
        with held(folder):
            sim.simulate(program.project, lambda _, x: program.run(x))
            write_report(program.project.plan, folder)
        return folder / "index.html"

    def __repr__(self) -> str:
        from aieloom.report.summary import performance  # noqa: PLC0415 - the simulation's tables, which emulate() does not need

        plan = self.plan
        modelled = performance(plan)
        rates = modelled["rates"]
        return (
            f"<aieloom design {plan.project} on {plan.device.name}: {plan.x} to {plan.y}, {plan.cores} cores, "
            f"{plan.tiles_in_use} tiles, modelled {modelled['throughput_fps']:,.0f} images/s "
            f"with movers and memory ({rates['array']['images_per_s']:,.0f} the array, "
            f"{rates['system']['images_per_s']:,.0f} end to end), slowest {modelled['bottleneck']}>"
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
        taken: Values = self._present().project.taken(x)
        return taken

    def emulate(self, x: NDArray[Any]) -> Values:
        """Run `x` through the whole emulated system: `(n, channels, height, width)`, `(n, rows, features)` or `(n, features)`.

        Results have the rank of `x`.

        Raises:
            SpecError: the project is wrong; or `x` is no array of real numbers in float32's range and the network's
                shape, or has NaN or infinite values, which the device cannot carry.
            ToolError: the C++ compiler fails.
            RunFailed: the emulator refuses the design.
        """
        now = self._present()
        y = now.program.run(now.project.taken(x)).y
        return returned(y, now.project.plan.y, x)

    def layer(self, name: str) -> LayerHandle:
        """Return one layer, which can be emulated by itself: `design.layer("conv2").emulate(x)`."""
        return LayerHandle(self, name)

    def reference(self, x: NDArray[Any]) -> Values:
        """Return what the hardware computes by definition: float32 in the plan's order of accumulation."""
        project = self._present().project
        y = hardware_reference(project.plan, project.parameters, project.taken(x))
        return returned(y, project.plan.y, x)

    def torch(self, x: NDArray[Any]) -> Values:
        """Return PyTorch's result."""
        project = self._present().project
        y = torch_reference(project.network, project.float_parameters, project.taken(x))
        return returned(y, project.plan.y, x)


def _files(project: Opened) -> str:
    """Return a digest of every file that decides what the project computes."""
    return named_digest((str(f), f) for f in (*project.description, project.weights))


class EngineHandle(DesignHandle):
    """A project that is not cut over the array; `project` and `plan` are those of such designs.

    Its layers run one after another on one engine (one of `execution: auto` that does not fit spatially among them), it is one
    circuit in the logic, or its products are on the matrix engine in the logic.
    """

    _now: _OnEngine | None = None

    def _present(self) -> Any:
        """Return the project of the present files."""
        with _Planning.lock:
            if self._now is None or not self._now.is_present:
                self._now = _OnEngine(*opened(self._read_any, _files))
            return self._now

    def _read_any(self) -> EmulatedProject:
        project = open_any(self._folder, target=self._target, build=self._build, weights=self._weights)
        if isinstance(project, Project):
            text = f"{project.name} is planned spatially now"
            remedy = "open it again: aieloom.design(...)"
            raise SpecError(project.network.spec.source.problem("sequential-3", ("execution",), text, remedy))
        with suppress(AieloomError):
            _ = project.parameters
        return project

    @property
    def project(self) -> Any:
        """The project, with the folders of its own program, from the present files."""
        return self._present().program.design.project

    @property
    def plan(self) -> Any:
        """Every decision about the design."""
        return self._present().project.plan

    def layer(self, name: str) -> LayerHandle:
        """Return one layer, which can be emulated by itself on the design's engines.

        Raises:
            SpecError: the layers have no systems of their own, as those of a circuit.
        """
        project = self._present().project
        if not isinstance(project, SequentialProject):
            text = f"{project.name} has no systems of single layers: it runs {self._present().design.how}"
            remedy = "emulate the whole network, or its layers with execution: sequential"
            raise SpecError(project.network.spec.source.problem("sequential-3", ("execution",), text, remedy))
        return _LayerInTurn(self, name)

    def reference(self, x: NDArray[Any]) -> Values:
        """Return what the hardware computes by definition."""
        now = self._present()
        return returned(now.design.reference(now.project.taken(x)), now.project.plan.y, x)

    def report(self) -> Path:
        """Run the project's samples in the emulator and write its report.

        Return index.html, or summary.json of a design that has no page.

        Raises:
            RunFailed: the emulator refuses the design.
        """
        from aieloom.report.site import SUMMARY  # noqa: PLC0415

        program = self._present().program
        folder: Path = program.design.project.build / "report"
        with held(folder):
            program.design.simulate(program.run)
            if not program.design.page_files:
                return folder / SUMMARY
            program.design.write_report()
        return folder / "index.html"

    def __repr__(self) -> str:
        design = self._present().design
        project, told = design.project, design.performance()
        return (
            f"<aieloom design {project.name} on {project.target}, {design.how}: {project.plan.x} to {project.plan.y}, "
            f"modelled {told['throughput_fps']:,.0f} images/s with memory and the host program, "
            f"bound by {told['bottleneck']}>"
        )

    def _repr_html_(self) -> str:
        """Return the design's figures, for notebooks."""
        return f"<p>{escape(repr(self).strip('<>'))}</p>"


class _OnEngine:
    """A project that is not cut over the array, as its files were at one moment; `files` is their digest."""

    def __init__(self, project: EmulatedProject, files: str) -> None:
        from aieloom.flow import emulated_program, in_turn  # noqa: PLC0415 - most networks lie on the array
        from aieloom.flow.designs import design_of  # noqa: PLC0415

        self.project, self.files, self.design = project, files, design_of(project)
        self._in_turn, self._program_of = in_turn, emulated_program.EmulatedProgram.of
        self._layers: dict[str, tuple[LayerInTurn, EmulatedProgram]] = {}

    @property
    def is_present(self) -> bool:
        """Whether its files have the same contents still."""
        return _files(self.project) == self.files

    @cached_property
    def program(self) -> EmulatedProgram:
        """The program, built or not."""
        with _Planning.lock:
            return self._program_of(self.project)

    def alone(self, name: str) -> tuple[LayerInTurn, EmulatedProgram]:
        """Return one layer's system and its program, of layers that run one after another."""
        assert isinstance(self.project, SequentialProject)
        with _Planning.lock:
            if name not in self._layers:
                alone = self._in_turn.layer_in_turn(self.project, name)
                self._layers[name] = alone, self._program_of(alone.project)
            return self._layers[name]


class _LayerInTurn(LayerHandle):
    """One layer of a design that runs layer by layer."""

    def reference(self, *xs: NDArray[Any]) -> Values:
        """Return what the hardware computes of the layer's inputs by definition."""
        alone: Any = self._design._present().alone(self._name)[0]
        return returned(alone.reference(xs), alone.layer.y, xs[0])

    def __repr__(self) -> str:
        alone: Any = self._design._present().alone(self._name)[0]
        step = alone.layer
        return f"<aieloom layer {step.layer} ({step.op}) in its turn, to {step.y}>"


def _handle(folder: Path, target: str | None, build: Path, weights: Path | None) -> DesignHandle:
    """Return the handle of a project by its `execution:` and `engine:`; one that says auto is planned here.

    What keeps a project from being read or planned is told when it is used.
    """
    spatial = DesignHandle(folder, target=target, build=build, weights=weights)
    on_engine = EngineHandle(folder, target=target, build=build, weights=weights)
    with _Planning.lock, suppress(AieloomError):
        if not _names_engine(folder):
            return spatial
        spec = read_description(folder, target=target, weights=weights)
        if spec.execution == "sequential" or is_circuit(spec) or is_in_logic(spec):
            return on_engine
        if spec.execution == "auto":
            project, files = opened(
                lambda: open_any(folder, target=target, build=build, weights=weights), _files
            )
            if not isinstance(project, Project):
                on_engine._now = _OnEngine(project, files)
                return on_engine
            spatial._opened = _Opened(project, files)
    return spatial


def _names_engine(folder: Path) -> bool:
    """Tell whether network.yaml says more of where the network runs than its target."""
    file = folder / FILE if folder.is_dir() else folder
    data = parse_yaml(read_text(file, shown_as=file.name, remedy=""), file.name).data
    return "execution" in data or "engine: pl" in str(data).replace("'", "")


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
    return _handle(path, target, Path(build) if build else path / "build", Path(weights) if weights else None)
