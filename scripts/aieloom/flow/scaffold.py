"""`aieloom new`: a project folder of its own, ready for `doit sim` and for CI."""

from __future__ import annotations

import re
import shutil
from importlib import resources
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from aieloom.emit.files import write_text
from aieloom.errors import Problem, SpecError
from aieloom.flow.onnx_project import write_onnx_project

NAME = re.compile(r"[a-z][a-z0-9_]*")
_SKIPPED = {"build", ".doit.db", "__pycache__", ".git", "dodo.py"}

# Scaffolded file -> the text it is made from.
FILES = {
    "dodo.py": "dodo.py.txt",
    ".gitignore": "gitignore.txt",
    "aieloom.toml": "aieloom.toml.txt",
    ".github/workflows/aieloom.yml": "github.yml.txt",
    ".gitlab-ci.yml": "gitlab.yml.txt",
}

_STARTER = """\
# {name}: a first network, to be replaced by yours. Its weights are random; `doit sim` runs it as it stands.
name: {name}
target: {target}
weights: weights.safetensors
input: {{name: x, shape: [1, 8, 8], dtype: float32}}

layers:
  - {{name: conv1, op: conv2d, out_channels: 8, kernel: 3, padding: 1}}
  - {{name: tanh1, op: tanh}}
  - {{name: conv2, op: conv2d, out_channels: 4, kernel: 1}}
"""


def new_project(
    folder: Path, *, target: str = "vck190", source: Path | None = None, model: Path | None = None
) -> tuple[str, ...]:
    """Write a project: a copy of another one (`source`), one for an ONNX model (`model`), or a starter.

    Returns the files written, relative to the folder.

    Raises:
        SpecError: the folder has files already, the name is no name, or there is nothing to copy.
    """
    _check(folder, source, model)
    written = [*FILES, *(write_onnx_project(folder, model, target) if model else ())]
    for name, text in FILES.items():
        write_text(
            folder / name,
            resources.files("aieloom.flow").joinpath(f"scaffold_files/{text}").read_text("utf-8"),
        )
    if source:
        written += _copy(source, folder)
    elif not model:
        write_text(folder / "network.yaml", _STARTER.format(name=folder.name, target=target))
        (folder / "weights.safetensors").write_bytes(save(_starter_weights()))
        written += ["network.yaml", "weights.safetensors"]
    return tuple(written)


def _check(folder: Path, source: Path | None, model: Path | None) -> None:
    if not NAME.fullmatch(folder.name):
        _refuse(f"'{folder.name}' is no project name", "use small letters, digits and _, a letter first")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        _refuse(f"{folder} exists and is not empty", "choose another name, or remove it")
    if source and model:
        _refuse("--from and --model exclude each other", "use one of them")
    if source and not (source / "network.yaml").is_file():
        _refuse(f"{source} has no network.yaml", "name the folder of a project")
    if model and not model.is_file():
        _refuse(f"{model} is not there", "name an ONNX file")
    if model and model.suffix != ".onnx":
        _refuse(
            f"{model} is no ONNX model",
            "other weights carry no layers: start with --from, or edit network.yaml",
        )


def _refuse(text: str, remedy: str) -> None:
    raise SpecError(Problem(rule="new", text=text, remedy=remedy))


def _copy(source: Path, folder: Path) -> list[str]:
    """Copy a project; its `name` becomes that of the new one, everything else stays word for word."""
    for entry in sorted(source.iterdir()):
        if entry.name in _SKIPPED or entry.name in FILES:
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
    return sorted(e.name for e in folder.iterdir() if e.name not in FILES and e.name not in {".github"})


def _starter_weights() -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    random = np.random.default_rng(0)
    shapes = {
        "conv1.weight": (8, 1, 3, 3),
        "conv1.bias": (8,),
        "conv2.weight": (4, 8, 1, 1),
        "conv2.bias": (4,),
    }
    return {n: (random.normal(0, 0.3, s)).astype(np.float32) for n, s in shapes.items()}
