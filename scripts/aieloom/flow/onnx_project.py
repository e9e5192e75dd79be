"""ONNX and TensorFlow Lite models as projects: layers for a network.yaml without any, and a network.yaml beside weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aieloom.emit.files import write_bytes
from aieloom.errors import Problem, SpecError
from aieloom.network.layers import infer_shapes
from aieloom.network.readers import SUFFIXES
from aieloom.network.readers.models import read_model
from aieloom.ops import REGISTRY
from aieloom.ops.plugins import load_packages
from aieloom.spec.lines import KeyPath, SourceFile
from aieloom.spec.load import parse_network

if TYPE_CHECKING:
    from aieloom.network.readers.onnx_import import OnnxNetwork

WEIGHTS = "weights.safetensors"
MODEL = "model"  # a quantised one, copied


def with_onnx_layers(source: SourceFile, folder: Path, override: Path | None = None) -> SourceFile:
    """Return network.yaml's data with the layers (and the input) of its model where it says nothing of them.

    Raises:
        SpecError: the model cannot be taken, or its input is another one than the file's.
    """
    data = source.data
    named = data.get("weights")
    if "layers" in data or not isinstance(named, str) or not named.endswith(SUFFIXES):
        return source
    path = override if override and override.suffix in SUFFIXES else folder / named
    network = read_model(path, shown_as=path.name)
    many = len(network.inputs) > 1
    key, other = ("inputs", "input") if many else ("input", "inputs")
    if other in data:
        text = f"{path.name} has {len(network.inputs)} inputs, and network.yaml says {other}:"
        raise SpecError(source.problem("onnx", (other,), text, f"write {key}:, or leave it out"))
    said = _said_inputs(source, key, network.inputs, path.name)
    old = [str(i["name"]) for i in network.inputs]
    called = {name: i["name"] for name, i in zip(old, said, strict=True)}
    layers = [_renamed(layer, called) for layer in network.layers]
    ends = {"inputs": said} if many else {"input": said[0]}
    whole = {**data, **ends, "layers": layers}
    line = source.lines.get(("weights",), 1)
    lines: dict[KeyPath, int] = {("layers",): line, **({("inputs",): line} if many else {})}
    return SourceFile(source.name, whole, {**lines, **source.lines}, source.columns)


def _said_inputs(
    source: SourceFile, key: str, known: tuple[Mapping[str, object], ...], file: str
) -> list[Mapping[str, object]]:
    """Return a model's inputs with what network.yaml says of them under `key`, in their order.

    Raises:
        SpecError: it says another shape of one, or of other inputs.
    """
    found = source.data.get(key)
    given = found if isinstance(found, list) else [found] if found is not None else [{}] * len(known)
    if len(given) != len(known):
        text = f"{key}: has {len(given)} of the {len(known)} inputs of {file}"
        raise SpecError(
            source.problem("onnx", (key,), text, f"say all of them in order, or leave '{key}:' out")
        )
    whole: list[Mapping[str, object]] = []
    for number, (one, model) in enumerate(zip(given, known, strict=True)):
        at = (key, number, "shape") if isinstance(found, list) else (key, "shape")
        own, shape = one if isinstance(one, dict) else {}, model["shape"]
        assert isinstance(shape, list)
        same = [shape, shape[:1]] if shape[1:] == [1, 1] else [shape]  # features are channels of one pixel
        if own.get("shape", shape) not in same:
            text = f"the input has the shape {own['shape']}, that of {file} has {shape}"
            raise SpecError(source.problem("onnx", at, text, f"write shape: {shape}, or leave '{key}:' out"))
        whole.append({**model, **own})
    return whole


def _renamed(layer: Mapping[str, object], called: Mapping[str, object]) -> dict[str, object]:
    """Return a layer that calls the network's inputs as network.yaml does."""
    inputs = layer.get("inputs")
    if not isinstance(inputs, list):
        return {**layer}
    return {**layer, "inputs": [called.get(name, name) for name in inputs]}


def write_onnx_project(folder: Path, model: Path, target: str) -> tuple[str, ...]:
    """Write `folder`/network.yaml with the model's layers, and its tensors beside it; return the files' names.

    A quantised model is copied as it is.

    Raises:
        SpecError: the model cannot be taken, and nothing is written; or the place cannot be written.
    """
    files = onnx_project_files(model, folder.name, target)
    for name, data in files.items():
        write_bytes(folder / name, data)
    return tuple(reversed(files))


def onnx_project_files(model: Path, name: str, target: str, *, more: Sequence[str] = ()) -> dict[str, bytes]:
    """Return what `write_onnx_project` writes, network.yaml last, as nothing is missing then that it names.

    The project is called `name`; network.yaml ends with the lines `more`.

    Raises:
        SpecError: the model cannot be taken.
    """
    from safetensors.numpy import save  # noqa: PLC0415 - only this command needs it

    load_packages()
    network = read_model(model, shown_as=str(model))
    if not network.tensors:
        text = "the model has no weights, so that there is nothing for the AI Engines"
        raise SpecError(rule="onnx", file=str(model), text=text, remedy="use one with Conv, Gemm or MatMul")
    _check_layers(network, name, target, str(model))
    if network.is_quantised:  # its integers and scales are in the model alone
        from aieloom.network.readers.onnx_external import whole_model  # noqa: PLC0415 - of integers alone

        text = quantised_yaml(network, name, model, target)
        files = {f"{MODEL}{model.suffix}": whole_model(model)}
    else:
        text = network_yaml(network, name, f"{model.name} by `aieloom new`", target)
        files = {WEIGHTS: save(dict(network.tensors))}
    return {**files, "network.yaml": (text + "".join(f"{line}\n" for line in more)).encode()}


def _check_layers(network: OnnxNetwork, name: str, target: str, model: str) -> None:
    """Refuse a model whose layers do not make a network, before a project of them is written.

    Raises:
        SpecError: they do not fit together.
    """
    ends = (
        {"inputs": [*map(dict, network.inputs)]} if len(network.inputs) > 1 else {"input": network.inputs[0]}
    )
    data: dict[str, object] = {
        "name": name,
        "target": target,
        "weights": WEIGHTS,
        **ends,
        "layers": [*map(dict, network.layers)],
    }
    try:
        infer_shapes(parse_network(SourceFile("network.yaml", data, {(): 1}), REGISTRY), REGISTRY)
    except SpecError as e:
        text = "its nodes make layers that do not fit together: "
        remedy = "aieloom.Session runs such a model with these nodes on the processor"
        raise SpecError(
            Problem(rule="onnx", file=model, text=text + p.text, remedy=remedy) for p in e.problems
        ) from e


def network_yaml(network: OnnxNetwork, name: str, model: str, target: str) -> str:
    """Return the text of a network.yaml that says what the model says."""
    given = [
        ", ".join(_pairs({"name": i["name"], "shape": i["shape"], "dtype": "float32", **_below(i)}))
        for i in network.inputs
    ]
    many = len(given) > 1
    lines = [
        f"# {name}: made from {model}; edit it as you like, `mapping:` puts layers on the device.",
        f"name: {name}",
        f"target: {target}",
        f"weights: {WEIGHTS}",
        *(["inputs:", *(f"  - {{{i}}}" for i in given)] if many else [f"input: {{{given[0]}}}"]),
        "",
        "layers:",
        *(f"  - {{{', '.join(_pairs(layer))}}}" for layer in network.layers),
    ]
    return "\n".join(lines) + "\n"


def quantised_yaml(network: OnnxNetwork, name: str, model: Path, target: str) -> str:
    """Return the text of a network.yaml that leaves the layers to a quantised model, and names them for `mapping:`."""
    lines = [
        f"# {name}: made from {model.name} by `aieloom new`. It is quantised and runs as it is; its layers, for `mapping:`:",
        *(f"#   {{{', '.join(_pairs(layer))}}}" for layer in network.layers),
        f"name: {name}",
        f"target: {target}",
        f"weights: {MODEL}{model.suffix}",
    ]
    return "\n".join(lines) + "\n"


def _below(given: Mapping[str, object]) -> dict[str, object]:
    return {key: given[key] for key in ("below", "integers") if key in given}


def _pairs(layer: Mapping[str, object]) -> Iterator[str]:
    return (f"{key}: {yaml_value(value)}" for key, value in layer.items())


def yaml_value(value: object) -> str:
    """Return a value as YAML 1.1 reads it back: a float's mantissa has a point, as 1.0e-05."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return f"{{{', '.join(_pairs(value))}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(yaml_value, value))}]"
    if isinstance(value, float):
        mantissa, e, exponent = repr(value).partition("e")
        return f"{mantissa}.0{e}{exponent}" if e and "." not in mantissa else repr(value)
    return str(value)
