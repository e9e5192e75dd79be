"""Convolutions in groups: against PyTorch, against the same convolution without groups, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from aieloom.network.layers import weight_matrix
from aieloom.reference.results import hardware_reference, torch_reference
from tests.designs import design_of, refusal
from tests.ops.networks import network_yaml

SHAPE = (6, 7, 5)


def text_of(groups: int, outputs: int = 12) -> str:
    keys = f"out_channels: {outputs}, kernel: 3, padding: 1, stride: [1, 2], groups: {groups}"
    return network_yaml(SHAPE, [f"  - {{name: conv, op: conv2d, {keys}}}"])


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
def test_the_reference_is_pytorchs(groups: int) -> None:
    pytest.importorskip("torch")
    design = design_of(text_of(groups))
    assert design.parameters["conv"]["weight"].shape == (12, 6 // groups, 3, 3)
    x = design.images(3)
    y = hardware_reference(design.plan, design.parameters, x)
    np.testing.assert_allclose(y, torch_reference(design.network, design.parameters, x), atol=1e-5)


def test_other_groups_weights_are_zero() -> None:
    weight = np.arange(1, 1 + 4 * 2 * 3, dtype=np.float32).reshape(4, 2, 3)
    whole = weight_matrix(weight, 12).reshape(4, 4, 3)
    assert np.array_equal(whole[:2, :2], weight[:2])
    assert np.array_equal(whole[2:, 2:], weight[2:])
    assert not whole[:2, 2:].any()
    assert not whole[2:, :2].any()
    assert np.array_equal(weight_matrix(weight, 6), weight.reshape(4, 6))


def test_groups_that_do_not_divide_are_refused() -> None:
    assert "4 groups do not divide the input's 6 channels" in refusal(text_of(4))
    assert "6 groups do not divide the output's 8 channels" in refusal(text_of(6, outputs=8))
