"""Layers by themselves: each one's output is that of its definition, and one after another they are the design."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import aieloom
from aieloom.api import DesignHandle
from aieloom.errors import SpecError
from tests.heavy import torch
from tests.quantize.projects import inputs, write_project

Values = NDArray[np.float32]
FLOATS = """\
name: floats
target: vck190
weights: w.safetensors
input: {name: x, shape: [3, 6, 6]}
layers:
  - {name: first, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
  - {name: squash, op: tanh}
"""
BRANCHES = """\
name: branches
target: {target}
weights: w.safetensors
input: {{name: x, shape: [4, 8, 8]}}
layers:
  - {{name: first, op: conv2d, out_channels: 8, kernel: 3, padding: 1}}
  - {{name: act, op: relu}}
  - {{name: second, op: conv2d, out_channels: 8, kernel: 3, padding: 1}}
  - {{name: both, op: add, inputs: [second, act]}}
  - {{name: soft, op: sigmoid}}
  - {{name: smaller, op: max_pool, kernel: 2}}
  - {{name: last, op: dense, out_features: 5}}
  - {{name: shares, op: softmax}}
"""


def design_of(folder: Path, text: str, quantize: str = "") -> DesignHandle:
    write_project(folder, text, quantize)
    if not quantize:
        (folder / "network.yaml").write_text(text)
    return aieloom.design(folder)


def one_after_another(design: DesignHandle, x: Values) -> Values:
    """Emulate each layer by itself on what the layers before it gave."""
    project = design.project
    network = project.quantised.network if project.quantised else project.network
    found = {"input": x}
    for layer in network.layers:
        xs = [found[name] for name in layer.inputs]
        y = design.layer(layer.name).emulate(*xs)
        np.testing.assert_array_equal(y, design.layer(layer.name).reference(*xs))
        found[layer.name] = y
    return y


@pytest.mark.slow
def test_layers_compute_what_pytorch_computes(tmp_path: Path) -> None:
    design = design_of(tmp_path, FLOATS)
    x = inputs((3, 6, 6), 5)
    weights = {k: torch.from_numpy(v) for k, v in design.project.parameters["first"].items()}
    first = design.layer("first").emulate(x)
    wanted = torch.nn.functional.conv2d(torch.from_numpy(x), weights["weight"], weights["bias"], padding=1)
    np.testing.assert_allclose(first, wanted.numpy(), rtol=0, atol=1e-5)
    step = 4 / 512  # at most, of the table
    squashed = design.layer("squash").emulate(first)
    np.testing.assert_allclose(squashed, np.tanh(first), rtol=0, atol=step)
    np.testing.assert_array_equal(squashed, design.emulate(x))


def test_what_is_no_layer_is_refused(tmp_path: Path) -> None:
    design = design_of(tmp_path, BRANCHES.format(target="vck190"), "activations: int8")
    with pytest.raises(SpecError, match=r"\[layer\] there is no layer 'frist' \(did you mean 'first'"):
        design.layer("frist").emulate(inputs((4, 8, 8), 1))
    with pytest.raises(SpecError, match=r"layer 'act' \(op relu\) is computed as a part of the layer before"):
        design.layer("act").emulate(inputs((8, 8, 8), 1))
    with pytest.raises(SpecError, match=r"layer 'both' has 2 inputs, 1 were given\n  fix: .* second, first"):
        design.layer("both").emulate(inputs((8, 8, 8), 1))
    with pytest.raises(SpecError, match=r"the inputs of layer 'both' have 1, 2 samples"):
        design.layer("both").emulate(inputs((8, 8, 8), 1), inputs((8, 8, 8), 2))
    with pytest.raises(SpecError, match="second has the shape"):
        design.layer("both").emulate(inputs((8, 8, 7), 1), inputs((8, 8, 8), 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "quantize"),
    [
        ("vck190", ""),
        ("vck190", "activations: int8"),
        ("vek280", "activations: int8, scales: power_of_two"),
        ("vek280", "activations: int16, weights: int16"),
    ],
)
def test_layers_one_after_another_are_the_design(tmp_path: Path, target: str, quantize: str) -> None:
    """To the bit: products on the array, functions, pools and a softmax in the logic, a join of two tensors."""
    design = design_of(tmp_path, BRANCHES.format(target=target), quantize)
    x = inputs((4, 8, 8), 3)
    np.testing.assert_array_equal(one_after_another(design, x), design.emulate(x))


@pytest.mark.slow
def test_layers_of_bfloat16_round_what_stays_float32_in_the_logic_of_the_design(tmp_path: Path) -> None:
    """A sum, its sigmoid and the pool are float32 in one kernel of the design: each alone gives bfloat16."""
    kind = "activations: bfloat16, weights: bfloat16"
    design = design_of(tmp_path, BRANCHES.format(target="vek280"), kind)
    x = inputs((4, 8, 8), 3)
    np.testing.assert_allclose(one_after_another(design, x), design.emulate(x), rtol=4 * 2.0**-8, atol=0)
