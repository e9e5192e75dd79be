"""Whole systems in the emulator: host, PL kernels and array of networks with several operators, against the reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aieloom
from tests.ops.networks import design_of_yaml, random_yaml
from tests.ops.system import CLASSIFIER, check


@pytest.mark.slow  # one of integers does in CI: quantize/test_quantize_system.py
def test_a_classifier_runs_to_the_bit(tmp_path: Path) -> None:
    check(tmp_path, CLASSIFIER, 20)
    design = aieloom.design(tmp_path)
    x = np.random.default_rng(1).normal(size=(20, 1, 8, 8)).astype(np.float32)
    y, torch = design.reference(x), design.torch(x)
    assert np.abs(y - torch).max() < 1e-6
    assert np.array_equal(y.argmax(axis=1), torch.argmax(axis=1))
    np.testing.assert_allclose(y.sum(axis=1), 1, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1012))
def test_random_networks_run_to_the_bit(seed: int, tmp_path: Path) -> None:
    text = random_yaml(seed)
    if design_of_yaml(text) is None:
        pytest.skip("the device has no room for this one")
    check(tmp_path, text, 3)


MNIST = """\
name: mnist
target: vck190
weights: w.safetensors
input: {name: x, shape: [1, 28, 28]}
layers:
  - {name: conv1, op: conv2d, out_channels: 16, kernel: 3}
  - {name: relu1, op: relu}
  - {name: pool1, op: max_pool, kernel: 2}
  - {name: conv2, op: conv2d, out_channels: 64, kernel: 3}
  - {name: relu2, op: relu}
  - {name: pool2, op: max_pool, kernel: 2}
  - {name: conv3, op: conv2d, out_channels: 128, kernel: 3}
  - {name: relu3, op: relu}
  - {name: flat, op: flatten}
  - {name: fc, op: dense, out_features: 10}
  - {name: shares, op: softmax}
"""


@pytest.mark.parametrize("target", ["vck190", "vek280"])
def test_the_published_mnist_network_is_planned_in_float32(target: str) -> None:
    design = design_of_yaml(MNIST.replace("vck190", target), target=target)
    assert design
    assert sum(v.size for tensors in design.parameters.values() for v in tensors.values()) == 94_826
    assert [layer.name for layer in design.plan.aie] == ["conv1", "conv2", "conv3", "fc"]
    assert design.plan.y.shape == (10, 1, 1)
    assert design.plan.cores <= 38


@pytest.mark.slow
@pytest.mark.parametrize("target", ["vck190", "vek280"])
def test_the_published_mnist_network_runs_to_the_bit(target: str, tmp_path: Path) -> None:
    check(tmp_path, MNIST.replace("vck190", target), 3)
