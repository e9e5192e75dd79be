"""Chains of layers in the emulator, core to core through memory tiles, against the reference and PyTorch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

import aieloom
from aieloom.api import DesignHandle
from aieloom.model.network import infer_shapes
from aieloom.ops import REGISTRY
from aieloom.spec.load import load_network
from tests.designs import weights_of
from tests.plan.chained import CHAIN

BFLOAT16 = "quantize: {activations: bfloat16, weights: bfloat16, min_sqnr_db: 20}\n"
INT8 = "quantize: {{activations: int8, weights: int8, calibration: calib.npz, min_sqnr_db: 10{}}}\n"

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


def design(folder: Path, text: str) -> DesignHandle:
    """Write a project with seeded weights and typical inputs, and open it."""
    (folder / "network.yaml").write_text(text)
    network = infer_shapes(load_network(folder, REGISTRY), REGISTRY)
    flat = {f"{name}.{k}": v for name, tensors in weights_of(network).items() for k, v in tensors.items()}
    (folder / "w.safetensors").write_bytes(save(flat))
    x = np.random.default_rng(2).normal(size=(40, *network.x.shape)).astype(np.float32)
    np.savez(folder / "calib.npz", x=x)
    return aieloom.design(folder)


def check(folder: Path, text: str, tolerance: float) -> None:
    made = design(folder, text)
    x = np.random.default_rng(1).normal(size=(3, *made.plan.x.shape)).astype(np.float32)
    y = made.emulate(x)
    assert np.array_equal(y, made.reference(x))
    assert np.abs(y - made.torch(x)).max() < tolerance


def test_a_chain_runs_to_the_bit(tmp_path: Path) -> None:
    check(tmp_path, CHAIN.replace("mapping:\n", BFLOAT16 + "mapping:\n"), 0.02)


@pytest.mark.slow
def test_many_chains_run_to_the_bit_in_bfloat16(tmp_path: Path) -> None:
    check(tmp_path, MANY.replace("mapping:\n", BFLOAT16 + "mapping:\n"), 0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    "scales", ["", ", scales: multiplier16, symmetric: true", ", scales: power_of_two, symmetric: true"]
)
def test_many_chains_run_to_the_bit_in_int8(scales: str, tmp_path: Path) -> None:
    text = MANY.replace("mapping:\n", INT8.format(scales) + "mapping:\n")
    if not scales:  # with zero points a border inside a chain is refused
        text = text.replace("kernel: 2, padding: 1}", "kernel: 2}")
    check(tmp_path, text, 0.2)
