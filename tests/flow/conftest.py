"""Projects of their own folder, and doit run on them as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

DODO = """
from pathlib import Path
from aieloom.flow.tasks import define_tasks
globals().update(define_tasks(Path(__file__).parent))
"""
SMALL = """name: small
target: vck190
weights: weights.safetensors
input: {name: x, shape: [1, 8, 8], dtype: float32}
layers:
  - {name: first, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: squash, op: tanh}
  - {name: last, op: conv2d, out_channels: 4, kernel: 1}
  - {name: shuffle, op: pixel_shuffle, upscale: 2}
mapping:
  first: {tile: [8, 10, 32], mmul: [4, 2, 4], buffers: single}
  last: {tile: [4, 8, 64], mmul: [4, 2, 4], buffers: single}
"""
SMALL_SHAPES = {
    "first.weight": (8, 1, 3, 3),
    "first.bias": (8,),
    "last.weight": (4, 8, 1, 1),
    "last.bias": (4,),
}


@dataclass(frozen=True)
class Folder:
    """A project's folder and what doit does in it."""

    path: Path

    def doit(self, *words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "doit", *words],
            cwd=self.path,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | (env or {}) | {"COLUMNS": "200"},
        )

    def edit(self, old: str, new: str) -> None:
        yaml = self.path / "network.yaml"
        text = yaml.read_text()
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in network.yaml"
        yaml.write_text(text.replace(old, new))

    @property
    def build(self) -> Path:
        (yaml_name,) = [
            line.split()[1]
            for line in (self.path / "network.yaml").read_text().splitlines()
            if line.startswith("name:")
        ]
        return self.path / "build" / yaml_name / "vck190"


def make_project(path: Path, yaml: str, shapes: dict[str, tuple[int, ...]], seed: int = 3) -> Folder:
    """Write a project with random weights of a trained network's size."""
    path.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    tensors = {}
    for name, shape in shapes.items():
        fan_in = max(1, int(np.prod(shape[1:])))
        tensors[name] = rng.normal(0, fan_in**-0.5, shape).astype(np.float32)
    save_file(tensors, path / "weights.safetensors")
    (path / "network.yaml").write_text(yaml)
    (path / "dodo.py").write_text(DODO)
    return Folder(path)


@pytest.fixture
def small(tmp_path: Path) -> Folder:
    return make_project(tmp_path / "small", SMALL, SMALL_SHAPES)
