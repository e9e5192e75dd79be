"""ONNX and TensorFlow Lite models as projects: layers for a network.yaml without any, and a network.yaml beside weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from aieloom.emit.files import write_bytes, write_text
from aieloom.errors import Problem, SpecError
from aieloom.network.readers.models import read_model
from aieloom.network.readers.onnx_external import whole_model
from aieloom.network.readers.suffixes import SUFFIXES
from aieloom.spec.lines import SourceFile

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
    shape = list(network.input_shape)
    given = data.get("input")
    same = [shape, shape[:1]] if shape[1:] == [1, 1] else [shape]  # features are channels of one pixel
    if isinstance(given, dict) and given.get("shape", shape) not in same:
        text = f"the input has the shape {given['shape']}, that of {path.name} has {shape}"
        at = ("input", "shape")
        raise SpecError(source.problem("onnx", at, text, f"write shape: {shape}, or leave 'input:' out"))
    called = given.get("name", network.input_name) if isinstance(given, dict) else network.input_name
    layers = [_renamed(layer, network.input_name, called) for layer in network.layers]
    ends: dict[str, object] = {"name": network.input_name, "shape": shape}
    if network.input_integers:
        ends |= {"integers": network.input_integers.model_dump()}
    whole = {**data, "input": {**ends, **(given if isinstance(given, dict) else {})}, "layers": layers}
    line = source.lines.get(("weights",), 1)
    return SourceFile(source.name, whole, {**source.lines, ("layers",): line}, source.columns)


def _renamed(layer: Mapping[str, object], old: str, new: object) -> dict[str, object]:
    """Return a layer that calls the network's input `new`."""
    inputs = layer.get("inputs")
    if not isinstance(inputs, list):
        return {**layer}
    return {**layer, "inputs": [new if name == old else name for name in inputs]}


def write_onnx_project(folder: Path, model: Path, target: str) -> tuple[str, ...]:
    """Write `folder`/network.yaml with the model's layers, and its tensors beside it; return the files' names.

    A quantised model is copied as it is.

    Raises:
        SpecError: the model cannot be taken; nothing is written then.
    """
    from safetensors.numpy import save  # noqa: PLC0415 - only this command needs it

    network = read_model(model, shown_as=str(model))
    if not network.tensors:
        text = "the model has no weights, so that there is nothing for the AI Engines"
        raise SpecError(
            Problem(rule="onnx", file=str(model), text=text, remedy="use one with Conv, Gemm or MatMul")
        )
    folder.mkdir(parents=True, exist_ok=True)
    if network.is_quantised:  # its integers and scales are in the model alone
        write_text(folder / "network.yaml", quantised_yaml(network, folder.name, model, target))
        write_bytes(folder / f"{MODEL}{model.suffix}", whole_model(model))
        return "network.yaml", f"{MODEL}{model.suffix}"
    write_text(
        folder / "network.yaml", network_yaml(network, folder.name, f"{model.name} by `aieloom new`", target)
    )
    (folder / WEIGHTS).write_bytes(save(dict(network.tensors)))
    return "network.yaml", WEIGHTS


def network_yaml(network: OnnxNetwork, name: str, model: str, target: str) -> str:
    """Return the text of a network.yaml that says what the model says."""
    shape = yaml_value(list(network.input_shape))
    lines = [
        f"# {name}: made from {model}; edit it as you like, `mapping:` puts layers on the device.",
        f"name: {name}",
        f"target: {target}",
        f"weights: {WEIGHTS}",
        f"input: {{name: {network.input_name}, shape: {shape}, dtype: float32}}",
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


def _pairs(layer: Mapping[str, object]) -> Iterator[str]:
    return (f"{key}: {yaml_value(value)}" for key, value in layer.items())


def yaml_value(value: object) -> str:
    """Return a value as YAML 1.1 reads it back: a float's mantissa has a point, as 1.0e-05."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(yaml_value, value))}]"
    if isinstance(value, float):
        mantissa, e, exponent = repr(value).partition("e")
        return f"{mantissa}.0{e}{exponent}" if e and "." not in mantissa else repr(value)
    return str(value)
