"""aieloom.compare: a PyTorch module against a design, layer by layer, and what notebooks show."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import aieloom
from aieloom.comparison import _matched
from aieloom.errors import SpecError
from aieloom.plan.types import array_of
from aieloom.report.summary import performance
from tests.designs import ROOT
from tests.heavy import Module, later
from tests.ops.networks import network_yaml
from tests.quantize.projects import inputs, write_project

nn, torch = later("torch.nn"), later("torch")

YAML = """\
name: tiny
target: vck190
weights: weights.safetensors
input: {name: x, shape: [2, 8, 8], dtype: float32}
layers:
  - {name: first, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
  - {name: squash, op: tanh}
  - {name: flat, op: flatten}
  - {name: last, op: dense, out_features: 6}
"""


class Tiny(Module):
    """The same network; dropout does nothing when it is evaluated, and a function has no hook."""

    def __init__(self, *, functional: bool = False) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, padding=1)
        self.act = nn.Identity() if functional else nn.Tanh()
        self.drop = nn.Dropout(0.5)
        self.out = nn.Linear(256, 6)
        self.functional = functional

    def forward(self, x: Any) -> Any:
        y = self.act(self.conv(x))
        y = torch.tanh(y) if self.functional else y
        return self.out(self.drop(y).flatten(1))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    torch.manual_seed(4)
    model = Tiny()
    torch.save(model.state_dict(), tmp_path / "state.pt")
    tensors = {
        "first.weight": model.conv.weight,
        "first.bias": model.conv.bias,
        "last.weight": model.out.weight,
        "last.bias": model.out.bias,
    }
    save_file({n: t.detach().numpy() for n, t in tensors.items()}, tmp_path / "weights.safetensors")
    (tmp_path / "network.yaml").write_text(YAML)
    return tmp_path


def trained(folder: Path, **words: bool) -> Tiny:
    model = Tiny(**words)
    model.load_state_dict(torch.load(folder / "state.pt", weights_only=True))
    return model


X = np.random.default_rng(1).uniform(-1, 1, (3, 2, 8, 8)).astype(np.float32)


def test_each_layer_is_compared_with_its_module(folder: Path) -> None:
    model = trained(folder)
    model.train()
    found = aieloom.compare(model, aieloom.design(folder), X)
    assert [(m.layer, m.module) for m in found.matches] == [
        ("first", "conv"),
        ("squash", "act"),
        ("last", "out"),
    ]
    assert found.unmatched_layers == ()  # the flatten costs nothing: it is no layer of the design
    assert found.unmatched_modules == () and found.idle_modules == ("drop (Dropout)",)
    errors = {m.layer: m.error for m in found.matches}
    assert errors["first"].max_abs_err < 1e-5, "rounding alone"
    assert 1e-5 < errors["squash"].max_abs_err < 0.02, "the table"
    assert found.output.max_abs_err == errors["last"].max_abs_err
    assert model.training, "it is left as it was"
    assert not any(m._forward_hooks for m in model.modules())


def test_an_error_is_found_where_it_is(folder: Path) -> None:
    model = trained(folder)
    with torch.no_grad():
        model.conv.bias += 0.25
    found = aieloom.compare(model, str(folder), torch.from_numpy(X))
    assert found.matches[0].error.max_abs_err == pytest.approx(0.25, abs=1e-5)


def test_functions_have_no_counterpart_and_are_named(folder: Path) -> None:
    found = aieloom.compare(trained(folder, functional=True), aieloom.design(folder), X)
    assert [m.layer for m in found.matches] == ["first", "last"]
    assert found.unmatched_layers == ("squash",)
    assert "act (Identity)" in found.idle_modules


def test_it_prints_as_a_table_and_in_notebooks(folder: Path) -> None:
    found = aieloom.compare(trained(folder), aieloom.design(folder), X)
    text = str(found)
    assert "tiny on vck190, 3 samples, against Tiny" in text
    assert "layers without a module" not in text and "SQNR" in text
    assert "modules that compute nothing: drop (Dropout)" in text
    html = found._repr_html_()
    assert html.count("<tr>") == 5 and "<td>conv</td>" in html


def test_another_network_or_input_is_refused(folder: Path) -> None:
    with pytest.raises(SpecError, match="the module gives"):
        aieloom.compare(nn.Sequential(nn.Flatten(), nn.Linear(128, 7)), aieloom.design(folder), X)
    with pytest.raises(SpecError, match="the input has the shape"):
        aieloom.compare(trained(folder), aieloom.design(folder), X[:, :1])


def test_a_design_shows_its_floor_plan_without_being_built(folder: Path) -> None:
    handle = aieloom.design(folder)
    assert repr(handle).startswith("<aieloom design tiny on vck190, on the array: 2x8x8 float32 to")
    html = handle._repr_html_()
    assert "<svg" in html and "first" in html
    assert not (folder / "build").exists()
    rate = performance(array_of(handle.plan))["throughput_fps"]
    assert f"modelled {rate:,.0f} images/s" in repr(handle), "one figure everywhere: that of `doit sim`"
    (folder / "network.yaml").write_text(YAML + "  - {name: end, op: sigmoid}\n")
    assert array_of(handle.plan).steps[-1].op == "sigmoid", "planned again from the present file"


def test_the_published_design_beside_its_own_module() -> None:
    model = nn.Sequential(
        *(nn.Conv2d(1, 64, 5, padding=2), nn.Tanh(), nn.Conv2d(64, 32, 3, padding=1), nn.Tanh()),
        *(nn.Conv2d(32, 4, 3, padding=1), nn.PixelShuffle(2)),
    )
    handle = aieloom.design(ROOT / "projects" / "espcn")
    with torch.no_grad():
        for layer, index in (("conv1", 0), ("conv2", 2), ("conv3", 4)):
            for name, value in handle.project.parameters[layer].items():
                getattr(model[index], name).copy_(torch.from_numpy(np.array(value)))
    x = np.random.default_rng(3).uniform(0, 1, (1, 1, 16, 16)).astype(np.float32)
    found = aieloom.compare(model, handle, x)
    assert [m.layer for m in found.matches] == ["conv1", "tanh1", "conv2", "tanh2", "conv3", "shuffle"]
    assert not found.unmatched_layers and not found.unmatched_modules
    assert found.output.sqnr_db is not None and found.output.sqnr_db > 30


def test_a_layer_that_is_fused_into_the_product_before_it_is_compared(tmp_path: Path) -> None:
    rows = ["  - {name: fc, op: dense, out_features: 4}", "  - {name: act, op: relu}"]
    folder = write_project(tmp_path / "net", network_yaml((6, 1, 1), rows))
    tensors = {k: torch.from_numpy(v) for k, v in load_file(folder / "w.safetensors").items()}
    module = nn.Sequential(OrderedDict(flat=nn.Flatten(), fc=nn.Linear(6, 4), act=nn.ReLU()))
    module.load_state_dict(tensors)
    found = aieloom.compare(module, str(folder), inputs((6, 1, 1), 16))
    assert [(m.layer, m.module) for m in found.matches] == [("act", "fc, then relu"), ("act", "act")]
    assert all(m.error.max_abs_err < 0.1 for m in found.matches) and not found.unmatched_modules
    assert found.output.max_abs_err < 0.1


@pytest.mark.parametrize("inplace", [False, True])
def test_a_folded_batch_norm_is_compared_with_what_it_gives(tmp_path: Path, inplace: bool) -> None:
    """Conv2d, BatchNorm2d, ReLU twice, the second beside a branch; statistics far from 0 and 1, as training leaves them."""

    class Net(Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.norm_a = nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4)
            self.b, self.norm_b = nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4)
            self.act_a, self.act_b = nn.ReLU(inplace=inplace), nn.ReLU(inplace=inplace)
            self.fc = nn.Linear(4 * 6 * 6, 3)

        def forward(self, x: Any) -> Any:
            y = self.act_a(self.norm_a(self.a(x)))
            y = self.act_b(self.norm_b(self.b(y)))
            return self.fc(y.flatten(1))

    torch.manual_seed(5)
    module = Net().eval()
    with torch.no_grad():
        for norm in (module.norm_a, module.norm_b):
            norm.running_mean.normal_(0, 2)
            norm.running_var.uniform_(0.1, 9)
            norm.weight.uniform_(0.5, 3)
            norm.bias.normal_(0, 2)
    rows = [
        "  - {name: a, op: conv2d, out_channels: 4, kernel: 3, padding: 1}",
        "  - {name: norm_a, op: batch_norm}",
        "  - {name: act_a, op: relu}",
        "  - {name: b, op: conv2d, out_channels: 4, kernel: 3, padding: 1}",
        "  - {name: norm_b, op: batch_norm}",
        "  - {name: act_b, op: relu}",
        "  - {name: fc, op: dense, out_features: 3}",
    ]
    (tmp_path / "network.yaml").write_text(network_yaml((2, 6, 6), rows))
    state = {k: v.numpy() for k, v in module.state_dict().items() if not k.endswith("num_batches_tracked")}
    save_file(state, tmp_path / "w.safetensors")
    found = aieloom.compare(module, str(tmp_path), inputs((2, 6, 6), 4))
    names = [(m.layer, m.module) for m in found.matches]
    assert ("a", "a + norm_a") in names and ("b", "b + norm_b") in names and ("act_b", "act_b") in names
    assert not found.unmatched_modules
    assert all(m.error.sqnr_db is None or m.error.sqnr_db > 100 for m in found.matches), str(found)


def test_layers_of_one_shape_stand_beside_their_own_modules_by_name() -> None:
    """Three convolutions of one shape, of which integers fuse two with a relu: the third is not taken for the first."""
    found = [(name, np.zeros((1, 4, 2, 2), np.float32)) for name in ("relu1", "relu2", "b2", "relu3")]
    ops = {"relu1": "relu", "relu2": "relu", "b2": "conv2d", "relu3": "relu"}
    leaves = [(n, k, found[0][1]) for n, k in (("stem.0 + stem.1", "Conv2d"), ("stem.2", "ReLU"))]
    leaves += [(n, "Conv2d", found[0][1]) for n in ("b1", "b2")]
    matches, layers, modules = _matched(found, ops, leaves, {"stem_0": "relu1", "b1": "relu2"})
    assert [(m.layer, m.module) for m in matches] == [
        ("relu1", "stem.0 + stem.1, then relu"),
        ("relu1", "stem.2"),
        ("relu2", "b1, then relu"),
        ("b2", "b2"),
    ]
    assert layers == ("relu3",) and not modules
