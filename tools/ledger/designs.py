"""The designs of the ledger: each makes a project folder of its own, so that no run sees another's build."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

TOP = Path(__file__).resolve().parents[2]
BOARDS = ("vck190", "vek280")
ZOO = (
    *("bert_int8", "deit_tiny_bfloat16", "deit_tiny_int8", "ds_cnn", "lstm", "mobilenet_v1"),
    *("mobilenet_v2", "resnet18", "resnet18_bfloat16", "resnet50", "tiny_yolo", "unet"),
)
BESIDE = re.compile(r"\.\./[\w./*-]+")  # files of another project's that a network.yaml names
OWN_BOARD = {"caffe-conv": "zynq-7020"}  # projects that are of a device without an array


@dataclass(frozen=True, kw_only=True)
class Design:
    """One entry of the ledger.

    Attributes:
        name: of its rows.
        make: writes its project into a folder that does not exist yet.
        target: the board; the project's own where it is empty.
        layer: the layer that is taken alone, where one is.
        product: the words of `aieloom gemm`, where it is no network.
        is_large: it takes minutes; only `--all` looks at it.
    """

    name: str
    make: Callable[[Path], None]
    target: str = ""
    layer: str = ""
    product: tuple[str, ...] = ()
    is_large: bool = False


def designs() -> tuple[Design, ...]:
    """Return all designs, in the order of the ledger's rows."""
    return (*_projects(), *_circuits(), *_zoo(), *_hybrids(), *_products(), *_alone())


def _projects() -> list[Design]:
    found = sorted(f.parent for f in (TOP / "projects").glob("*/network.yaml"))
    return [
        Design(name=f"{folder.name}-{target}", make=_copy(folder), target=target)
        for folder in found
        for target in ((OWN_BOARD[folder.name],) if folder.name in OWN_BOARD else BOARDS)
    ]


def _circuits() -> list[Design]:
    return [
        Design(name=f"circuit-{name}", make=_copy(TOP / "projects" / name, {"engine": "pl"}))
        for name in ("xor", "iris")
    ]


def _zoo() -> list[Design]:
    return [
        Design(name=f"zoo-{name}", make=_of_the_zoo(name), is_large=name not in ("ds_cnn", "lstm"))
        for name in ZOO
    ]


def _hybrids() -> list[Design]:
    return [Design(name=f"hybrid-{name}", make=_hybrid(name)) for name in ("front", "back")]


def _products() -> list[Design]:
    sizes = ("256", "256", "256")
    return [
        Design(name="product-array", make=_nothing, product=(*sizes, "--target", "vck190")),
        Design(name="product-logic", make=_nothing, product=(*sizes, "--target", "zcu104", "--engine", "pl")),
    ]


def _alone() -> list[Design]:
    layers = {"espcn": "conv2", "resnet8": "conv0", "mnist": "conv2", "jet": "fc1", "autoencoder": "dense1"}
    return [
        Design(name=f"alone-{name}-{layer}", make=_copy(TOP / "projects" / name), layer=layer)
        for name, layer in layers.items()
    ]


def _nothing(folder: Path) -> None:
    """The command itself makes the folder."""


def _copy(source: Path, keys: Mapping[str, object] | None = None) -> Callable[[Path], None]:
    """Return what copies a project, with further keys in its network.yaml and the tasks that each project has."""

    def write(folder: Path) -> None:
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("build", "__pycache__"))
        file = folder / "network.yaml"
        text = file.read_text(encoding="utf-8")
        for beside in (
            f for named in BESIDE.findall(text) for f in source.parent.glob(named.removeprefix("../"))
        ):
            copy = folder.parent / beside.relative_to(source.parent)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(beside, copy)
        if keys:
            file.write_text(f"{text}\n{yaml.safe_dump(dict(keys))}", encoding="utf-8")

    return write


def _of_the_zoo(name: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        source = TOP / "projects" / "zoo" / name
        model = source / yaml.safe_load((source / "network.yaml").read_text(encoding="utf-8"))["weights"]
        if not model.is_file():  # which may be another project's: ../deit_tiny/model.onnx
            made = [sys.executable, str(TOP / "projects/zoo/make.py"), model.resolve().parent.name]
            subprocess.run(made, check=True, cwd=TOP, capture_output=True)
        _copy(source)(folder)

    return write


def _hybrid(name: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        from tests.sequential.hybrids import hybrid  # noqa: PLC0415 - loads the package

        folder.mkdir(parents=True)
        hybrid(folder, name)

    return write
