"""Kernels alone under AMD's published simulation headers (Xilinx/hls-utilities) give what they gave in the emulated system.

There a task is a thread and a stream is AMD's: nothing of the emulator takes part. Opt-in: $AIELOOM_ORACLES, and gmp and mpfr.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from aieloom.flow.components import write_components
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_any
from tests.designs import ROOT
from tests.emit.compiling import compiler
from tests.oracles.checkouts import checkout
from tests.vitis import designs
from tests.vitis.conftest import Folder

LIBRARIES = ("-pthread", "-lmpfr", "-lgmp")


def run(config: Path) -> str:
    """Compile a component with AMD's headers and run it; return what it tells."""
    include = checkout("hls-utilities") / "simulation_headers" / "include"
    folder, kernel = config.parent, config.parent.name
    words = [compiler("g++"), "-std=c++14", "-w", "-O1", "-isystem", str(include)]
    command = [*words, "bench.cpp", f"../src/pl/{kernel}.cpp", "-o", "bench", *LIBRARIES]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if "mpfr.h: No such file" in done.stderr or "gmp.h: No such file" in done.stderr:
        pytest.skip("no libmpfr-dev, libgmp-dev")
    assert done.returncode == 0, done.stderr
    return subprocess.run(
        [folder / "bench"], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    ).stdout


def check(folder: Path, build: Path, layer: str | None = None) -> None:
    checkout("hls-utilities")
    made = write_components(design_of(open_any(folder, target="vck190", build=build)), layer)
    assert made
    told = {config.parent.name: run(config) for config in made}
    assert {name: text for name, text in told.items() if not text.startswith("PASS:")} == {}


@pytest.mark.integration
def test_kernels_of_xor(tmp_path: Path) -> None:
    check(ROOT / "projects" / "xor", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["espcn", "espcn-int8", "resnet8", "mnist_int8", "iris", "jet"])
def test_kernels_of_a_project(name: str, tmp_path: Path) -> None:
    check(ROOT / "projects" / name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [designs.in_turn, designs.in_logic])
@pytest.mark.parametrize("layer", ["conv", "apart", "pool"])
def test_units_of_layers_in_turn(kind: Callable[[Path], Folder], layer: str, tmp_path: Path) -> None:
    check(kind(tmp_path / "net").path, tmp_path / "build", layer)


@pytest.mark.slow
def test_a_circuit(tmp_path: Path) -> None:
    check(designs.circuit(tmp_path / "net").path, tmp_path / "build")
