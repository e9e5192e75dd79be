"""Two small designs with other weights, and what they give of an input: for tests of users side by side."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

import aieloom
from aieloom.api import DesignHandle
from tests.flow.conftest import DODO

Values = NDArray[np.float32]
INPUTS, OUTPUTS = 6, 4
YAML = f"""\
name: tiny
target: vck190
weights: a.safetensors
input: {{name: x, shape: [{INPUTS}, 1, 1]}}
layers:
  - {{name: only, op: dense, out_features: {OUTPUTS}}}
"""


@dataclass(frozen=True)
class Tiny:
    """A project of one layer, and the files of weights beside it."""

    folder: Path

    def weights(self, name: str) -> Path:
        return self.folder / f"{name}.safetensors"

    def design(self, name: str = "a", target: str = "vck190") -> DesignHandle:
        return aieloom.design(
            self.folder, target=target, build=self.folder / "build", weights=self.weights(name)
        )

    def doit(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "doit", *words]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)


def tensors(name: str) -> dict[str, Values]:
    """Return whole numbers, so that sums are exact in any order."""
    random = np.random.default_rng(list(name.encode()))
    shapes = {"only.weight": (OUTPUTS, INPUTS), "only.bias": (OUTPUTS,)}
    return {k: random.integers(-9, 10, s).astype(np.float32) for k, s in shapes.items()}


def expected(name: str, x: Values) -> Values:
    """Return what the layer is by definition."""
    layer = tensors(name)
    return x.reshape(len(x), INPUTS) @ layer["only.weight"].T + layer["only.bias"]


def given(seed: int) -> Values:
    """Return inputs of one to three samples."""
    random = np.random.default_rng(seed)
    return random.integers(-99, 100, (1 + seed % 3, INPUTS, 1, 1)).astype(np.float32)


def make(folder: Path) -> Tiny:
    """Write the project."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "network.yaml").write_text(YAML)
    (folder / "dodo.py").write_text(DODO)
    for name in "abc":
        save_file(tensors(name), folder / f"{name}.safetensors")
    return Tiny(folder)


def called(design: DesignHandle, seed: int) -> Values:
    """Emulate one input: what threads and processes are given to do."""
    return design.emulate(given(seed)).reshape(-1, OUTPUTS)
