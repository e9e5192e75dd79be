"""From the text of network.yaml to a validated NetworkSpec, or to every problem at once.

Several inputs a design takes as one record, in which they lie one after another. So there is one input tensor for everything
that carries it: files, the host program, its protocol, the references. What each input is, a layer `graph_input` says, at which
the record's reader picks it; these layers stand before all others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from aieloom.errors import Problem, SpecError
from aieloom.spec.device import device_names, is_device_file, load_board
from aieloom.spec.lines import KeyPath, SourceFile, parse_yaml, read_text
from aieloom.spec.network import (
    GRAPH_INPUT,
    INPUT,
    EngineSpec,
    InputSpec,
    LayerCatalog,
    LayerSpec,
    MappingSpec,
    NetworkFile,
    NetworkSpec,
    SpatialSpec,
)
from aieloom.spec.types import DataType
from aieloom.spec.validation import closest, problems_of

ModelT = TypeVar("ModelT", bound=BaseModel)


def load_network(
    path: Path,
    catalog: LayerCatalog,
    *,
    target: str | None = None,
    complete: Callable[[SourceFile, Path], SourceFile] | None = None,
) -> NetworkSpec:
    """Read `path` (a project folder or its network.yaml); `target` overrides the file's.

    `complete` may add to the file's data, given the folder, before it is validated: the layers of an ONNX model.

    Raises:
        SpecError: with every problem of the file, in file order.
    """
    file = path / "network.yaml" if path.is_dir() else path
    shown = _shown(file)
    text = read_text(
        file, shown_as=shown, remedy="name a project folder that has a network.yaml: project=espcn"
    )
    source = parse_yaml(text, shown)
    whole = complete(source, file.parent) if complete else source
    return parse_network(whole, catalog, target=target, folder=file.parent)


def _shown(file: Path) -> str:
    """Return the file as messages call it: relative when it lies below the current folder."""
    try:
        return str(file.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(file)


def parse_network(
    source: SourceFile, catalog: LayerCatalog, *, target: str | None = None, folder: Path | None = None
) -> NetworkSpec:
    """Validate a parsed file; a device file that it names lies below `folder`, one that `target` names in the current one.

    Raises:
        SpecError: with every problem of the file, in file order.
    """
    missing = _missing_input(source)
    try:
        file = NetworkFile.model_validate(source.data)
    except ValidationError as e:
        raise SpecError([*missing, *problems_of(e, source, NetworkFile)]) from e
    if missing:
        raise SpecError(missing)
    given = file.inputs or ((file.input,) if file.input else ())
    several = given if len(given) > 1 else ()
    reader = _Reader(source, catalog, len(several))
    own = tuple(reader.layer(i, data) for i, data in enumerate(file.layers))
    layers = (*graph_input_layers(several, catalog), *own)
    names = {layer.name: layer.op for layer in layers if layer}
    reader.check_unique(layers)
    reader.check_inputs(layers, "" if several else given[0].name)
    reader.check_several(file)
    mapping = {name: reader.mapping(name, op, file.mapping.get(name, {})) for name, op in names.items()}
    reader.check_mapped(file.mapping, names, len(layers))
    if isinstance(file.execution, SpatialSpec):
        reader.check_spatial(file.execution, names)
    in_file = str((folder or Path()) / file.target) if is_device_file(file.target) else file.target
    sized = file.engine if isinstance(file.engine, EngineSpec) else EngineSpec(where=file.engine)
    reader.check_engine(file)
    if file.unit and (file.execution, file.engine) != ("spatial", "auto"):
        text = f"unit: {file.unit} computes the whole network, and execution: or engine: says another way"
        reader.report("option", ("unit",), text, "leave execution: and engine: out, or unit:")
    if file.sequencer == "host" and file.execution == "spatial":
        text = "sequencer: host is of commands that layers one after another have, and execution: is spatial"
        reader.report("option", ("sequencer",), text, "write execution: sequential, or leave sequencer: out")
    reader.check_target(in_file, target)
    if reader.problems:
        raise SpecError(reader.problems)
    spatial = file.execution.spatial if isinstance(file.execution, SpatialSpec) else ()
    read = {
        "target": target or in_file,
        "input": record_of(several) if several else given[0],
        "inputs": several,
        "layers": tuple(layer for layer in layers if layer),
        "mapping": {name: m for name, m in mapping.items() if m},
        "execution": "sequential" if spatial else file.execution,
        "spatial": spatial,
        "engine": sized.where,
        "sized": sized,
        "source": source,
    }
    return NetworkSpec.model_validate(dict(file) | read)


def _missing_input(source: SourceFile) -> list[Problem]:
    """Return what is wrong where a file says no input of the network, or says them twice."""
    said = [key for key in ("input", "inputs") if source.data.get(key) is not None]
    if len(said) == 1:
        return []
    if said:
        text = "input: and inputs: are both given"
        return [source.problem("inputs", ("inputs",), text, "leave one of them out")]
    remedy = "add 'input: ...' here, or inputs: [...] where the network has several"
    return [source.problem("key", (), "'input' is missing", remedy)]


class _Reader:
    """Reads layers and mappings by their operators' models and collects what is wrong."""

    def __init__(self, source: SourceFile, catalog: LayerCatalog, several: int) -> None:
        self.source = source
        self.catalog = catalog
        self.several = several  # inputs, which are layers before the file's
        self.problems: list[Problem] = []

    def report(self, rule: str, path: KeyPath, text: str, remedy: str) -> None:
        self.problems.append(self.source.problem(rule, path, text, remedy))

    def model(self, model: type[ModelT], data: dict[str, object], at: KeyPath) -> ModelT | None:
        try:
            return model.model_validate(data)
        except ValidationError as e:
            self.problems.extend(problems_of(e, self.source, model, at))
            return None

    def layer(self, index: int, data: dict[str, object]) -> LayerSpec | None:
        at = ("layers", index)
        op = data.get("op")
        if not isinstance(op, str) or op not in self.catalog:
            known = tuple(self.catalog)
            text = (
                f"there is no operator {op!r}{closest(str(op), known)}" if "op" in data else "'op' is missing"
            )
            remedy = f"use one of: {', '.join(known)}"
            self.report("op", (*at, "op"), text, remedy)
            return None
        return self.model(self.catalog[op].layer_model, data, at)

    def at(self, index: int) -> KeyPath:
        """Return the place of a layer in the file, or of an input that is one."""
        before = self.several
        return ("layers", index - before) if index >= before else ("inputs", index)

    def check_spatial(self, execution: SpatialSpec, names: Mapping[str, str]) -> None:
        for i, name in enumerate(execution.spatial):
            if name not in names:
                text = f"there is no layer '{name}'{closest(name, list(names))}"
                self.report("layer", ("execution", "spatial", i), text, f"use one of: {', '.join(names)}")

    def mapping(self, name: str, op: str, data: dict[str, object]) -> MappingSpec | None:
        return self.model(self.catalog[op].mapping_model, data, ("mapping", name))

    def check_engine(self, file: NetworkFile) -> None:
        """Sizes of an engine are of layers one after another, cycles of a circuit."""
        said = file.engine.model_fields_set if isinstance(file.engine, EngineSpec) else set()
        if said and file.execution == "spatial" and not {"cycles"} <= said <= {"where", "cycles"}:
            text = "sizes of an engine are of layers one after another, and execution: is spatial"
            remedy = "write execution: sequential, engine: without sizes, or engine: {where: pl, cycles: N} for a circuit"
            self.report("option", ("engine",), text, remedy)
        if "cycles" in said and file.execution != "spatial":
            text = "engine: cycles: is of a circuit, and execution: is not spatial"
            self.report("option", ("engine",), text, "write execution: spatial, or leave cycles: out")

    def check_unique(self, layers: tuple[LayerSpec | None, ...]) -> None:
        first: dict[str, int] = {}
        for i, layer in enumerate(layers):
            if layer is None:
                continue
            key = layer.name.lower()  # class Conv1 and file conv1.cc: names that differ in case alone collide
            if key in first:
                line = self.source.line((*self.at(first[key]), "name"))
                what = "layer" if first[key] >= self.several else "input"
                text = f"the name '{layer.name}' is taken by the {what} on line {line}"
                self.report("name", (*self.at(i), "name"), text, "give each layer a name of its own")
            first.setdefault(key, i)

    def check_inputs(self, layers: tuple[LayerSpec | None, ...], source: str) -> None:
        """Report inputs that are no layers above, as many as the operator does not take, and results nobody reads."""
        if None in layers:
            return
        known = tuple(layer for layer in layers if layer)
        before = len(self.problems)
        read: set[str] = set()
        for i, layer in enumerate(known[self.several :], self.several):
            above = [la.name for la in known[:i]]
            at = (*self.at(i), "inputs")
            self.check_names(layer, above, source, at)
            if i == self.several > 0 and not layer.inputs:
                text = f"layer '{layer.name}' does not say which of the {i} inputs it reads"
                self.report("inputs", at, text, f"write inputs: [{above[0]}], say")
            self.check_arity(layer, at)
            read.update(layer.inputs or above[-1:])
        misspelt = len(self.problems) > before  # a name that is wrong leaves another unread
        for i, layer in enumerate(known[:-1]):
            if layer.name not in read and not misspelt:
                what = "the result of" if i >= self.several else "the input"
                text = f"no layer reads {what} '{layer.name}'"
                remedy = (
                    "name it in the inputs of a layer below, or leave it out; the last layer gives the output"
                )
                self.report("unused", self.at(i), text, remedy)

    def check_several(self, file: NetworkFile) -> None:
        """Report what is said of the input where there are several."""
        if self.several and file.data and file.data.images:
            text = f"pictures are one input, and the network has {self.several}"
            remedy = "write data: {samples: FILE.npz}, with an array by the name of each input"
            self.report("data", ("data", "images"), text, remedy)
        if self.several and file.tiles:
            text = f"tiles are cut of one image, and the network has {self.several} inputs"
            self.report("tiles-1", ("tiles",), text, "leave tiles: out, or use execution: sequential")

    def check_names(self, layer: LayerSpec, above: list[str], source: str, at: KeyPath) -> None:
        """Report inputs of a layer that are neither a layer `above` nor the network's one input, `source`."""
        for k, name in enumerate(layer.inputs or ()):
            if name in above and name == source:
                text = f"layer '{layer.name}' reads '{name}', which is both a layer and the network's input"
                self.report("inputs", (*at, k), text, "give the input another name (input: {name: ...})")
            elif name not in above and (name != source or not source):
                names = [*above, *([source] if source else [])]
                text = (
                    f"layer '{layer.name}' reads '{name}', which is no layer above it{closest(name, names)}"
                )
                self.report("inputs", (*at, k), text, f"use what is above it: {', '.join(names[-8:])}")

    def check_arity(self, layer: LayerSpec, at: KeyPath) -> None:
        least, most = self.catalog[layer.op].arity
        count = len(layer.inputs or ("the layer before it",))
        if not least <= count <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            text = f"layer '{layer.name}' (op {layer.op}) has {count} input{'s' * (count > 1)}, it takes {wanted}"
            self.report("inputs", at, text, "write inputs: [a, b], the names of layers above it")

    def check_mapped(self, mapping: dict[str, dict[str, object]], names: dict[str, str], count: int) -> None:
        """Refuse a mapping of a layer that is not there; of `count` layers, where all have a name."""
        for name in mapping:
            if name not in names and len(names) == count:
                text = f"there is no layer '{name}' to map{closest(name, names)}"
                self.report("key", ("mapping", name), text, f"layers: {', '.join(names)}")

    def check_target(self, in_file: str, override: str | None) -> None:
        known = device_names()
        for value, at in ((in_file, ("target",)), (override, ())):
            if value is not None and is_device_file(value):
                self.check_device_file(value, at)
            elif value is not None and value not in known:
                text = f"there is no device '{value}'{closest(value, known)}"
                self.report_target(at, text, f"use one of: {', '.join(known)}")

    def check_device_file(self, value: str, at: KeyPath) -> None:
        """Report what is wrong in a device file, or that there is none, where the target is named."""
        try:
            load_board(value)
        except SpecError as e:
            if Path(value).is_file():
                self.problems += e.problems
                return
            where = "beside network.yaml" if at else "in the current folder"
            self.report_target(at, f"there is no device file {value}", f"name a file {where}, or a board")

    def report_target(self, at: KeyPath, text: str, remedy: str) -> None:
        """Report a target of the file, or of the command line."""
        of_file = self.source.problem("target", at, text, remedy)
        self.problems.append(of_file if at else replace(of_file, file="target=", line=0, column=0))


def record_of(inputs: Sequence[InputSpec]) -> InputSpec:
    """Return what the design takes in place of several inputs: a row of the values of all; it has a name that no layer has."""
    total = sum(prod(i.shape) for i in inputs)
    return InputSpec.model_construct(
        name=INPUT, shape=(total,), dtype=DataType.FLOAT32, integers=None, below=None
    )


def graph_input_layers(inputs: Sequence[InputSpec], catalog: LayerCatalog) -> tuple[LayerSpec, ...]:
    """Return the layer of each input: what of the record it is."""
    if not inputs:
        return ()
    model: type[LayerSpec] = catalog[GRAPH_INPUT].layer_model
    offsets = accumulate((prod(i.shape) for i in inputs), initial=0)
    return tuple(
        model.model_validate(
            {"name": i.name, "op": GRAPH_INPUT, "inputs": [INPUT], "shape": list(i.shape), "offset": at}
        )
        for i, at in zip(inputs, offsets, strict=False)
    )
