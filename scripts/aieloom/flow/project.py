"""A project opened for one target: its description, its plan, and where its files go."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aieloom import kept_answers
from aieloom.digests import named_digest
from aieloom.emit.files import write_text
from aieloom.emit.plan_json import as_json
from aieloom.errors import CannotFit, Problem, SpecError
from aieloom.flow.onnx_project import with_onnx_layers
from aieloom.flow.quantised import is_quantised_model, quantised, rounding_layers
from aieloom.logic.network import LogicPlan, is_in_logic, plan_network
from aieloom.model.network import Array, Network, Parameters, infer_shapes
from aieloom.model.no_ops import Dissolved, dissolve
from aieloom.model.onnx_external import external_files
from aieloom.model.onnx_graph import SUFFIX
from aieloom.model.weights import layer_parameters, match_weights, read_tensor_file
from aieloom.ops import REGISTRY
from aieloom.ops.batch_norm.fold import Folded, fold_network, fold_parameters
from aieloom.ops.plugins import FOLDER as OPERATORS
from aieloom.ops.plugins import load_plugins, package_files, project_files
from aieloom.plan.capacity import room_of
from aieloom.plan.types import Plan
from aieloom.progress import working
from aieloom.quantize.network import Quantised
from aieloom.search.default import settle
from aieloom.spec.board import Board
from aieloom.spec.device import Device, is_device_file, load_board, no_array
from aieloom.spec.lines import parse_yaml, read_text
from aieloom.spec.load import load_network
from aieloom.spec.network import NetworkSpec, left_to_planner
from aieloom.spec.quantize import settings_for
from aieloom.spec.types import DataType

if TYPE_CHECKING:
    from aieloom.circuit.plan import CircuitPlan
    from aieloom.sequential.plan import SequentialPlan

FILE = "network.yaml"
CROWDED = 0.5  # of the cores' data memories: with more weights `execution: auto` does not try the array
DEFAULT_PROJECT = "espcn"


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A project for one target, whatever plans it. `folder` has network.yaml; `build` takes everything that is made.

    `weights` overrides the file that network.yaml names. `network` is what is planned; `folded` says which
    batch_norm layers of network.yaml went into which of its layers, `dissolved` which cost nothing.
    """

    folder: Path
    build: Path
    network: Network
    written: Network  # as network.yaml has it: the layers that the weights file has tensors for
    folded: Folded
    dissolved: Dissolved
    plan_seconds: float
    weights_override: Path | None = None
    quantised: Quantised | None = None  # what is planned, when `quantize:` asks for integers

    @property
    def name(self) -> str:
        """The project's name."""
        return self.network.spec.name

    @property
    def target(self) -> str:
        """The board's name, also of a device file."""
        raise NotImplementedError

    @property
    def yaml(self) -> Path:
        """The project's description."""
        return self.folder / FILE

    @property
    def weights(self) -> Path:
        """The file of trained tensors."""
        return self.weights_override or self.folder / self.network.spec.weights

    @property
    def description(self) -> tuple[Path, ...]:
        """Every file that says what the network is: network.yaml, an ONNX model with its data, the project's operators."""
        models = dict.fromkeys((self.folder / self.network.spec.weights, self.weights))
        onnx = (f for model in models if model.suffix == SUFFIX for f in (model, *external_files(model)))
        return (self.yaml, *onnx, *project_files(self.folder), *self._quantised_from)

    @property
    def planned_from(self) -> tuple[Path, ...]:
        """Every file that the plan follows from, whether or not it is there."""
        target = self.network.spec.target
        device = (Path(target),) if is_device_file(target) else ()
        return (*self.description, *device, self.weights)

    @property
    def _quantised_from(self) -> tuple[Path, ...]:
        """What the integers, and so the plan, are made of."""
        settings = self.network.spec.quantize
        if not settings:
            return ()
        return (self.weights, *((self.folder / settings.calibration,) if settings.calibration else ()))

    @property
    def images(self) -> tuple[Path, ...]:
        """Pictures that the project names, in order of their names."""
        data = self.network.spec.data
        if not data or not data.images or "\0" in data.images:
            return ()
        # pathlib's glob refuses absolute patterns and 'a**b'.
        found = glob(data.images, root_dir=self.folder, recursive=True)  # noqa: PTH207
        return tuple(sorted(f for f in map(self.folder.joinpath, found) if f.is_file()))

    @property
    def samples(self) -> Path | None:
        """The file of samples that the project names."""
        data = self.network.spec.data
        return self.folder / data.samples if data and data.samples else None

    @cached_property
    def _matched(self) -> tuple[dict[str, dict[str, Array]], tuple[str, ...]]:
        return read_parameters(self.weights, self.written, self.folded)

    @property
    def float_parameters(self) -> dict[str, dict[str, Array]]:
        """Trained tensors as float32, `{layer: {weight, bias}}`."""
        return self._matched[0]

    @property
    def parameters(self) -> Mapping[str, Parameters]:
        """The planned network's tensors: trained, or the integers made of them."""
        return self.quantised.parameters if self.quantised else self.float_parameters

    @property
    def shown_layers(self) -> Mapping[str, str]:
        """Which layer's output a planned layer gives, where others are fused into it."""
        return self.quantised.shown_names if self.quantised else {}

    @property
    def weights_notes(self) -> tuple[str, ...]:
        """How tensors and layers were matched and folded, as lines; empty when names agree and nothing folds."""
        return (
            *self._matched[1],
            *self.dissolved.notes(),
            *(self.quantised.notes() if self.quantised else ()),
        )


@dataclass(frozen=True, kw_only=True)
class Project(Opened):
    """A project with its plan for a board that has an array."""

    plan: Plan

    @property
    def planned(self) -> Network:
        """The network that was planned: the one of integers where `quantize:` asks for them."""
        return self.quantised.network if self.quantised else self.network

    @property
    def target(self) -> str:
        """The board's name, also of a device file."""
        return self.plan.device.name


@dataclass(frozen=True, kw_only=True)
class LogicProject(Opened):
    """A project whose products run on the matrix engine in the logic of a board."""

    plan: LogicPlan

    @property
    def target(self) -> str:
        """The board's name."""
        return self.plan.engine.board.name


@dataclass(frozen=True, kw_only=True)
class CircuitProject(Opened):
    """A project that is one circuit in the logic of a board."""

    plan: CircuitPlan

    @property
    def target(self) -> str:
        """The board's name."""
        return self.plan.board.name


@dataclass(frozen=True, kw_only=True)
class SequentialProject(Opened):
    """A project whose layers run one after another on one engine."""

    plan: SequentialPlan

    @property
    def target(self) -> str:
        """The board's name."""
        return self.plan.engine.board.name


def read_parameters(
    weights: Path, written: Network, folded: Folded
) -> tuple[dict[str, dict[str, Array]], tuple[str, ...]]:
    """Return the trained tensors of the folded network, and how they were matched and folded, as lines.

    Raises:
        SpecError: the file cannot be read, or is not of this network.
    """
    shown, spec = _shown(weights), written.spec
    if not weights.is_file() and weights.name == Path(spec.weights).name:
        text = f"there is no such weights file: {shown}"
        remedy = "train it (doit train), or name the file of the trained tensors"
        raise SpecError(spec.source.problem("weights", ("weights",), text, remedy))
    file = read_tensor_file(weights, shown_as=shown)
    tensors = file.tensors
    shapes = {n: t.shape for n, t in tensors.items()}
    match = match_weights(written, shapes, file=shown, operators=REGISTRY)
    parameters = fold_parameters(folded, layer_parameters(tensors, match))
    return parameters, (*filter(None, [file.note]), *match.lines(), *folded.notes())


@dataclass(frozen=True, kw_only=True)
class _Integers:
    """Makes the integers of a project's network, which depend on the layers that its description gives the processor."""

    written: Network
    folded: Folded
    folder: Path
    file: Path

    def of(self, spec: NetworkSpec) -> Quantised | None:
        """Return the integer network of a description that differs from network.yaml in its mapping; None of floats."""
        if not spec.quantize and not is_quantised_model(self.file):
            return None
        return quantised(replace(self.folded.network, spec=spec), self._trained, self.folder, self.file)

    @cached_property
    def _trained(self) -> dict[str, dict[str, Array]]:
        """The trained tensors, read once for all descriptions."""
        return read_parameters(self.file, self.written, self.folded)[0]

    def check(self) -> None:
        """Compare the trained tensors with the layers, where they are there: a plan of other shapes tells nothing.

        Raises:
            SpecError: they are not this network's.
        """
        if self.file.is_file():
            _ = self._trained

    def network(self, spec: NetworkSpec) -> Network:
        """Return what is planned of such a description."""
        integers = self.of(spec)
        return integers.network if integers else replace(self.folded.network, spec=spec)


def remade(project: Project, spec: NetworkSpec) -> Network:
    """Return what is planned of a project whose description has other engines."""
    make = _Integers(
        written=project.written, folded=project.folded, folder=project.folder, file=project.weights
    )
    return make.network(spec)


def engines_of(spec: NetworkSpec) -> dict[str, Any]:
    """Return the engine that each layer's mapping says or has by default."""
    return {name: m.runs_on for name, m in spec.mapping.items()}


def open_project(
    folder: Path,
    *,
    target: str | None = None,
    build: Path | None = None,
    weights: Path | None = None,
    dtype: DataType | None = None,
) -> Project:
    """Read a project and plan it.

    `build` is the folder that takes `<project>/<target>/`; default `build/` in the current folder. `dtype` is the type of
    elements instead of the file's, whose `mapping:` then says nothing of the layers on AI Engines.

    Raises:
        SpecError: the description is wrong, or the design breaks a rule of the device.
    """
    began = time.perf_counter()
    spec = read_description(folder, target=target, weights=weights)
    if is_in_logic(spec):
        raise _is_unplanned(spec)
    if spec.execution == "sequential" or is_circuit(spec):
        how = "is one circuit in the logic" if is_circuit(spec) else "runs one layer after another"
        text = f"{spec.name} {how}, which this command does not plan"
        remedy = (
            "use doit (plan, gen, sim, report) or aieloom check, or execution: spatial without engine: pl"
        )
        raise SpecError(spec.source.problem("sequential-3", ("execution",), text, remedy))
    if dtype:
        spec = in_type(spec, dtype)
    read = _read(spec, folder, weights)
    with working(f"reading the weights of {spec.name}"):
        read.make.check()
        integers = read.make.of(spec)
    return _on_array(spec, folder, read, integers, began=began, build=build, weights=weights)


def _is_unplanned(spec: NetworkSpec) -> SpecError:
    text = (
        f"the products of {spec.name} run on the matrix engine in the logic, which this command does not plan"
    )
    return SpecError(
        spec.source.problem(
            "engine-2", ("mapping",), text, "use doit (plan, gen, sim), or leave engine: pl out"
        )
    )


def _on_array(
    spec: NetworkSpec,
    folder: Path,
    read: _Description,
    integers: Quantised | None,
    *,
    began: float,
    build: Path | None,
    weights: Path | None,
) -> Project:
    """Plan what was read for the target's array.

    Raises:
        SpecError: the target has none, or the design breaks a rule of the device.
    """
    make = read.make
    device = _array_device(spec)
    network = read.planned(integers)
    with working(f"planning {spec.name}"):
        try:
            settled = settle(network, device, REGISTRY, plugins=_plugins(folder), remake=make.network)
        except CannotFit as e:
            raise _or_layer_by_layer(e, network, device) from None
    if integers and engines_of(settled.network.spec) != engines_of(spec):
        integers = make.of(settled.network.spec)
    return Project(
        folder=folder,
        build=(build or Path("build")).absolute() / spec.name / device.name,
        network=replace(read.folded.network, spec=settled.network.spec),
        written=read.written,
        folded=read.folded,
        dissolved=read.dissolved,
        plan=settled.plan,
        plan_seconds=time.perf_counter() - began,
        weights_override=weights,
        quantised=replace(integers, network=settled.network) if integers else None,
    )


def open_either(
    folder: Path, *, target: str | None = None, build: Path | None = None, weights: Path | None = None
) -> Project | SequentialProject | CircuitProject:
    """Read a project and plan it as its `execution:` says.

    Raises:
        SpecError: the description is wrong, or the design breaks a rule of the board.
    """
    spec = read_description(folder, target=target, weights=weights)
    if is_in_logic(spec):
        raise _is_unplanned(spec)
    return open_any(spec, folder, build=build, weights=weights)


def open_any(
    spec: NetworkSpec, folder: Path, *, build: Path | None, weights: Path | None
) -> Project | SequentialProject | CircuitProject:
    """Plan a project as its `execution:` and `engine:` say: on the array, as one circuit, or one layer after another.

    Raises:
        SpecError: the description is wrong, or the design breaks a rule of the board.
    """
    began = time.perf_counter()
    board = load_board(spec.target)
    read = _read(spec, folder, weights)
    with working(f"reading the weights of {spec.name}"):
        read.make.check()
        integers = read.make.of(spec)
    reason = "network.yaml says so"
    if spec.execution == "auto":
        crowded = _crowded(read.planned(integers), board)
        reason = crowded or ("" if isinstance(board, Device) else no_array(board)[0])
    if (
        spec.execution != "sequential"
        and not is_circuit(spec)
        and (spec.execution == "spatial" or not reason)
    ):
        _array_device(spec)
        try:
            return _on_array(spec, folder, read, integers, began=began, build=build, weights=weights)
        except CannotFit as e:
            if spec.execution == "spatial":
                raise
            reason = f"spatially it does not fit: {e.problems[0].text}"
    network = read.planned(integers)
    common: dict[str, Any] = {
        "folder": folder,
        "build": (build or Path("build")).absolute() / spec.name / board.name,
        "network": read.folded.network,
        "written": read.written,
        "folded": read.folded,
        "dissolved": read.dissolved,
        "weights_override": weights,
        "quantised": integers,
    }
    with working(f"planning {spec.name}"):
        plan = _in_logic_or_in_turn(network, board, reason)
    common |= {"plan_seconds": time.perf_counter() - began, "plan": plan}
    from aieloom.circuit.plan import CircuitPlan  # noqa: PLC0415 - as above

    return CircuitProject(**common) if isinstance(plan, CircuitPlan) else SequentialProject(**common)


def is_circuit(spec: NetworkSpec) -> bool:
    """Tell whether network.yaml wants the whole network as one circuit in the logic."""
    return spec.execution == "spatial" and spec.engine == "pl"


def _in_logic_or_in_turn(network: Network, board: Board, reason: str) -> SequentialPlan | CircuitPlan:
    """Plan a circuit or layers in their turn, as network.yaml says; where it says auto, what the model says is faster.

    Raises:
        CannotFit: it does not fit the board.
    """
    from aieloom.circuit.plan import plan_circuit  # noqa: PLC0415 - most networks lie on the array
    from aieloom.sequential.plan import plan_sequential  # noqa: PLC0415

    spec = network.spec
    if is_circuit(spec):
        return plan_circuit(network, board, REGISTRY, reason)
    circuit = None
    if spec.execution == "auto" and spec.engine != "aie":
        with suppress(CannotFit):
            circuit = plan_circuit(network, board, REGISTRY, reason)
    try:
        in_turn = plan_sequential(network, board, REGISTRY, reason)
    except CannotFit:
        if circuit is None:
            raise
        return circuit
    return circuit if circuit and circuit.interval_us < in_turn.interval_us else in_turn


def _or_layer_by_layer(e: CannotFit, network: Network, device: Device) -> CannotFit:
    """Add the way for networks of any size to the remedies, where no tiling helps because of the weights alone."""
    if not _crowded(network, device):
        return e
    hint = "or run the layers one after another on one engine (execution: auto)"
    return CannotFit(replace(p, remedy=f"{p.remedy}; {hint}") for p in e.problems)


def _crowded(network: Network, board: Board) -> str | None:
    """Say why a network need not be tried on an array: its weights alone leave hardly room for buffers."""
    if not isinstance(board, Device):
        return None
    weights, room = room_of(network, board, REGISTRY)
    if weights <= CROWDED * room:
        return None
    return (
        f"its weights have {weights:,} B as cores hold them, more than {CROWDED:.0%} of the {room:,} B of "
        "the cores' data memories, where buffers lie too"
    )


def open_logic(spec: NetworkSpec, folder: Path, *, build: Path | None, weights: Path | None) -> LogicProject:
    """Plan a project whose products run on the matrix engine in the logic.

    Raises:
        SpecError: the description is wrong, or the design does not fit the board.
    """
    began = time.perf_counter()
    board = load_board(spec.target)
    read = _read(spec, folder, weights)
    with working(f"planning {spec.name}"):
        read.make.check()
        integers = read.make.of(spec)
        network = read.planned(integers)
        plan = plan_network(network, board, REGISTRY)
    return LogicProject(
        folder=folder,
        build=(build or Path("build")).absolute() / spec.name / board.name,
        network=read.folded.network,
        written=read.written,
        folded=read.folded,
        dissolved=read.dissolved,
        plan=plan,
        plan_seconds=time.perf_counter() - began,
        weights_override=weights,
    )


def read_description(folder: Path, *, target: str | None, weights: Path | None) -> NetworkSpec:
    """Read a project's network.yaml, with the layers of an ONNX model that it names.

    Raises:
        SpecError: with every problem of the file.
    """
    with working("reading network.yaml"):
        load_plugins(folder if folder.is_dir() else folder.parent)
        return load_network(
            folder, REGISTRY, target=target, complete=lambda source, at: with_onnx_layers(source, at, weights)
        )


@dataclass(frozen=True, kw_only=True)
class _Description:
    """A network as it is written and as it is planned, and what makes integers of it."""

    written: Network
    dissolved: Dissolved
    folded: Folded
    make: _Integers

    def planned(self, integers: Quantised | None) -> Network:
        """Return the network that is planned: that of integers, where there is one."""
        return integers.network if integers else self.folded.network


def _read(spec: NetworkSpec, folder: Path, weights: Path | None) -> _Description:
    written = infer_shapes(spec, REGISTRY)
    file = weights or folder / spec.weights
    dissolved = dissolve(written, REGISTRY, stay=rounding_layers(file))
    folded = fold_network(dissolved.network)
    make = _Integers(written=written, folded=folded, folder=folder, file=file)
    return _Description(written=written, dissolved=dissolved, folded=folded, make=make)


def _array_device(spec: NetworkSpec) -> Device:
    """Return the target, which a plan of AI Engine layers wants an array of.

    Raises:
        SpecError: it has none.
    """
    board = load_board(spec.target)
    if isinstance(board, Device):
        return board
    raise SpecError(spec.source.problem("array-2", ("target",), *no_array(board)))


def in_type(spec: NetworkSpec, dtype: DataType) -> NetworkSpec:
    """Return a description with elements of another type, which leaves it to the planner how layers are cut."""
    mapping = {
        name: left_to_planner(m) if "tile" in type(m).model_fields else m for name, m in spec.mapping.items()
    }
    return spec.model_copy(update={"quantize": settings_for(spec.quantize, dtype), "mapping": mapping})


def _plugins(folder: Path) -> bytes:
    """Return a digest of the operators that are not aieloom's, on which a plan depends."""
    own = ((f.relative_to(folder).as_posix(), f) for f in project_files(folder))
    return named_digest((*own, *((str(f), f) for f in package_files()))).encode()


def say_followed(project: Opened, *others: Path) -> None:
    """Say what a command's answer about a project follows from, that it can be kept: the plan's files, and `others`.

    Nothing of a project whose operators are programs of their own.
    """
    if project_files(project.folder) or package_files():
        return
    own = project.folder / OPERATORS  # as it is not there, it is one of them
    kept_answers.follows_from((project.folder, *project.planned_from, own, *others))


def find_project(name: str | None, root: Path) -> Path:
    """Return the folder of project `name`: below `root/projects`, `root` itself where it is that project, or a path.

    Without a name it is `root` where that is a project, else the first example.

    Raises:
        SpecError: there is no such project; those that are there are named.
    """
    alone = (root / FILE).is_file() and not (root / "projects").is_dir()
    if alone and (name is None or name in _names(root)):
        return root
    name = name or DEFAULT_PROJECT
    inside = root / "projects" / name
    if Path(name).name == name and (inside / FILE).is_file():
        return inside
    if (Path(name) / FILE).is_file():
        return Path(name)
    known = (
        sorted(_names(root))
        if alone
        else sorted(p.parent.name for p in (root / "projects").glob(f"*/{FILE}"))
    )
    here = _shown(root / FILE) if alone else f"no {_shown(inside)}/{FILE}"
    text = f"there is no project '{name}' ({here}{' is another one' if alone else ''})"
    raise SpecError(
        Problem(rule="project", text=text, remedy=f"use one of: {', '.join(known) or 'none here'}")
    )


def sought(name: str | None, root: Path) -> tuple[Path, ...]:
    """Return the paths at which `find_project` looks, on which it depends which project it finds."""
    name = name or DEFAULT_PROJECT
    return root / FILE, root / "projects", root / "projects" / name / FILE, Path(name) / FILE


def no_project(folder: Path) -> SpecError:
    """Return the refusal of a folder without a network.yaml."""
    there = "has no network.yaml" if folder.is_dir() else "is not there"
    remedy = "name a project's folder, or write one: aieloom new NAME"
    return SpecError(Problem(rule="project", text=f"{folder} {there}", remedy=remedy))


def home_of(folder: Path) -> Path:
    """Return where doit keeps a project's build/: in the repository of `projects/NAME`, else in its own folder."""
    own = (folder if folder.is_dir() else folder.parent).absolute()
    shared = own.parent.parent
    return shared if own.parent.name == "projects" and (shared / "dodo.py").is_file() else own


def _names(folder: Path) -> set[str]:
    """Return what the project in a folder is called: by its folder, and by itself where its file can be read."""
    names = {folder.absolute().name}
    with suppress(SpecError, OSError):
        named = parse_yaml(read_text(folder / FILE, shown_as=FILE, remedy=""), FILE).data.get("name")
        names |= {named} if isinstance(named, str) else set()
    return names


def _shown(path: Path) -> str:
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def write_plan(project: Project | LogicProject | SequentialProject | CircuitProject) -> bool:
    """Write plan.json; return whether it changed."""
    return write_text(project.build / "plan.json", json.dumps(as_json(project.plan), indent=1) + "\n")
