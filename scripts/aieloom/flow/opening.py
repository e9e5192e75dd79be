"""Opening a project: its description is read, and planned as its `execution:` and `engine:` say."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aieloom.digests import named_digest
from aieloom.errors import CannotFit, SpecError
from aieloom.flow.project import ON_ARRAY, Project, WeightsFile
from aieloom.network.layers import Network, infer_shapes
from aieloom.network.no_ops import Dissolved, dissolve
from aieloom.network.readers.models import is_quantised_model, rounding_layers
from aieloom.ops import REGISTRY
from aieloom.ops.batch_norm import Folded, fold_network
from aieloom.ops.plugins import load_plugins, package_files, project_files
from aieloom.ops.registry import UNITS
from aieloom.plan.capacity import on_array, room_of
from aieloom.plan.partition import turns
from aieloom.plan.whole import whole
from aieloom.progress import working
from aieloom.search.default import settle
from aieloom.spec.board import Board
from aieloom.spec.device import Device, load_board, no_array
from aieloom.spec.lines import SourceFile
from aieloom.spec.load import load_network
from aieloom.spec.network import NetworkSpec, left_to_planner
from aieloom.spec.product import is_in_logic, weighted
from aieloom.spec.quantize import Scales, settings_for
from aieloom.spec.types import DataType
from aieloom.units.plan import Plan, interval_us

if TYPE_CHECKING:
    from aieloom.quantize.network import Quantised

SAID = "network.yaml says so"
SEARCHED = (
    32  # layers on the array: with more `execution: auto` does not look for a mapping, which takes minutes
)
CROWDED = 0.5  # of the cores' data memories: with more weights `execution: auto` does not try the array


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


def engines_of(spec: NetworkSpec) -> dict[str, Any]:
    """Return the engine that each layer's mapping says or has by default."""
    return {name: m.runs_on for name, m in spec.mapping.items()}


def open_project(
    folder: Path, *, target: str | None = None, build: Path | None = None, weights: Path | None = None
) -> Project:
    """Read a project and plan it for an array with cores for each layer, whatever its `execution:` says.

    `build` is the folder that takes `<project>/<target>/`; default `build/` in the current folder.

    Raises:
        SpecError: the description is wrong, or the design breaks a rule of the device.
    """
    return _on_array(_read(read_description(folder, target=target, weights=weights), folder, build, weights))


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
    board = load_board(spec.target)
    rows = _takes_turns(spec, board)
    read = _read(spec, folder, build, weights, in_turn=rows and spec.execution == "sequential")
    if read.unit:
        from aieloom.makers import maker_of  # noqa: PLC0415 - units print, which checking others does without

        with working(f"planning {spec.name}"):
            return read.planned_as(maker_of(read.unit).plan(read.network, board, REGISTRY, SAID), read.unit)
    reason = SAID
    if spec.execution == "auto":
        crowded = _crowded(read.network, board)
        reason = crowded or ("" if isinstance(board, Device) else no_array(board)[0])
    if spec.execution == "spatial" and not is_circuit(spec):
        return _on_array(read)
    if spec.execution != "auto" or reason:
        return _taking_turns(read, board, reason, rows=rows)
    try:
        return _on_array(read, moves=False)
    except CannotFit as e:
        reason = f"spatially it does not fit: {e.problems[0].text}"
    try:
        return _taking_turns(read, board, reason, rows=rows)
    except CannotFit:  # there is no other way: layers may go to the processor
        return _on_array(read)


def _on_array(read: _Description, *, moves: bool = True) -> Project:
    """Plan what was read for the target's array; `moves` lets layers that have no room there go to the processor.

    Raises:
        SpecError: the target has none, or the design breaks a rule of the device.
    """
    device, make, integers = _array_device(read.spec), read.make, read.integers
    with working(f"planning {read.spec.name}"):
        try:
            settled = settle(
                read.network,
                device,
                REGISTRY,
                plugins=_plugins(read.folder),
                remake=make.network,
                moves=moves,
            )
        except CannotFit as e:
            raise _or_layer_by_layer(e, read.network, device) from None
    if integers and engines_of(settled.network.spec) != engines_of(read.spec):
        integers = make.of(settled.network.spec)
    common = read.opened(device.name)
    common |= {"network": replace(read.folded.network, spec=settled.network.spec)}
    return Project(
        **common,
        home=ON_ARRAY,
        plan=whole(settled.plan),
        quantised=replace(integers, network=settled.network) if integers else None,
    )


def _taking_turns(read: _Description, board: Board, reason: str, *, rows: bool) -> Project:
    """Plan what was read as a circuit, or one layer after another; `rows`: layers of whole rows have a unit.

    Raises:
        CannotFit: it does not fit the board.
    """
    if rows and read.spec.execution == "auto" and _has_rows(read.folded.network):
        read = replace(
            _read(read.spec, read.folder, read.build, read.weights, in_turn=True), began=read.began
        )
    with working(f"planning {read.spec.name}"):
        plan = _in_logic_or_in_turn(read.network, board, reason, _plugins(read.folder))
    return read.planned_as(plan, "sequential" if plan.schedule.kind == "commands" else "circuit")


def _takes_turns(spec: NetworkSpec, board: Board) -> bool:
    """Tell whether layers of whole rows have a unit: it stands beside the engine, where the logic has room for it."""
    settings = spec.quantize
    integers = settings is not None and settings.dtype is not DataType.BFLOAT16
    if spec.execution == "spatial":
        return False
    if settings and integers:
        scaled = settings.scaling is Scales.MULTIPLIER and settings.overflow != "wrap"
        if settings.dtype is not DataType.INT8 or not scaled:
            return False
    from aieloom.sequential.row_unit import has_room  # noqa: PLC0415 - layers in their turn alone have it

    return has_room(board, integers=integers)


def _has_rows(network: Network) -> bool:
    """Tell whether a network has layers of whole rows."""
    from aieloom.quantize.attention import with_attention  # noqa: PLC0415 - sequential execution alone has it

    return any(turns(network, REGISTRY, la.name) for la in with_attention(network).layers)


def is_circuit(spec: NetworkSpec) -> bool:
    """Tell whether network.yaml wants the whole network as one circuit in the logic."""
    return spec.execution == "spatial" and spec.engine == "pl"


def _in_logic_or_in_turn(network: Network, board: Board, reason: str, plugins: bytes) -> Plan:
    """Plan a circuit or layers in their turn, as network.yaml says; where it says auto, what the model says is faster.

    Raises:
        CannotFit: it does not fit the board.
    """
    from aieloom.circuit.plan import plan_circuit  # noqa: PLC0415 - most networks lie on the array
    from aieloom.search.hybrid import faster_with_part, with_named_part  # noqa: PLC0415
    from aieloom.sequential.planning import plan_sequential  # noqa: PLC0415

    spec = network.spec
    if is_circuit(spec):
        return plan_circuit(network, board, REGISTRY, reason)
    if spec.spatial:
        return with_named_part(network, board, reason, plugins)
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
    if spec.execution == "auto" and isinstance(board, Device):
        in_turn = faster_with_part(network, board, in_turn, plugins)
    return circuit if circuit and interval_us(circuit) < interval_us(in_turn) else in_turn


def _or_layer_by_layer(e: CannotFit, network: Network, device: Device) -> CannotFit:
    """Add the way for networks of any size to the remedies, where no tiling helps because of the weights alone."""
    if not _crowded(network, device):
        return e
    hint = "or run the layers one after another on one engine (execution: auto)"
    return CannotFit(replace(p, remedy=f"{p.remedy}; {hint}") for p in e.problems)


def _crowded(network: Network, board: Board) -> str | None:
    """Say why a network need not be tried on an array: its weights leave hardly room for buffers, or it has too many layers."""
    if not isinstance(board, Device):
        return None
    layers = len(on_array(network, REGISTRY))
    if layers > SEARCHED:
        return (
            f"{layers} layers would share the {board.array.cores} cores, more than the {SEARCHED} for which a mapping "
            "is looked for (execution: spatial looks for one all the same)"
        )
    weights, room = room_of(network, board, REGISTRY)
    if weights <= CROWDED * room:
        return None
    return (
        f"its weights have {weights:,} B as cores hold them, more than {CROWDED:.0%} of the {room:,} B of "
        "the cores' data memories, where buffers lie too"
    )


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
    """A network as it is written and as it is planned, and what makes integers of it; `build` and `weights` as said."""

    spec: NetworkSpec
    folder: Path
    build: Path | None
    weights: Path | None
    written: Network
    dissolved: Dissolved
    folded: Folded
    make: _Integers
    integers: Quantised | None
    began: float  # in seconds of `time.perf_counter`

    @property
    def network(self) -> Network:
        """The network that is planned: that of integers, where there is one."""
        return self.integers.network if self.integers else self.folded.network

    @property
    def unit(self) -> str | None:
        """The one kind of unit that computes all layers, or all of their products, as network.yaml says."""
        return self.spec.unit or ("matrix_engine" if is_in_logic(self.spec) else None)

    def opened(self, board: str) -> dict[str, Any]:
        """Return what every project has of what was read."""
        home = (
            self.folder.resolve()
        )  # project= finds a folder of projects/ by its name, whatever network.yaml says
        name = home.name if home.parent.name == "projects" else self.folded.network.spec.name
        return {
            "folder": self.folder,
            "build": (self.build or Path("build")).absolute() / name / board,
            "network": self.folded.network,
            "written": self.written,
            "folded": self.folded,
            "dissolved": self.dissolved,
            "weights_override": self.weights,
            "trained": self.make.trained,
            "plan_seconds": time.perf_counter() - self.began,
        }

    def planned_as(self, plan: Plan, home: str) -> Project:
        """Return the project that is planned so."""
        return Project(**self.opened(plan.board.name), quantised=self.integers, plan=plan, home=home)


def _read(
    spec: NetworkSpec, folder: Path, build: Path | None, weights: Path | None, *, in_turn: bool = False
) -> _Description:
    began = time.perf_counter()
    written = infer_shapes(spec, REGISTRY)
    file = weights or folder / spec.weights
    dissolved = dissolve(written, REGISTRY, stay=rounding_layers(file))
    folded = fold_network(dissolved.network)
    if in_turn and not is_quantised_model(file):
        from aieloom.quantize.attention import with_attention  # noqa: PLC0415 - sequential execution alone has it

        folded = replace(folded, network=with_attention(folded.network))
    make = _Integers(
        trained=WeightsFile(path=file, written=written, folded=folded), folder=folder, in_turn=in_turn
    )
    with working(f"reading the weights of {spec.name}"):
        make.check()
        integers = make.of(spec)
    return _Description(
        spec=spec,
        folder=folder,
        build=build,
        weights=weights,
        written=written,
        dissolved=dissolved,
        folded=folded,
        make=make,
        integers=integers,
        began=began,
    )


def _array_device(spec: NetworkSpec) -> Device:
    """Return the target, which a plan of AI Engine layers wants an array of.

    Raises:
        SpecError: it has none.
    """
    board = load_board(spec.target)
    if isinstance(board, Device):
        return board
    raise SpecError(spec.source.problem("array-2", ("target",), *no_array(board)))


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


def _plugins(folder: Path) -> bytes:
    """Return a digest of the operators that are not aieloom's, on which a plan depends."""
    own = ((f.relative_to(folder).as_posix(), f) for f in project_files(folder))
    return named_digest((*own, *((str(f), f) for f in package_files()))).encode()
