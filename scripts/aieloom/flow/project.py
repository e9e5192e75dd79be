"""A project opened for one target: its description, its plan, its weights, and where its files go."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aieloom import cached_answers
from aieloom.emit.files import write_text
from aieloom.errors import SpecError
from aieloom.flow.listing import DEFAULT_PROJECT
from aieloom.network.layers import Array, Network, Parameters
from aieloom.network.no_ops import Dissolved
from aieloom.network.readers import SUFFIXES
from aieloom.network.tensor import TensorType, tensor_of
from aieloom.network.weights import layer_parameters, match_weights, read_tensor_file
from aieloom.ops import REGISTRY
from aieloom.ops.batch_norm import Folded, fold_parameters
from aieloom.ops.plugins import FOLDER as OPERATORS
from aieloom.ops.plugins import package_files, project_files
from aieloom.plan.types import ArrayPart, array_of
from aieloom.search.execution import ON_ARRAY
from aieloom.spec.device import is_device_file
from aieloom.spec.lines import parse_yaml, read_text
from aieloom.spec.types import DataType
from aieloom.units.plan import Plan, as_json

if TYPE_CHECKING:
    from aieloom.cost.power import Energy
    from aieloom.network.inputs import Given
    from aieloom.quantize.network import Quantised

Values = NDArray[np.float32]

FILE = "network.yaml"

LAYER_SAMPLES = 4  # for which each layer's output is looked at,
LAYER_VALUES = 1 << 24  # and the most values that are kept of them


@dataclass(frozen=True, kw_only=True)
class WeightsFile:
    """A file of trained tensors for a network, read when they are first asked for.

    All that is made of a project, and its copies, share it: a program and what it should give are of the same tensors, whatever
    is written to the file meanwhile.
    """

    path: Path
    written: Network
    folded: Folded

    @property
    def parameters(self) -> dict[str, dict[str, Array]]:
        """The tensors of the folded network as float32, `{layer: {weight, bias}}`.

        Raises:
            SpecError: the file cannot be read, or is not of this network.
        """
        return self._matched[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """How they were matched and folded, as lines."""
        return self._matched[1]

    @cached_property
    def _matched(self) -> tuple[dict[str, dict[str, Array]], tuple[str, ...]]:
        path, shown, spec = self.path, _shown(self.path), self.written.spec
        if not path.is_file() and path.name == Path(spec.weights).name:
            text = f"there is no such weights file: {shown}"
            remedy = "train it (doit train), or name the file of the trained tensors"
            raise SpecError(spec.source.problem("weights", ("weights",), text, remedy))
        file = read_tensor_file(path, shown_as=shown)
        shapes = {n: t.shape for n, t in file.tensors.items()}
        match = match_weights(self.written, shapes, file=shown, operators=REGISTRY)
        parameters = fold_parameters(self.folded, layer_parameters(file.tensors, match))
        return parameters, (*filter(None, [file.note]), *match.lines(), *self.folded.notes())


@dataclass(frozen=True, kw_only=True)
class Project:
    """A project for one target, whatever plans it. `folder` has network.yaml; `build` takes everything that is made.

    `weights` overrides the file that network.yaml names. `network` is what is planned; `folded` says which
    batch_norm layers of network.yaml went into which of its layers, `dissolved` which cost nothing. `home` is the module
    of this room that makes its design.
    """

    home: str
    folder: Path
    build: Path
    network: Network
    written: Network  # as network.yaml has it: the layers that the weights file has tensors for
    folded: Folded
    dissolved: Dissolved
    plan_seconds: float
    trained: WeightsFile
    plan: Plan
    weights_override: Path | None = None
    quantised: Quantised | None = None  # what is planned, when `quantize:` asks for integers

    @property
    def planned(self) -> Network:
        """The network that was planned: the one of integers where `quantize:` asks for them."""
        return self.quantised.network if self.quantised else self.network

    @property
    def name(self) -> str:
        """The project's name."""
        return self.network.spec.name

    @property
    def target(self) -> str:
        """The board's name, also of a device file."""
        return self.plan.board.name

    @property
    def x(self) -> TensorType:
        """The network's input."""
        return self.plan.x

    @property
    def elements(self) -> DataType | None:
        """The type in which the device carries the input; None where it carries whatever float32 has."""
        if self.on_array:
            return self.array.elements
        dtype = self.plan.tasks[0].x.dtype
        return None if dtype is DataType.FLOAT32 and self.plan.schedule.kind != "commands" else dtype

    @property
    def on_array(self) -> bool:
        """Whether it is a spatial design on an array: each layer has cores or a kernel of its own."""
        return self.home == ON_ARRAY

    @property
    def array(self) -> ArrayPart:
        """What a spatial design has on the array and around it."""
        return array_of(self.plan)

    @property
    def given(self) -> str:
        """What the network is given, for people: its input, or its inputs with their names."""
        several = (f"{i.name} {tensor_of(i.shape, i.dtype)}" for i in self.network.spec.inputs)
        return " and ".join(several) or str(self.x)

    def taken(self, x: Given) -> Values:
        """Return `x` as `(n, channels, height, width)`: of a matrix, its features are channels.

        Of a network with several inputs it is an array for each by name, and what is returned the record of all.

        Raises:
            SpecError: it is no array of numbers in the network's shape, has some that the device cannot carry, or a mask that
                hides all keys of an attention.
        """
        from aieloom.network.inputs import check_finite, check_keys, taken_record  # noqa: PLC0415 - of a run

        values = taken_record(x, self.x, self.network.spec.graph_inputs)
        check_keys(self.network, values)
        if self.elements:
            check_finite(values, self.elements)
        return values

    def layer_samples(self, x: Values) -> Values:
        """Return those of `x` for which each layer's output is looked at: the first, fewer where the outputs are large.

        Of images in tiles it is the first tile.
        """
        frame = self.array.frame if self.on_array else None
        if frame:
            return frame.cut(x[:1])[:1]
        return x[: max(1, min(LAYER_SAMPLES, LAYER_VALUES // self.network.values))]

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
        onnx = (f for model in models if model.suffix in SUFFIXES for f in _files_of(model))
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

    @property
    def float_parameters(self) -> dict[str, dict[str, Array]]:
        """Trained tensors as float32, `{layer: {weight, bias}}`."""
        return self.trained.parameters

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
            *self.trained.notes,
            *self.dissolved.notes(),
            *(self.quantised.notes() if self.quantised else ()),
        )


def _files_of(model: Path) -> tuple[Path, ...]:
    from aieloom.network.readers.onnx_external import external_files  # noqa: PLC0415 - of models alone

    return (model, *external_files(model))


def say_followed(project: Project, *others: Path) -> None:
    """Say what a command's answer about a project follows from, that it can be kept: the plan's files, and `others`.

    Nothing of a project whose operators are programs of their own.
    """
    if project_files(project.folder) or package_files():
        return
    own = project.folder / OPERATORS  # as it is not there, it is one of them
    cached_answers.follows_from((project.folder, *project.planned_from, own, *others))


def find_project(name: str | None, root: Path) -> Path:
    """Return the folder of project `name`, or of a network: below `root/projects`, `root` itself where it is that, or a path.

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
    folders = [] if alone else sorted(file.parent for file in (root / "projects").glob(f"*/{FILE}"))
    for folder in folders:
        if name in _names(folder):  # by its network's, as generated files have it
            return folder
    known = sorted(_names(root)) if alone else [folder.name for folder in folders]
    here = _shown(root / FILE) if alone else f"no {_shown(inside)}/{FILE}"
    text = f"there is no project '{name}' ({here}{' is another one' if alone else ''})"
    raise SpecError(rule="project", text=text, remedy=f"use one of: {', '.join(known) or 'none here'}")


def sought(name: str | None, root: Path) -> tuple[Path, ...]:
    """Return the paths at which `find_project` looks, on which it depends which project it finds."""
    name = name or DEFAULT_PROJECT
    return root / FILE, root / "projects", root / "projects" / name / FILE, Path(name) / FILE


def no_project(folder: Path) -> SpecError:
    """Return the refusal of a folder without a network.yaml."""
    there = "has no network.yaml" if folder.is_dir() else "is not there"
    remedy = "name a project's folder, or write one: aieloom new NAME"
    return SpecError(rule="project", text=f"{folder} {there}", remedy=remedy)


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


def write_plan(project: Project) -> bool:
    """Write plan.json; return whether it changed."""
    return write_text(project.build / "plan.json", json.dumps(plan_of(project), indent=1) + "\n")


def plan_of(project: Project) -> object:
    """Return a project's plan as JSON, with the modelled energy of an image where there is one."""
    made = as_json(project.plan)
    energy = _energy(project)
    if energy and isinstance(made, dict):
        made["energy"] = energy.as_json()
    return made


def _energy(project: Project) -> Energy | None:
    """Return what an image takes by the model, where it has a model of such a design and of the board."""
    from aieloom.plan.energy import plan_energy  # noqa: PLC0415 - of plan.json

    if project.on_array:
        return plan_energy(project.array, project.array.cost.interval_us)
    from aieloom.makers import maker_of  # noqa: PLC0415 - units print, which looking at a plan does without

    return maker_of(project.home).energy(project.plan)
