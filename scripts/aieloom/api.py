"""The Python binding: a project as an object that takes and gives NumPy arrays."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.digests import named_digest
from aieloom.errors import AieloomError, SpecError
from aieloom.flow.alone import LayerAlone, layer_alone
from aieloom.flow.inputs import opened
from aieloom.flow.opening import open_either, open_project
from aieloom.flow.programs import LinkedProgram
from aieloom.flow.project import FILE, Opened, Project, SequentialProject, no_project
from aieloom.lock import held
from aieloom.model.inputs import returned
from aieloom.plan.types import Plan
from aieloom.reference.results import hardware_reference, torch_reference
from aieloom.spec.lines import parse_yaml, read_text

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


class SequentialHandle(DesignHandle):
    """A project whose layers run one after another on one engine; `project` and `plan` are those of such designs.

    So is one of `execution: auto` that does not fit spatially.
    """

    _now: _InTurn | None = None

    def _present(self) -> Any:
        """Return the project of the present files."""
        with _Planning.lock:
            if self._now is None or not self._now.is_present:
                self._now = _InTurn(*opened(self._read_either, _files))
            return self._now

    def _read_either(self) -> SequentialProject:
        project = open_either(self._folder, target=self._target, build=self._build, weights=self._weights)
        if not isinstance(project, SequentialProject):
            text = f"{project.name} is planned spatially now"
            remedy = "open it again: aieloom.design(...)"
            raise SpecError(project.network.spec.source.problem("sequential-3", ("execution",), text, remedy))
        with suppress(AieloomError):
            _ = project.parameters
        return project

    @property
    def project(self) -> Any:
        """The project, with the folders of its own program, from the present files."""
        return self._present().program.project

    @property
    def plan(self) -> Any:
        """Every decision about the design."""
        return self._present().project.plan

    def layer(self, name: str) -> LayerHandle:
        """Return one layer, which can be emulated by itself on the design's engines."""
        return _LayerInTurn(self, name)

    def reference(self, x: NDArray[Any]) -> Values:
        """Return what the hardware computes by definition."""
        from aieloom.sequential.reference import reference  # noqa: PLC0415 - most networks lie on the array

        project = self._present().project
        y = reference(project.plan.steps, project.parameters, project.taken(x))
        return returned(y, project.plan.y, x)

    def report(self) -> Path:
        """Run the project's samples in the emulator and write its report; return index.html.

        Raises:
            RunFailed: the emulator refuses the design.
        """
        from aieloom.flow import sequential  # noqa: PLC0415 - most networks lie on the array

        program = self._present().program
        folder: Path = program.project.build / "report"
        with held(folder):
            sequential.design_of(program.project).simulate(program.run)
            sequential.write_report(program.project)
        return folder / "index.html"

    def __repr__(self) -> str:
        plan = self.plan
        return (
            f"<aieloom design {plan.project} on {self.project.target}, layer by layer: {plan.x} to {plan.y}, "
            f"modelled {1e6 / plan.interval_us:,.0f} images/s with memory and the host program, "
            f"bound by {next(iter(plan.time_by_cause()))}>"
        )

    def _repr_html_(self) -> str:
        """Return the design's figures, for notebooks."""
        return f"<p>{escape(repr(self).strip('<>'))}</p>"


class _InTurn:
    """A project that runs layer by layer, as its files were at one moment; `files` is their digest."""

    def __init__(self, project: SequentialProject, files: str) -> None:
        from aieloom.flow import in_turn  # noqa: PLC0415 - most networks lie on the array

        self.project, self.files, self._in_turn = project, files, in_turn
        self._layers: dict[str, Any] = {}

    @property
    def is_present(self) -> bool:
        """Whether its files have the same contents still."""
        return _files(self.project) == self.files

    @cached_property
    def program(self) -> Any:
        """The program, built or not."""
        with _Planning.lock:
            return self._in_turn.TurnProgram.of(self.project)

    def alone(self, name: str) -> tuple[Any, Any]:
        """Return one layer's system and its program."""
        with _Planning.lock:
            if name not in self._layers:
                alone = self._in_turn.layer_in_turn(self.project, name)
                self._layers[name] = alone, self._in_turn.TurnProgram.of(alone.project)
            found: tuple[Any, Any] = self._layers[name]
            return found


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
    """Return the handle of a project by its `execution:`; of one that says auto, which is planned here, by its plan."""
    said = _execution(folder)
    spatial = DesignHandle(folder, target=target, build=build, weights=weights)
    if said == "spatial":
        return spatial
    in_turn = SequentialHandle(folder, target=target, build=build, weights=weights)
    if said == "sequential":
        return in_turn
    with _Planning.lock, suppress(AieloomError):  # what keeps it from being planned is told when it is used
        project, files = opened(
            lambda: open_either(folder, target=target, build=build, weights=weights), _files
        )
        if isinstance(project, SequentialProject):
            in_turn._now = _InTurn(project, files)
            return in_turn
        if isinstance(project, Project):
            spatial._opened = _Opened(project, files)
    return spatial


def _execution(folder: Path) -> str:
    """Return what network.yaml says; what keeps it from being read is told when it is used."""
    try:
        file = folder / FILE if folder.is_dir() else folder
        text = read_text(file, shown_as=file.name, remedy="")
        return str(parse_yaml(text, file.name).data.get("execution", "spatial"))
    except AieloomError:
        return "spatial"


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
