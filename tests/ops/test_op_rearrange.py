"""rearrange: values by strides, as PyTorch's as_strided has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aieloom.network.layers import ShapeError
from aieloom.network.tensor import TensorType, tensor_of
from aieloom.ops.reorder import Rearrange, RearrangeSpec
from aieloom.spec.types import DataType
from tests.ops.check import CONV
from tests.ops.kernels import check, random_image
from tests.ops.networks import network_yaml, row


def layer(random: np.random.Generator, x: TensorType) -> dict[str, Any]:
    """Return a transposed part of the values of `x` as an image, or as rows."""
    high = int(random.integers(1, min(3, x.elements) + 1))
    wide = int(random.integers(1, x.elements // high + 1))
    shape = [[high, wide, 1], [1, wide, high]][int(random.integers(2))]
    return {"shape": shape, "sizes": [wide, high], "strides": [1, wide], "offset": x.elements - high * wide}


def test_kernels_give_the_references_bits(tmp_path: Path) -> None:
    texts = []
    for seed, shape in enumerate([(3, 4, 5), (5, 1, 1), (6, 5)]):
        x = tensor_of(shape, DataType.FLOAT32)
        made = [row("l", "rearrange", layer(np.random.default_rng(seed), x)), CONV]
        texts.append(network_yaml(shape, made))
        rows = {"shape": [x.elements // 5, 5], "sizes": [5, x.elements // 5], "strides": [1, 5]}
        texts.append(
            network_yaml(shape, [row("l", "rearrange", rows), row("fc", "dense", {"out_features": 3})])
        )
    check(texts, tmp_path, image_of=random_image)


@pytest.mark.parametrize(
    ("sizes", "strides", "says"),
    [([2, 2], [1], "make no"), ([3, 2], [1, 1], "make no"), ([2, 2], [9, 4], "reads values 0 to 13 of 12")],
)
def test_what_does_not_fit_is_refused(sizes: list[int], strides: list[int], says: str) -> None:
    spec = RearrangeSpec(name="l", op="rearrange", shape=(2, 2), sizes=tuple(sizes), strides=tuple(strides))
    with pytest.raises(ShapeError, match=says):
        Rearrange().infer(spec, TensorType((3, 4, 1), DataType.FLOAT32, rows=True))
