"""Chains of layers in the emulator, core to core through memory tiles, against the reference and PyTorch."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save, save_file

import aieloom
from aieloom.emit.names import WEIGHTS_HEADER
from aieloom.emit.project import render
from aieloom.flow.opening import open_project
from aieloom.layout.grid import word_block
from aieloom.pl.streams import TiledStreams
from aieloom.plan.types import array_of
from tests.designs import ROOT
from tests.strategies.chained.checks import BFLOAT16, check, design
from tests.strategies.chained.designs import CHAIN, TWO_PORTS

INT8 = "quantize: {{activations: int8, weights: int8, calibration: calib.npz{}}}\n"

# Three chains: bands and two input ports; one layer alone with a border of zero points; flattened, single buffers.
MANY = """\
name: many
target: vek280
weights: w.safetensors
input: {name: x, shape: [3, 11, 10]}
layers:
  - {name: c1, op: conv2d, out_channels: 20, kernel: 3, padding: 1}
  - {name: r1, op: relu}
  - {name: c2, op: conv2d, out_channels: 24, kernel: [2, 5]}
  - {name: k2, op: clip, min: 0, max: 0.7}
  - {name: p2, op: max_pool, kernel: 2}
  - {name: t, op: tanh}
  - {name: c3, op: conv2d, out_channels: 12, kernel: [1, 3], padding: [0, 1], bias: false}
  - {name: p3, op: avg_pool, kernel: [1, 2]}
  - {name: c4, op: conv2d, out_channels: 9, kernel: 2, padding: 1}
  - {name: f, op: flatten}
  - {name: d1, op: dense, out_features: 30}
  - {name: r5, op: relu}
  - {name: d2, op: dense, out_features: 5}
mapping:
  c1: {strategy: chained, cores: 9, bands: 3}
  c2: {strategy: chained, cores: 2, bands: 2}
  c3: {strategy: chained}
  c4: {strategy: chained, buffers: single}
  d1: {strategy: chained, cores: 2}
  d2: {strategy: chained}
"""


@pytest.mark.slow  # tests/strategies/chained/test_cost_chained.py runs its array by default
def test_a_chain_runs_to_the_bit(tmp_path: Path) -> None:
    check(tmp_path, CHAIN.replace("mapping:\n", BFLOAT16 + "mapping:\n"), 0.02)


@pytest.mark.slow
def test_a_chain_that_is_sent_its_weights_runs_to_the_bit(tmp_path: Path) -> None:
    """Tables for four bands at once, and one beside a core with two streams of images."""
    check(tmp_path, TWO_PORTS.replace("mapping:\n", INT8.format("") + "mapping:\n"), 0.2)
    plan = array_of(aieloom.design(tmp_path).plan)
    assert all(la.draft.streamed for la in plan.aie) and plan.aie[1].draft.memory.memories == 2


@pytest.mark.parametrize(
    ("quantize", "changed"),
    [
        (BFLOAT16, {WEIGHTS_HEADER}),
        (INT8.format(", symmetric: true"), {WEIGHTS_HEADER, "src/host/ports_host.cpp"}),
    ],
)
def test_other_weights_leave_a_chain_s_cores_and_logic_as_they_are(
    quantize: str, changed: set[str], tmp_path: Path
) -> None:
    """From the file of weights on. Of integers the host program knows the result's scale, which calibration finds anew."""
    first = design(tmp_path, TWO_PORTS.replace("mapping:\n", quantize + "mapping:\n")).project
    before = render(first.array, first.parameters)
    other = tmp_path / "other.safetensors"
    spread = np.random.default_rng(4)
    tensors = {
        n: v * spread.normal(1, 0.2, v.shape) for n, v in load_file(tmp_path / "w.safetensors").items()
    }
    other.write_bytes(save({n: v.astype(np.float32) for n, v in tensors.items()}))
    second = open_project(tmp_path, build=tmp_path / "build", weights=other)
    after = render(second.array, second.parameters)
    assert {f for f in before.keys() | after.keys() if before.get(f) != after.get(f)} == changed


# Chained layers behind PL kernels, a pixel of whose input is half a word of their streams: of one from memory, of one that keeps
# whole images and of one that keeps lines.
HALF_WORDS = """\
name: half
target: vek280
weights: w.safetensors
input: {name: x, shape: [1, 10, 10]}
layers:
  - {name: c1, op: conv2d, out_channels: 6, kernel: 3}
  - {name: p1, op: max_pool, kernel: 2}
  - {name: t1, op: tanh}
  - {name: c2, op: conv2d, out_channels: 5, kernel: [1, 3], padding: [0, 1]}
  - {name: t2, op: sigmoid}
  - {name: c3, op: conv2d, out_channels: 9, kernel: 2}
mapping:
  c1: {strategy: chained, plio: 128}
  t1: {strategy: frame}
  c2: {strategy: chained, plio: 128}
  t2: {strategy: streaming}
  c3: {strategy: chained, plio: 128}
"""


@pytest.mark.slow
def test_pixels_of_half_a_word_reach_a_chain_to_the_bit(tmp_path: Path) -> None:
    """8 elements of int8, of which a 128-bit stream carries 16 in a word: two pixels."""
    text = HALF_WORDS.replace("mapping:\n", INT8.format("") + "mapping:\n")
    check(tmp_path, text, 0.2)
    design = aieloom.design(tmp_path)
    kernels = [(g, g.sink) for g in array_of(design.plan).pl if isinstance(g.sink, TiledStreams)]
    assert [g.name for g, _ in kernels] == ["pl_input_to_c1", "pl_t1", "pl_t2"]
    assert [g.part is None for g, _ in kernels] == [False, True, False]
    blocks = [word_block(sink.grid, g.outlets[0].lanes) for g, sink in kernels]
    assert [(b.rows, b.cols, b.by_column) for b in blocks] == [(8, 2, True)] * 3


def sources_of(build: Path) -> dict[Path, dict[str, str]]:
    """Return the texts of each program's sources."""
    return {
        at.parent: {str(f.relative_to(at.parent)): f.read_text() for f in at.rglob("*.*")}
        for at in build.rglob("src")
        if at.is_dir()
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mnist", "mnist_int8"])
def test_the_published_networks_are_sent_their_weights(name: str, tmp_path: Path) -> None:
    """All layers `weights: stream`; then other weights with the same cores and logic."""
    for folder in {name, "mnist"}:
        shutil.copytree(ROOT / "projects" / folder, tmp_path / folder, ignore=shutil.ignore_patterns("build"))
    file = tmp_path / name / "network.yaml"
    file.write_text(file.read_text().replace("strategy: chained", "strategy: chained, weights: stream"))
    x = np.load(tmp_path / "mnist" / "data" / "test.npz")["x"][:6].astype(np.float32)
    made = aieloom.design(tmp_path / name)
    assert len(array_of(made.plan).weights) == 4
    y = made.emulate(x)
    assert np.array_equal(y, made.reference(x))
    if name == "mnist":
        sources = sources_of(tmp_path / name / "build")
        tensors = load_file(tmp_path / name / "weights.safetensors")
        save_file(
            {n: v * np.float32(0.75) for n, v in tensors.items()}, tmp_path / name / "weights.safetensors"
        )
        other = aieloom.design(tmp_path / name)
        z = other.emulate(x)
        assert np.array_equal(z, other.reference(x)) and not np.array_equal(z, y)
        (made_of,) = sources.values()  # each content has a folder of its own
        others = next(
            files for at, files in sources_of(tmp_path / name / "build").items() if at not in sources
        )
        assert [f for f, text in others.items() if made_of.pop(f) != text] == ["src/host/weights.h"]
        assert made_of == {}


@pytest.mark.slow
@pytest.mark.parametrize("weights", ["constant", "stream"])
def test_many_chains_run_to_the_bit_in_bfloat16(weights: str, tmp_path: Path) -> None:
    text = MANY.replace("chained", f"chained, weights: {weights}")
    check(tmp_path, text.replace("mapping:\n", BFLOAT16 + "mapping:\n"), 0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    "scales", ["", ", scales: multiplier16, symmetric: true", ", scales: power_of_two, symmetric: true"]
)
def test_many_chains_run_to_the_bit_in_int8(scales: str, tmp_path: Path) -> None:
    text = MANY.replace("mapping:\n", INT8.format(scales) + "mapping:\n")
    for name in ("c2", "c4", "d1"):
        text = text.replace(
            f"  {name}: {{strategy: chained", f"  {name}: {{strategy: chained, weights: stream"
        )
    if not scales:  # with zero points a border inside a chain is refused
        text = text.replace("kernel: 2, padding: 1}", "kernel: [2, 1]}")
    check(tmp_path, text, 0.2)
