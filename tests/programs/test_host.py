"""The generated host program on the emulator: batches, two buffers, repetitions, files of elements, power sensors."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import aieloom
from aieloom.flow.designs import design_of
from aieloom.network.quantisation import limits
from aieloom.network.tensor import TensorType
from aieloom.plan.types import array_of
from tests.designs import ROOT

IMAGES = 7  # in batches of two, and one


Values = NDArray[np.float32]


def run(design: aieloom.api.DesignHandle, folder: Path, *words: str) -> str:
    system = design_of(design.project).emulated
    files = (str(system.program), str(system.xclbin), "input.bin")
    ran = subprocess.run([*files, *words], cwd=folder, check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.slow
def test_batches_repetitions_and_elements_give_the_same_results(tmp_path: Path) -> None:
    """An 8-bit network of images of one pixel, whose mover adds the columns that fill up."""
    design = aieloom.design(ROOT / "projects" / "iris", build=tmp_path / "build")
    assert array_of(design.plan).subgraphs[0].mm2s.spread
    x = np.random.default_rng(2).uniform(-1, 8, (IMAGES, *design.plan.x.shape)).astype(np.float32)
    expected = design.emulate(x)
    assert np.array_equal(expected, design.reference(x))
    x.tofile(tmp_path / "input.bin")
    for words in (["--batch", "2"], ["--batch", "2", "--repeat", "3"], ["--batch", "4", "--repeat", "5"], []):
        said = run(design, tmp_path, *words, "--output", "y.bin")
        assert np.array_equal(np.fromfile(tmp_path / "y.bin", "<f4"), expected.ravel()), words
        repeat = int(words[-1]) if "--repeat" in words else 1
        assert said.startswith(f"{IMAGES * repeat} images in "), said
        assert re.search(r"from start to wait [\d.]+ s: [\d.]+ images/s; packing [\d.]+ s", said)
        assert "power" not in said or Path("/sys/class/hwmon").exists()

    def stored(values: Values, tensor: TensorType) -> NDArray[np.int8]:
        assert tensor.quant
        low, high = limits(tensor.dtype)
        steps = np.rint(values / np.float32(tensor.quant.scale)) + tensor.quant.zero_point
        held: NDArray[np.int8] = np.clip(steps, low, high).astype(np.int8)
        return held

    stored(x, design.plan.x).tofile(tmp_path / "input.bin")
    run(design, tmp_path, "--elements", "--batch", "3", "--output", "y.bin")
    assert np.array_equal(np.fromfile(tmp_path / "y.bin", np.int8), stored(expected, design.plan.y).ravel())

    for rail, watts in (("hwmon3", 2), ("hwmon4", 0.5)):
        (tmp_path / "hwmon" / rail).mkdir(parents=True)
        (tmp_path / "hwmon" / rail / "name").write_text("ina226\n")
        (tmp_path / "hwmon" / rail / "power1_input").write_text(f"{watts * 1e6:.0f}\n")
    said = run(design, tmp_path, "--elements", "--power", "hwmon")
    assert "power: 2.50 W on average, 2.50 W at most, the sum of 2 rails" in said
