"""`aieloom new`: a project folder of its own, ready for `doit sim` and for CI."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from importlib import resources
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from aieloom.emit.files import write_text
from aieloom.errors import SpecError
from aieloom.flow.onnx_project import write_onnx_project
from aieloom.flow.tensor_project import SUFFIXES, write_tensor_project
from aieloom.network.layers import infer_shapes
from aieloom.network.readers import SUFFIXES as OF_LAYERS
from aieloom.ops import REGISTRY
from aieloom.ops.plugins import program_files
from aieloom.spec.device import load_device
from aieloom.spec.load import load_network
from aieloom.spec.schema import network_schema
from aieloom.spec.types import check_name
from aieloom.trust import is_trusted, trust
from aieloom.version import __version__

NAME = re.compile(r"[a-z][a-z0-9_]*")
_SKIPPED = {"build", ".doit.db", "__pycache__", ".git", "dodo.py"}

# Scaffolded file -> the text it is made from.
FILES = {
    "dodo.py": "dodo.py.txt",
    ".gitignore": "gitignore.txt",
    "aieloom.toml": "aieloom.toml.txt",
    ".github/workflows/aieloom.yml": "github.yml.txt",
    ".gitlab-ci.yml": "gitlab.yml.txt",
    ".vscode/settings.json": "vscode.json.txt",
}

TEMPLATES = {
    "empty": "three small layers, to be replaced by yours",
    "espcn": "super-resolution: convolutions, tanh by table, pixel shuffle",
    "mnist": "digits: convolutions, pools, a dense layer",
    "mlp": "a multilayer perceptron",
}
TENSORS = SUFFIXES  # models that are tensors alone
MODELS = (*OF_LAYERS, *TENSORS)
SCHEMA, STATE = "network.schema.json", ".aieloom.json"
WEIGHTS = "weights.safetensors"


def new_project(
    folder: Path,
    *,
    target: str = "vck190",
    source: Path | None = None,
    model: Path | None = None,
    template: str = "empty",
    input_shape: tuple[int, int, int] | None = None,
    activation: str | None = None,
) -> tuple[str, ...]:
    """Write a project: a copy of another one (`source`), one for a trained model (`model`), or one of TEMPLATES.

    `input_shape` and `activation` are for models that are tensors alone and do not say them.

    Returns the files written, relative to the folder.

    Raises:
        SpecError: the folder has files already, the name is no name, or there is nothing to copy.
    """
    check_new(folder)
    _check_sources(source, model)
    if template not in TEMPLATES:
        _refuse(f"there is no template '{template}'", f"use one of: {', '.join(TEMPLATES)}")
    load_device(target)  # refused before anything is written
    written = [*scaffold_texts()]
    if model and model.suffix in OF_LAYERS:
        written += write_onnx_project(folder, model, target)
    elif model:
        written += write_tensor_project(folder, model, target, input_shape=input_shape, activation=activation)
    write_scaffold(folder)
    if source:
        written += _copy(source, folder)
    elif not model:
        write_text(
            folder / "network.yaml",
            _text(f"projects/{template}.yaml").format(name=folder.name, target=target),
        )
        (folder / WEIGHTS).write_bytes(save(_random_weights(folder)))
        written += ["network.yaml", WEIGHTS]
    if source is None or is_trusted(source) or not program_files(source):
        with suppress(SpecError):  # a list that cannot be written is told when there are operators
            trust(folder)  # what its owner writes there later is the owner's
    return (*written, STATE)


def write_scaffold(folder: Path) -> None:
    """Write the files that every project gets, and remember them for `aieloom upgrade`."""
    texts = scaffold_texts()
    for name, text in texts.items():
        write_text(folder / name, text)
    write_state(folder, texts)


def scaffold_texts() -> dict[str, str]:
    """Return the files that every project gets, as this version of aieloom writes them."""
    schema = json.dumps(network_schema(REGISTRY), indent=1) + "\n"
    return {**{name: _text(text.removesuffix(".txt")) for name, text in FILES.items()}, SCHEMA: schema}


def _text(name: str) -> str:
    return resources.files("aieloom.flow").joinpath(f"scaffold_files/{name}.txt").read_text("utf-8")


def digest(text: str) -> str:
    """Return what tells a text from another."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def write_state(folder: Path, texts: Mapping[str, str]) -> None:
    """Remember which texts a project was given, for `aieloom upgrade`."""
    state = {"aieloom": __version__, "files": {name: digest(text) for name, text in texts.items()}}
    write_text(folder / STATE, json.dumps(state, indent=1) + "\n")


def check_new(folder: Path) -> None:
    """Refuse a folder that cannot become a project.

    Raises:
        SpecError: it has files already, or its name is no name.
    """
    if not NAME.fullmatch(folder.name):
        _refuse(f"'{folder.name}' is no project name", "use small letters, digits and _, a letter first")
    try:
        check_name(folder.name)
    except ValueError as e:  # network.yaml would be refused with it
        _refuse(f"{e}", f"aieloom new {folder.name}_net ...")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        _refuse(f"{folder} exists and is not empty", "choose another name, or remove it")


def _check_sources(source: Path | None, model: Path | None) -> None:
    if source and model:
        _refuse("--from and --model exclude each other", "use one of them")
    if source and not (source / "network.yaml").is_file():
        _refuse(f"{source} has no network.yaml", "name the folder of a project")
    if model and not model.is_file():
        _refuse(f"{model} is not there", f"name a file: {', '.join(MODELS)}")
    if model and model.suffix not in MODELS:
        _refuse(f"'{model.suffix}' is no kind of model that can be read", f"use one of: {', '.join(MODELS)}")


def _refuse(text: str, remedy: str) -> None:
    raise SpecError(rule="new", text=text, remedy=remedy)


def _copy(source: Path, folder: Path) -> list[str]:
    """Copy a project; its `name` becomes that of the new one, everything else stays word for word."""
    for entry in sorted(source.iterdir()):
        if entry.name in _SKIPPED or entry.name in {*FILES, SCHEMA, STATE}:
            continue
        if entry.is_dir():
            shutil.copytree(entry, folder / entry.name)
        else:
            shutil.copy(entry, folder / entry.name)
    yaml = folder / "network.yaml"
    text, count = re.subn(
        r"^name:.*$", f"name: {folder.name}", yaml.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE
    )
    if count:
        write_text(yaml, text)
    return sorted(e.name for e in folder.iterdir() if e.name not in {*FILES, SCHEMA, ".github", ".vscode"})


def _random_weights(folder: Path) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    """Return weights of a trained network's size for every layer; the same for everybody."""
    random = np.random.default_rng(0)
    tensors: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]] = {}
    for layer in infer_shapes(load_network(folder, REGISTRY), REGISTRY).layers:
        for parameter in layer.parameters:
            fan_in = max(1, int(np.prod(parameter.shape[1:])))
            tensors[f"{layer.name}.{parameter.name}"] = random.normal(
                0, fan_in**-0.5, parameter.shape
            ).astype(np.float32)
    return tensors
