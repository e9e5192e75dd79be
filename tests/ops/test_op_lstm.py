"""lstm: the recurrence beside PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aieloom.network.layers import Layer, ShapeError
from aieloom.network.tensor import TensorType, tensor_of
from aieloom.ops.recurrent import Lstm, LstmSpec
from aieloom.spec.types import DataType
from tests.designs import network_of
from tests.ops.networks import network_yaml, row


def layer(random: np.random.Generator, x: TensorType) -> dict[str, Any]:
    """Return the keys of a layer of a quarter of the channels."""
    return {"hidden": x.shape[0] // 4, "reverse": bool(random.integers(2))}


@pytest.mark.parametrize("reverse", [False, True])
def test_every_step_is_pytorchs(reverse: bool) -> None:
    """From the last step on too: PyTorch's steps the other way round."""
    torch: Any = pytest.importorskip("torch")
    torch.manual_seed(3)
    module = torch.nn.LSTM(6, 5, batch_first=True)
    x = torch.randn(2, 7, 6)
    gates = x @ module.weight_ih_l0.T + module.bias_ih_l0 + module.bias_hh_l0
    network = network_of(network_yaml((7, 20), [row("l", "lstm", {"hidden": 5, "reverse": reverse})]))
    at: Layer = network.layers[0]
    given = network.x.to_inside(gates.detach().numpy())
    trained = {"weight": module.weight_hh_l0.detach().numpy()}
    plan = Lstm().plan_ps(network.spec, at)
    wanted = (module(x.flip(1))[0].flip(1) if reverse else module(x)[0]).detach().numpy()
    np.testing.assert_allclose(at.y.to_outside(Lstm().hardware(plan, trained, given)), wanted, atol=1e-6)
    spec = LstmSpec(name="l", op="lstm", hidden=5, reverse=reverse)
    own = Lstm().torch_forward(spec, {"weight": module.weight_hh_l0}, torch.from_numpy(given))
    np.testing.assert_allclose(at.y.to_outside(own.detach().numpy()), wanted, atol=1e-6)


def test_what_is_no_gates_is_refused() -> None:
    with pytest.raises(ShapeError, match="hidden: 5 has gates of 20 features, the input 24"):
        Lstm().infer(LstmSpec(name="l", op="lstm", hidden=5), tensor_of((7, 24), DataType.FLOAT32))
