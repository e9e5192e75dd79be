"""prelu on programmable logic: a slope for each channel, as PyTorch's, the kernels' bits, and what is read as one."""

from __future__ import annotations

from pathlib import Path

from tests.designs import plan_of
from tests.heavy import torch
from tests.ops.check import check_operator, check_readers
from tests.ops.networks import network_yaml


def test_kernels_give_the_references_bits(tmp_path: Path) -> None:
    check_operator("prelu", tmp_path)


def test_models_have_it(tmp_path: Path) -> None:
    module = torch.nn.PReLU(4)
    module.weight.data = torch.tensor([0.25, -0.5, 1.5, 0.0])
    check_readers(module, "prelu", tmp_path)


def test_one_slope_is_a_leaky_relu(tmp_path: Path) -> None:
    check_readers(torch.nn.PReLU(init=0.125), "leaky_relu", tmp_path)


def test_a_pass_over_the_image_is_modelled() -> None:
    text = network_yaml(
        (1, 6, 5),
        ["  - {name: c, op: conv2d, out_channels: 3, kernel: 1}", "  - {name: p, op: prelu}"],
    )
    (step,) = (s for g in plan_of(text).pl for s in g.steps)
    assert step.cycles == 3 * 6 * 5
