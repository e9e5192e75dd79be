"""The ESPCN project of this repository, copied so that tests can edit it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import aieloom
from aieloom.flow.opening import open_project
from aieloom.flow.samples import load_samples

ROOT = Path(__file__).resolve().parents[2]
ESPCN = ROOT / "projects" / "espcn"


@pytest.fixture
def espcn(tmp_path: Path) -> Path:
    """A copy of projects/espcn."""
    folder = tmp_path / "espcn"
    shutil.copytree(ESPCN, folder, ignore=shutil.ignore_patterns("build", "__pycache__"))
    return folder


def remap(folder: Path, layer: str, mapping: str) -> int:
    """Replace a layer's mapping in network.yaml; return its line."""
    yaml = folder / "network.yaml"
    text, count = re.subn(rf"^  {layer}: .*$", f"  {layer}: {mapping}", yaml.read_text(), flags=re.MULTILINE)
    assert count == 1
    yaml.write_text(text)
    return next(i for i, line in enumerate(text.splitlines(), 1) if line.startswith(f"  {layer}: "))


def images(count: int) -> NDArray[np.float32]:
    """The first test images."""
    return load_samples(open_project(ESPCN)).x[:count]


def errors(folder: Path, x: NDArray[np.float32]) -> tuple[float, float]:
    """Largest absolute error of the emulated design against the hardware reference and against PyTorch."""
    design = aieloom.design(folder)
    y = design.emulate(x)
    return float(np.abs(y - design.reference(x)).max()), float(np.abs(y - design.torch(x)).max())
