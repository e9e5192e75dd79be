"""A project for a file of trained tensors alone: network.yaml with what the tensors tell, and comments on what they do not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from aieloom.emit.files import write_bytes, write_text
from aieloom.flow.onnx_project import WEIGHTS, yaml_value
from aieloom.network.guess import Guess, Row, guess_layers
from aieloom.network.weights import SAFETENSORS_SUFFIX, TORCH_SUFFIXES, read_tensor_file

COMMENTED = "  # - "  # how a layer begins that waits for its owner to decide
SUFFIXES = (*TORCH_SUFFIXES, SAFETENSORS_SUFFIX)


def write_tensor_project(
    folder: Path,
    model: Path,
    target: str,
    *,
    input_shape: tuple[int, int, int] | None = None,
    activation: str | None = None,
) -> tuple[str, ...]:
    """Write `folder`/network.yaml with the layers that the tensors of `model` tell of, and the tensors beside it.

    Raises:
        SpecError: the file cannot be read, or is of no chain of layers; nothing is written then.
    """
    from safetensors.numpy import save  # noqa: PLC0415 - only this command needs it

    file = read_tensor_file(model, shown_as=str(model))
    tensors = file.tensors
    shapes = {name: tensor.shape for name, tensor in tensors.items()}
    guess = guess_layers(
        shapes,
        file=str(model),
        input_shape=input_shape,
        activation=activation,
        is_ordered=model.suffix != SAFETENSORS_SUFFIX,
    )
    write_text(folder / "network.yaml", guessed_yaml(guess, folder.name, model.name, target, file.note))
    write_bytes(folder / WEIGHTS, save(tensors))
    return "network.yaml", WEIGHTS


def guessed_yaml(guess: Guess, name: str, model: str, target: str, read: str = "") -> str:
    """Return the text of a network.yaml whose guesses are marked."""
    shape = yaml_value(list(guess.input_shape))
    note = f"  # {guess.input_note}" if guess.input_note else ""
    shown = "".join(c if c.isprintable() else "?" for c in model)
    lines = [
        f"# {name}: layers guessed by `aieloom new` from the shapes of the tensors in {shown}.",
        "# The file has weights only. Whatever it cannot say is marked 'guess': compare it with your model before you trust",
        "# a result. A line that is a comment waits for you to decide; PyTorch's and the design's results are compared by",
        "# aieloom.compare(module, design, x).",
        *([f"# Read: {read}"] if read else []),
        *(
            ["# guess: the order of the layers; the file sorts them by name."]
            if guess.order_is_guessed
            else []
        ),
        f"name: {name}",
        f"target: {target}",
        f"weights: {WEIGHTS}",
        f"input: {{name: x, shape: {shape}, dtype: float32}}{note}",
        "",
        "layers:",
        *_rows(guess.rows),
    ]
    return "\n".join(lines) + "\n"


def _rows(rows: tuple[Row, ...]) -> Iterator[str]:
    for row in rows:
        pairs = ", ".join(f"{key}: {_text(value)}" for key, value in row.keys.items())
        yield f"{COMMENTED if row.proposed else '  - '}{{{pairs}}}" + (f"  # {row.note}" if row.note else "")


def _text(value: object) -> str:
    """Return a value as YAML reads it back; a tensor's name may be any text, `on` and `0` among them."""
    if isinstance(value, str) and not (
        re.fullmatch(r"[A-Za-z_]\w*", value, re.ASCII) and yaml.safe_load(value) == value
    ):
        return json.dumps(value)  # a text in JSON is one in YAML
    return yaml_value(value)
