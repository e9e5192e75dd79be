"""gru: the recurrence beside PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aieloom.network.layers import Layer, ShapeError
from aieloom.network.tensor import TensorType, tensor_of
from aieloom.ops.recurrent import Gru, GruSpec
from aieloom.spec.types import DataType
from tests.designs import network_of
from tests.ops.networks import network_yaml, row


def layer(random: np.random.Generator, x: TensorType) -> dict[str, Any] | None:
    """Return the keys of a layer of a third of the channels, where there are as many."""
    if x.shape[0] % 3:
        return None
    return {
        "hidden": x.shape[0] // 3,
        "reset_after": bool(random.random() < 0.5),
        "reverse": bool(random.integers(2)),
    }


@pytest.mark.parametrize("reverse", [False, True])
def test_every_step_is_pytorchs(reverse: bool) -> None:
    """From the last step on too: PyTorch's steps the other way round."""
    torch: Any = pytest.importorskip("torch")
    torch.manual_seed(3)
    module = torch.nn.GRU(6, 5, batch_first=True)
    x = torch.randn(2, 7, 6)
    gates = x @ module.weight_ih_l0.T + module.bias_ih_l0
    gates[..., :10] += module.bias_hh_l0[:10]
    network = network_of(network_yaml((7, 15), [row("l", "gru", {"hidden": 5, "reverse": reverse})]))
    at: Layer = network.layers[0]
    given = network.x.to_inside(gates.detach().numpy())
    trained = {"weight": module.weight_hh_l0.detach(), "bias": module.bias_hh_l0.detach()[10:]}
    plan = Gru().plan_ps(network.spec, at)
    wanted = (module(x.flip(1))[0].flip(1) if reverse else module(x)[0]).detach().numpy()
    found = Gru().hardware(plan, {n: v.numpy() for n, v in trained.items()}, given)
    np.testing.assert_allclose(at.y.to_outside(found), wanted, atol=1e-6)
    spec = GruSpec(name="l", op="gru", hidden=5, reverse=reverse)
    own = Gru().torch_forward(spec, trained, torch.from_numpy(given))
    np.testing.assert_allclose(at.y.to_outside(own.numpy()), wanted, atol=1e-6)


def test_what_is_no_gates_is_refused() -> None:
    with pytest.raises(ShapeError, match="hidden: 5 has gates of 15 features, the input 24"):
        Gru().infer(GruSpec(name="l", op="gru", hidden=5), tensor_of((7, 24), DataType.FLOAT32))
