"""Folding of batch_norm, and what becomes of one that cannot be folded: against PyTorch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from aieloom.errors import SpecError
from aieloom.flow.opening import open_project
from aieloom.network.weights import read_tensors
from aieloom.ops.batch_norm import fold_network, fold_parameters
from aieloom.reference.results import torch_reference
from tests.designs import network_of, weights_of
from tests.heavy import torch

TEXT = """\
name: normed
target: vck190
weights: weights.pt
input: {name: x, shape: [2, 5, 5]}
layers:
  - {name: conv, op: conv2d, out_channels: 4, kernel: 3, bias: false}
  - {name: norm1, op: batch_norm}
  - {name: norm2, op: batch_norm, eps: 0.5}
  - {name: fc, op: dense, out_features: 3}
  - {name: norm3, op: batch_norm}
"""


def test_folded_layers_compute_what_pytorch_computes() -> None:
    written = network_of(TEXT)
    weights = weights_of(written)
    for name in ("norm1", "norm2", "norm3"):
        weights[name]["running_var"] = np.abs(weights[name]["running_var"]) + np.float32(0.1)
    folded = fold_network(written)
    assert [layer.name for layer in folded.network.layers] == ["conv", "fc"]
    assert [norm.name for _, norm in folded.folds] == ["norm1", "norm2", "norm3"]
    assert [p.name for p in folded.network.layers[0].parameters] == ["weight", "bias"]
    parameters = fold_parameters(folded, weights)
    assert set(parameters) == {"conv", "fc"}
    x = np.random.default_rng(0).normal(size=(6, 2, 5, 5)).astype(np.float32)
    wanted = torch_reference(written, weights, x)
    np.testing.assert_allclose(torch_reference(folded.network, parameters, x), wanted, rtol=1e-4, atol=1e-5)
    assert len(folded.notes()) == 3


def test_the_state_dict_of_a_module_is_taken_with_its_counters(tmp_path: Path) -> None:
    """PyTorch counts batches in an integer beside each norm; nothing is computed from it."""
    module = torch.nn.Sequential(torch.nn.Conv2d(2, 4, 3, bias=False), torch.nn.BatchNorm2d(4))
    torch.save(module.state_dict(), tmp_path / "weights.pt")
    assert not any("num_batches" in n for n in read_tensors(tmp_path / "weights.pt", shown_as="w"))
    (tmp_path / "network.yaml").write_text("\n".join(TEXT.splitlines()[:7]) + "\n")
    project = open_project(tmp_path)
    assert project.parameters["conv"]["bias"].shape == (4,)
    assert any("'norm1' is folded into 'conv'" in note for note in project.weights_notes)


@pytest.mark.parametrize(("value", "eps"), [(-1.0, "1.0e-05"), (0.0, "0")])
def test_a_variance_without_a_scale_is_refused_with_its_line(value: float, eps: str) -> None:
    written = network_of(
        TEXT.replace("name: norm1, op: batch_norm", f"name: norm1, op: batch_norm, eps: {eps}")
    )
    weights = weights_of(written)
    for name in ("norm1", "norm2", "norm3"):
        weights[name]["running_var"] = np.ones_like(weights[name]["running_var"])
    weights["norm1"]["running_var"][2] = value
    with pytest.raises(
        SpecError, match=r"network\.yaml:7: \[bn-2\] layer 'norm1': channel 2 has the variance"
    ):
        fold_parameters(fold_network(written), weights)


def test_a_norm_that_cannot_be_folded_is_a_convolution(tmp_path: Path) -> None:
    """At the input, behind a relu, and behind a layer that another reads too."""
    text = """\
name: preactivated
target: vck190
weights: weights.safetensors
input: {name: x, shape: [4, 6, 6]}
layers:
  - {name: first, op: batch_norm}
  - {name: act, op: relu}
  - {name: conv, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
  - {name: behind, op: batch_norm, eps: 0.5}
  - {name: again, op: relu}
  - {name: sum, op: add, inputs: [again, conv]}
  - {name: last, op: batch_norm}
"""
    written = network_of(text)
    weights = weights_of(written)
    for name in ("first", "behind", "last"):
        weights[name]["running_var"] = np.abs(weights[name]["running_var"]) + np.float32(0.1)
    folded = fold_network(written)
    ops = {layer.name: layer.op for layer in folded.network.layers}
    assert [n for n, op in ops.items() if op == "conv2d"] == ["first", "conv", "behind", "last"]
    assert "stands behind nothing" in folded.notes()[0]
    x = np.random.default_rng(0).normal(size=(6, 4, 6, 6)).astype(np.float32)
    wanted = torch_reference(written, weights, x)
    found = torch_reference(folded.network, fold_parameters(folded, weights), x)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    (tmp_path / "network.yaml").write_text(text)
    save_file(
        {f"{la}.{k}": v for la, t in weights.items() for k, v in t.items()}, tmp_path / "weights.safetensors"
    )
    plan = open_project(tmp_path).array
    assert [layer.name for layer in plan.aie] == ["first", "conv", "behind", "last"]
