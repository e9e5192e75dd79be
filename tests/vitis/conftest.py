"""A small project, stand-in installations of several releases, and doit run in this process."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from doit.cmd_base import NamespaceTaskLoader
from doit.doit_cmd import DoitMain
from safetensors.numpy import save_file

from aieloom.flow.tasks import define_tasks
from aieloom.vitis.settings import ENVIRONMENT
from tests.toolchain.install import Standin, install

YAML = """\
name: small
target: vck190
weights: weights.safetensors
input: {name: x, shape: [8, 8, 8], dtype: float32}
layers:
  - {name: first, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: squash, op: tanh}
  - {name: last, op: conv2d, out_channels: 4, kernel: 1}
mapping:
  first: {tile: [8, 72, 32], buffers: single}
  squash: {lut: {entries: 256, range: [-4, 4]}}
  last: {tile: [4, 8, 64], buffers: single}
"""
SHAPES = {"first.weight": (8, 8, 3, 3), "first.bias": (8,), "last.weight": (4, 8, 1, 1), "last.bias": (4,)}
# What a tool may find outside the test; a test says itself what there is.
FOREIGN = [name for names in ENVIRONMENT.values() for name in names] + ["XILINX_VITIS_AIETOOLS"]


@dataclass(frozen=True)
class Outcome:
    code: int
    text: str


class _Loader(NamespaceTaskLoader):  # type: ignore[misc]  # doit has no types
    def __init__(self, root: Path) -> None:
        super().__init__()
        self.root = root

    def setup(self, opt_values: object) -> None:  # noqa: ARG002 - doit's signature
        self.namespace = define_tasks(self.root)


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """contextlib.chdir, which Python 3.10 lacks."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@dataclass(frozen=True)
class Folder:
    """A project's folder and what doit does in it."""

    path: Path

    def doit(self, *words: str) -> Outcome:
        out, told = io.StringIO(), self.path / ".told"
        report = ["-o", str(told)] if words[0] == "run" else []  # doit's own stream is that of its import
        with inside(self.path), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                code = DoitMain(_Loader(self.path)).run([words[0], *report, *words[1:]])
            except SystemExit as e:  # a vendor's tool is missing
                code = e.code
        text = told.read_text() if told.is_file() else ""
        told.unlink(missing_ok=True)
        return Outcome(int(code or 0), text + out.getvalue())

    def build(self, board: str = "vck190") -> Path:
        return self.path / "build" / "small" / board

    def weights(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        tensors = {n: random.normal(0, 0.4, s).astype(np.float32) for n, s in SHAPES.items()}
        save_file(tensors, self.path / "weights.safetensors")

    def edit(self, old: str, new: str) -> None:
        yaml = self.path / "network.yaml"
        text = yaml.read_text()
        assert text.count(old) == 1
        yaml.write_text(text.replace(old, new))


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FOREIGN:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "200")


def make_project(path: Path) -> Folder:
    path.mkdir(parents=True)
    (path / "network.yaml").write_text(YAML)
    folder = Folder(path)
    folder.weights(3)
    return folder


@pytest.fixture
def small(tmp_path: Path) -> Folder:
    return make_project(tmp_path / "small")


@pytest.fixture(scope="session")
def installations(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Standin]:
    """Return installations by release and Linux image, each made once."""
    made: dict[tuple[str, str], Standin] = {}

    def get(release: str, image: str) -> Standin:
        if (release, image) not in made:
            made[release, image] = install(tmp_path_factory.mktemp("tools"), release, image=image)
        return made[release, image]

    return get


@pytest.fixture
def use(
    installations: Callable[[str, str], Standin], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Standin]]:
    """Put an installation into the environment, with its calls forgotten."""

    def put(release: str = "2024.2", image: str = "petalinux") -> Standin:
        standin = installations(release, image)
        for name, value in standin.environment.items():
            monkeypatch.setenv(name, value)
        standin.forget()
        return standin

    yield put
