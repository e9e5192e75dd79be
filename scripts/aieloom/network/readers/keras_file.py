"""A Keras file as calls of layers in order: the configuration it says, and the arrays of each layer. Nothing in it is run.

Keras itself makes objects of a file, of any class that it names; here a file is JSON and HDF5 and nothing else: a .keras
archive (config.json, metadata.json, model.weights.h5) or an .h5 file (the attribute model_config, the group model_weights), of
Keras 2 and 3. Models in models are taken apart.
Facts: keras.io, "Whole model saving & loading", and what Keras 3.15 writes: in an archive a layer's arrays lie under
layers/KIND_NUMBER/vars/0, 1, ..., the kind in small letters, numbered in the order of the layers; in an .h5 file under the
names that the attribute weight_names of the layer's group lists.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.errors import SpecError
from aieloom.network.readers.bounded_json import json_of, parsed
from aieloom.spec.types import MAX_ELEMENTS

RULE = "keras"
MODELS = ("Sequential", "Functional", "Model")
AGAIN = "save the whole model again with model.save('net.keras')"
BYTES = 1 << 32  # of an archive's members: more is a mistake, or an attack
SMALLER = "use a model of fewer layers: no network of ours has so many"
WEIGHTS, CONFIG, META = "model.weights.h5", "config.json", "metadata.json"
# Arrays of a layer that lie in parts of it, in this order.
PARTS: Mapping[str, tuple[str, ...]] = {
    "Bidirectional": ("forward_layer/cell", "backward_layer/cell"),
    "GRU": ("cell",),
    "LSTM": ("cell",),
    "MultiHeadAttention": ("query_dense", "key_dense", "value_dense", "output_dense"),
    "TimeDistributed": ("layer",),
}
Config = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class KerasCall:
    """A layer that is called: the numbers of the tensors that it reads, and of the one that it gives."""

    name: str  # with the names of the models around it
    kind: str
    config: Config
    weights: tuple[NDArray[np.generic], ...]
    reads: tuple[int, ...]
    gives: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KerasModel:
    """Calls in order of evaluation; tensor 0 is the input, of `shape` without the batch."""

    calls: tuple[KerasCall, ...]
    shape: tuple[int, ...]
    result: int
    version: int  # 2 or 3


def refused(shown: str, text: str, remedy: str) -> SpecError:
    """Return the refusal of a file."""
    return SpecError(rule=RULE, file=shown, text=text, remedy=remedy)


def load_keras(path: Path, shown: str) -> KerasModel:
    """Read a file.

    Raises:
        SpecError: it is none of Keras', truncated or damaged, holds weights alone, or is no graph of layers.
    """
    try:
        import h5py  # noqa: PLC0415 - only this format needs it
    except ImportError as e:
        text = f"reading {path.suffix} files needs the package 'h5py', which is not installed"
        raise refused(shown, text, "pip install 'aieloom[keras]'") from e
    if not path.is_file():
        raise refused(shown, "there is no such file", "correct the path of the model")
    try:
        if zipfile.is_zipfile(path):
            return _archive(path, shown)
        with h5py.File(path, "r") as file:
            return _legacy(file, shown)
    except SpecError:
        raise
    except Exception as e:  # damaged files raise OSError, KeyError, BadZipFile, ValueError, AttributeError, RecursionError ...
        said = str(e).splitlines()[0] if str(e) else type(e).__name__
        text = f"is a truncated or damaged Keras file: {said}"
        raise refused(shown, text, AGAIN) from e


def _archive(path: Path, shown: str) -> KerasModel:
    import h5py  # noqa: PLC0415

    with zipfile.ZipFile(path) as archive:
        if {CONFIG, WEIGHTS} - set(archive.namelist()):
            text = f"is an archive without {CONFIG} or {WEIGHTS}"
            raise refused(shown, text, AGAIN)
        if sum(i.file_size for i in archive.infolist()) > BYTES:
            raise refused(shown, f"says that it holds more than {BYTES} bytes", AGAIN)
        config = json_of(archive, CONFIG, lambda text: refused(shown, text, SMALLER))
        known = META in archive.namelist()
        meta = json_of(archive, META, lambda text: refused(shown, text, SMALLER)) if known else {}
        data = archive.read(WEIGHTS)
    with h5py.File(io.BytesIO(data), "r") as file:
        return _model(config, str(meta.get("keras_version", "3")), _Numbered(file, shown), shown)


def _legacy(file: Any, shown: str) -> KerasModel:
    said = file.attrs.get("model_config")
    if said is None:
        raise refused(shown, "holds weights alone, without the layers", AGAIN)
    version = _text(file.attrs.get("keras_version", "2"))
    config = parsed(_text(said), "model_config", lambda text: refused(shown, text, SMALLER))
    return _model(config, version, _Listed(file, shown), shown)


def _text(value: Any) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)


def _model(config: Config, version: str, weights: _Weights, shown: str) -> KerasModel:
    if config.get("class_name") not in MODELS:
        text = f"is a {config.get('class_name')}, whose layers are in its program, not in the file"
        raise refused(
            shown, text, "export it to ONNX: model.export('net.onnx', format='onnx'), then read that"
        )
    walk = _Walk(weights, shown)
    shape = _input_shape(config["config"], shown)
    (result,) = walk.model(config, "", [0])
    known = tuple(int(d) for d in shape)
    return KerasModel(
        calls=tuple(walk.calls), shape=known, result=result, version=int(version.partition(".")[0] or 3)
    )


def _input_shape(config: Config, shown: str) -> list[int]:
    """Return the shape of a model's input without the batch.

    Raises:
        SpecError: it has several inputs, or one of open size.
    """
    inputs = [la for la in _layers(config) if la["class_name"] == "InputLayer"]
    if len(inputs) > 1:
        text = f"has {len(inputs)} inputs ({', '.join(_name(la) for la in inputs)}); one is needed"
        raise refused(shown, text, "save the part behind one input")
    if inputs:
        shape = _batch_shape(inputs[0]["config"])
    else:
        first = next(iter(_layers(config)), None)
        built = config.get("build_input_shape") if isinstance(config, dict) else None
        shape = built or (_inner_shape(first) if first else None)
    if not shape or any(d is None for d in shape[1:]):
        text = f"its input has the shape {_dims(shape)}; all sizes behind the batch have to be known"
        raise refused(shown, text, "build the model with keras.Input((height, width, channels)), and save it")
    return list(shape[1:])


def _inner_shape(layer: Config) -> Any:
    """Return the input's shape as the first layer of a Sequential says it, a model in the model too."""
    config = layer["config"]
    if layer["class_name"] in MODELS:
        first = next(iter(_layers(config)))
        return _batch_shape(first["config"]) or _inner_shape(first)
    return _batch_shape(config) or layer.get("build_config", {}).get("input_shape")


def _batch_shape(config: Config) -> Any:
    return config.get("batch_shape") or config.get("batch_input_shape")


def _dims(shape: Any) -> str:
    return f"({', '.join('?' if d is None else str(d) for d in shape or ['?'])})"


def _layers(config: Any) -> list[Any]:
    return list(config) if isinstance(config, list) else list(config["layers"])  # Keras 2.1's Sequential


def _name(layer: Config) -> str:
    return str(layer.get("name") or layer["config"].get("name", layer["class_name"]))


def kind_of(layer: Config) -> str:
    """Return a layer's class; of functions of keras.ops, which are no layers, with the module's name."""
    module = str(layer.get("module") or "")
    return f"keras.ops.{layer['class_name']}" if ".ops." in module else str(layer["class_name"])


@dataclass(slots=True)
class _Walk:
    """Goes through a model's layers, and through the models in it."""

    weights: _Weights
    shown: str
    calls: list[KerasCall] = field(default_factory=list)
    count: int = 0

    def model(self, model: Config, path: str, given: list[int], place: str = "") -> list[int]:
        """Add the calls of a model that reads `given`; return what it gives."""
        config, layers = model["config"], _layers(model["config"])
        places = self.weights.places(layers, place)
        if model["class_name"] == "Sequential":
            at = given
            for layer in layers:
                if layer["class_name"] != "InputLayer":
                    at = self.call(layer, path, at, places[_name(layer)])
            return at
        return self._graph(config, layers, path, given, places)

    def call(self, layer: Config, path: str, reads: list[int], place: str) -> list[int]:
        """Add a layer, or the calls of a model that stands in its place; return what it gives."""
        name = f"{path}{_name(layer)}"
        if layer["class_name"] in MODELS:
            return self.model(layer, f"{name}/", reads, place)
        self.count += 1
        self.calls.append(
            KerasCall(
                name=name,
                kind=kind_of(layer),
                config=layer["config"],
                weights=self.weights.of(place, layer),
                reads=tuple(reads),
                gives=self.count,
            )
        )
        return [self.count]

    def _graph(
        self, config: Config, layers: list[Any], path: str, given: list[int], places: Mapping[str, str]
    ) -> list[int]:
        """Add the calls of a graph as soon as what they read is known: a file's order is any."""
        inputs = [key[0] for key in _ends(config["input_layers"])]
        made: dict[tuple[str, int], list[int]] = {
            (name, 0): [at] for name, at in zip(inputs, given, strict=True)
        }
        todo = [
            (la, i, [*_reads(node)])
            for la in layers
            for i, node in enumerate(la.get("inbound_nodes") or [])
            if (_name(la), i) not in made
        ]
        while todo:
            ready = [t for t in todo if all((name, node) in made for name, node, _ in t[2])]
            if not ready:
                break  # what is left depends on tensors of other models, which nothing here reads
            for layer, i, keys in ready:
                reads = [made[name, node][at] for name, node, at in keys]
                made[_name(layer), i] = self.call(layer, path, reads, places[_name(layer)])
            todo = [t for t in todo if (_name(t[0]), t[1]) not in made]
        ends = _ends(config["output_layers"])
        if len(ends) != 1 or ends[0][:2] not in made:
            text = f"gives {len(ends)} results ({', '.join(str(e[0]) for e in ends)}); one is needed"
            raise refused(self.shown, text, "save the part that gives one result")
        name, node, at = ends[0]
        return [made[name, node][at]]


def _ends(said: Any) -> list[tuple[str, int, int]]:
    """Return a model's ends: one, or a list of them."""
    given = [said] if said and isinstance(said[0], str) else said
    return [(str(name), int(node), int(at)) for name, node, at in given]


def _reads(node: Any) -> Iterator[tuple[str, int, int]]:
    """Yield which layers, calls and results a call reads: in Keras 3 inside its arguments, in Keras 2 as a list."""
    if isinstance(node, list):
        for name, index, at, *_ in [node] if node and isinstance(node[0], str) else node:
            yield str(name), int(index), int(at)
        return
    for value in _tensors([node["args"], node.get("kwargs", {})]):
        name, index, at = value["config"]["keras_history"]
        yield str(name), int(index), int(at)


def _tensors(value: Any) -> Iterator[Config]:
    if isinstance(value, dict):
        if value.get("class_name") == "__keras_tensor__":
            yield value
        else:
            yield from _tensors(list(value.values()))
    elif isinstance(value, list):
        for v in value:
            yield from _tensors(v)


class _Weights:
    """The arrays of a file, by its layers."""

    def __init__(self, file: Any, shown: str) -> None:
        self.file = file
        self.shown = shown

    def places(self, layers: list[Any], inside: str) -> dict[str, str]:
        """Return where the arrays of each layer of a model lie that lies `inside`."""
        raise NotImplementedError

    def of(self, place: str, layer: Config) -> tuple[NDArray[np.generic], ...]:
        """Return a layer's arrays, in order."""
        raise NotImplementedError

    def array(self, path: str) -> NDArray[np.generic]:
        """Return the array at a path.

        Raises:
            SpecError: it lies in another file, is too large or is none of floats.
        """
        import h5py  # noqa: PLC0415

        at = self.file
        for part in path.split("/"):
            if not isinstance(at.get(part, getlink=True), h5py.HardLink):
                raise refused(self.shown, f"'{path}' is a link to something else", AGAIN)
            at = at[part]
        if not isinstance(at, h5py.Dataset) or at.external or at.is_virtual:
            raise refused(self.shown, f"'{path}' lies in another file", AGAIN)
        if at.size > MAX_ELEMENTS:
            text = f"'{path}' has {at.size} values, more than {MAX_ELEMENTS}"
            raise refused(self.shown, text, "aieloom is for networks that are smaller")
        if at.dtype.kind not in "fiu":
            raise refused(self.shown, f"'{path}' has elements of type {at.dtype}", "save it in float32")
        return np.asarray(at[()])


class _Numbered(_Weights):
    """Those of a .keras archive."""

    def places(self, layers: list[Any], inside: str) -> dict[str, str]:
        """Return where they lie: by the names that newer files say beside them, else by kinds in order."""
        counts: dict[str, int] = {}
        found: dict[str, str] = {}
        for layer in layers:
            if kind_of(layer).startswith("keras.ops."):
                found[_name(layer)] = ""
                continue
            kind = _snake(str(layer["class_name"]))
            number = counts.get(kind, 0)
            counts[kind] = number + 1
            found[_name(layer)] = f"{inside}layers/{kind}_{number}" if number else f"{inside}layers/{kind}"
        return {name: f"{place}/" if place else "" for name, place in found.items()} | self._named(inside)

    def _named(self, inside: str) -> dict[str, str]:
        group = self.file.get(f"{inside}layers")
        groups = group.items() if group is not None else ()
        said = {
            _text(g["vars"].attrs["name"]): f"{inside}layers/{key}/"
            for key, g in groups
            if g is not None and "vars" in g and "name" in g["vars"].attrs
        }
        return said if len(said) == len(groups) else {}

    def of(self, place: str, layer: Config) -> tuple[NDArray[np.generic], ...]:
        """Return them."""
        if not place:
            return ()
        found: list[NDArray[np.generic]] = []
        for part in PARTS.get(str(layer["class_name"]), ("",)):
            names = (part, f"_{part}") if part else ("",)  # attributes may be private
            groups = [f"{place}{n}/vars" if n else f"{place}vars" for n in names]
            group = next((g for g in groups if g in self.file), None)
            numbers = sorted(int(k) for k in self.file[group] if k.isdecimal()) if group else []
            found += [self.array(f"{group}/{n}") for n in numbers]
        return tuple(found)


class _Listed(_Weights):
    """Those of an .h5 file: a model in the model has one list, whose names say the layers."""

    def places(self, layers: list[Any], inside: str) -> dict[str, str]:
        """Return the groups of the outermost layers; of layers inside a model that one's, and their name."""
        functions = {_name(la) for la in layers if kind_of(la).startswith("keras.ops.")}
        names = (_name(la) for la in layers)
        return {name: "" if name in functions else f"{inside}{name}\n" for name in names}

    def of(self, place: str, layer: Config) -> tuple[NDArray[np.generic], ...]:
        """Return them; of a layer in a model those of that model's that have its name."""
        del layer
        outer, *inner = place.splitlines() or [""]
        root = "model_weights" if "model_weights" in self.file else ""
        base = f"{root}/{outer}" if root else outer
        if not outer or base not in self.file:
            return ()
        names = [_text(n) for n in self.file[base].attrs.get("weight_names", ())]
        if inner:
            names = [n for n in names if inner[-1] in n.split("/")[:-1]]
        return tuple(self.array(f"{base}/{n}") for n in names)


def _snake(kind: str) -> str:
    """Return a class's name in small letters, as the parts of an archive are called."""
    return re.sub(r"(?<=.)(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])", "_", re.sub(r"\W", "", kind)).lower()
