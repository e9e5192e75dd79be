"""Models as PyTorch's own exporter writes them, at several opsets, with a batch that stays open."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.heavy import Module, nn, torch
from tests.onnx.models import run_imported


class Classifier(Module):
    """The usual way to flatten: by the input's own batch."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, bias=False)
        self.norm1 = nn.BatchNorm2d(4)
        self.fc = nn.Linear(36, 5)
        assert self.norm1.running_mean is not None
        assert self.norm1.running_var is not None
        with torch.no_grad():
            self.norm1.running_mean.uniform_(-1, 1)
            self.norm1.running_var.uniform_(0.5, 2)
            self.norm1.weight.uniform_(0.5, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = nn.functional.max_pool2d(torch.relu(self.norm1(self.conv1(x))), 2)
        return torch.softmax(self.fc(y.view(y.size(0), -1)), dim=1)


def super_resolution() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, padding=2), nn.Tanh(), nn.Conv2d(8, 4, 3, padding=1), nn.PixelShuffle(2)
    )


def decoder() -> nn.Module:
    return nn.Sequential(
        nn.ZeroPad2d((1, 0, 2, 1)), nn.Conv2d(1, 3, 3, stride=2), nn.LeakyReLU(0.1), nn.Upsample(scale_factor=2),
        nn.AvgPool2d(3, 1, 1), nn.Sigmoid(),
    )  # fmt: skip


def mobile_head() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 6, 3), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(), nn.Linear(6, 3)
    )


def perceptron() -> nn.Module:
    return nn.Sequential(
        nn.Flatten(), nn.Linear(64, 12), nn.ReLU(), nn.Linear(12, 3, bias=False), nn.Softmax(-1)
    )


MODELS: list[Callable[[], nn.Module]] = [Classifier, super_resolution, decoder, mobile_head, perceptron]


@pytest.mark.parametrize("opset", [11, 13, 17])
@pytest.mark.parametrize("make", MODELS)
def test_exported_models_compute_the_same(make: Callable[[], nn.Module], opset: int, tmp_path: Path) -> None:
    torch.manual_seed(1)
    model, path = make().eval(), tmp_path / "model.onnx"
    x = torch.from_numpy(np.random.default_rng(2).normal(size=(1, 1, 8, 8)).astype(np.float32))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter that needs no further package calls itself old
        axes = {"x": {0: "batch"}}
        torch.onnx.export(
            model, (x,), path, dynamo=False, opset_version=opset, input_names=["x"], dynamic_axes=axes
        )
    with torch.no_grad():
        wanted = model(x).numpy()
    y, imported = run_imported(path, x.numpy())
    np.testing.assert_allclose(y.reshape(wanted.shape), wanted, rtol=1e-5, atol=1e-6)
    if make is Classifier:
        assert {"conv1", "fc"} <= {layer["name"] for layer in imported.layers}
