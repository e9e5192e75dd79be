"""embedding: rows of a table beside PyTorch's; a model whose input is token ids, emulated beside onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aieloom.flow.opening import open_any
from aieloom.flow.sequential import design_of
from aieloom.network.layers import Layer
from aieloom.network.tensor import TensorType
from aieloom.ops.embedding import Embedding
from tests.designs import network_of
from tests.heavy import Module, nn, torch
from tests.onnx_session import session as onnx_session
from tests.ops.networks import network_yaml, row


def layer(random: np.random.Generator, _x: TensorType) -> dict[str, Any]:
    """Return the keys of a small table."""
    return {"tokens": int(random.integers(1, 9)), "features": int(random.integers(1, 7))}


def test_it_is_pytorchs_and_ends_are_held() -> None:
    network = network_of(network_yaml((9,), [row("l", "embedding", {"tokens": 5, "features": 3})]))
    at: Layer = network.layers[0]
    table = np.random.default_rng(1).normal(size=(5, 3)).astype(np.float32)
    x = np.array([[0, 4, 2, 1, 3, 5, -1, 1e9, np.nan]], np.float32).reshape(1, 9, 1, 1)
    found = Embedding().hardware(Embedding().plan_ps(network.spec, at), {"weight": table}, x)
    wanted = table[[0, 4, 2, 1, 3, 4, 0, 4, 0]].T[None, :, :, None]
    assert np.array_equal(found, wanted)
    own = Embedding().torch_forward(at.spec, {"weight": torch.from_numpy(table)}, torch.from_numpy(x))  # type: ignore[arg-type]
    assert np.array_equal(own.numpy(), wanted)


class Words(Module):
    """Token ids, their places, an encoder's norm and a score of each token."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(40, 16), nn.Embedding(7, 16)
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 3)

    def forward(self, ids: Any) -> Any:
        places = self.places(torch.arange(7)[None])
        return self.head(self.norm(self.words(ids) + places))


YAML = """\
name: words
target: zcu104
weights: model.onnx
execution: sequential
input: {name: ids, shape: [7]}
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_model_of_token_ids(tmp_path: Path) -> None:
    torch.manual_seed(3)
    module = Words().eval()
    ids = np.random.default_rng(4).integers(0, 40, (5, 7))
    given = (torch.from_numpy(ids[:1]),)
    torch.onnx.export(module, given, tmp_path / "model.onnx", opset_version=17, dynamo=False)
    (tmp_path / "network.yaml").write_text(YAML)
    project = open_any(tmp_path, build=tmp_path / "build")
    assert project.network.layers[0].op == "embedding"
    design = design_of(project)
    design.emulated.make(design.render())
    y = project.network.y.to_outside(
        design.emulated.run(project.network.x.to_inside(ids.astype(np.float32))).y
    )
    session = onnx_session(tmp_path / "model.onnx")
    name = session.get_inputs()[0].name
    wanted = np.concatenate([session.run(None, {name: one[None]})[0] for one in ids])
    np.testing.assert_allclose(y.reshape(wanted.shape), wanted, rtol=1e-5, atol=1e-5)
