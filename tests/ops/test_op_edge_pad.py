"""edge_pad: PyTorch's reflected and replicated borders, the kernels' bits, what is read as one, what is refused."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aieloom.network.layers import ShapeError
from aieloom.network.tensor import TensorType
from aieloom.ops.reorder import EdgePad, EdgePadSpec
from aieloom.spec.types import DataType
from tests.heavy import torch
from tests.ops.check import CONV, check_readers
from tests.ops.kernels import check, random_image
from tests.ops.networks import network_yaml, row


def test_kernels_give_the_references_bits(tmp_path: Path) -> None:
    texts = []
    for mode, sides in product(("reflect", "replicate"), ([1, 2, 3, 0], [0, 1, 0, 4])):
        keys = {"padding": sides, "mode": mode}
        first = "  - {name: first, op: conv2d, out_channels: 3, kernel: 1}"
        texts.append(network_yaml((3, 4, 5), [row("l", "edge_pad", keys), CONV]))
        texts.append(
            network_yaml((3, 4, 5), [first, row("l", "edge_pad", keys), "  - {name: act, op: tanh}"])
        )
    texts.append(network_yaml((5, 1, 1), [row("l", "edge_pad", {"padding": 2, "mode": "replicate"}), CONV]))
    check(texts, tmp_path, image_of=random_image)


@pytest.mark.parametrize("sides", [[1, 2, 3, 0], [0, 3, 2, 3], [3, 3, 3, 3]])
@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_a_border_is_pytorchs(mode: Any, sides: list[int]) -> None:
    top, left, bottom, right = sides
    x = torch.rand(2, 3, 4, 5)
    spec = EdgePadSpec(name="l", op="edge_pad", padding=(top, left, bottom, right), mode=mode)
    wanted = torch.nn.functional.pad(x, (left, right, top, bottom), mode=mode)
    assert torch.equal(EdgePad().torch_forward(spec, {}, x), wanted)
    y = EdgePad().infer(spec, TensorType((3, 4, 5), DataType.FLOAT32))
    assert y.shape == tuple(wanted.shape[1:])


@pytest.mark.parametrize(("module", "sides"), [("ReflectionPad2d", (1, 2, 3, 0)), ("ReplicationPad2d", 2)])
def test_models_have_it(module: str, sides: Any, tmp_path: Path) -> None:
    check_readers(getattr(torch.nn, module)(sides), "edge_pad", tmp_path)


def test_more_rows_than_there_are_are_not_reflected() -> None:
    spec = EdgePadSpec(name="l", op="edge_pad", padding=(4, 0, 0, 0), mode="reflect")
    with pytest.raises(ShapeError, match="reflects 4 rows and 0 columns of 4 x 5"):
        EdgePad().infer(spec, TensorType((3, 4, 5), DataType.FLOAT32))
    assert np.prod(EdgePad().infer(spec, TensorType((3, 5, 5), DataType.FLOAT32)).shape) == 3 * 9 * 5
