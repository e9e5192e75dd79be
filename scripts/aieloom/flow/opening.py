"""Opening a project: its description is read, and planned as its `execution:` and `engine:` say."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aieloom.digests import named_digest
from aieloom.errors import SpecError
from aieloom.flow.project import Project, WeightsFile
from aieloom.network.layers import Network, infer_shapes
from aieloom.network.no_ops import Dissolved, dissolve
from aieloom.network.readers.models import is_quantised_model, rounding_layers
from aieloom.ops import REGISTRY
from aieloom.ops.batch_norm import Folded, fold_network
from aieloom.ops.plugins import load_plugins, package_files, project_files
from aieloom.ops.registry import UNITS
from aieloom.progress import working
from aieloom.search.execution import Decided, decide, with_own_cores
from aieloom.spec.lines import SourceFile
from aieloom.spec.load import load_network
from aieloom.spec.network import NetworkSpec, left_to_planner
from aieloom.spec.product import weighted
from aieloom.spec.quantize import settings_for
from aieloom.spec.types import DataType

if TYPE_CHECKING:
    from aieloom.quantize.network import Quantised


@dataclass(frozen=True, kw_only=True)
class _Integers:
    """Makes the integers of a project's network, which depend on the layers that its description gives the processor."""

    trained: WeightsFile
    folder: Path
    in_turn: bool = False  # engines on an array and beside it take layers of integers in their turn

    def of(self, spec: NetworkSpec) -> Quantised | None:
        """Return the integer network of a description that differs from network.yaml in its mapping; None of floats."""
        file = self.trained.path
        if not spec.quantize and not is_quantised_model(file):
            return None
        from aieloom.flow.quantised import quantised  # noqa: PLC0415 - networks of integers alone

        network = replace(self.trained.folded.network, spec=spec)
        return quantised(network, self.trained.parameters, self.folder, file, in_turn=self.in_turn)

    def check(self) -> None:
        """Compare the trained tensors with the layers, where they are there: a plan of other shapes tells nothing.

        Raises:
            SpecError: they are not this network's.
        """
        if self.trained.path.is_file():
            _ = self.trained.parameters

    def network(self, spec: NetworkSpec) -> Network:
        """Return what is planned of such a description."""
        integers = self.of(spec)
        return integers.network if integers else replace(self.trained.folded.network, spec=spec)


def remade(project: Project, spec: NetworkSpec) -> Network:
    """Return what is planned of a project whose description has other engines."""
    return _Integers(trained=project.trained, folder=project.folder).network(spec)


def open_project(
    folder: Path, *, target: str | None = None, build: Path | None = None, weights: Path | None = None
) -> Project:
    """Read a project and plan it for an array with cores for each layer, whatever its `execution:` says.

    `build` is the folder that takes `<project>/<target>/`; default `build/` in the current folder.

    Raises:
        SpecError: the description is wrong, or the design breaks a rule of the device.
    """
    spec = read_description(folder, target=target, weights=weights)
    reading = _Reading(spec=spec, folder=folder, build=build, weights=weights)
    return reading.opened(with_own_cores(reading))


def open_any(
    folder: Path,
    *,
    target: str | None = None,
    build: Path | None = None,
    weights: Path | None = None,
    dtype: str | None = None,
) -> Project:
    """Read a project and plan it: products on the matrix engine where its layers say engine: pl, else as its `execution:` says.

    `dtype` is the type of elements instead of the file's, whose `mapping:` then says nothing of the layers on AI Engines.

    Raises:
        SpecError: the description is wrong, or the design breaks a rule of the board.
    """
    spec = read_description(folder, target=target, weights=weights)
    spec = in_type(spec, dtype) if dtype else spec
    _check_unit(spec)
    reading = _Reading(spec=spec, folder=folder, build=build, weights=weights)
    return reading.opened(decide(reading))


def _check_unit(spec: NetworkSpec) -> None:
    """Refuse a unit that nobody has registered.

    Raises:
        SpecError: it is one.
    """
    if spec.unit and spec.unit not in UNITS:
        known = f"use one of: {', '.join(UNITS)}, " if UNITS else ""
        text = f"there is no unit '{spec.unit}' in this project or the installed packages"
        remedy = f"{known}leave unit: out, or write one: docs/adding-a-unit.md"
        raise SpecError(spec.source.problem("unit-1", ("unit",), text, remedy))


def read_description(folder: Path, *, target: str | None, weights: Path | None) -> NetworkSpec:
    """Read a project's network.yaml, with the layers of an ONNX model that it names.

    Raises:
        SpecError: with every problem of the file.
    """
    with working("reading network.yaml"):
        load_plugins(folder if folder.is_dir() else folder.parent)
        return load_network(
            folder, REGISTRY, target=target, complete=lambda source, at: _completed(source, at, weights)
        )


def _completed(source: SourceFile, folder: Path, weights: Path | None) -> SourceFile:
    if "layers" in source.data:
        return source
    from aieloom.flow.onnx_project import with_onnx_layers  # noqa: PLC0415 - of models that say their layers

    return with_onnx_layers(source, folder, weights)


@dataclass(frozen=True, kw_only=True)
class _Description:
    """A network as it is written and as it is planned, and what makes integers of it."""

    written: Network
    dissolved: Dissolved
    folded: Folded
    make: _Integers
    integers: Quantised | None

    @property
    def network(self) -> Network:
        """The network that is planned: that of integers, where there is one."""
        return self.integers.network if self.integers else self.folded.network


@dataclass(frozen=True, kw_only=True)
class _Reading:
    """A project whose network is read as how it runs wants it; `build` and `weights` as said. See search/execution.py."""

    spec: NetworkSpec
    folder: Path
    build: Path | None
    weights: Path | None
    began: float = field(default_factory=time.perf_counter)
    _read: dict[bool, _Description] = field(default_factory=dict)

    @property
    def plugins(self) -> bytes:
        """A digest of the operators that are not aieloom's, on which a plan depends."""
        own = ((f.relative_to(self.folder).as_posix(), f) for f in project_files(self.folder))
        return named_digest((*own, *((str(f), f) for f in package_files()))).encode()

    @property
    def floats(self) -> Network:
        """The network before there are integers."""
        return self.read(in_turn=False).folded.network

    def network(self, *, in_turn: bool) -> Network:
        """Return what is planned; `in_turn`: engines take layers of whole rows of integers."""
        return self.read(in_turn=in_turn).network

    def remade(self, spec: NetworkSpec) -> Network:
        """Return what is planned of a description whose layers have other engines."""
        return self.read(in_turn=False).make.network(spec)

    def read(self, *, in_turn: bool) -> _Description:
        """Return the network as it is planned."""
        if in_turn not in self._read:
            self._read[in_turn] = self._described(in_turn=in_turn)
        return self._read[in_turn]

    def _described(self, *, in_turn: bool) -> _Description:
        written, file = infer_shapes(self.spec, REGISTRY), self.weights or self.folder / self.spec.weights
        dissolved = dissolve(written, REGISTRY, stay=rounding_layers(file))
        folded = fold_network(dissolved.network)
        if in_turn and not is_quantised_model(file):
            from aieloom.quantize.attention import with_attention  # noqa: PLC0415 - layers in turn alone have it

            folded = replace(folded, network=with_attention(folded.network))
        trained = WeightsFile(path=file, written=written, folded=folded)
        make = _Integers(trained=trained, folder=self.folder, in_turn=in_turn)
        with working(f"reading the weights of {self.spec.name}"):
            make.check()
            integers = make.of(self.spec)
        return _Description(written=written, dissolved=dissolved, folded=folded, make=make, integers=integers)

    def opened(self, decided: Decided) -> Project:
        """Return the project that is planned so."""
        read, spec = self.read(in_turn=decided.in_turn), decided.network.spec
        integers = read.integers
        if integers and decided.network is not integers.network:
            moved = [m.runs_on for m in spec.mapping.values()] != [
                m.runs_on for m in self.spec.mapping.values()
            ]
            integers = replace(read.make.of(spec) or integers if moved else integers, network=decided.network)
        home = (
            self.folder.resolve()
        )  # project= finds a folder of projects/ by its name, whatever network.yaml says
        name = home.name if home.parent.name == "projects" else read.folded.network.spec.name
        return Project(
            folder=self.folder,
            build=(self.build or Path("build")).absolute() / name / decided.plan.board.name,
            network=replace(read.folded.network, spec=spec),
            written=read.written,
            folded=read.folded,
            dissolved=read.dissolved,
            weights_override=self.weights,
            trained=read.make.trained,
            plan_seconds=time.perf_counter() - self.began,
            quantised=integers,
            plan=decided.plan,
            home=decided.home,
        )


def type_of(spec: NetworkSpec) -> str:
    """Return the type of elements that network.yaml asks for."""
    in_logic = (m.element for m in weighted(spec).values() if m.runs_on == "pl")
    return spec.quantize.dtype.value if spec.quantize else next(in_logic, DataType.FLOAT32.value)


def in_type(spec: NetworkSpec, dtype: str) -> NetworkSpec:
    """Return a description with elements of another type, which leaves it to the planner how layers are cut."""
    half = dtype == "float16"  # of the matrix engine alone, between tensors of float32
    mapping = {
        name: left_to_planner(m) if "tile" in type(m).model_fields and m.runs_on != "pl" else m
        for name, m in spec.mapping.items()
    }
    in_logic = {name: m for name, m in weighted(spec).items() if m.runs_on == "pl"}
    mapping |= {
        n: m.model_copy(update={"element": "float16" if half else "float32"}) for n, m in in_logic.items()
    }
    settings = None if half else settings_for(spec.quantize, DataType(dtype))
    return spec.model_copy(update={"quantize": settings, "mapping": mapping})
