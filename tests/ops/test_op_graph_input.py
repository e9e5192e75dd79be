"""graph_input: a part of the record of all inputs, beside PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aieloom.errors import SpecError
from aieloom.network.tensor import TensorType
from aieloom.ops.graph_input import GraphInput
from tests.designs import network_of
from tests.heavy import torch
from tests.ops.networks import network_yaml, row


def layer(random: np.random.Generator, x: TensorType) -> dict[str, Any]:
    """Return the keys of a part of what a layer reads."""
    size = int(random.integers(1, x.elements + 1))
    return {"shape": [1, 1, size], "offset": int(random.integers(0, x.elements - size + 1))}


@pytest.mark.parametrize("shape", [[2, 2, 3], [3, 4], [12]])
def test_it_is_a_part_in_order_of_channel_row_and_column(shape: list[int]) -> None:
    network = network_of(network_yaml((20,), [row("l", "graph_input", {"shape": shape, "offset": 5})]))
    at, x = network.layers[0], np.arange(40, dtype=np.float32).reshape(2, 20, 1, 1)
    found = GraphInput().hardware(GraphInput().plan_ps(network.spec, at), {}, x)
    np.testing.assert_array_equal(found, x[:, 5:17].reshape(2, *at.y.shape))
    own = GraphInput().torch_forward(at.spec, {}, torch.from_numpy(x))  # type: ignore[arg-type]
    np.testing.assert_array_equal(own.numpy(), found)


def test_a_part_of_more_than_there_is() -> None:
    with pytest.raises(SpecError, match="is values 5 to 20 of 20"):
        network_of(network_yaml((20,), [row("l", "graph_input", {"shape": [16], "offset": 5})]))
