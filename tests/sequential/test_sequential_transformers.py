"""Transformers layer by layer: emulated against their reference to the bit, beside onnxruntime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aieloom.flow.project import Project
from aieloom.sequential import commands as c
from aieloom.sequential.packing import packed
from aieloom.sequential.plan import command_list, commands, engines_of
from aieloom.sequential.reference import reference
from aieloom.sequential.steps import ConvStep, RoundStep
from tests.heavy import Module, nn, onnx, quantization, torch
from tests.onnx.tokens import Tokens
from tests.sequential.command_reader import from_bytes
from tests.sequential.transformers import by_onnxruntime, emulated, opened, reopened


@pytest.mark.integration
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", ["zcu104", pytest.param("vck190", marks=pytest.mark.slow)])
def test_a_small_vit(target: str, tmp_path: Path) -> None:
    project = opened(tmp_path, Tokens(), (3, 8, 12), target)
    products = [s for s in engines_of(project.plan).steps if isinstance(s, ConvStep)]
    assert [s.sets for s in products if s.sets] == [2, 2], (
        "both products of attention, of two heads, are the engine's"
    )
    weights = packed(project.plan, project.parameters)
    found = from_bytes(c.to_bytes(command_list(project.plan), weights), weights)
    assert [m for m in found.commands if isinstance(m, c.Matmul)] == [
        m for m in commands(project.plan) if isinstance(m, c.Matmul)
    ]
    x = np.random.default_rng(2).normal(size=(project.plan.schedule.batch + 1, 3, 8, 12)).astype(np.float32)
    y, wanted = emulated(project, x), by_onnxruntime(tmp_path, x)
    # 20 layers deep, each sum of at most 48 products rounded as a random walk: sqrt(48) x 2^-24 x 20 of the peak
    assert np.abs(y.reshape(wanted.shape) - wanted).max() < 20 * np.sqrt(48) * 2.0**-24 * np.abs(wanted).max()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", ["zcu104", "vck190"])
def test_products_of_weights_are_quantised(target: str, tmp_path: Path) -> None:
    torch.manual_seed(1)  # of the weights
    x = np.random.default_rng(2).normal(size=(12, 3, 8, 12)).astype(np.float32)
    np.savez(tmp_path / "calib.npz", x=x)
    settings = "quantize: {activations: int8, weights: int8, calibration: calib.npz}\nengine: pl\n"
    project = opened(tmp_path, Tokens(), (3, 8, 12), target, settings)
    design = engines_of(project.plan)
    products = {s.op for s in design.steps if isinstance(s, ConvStep) and s.requant}
    assert products == {"conv2d", "dense"}
    assert "gelu1" in design.forms, "of elements a table of the vector unit"
    y, wanted = emulated(project, x[:5]), by_onnxruntime(tmp_path, x[:5])
    ratio = 10 * np.log10((wanted**2).sum() / ((y.reshape(wanted.shape) - wanted) ** 2).sum())
    assert ratio > 35, "43 dB with these weights"


class Placed(Module):
    """Tokens with their places, between two products."""

    def __init__(self) -> None:
        super().__init__()
        self.place = nn.Parameter(torch.randn(1, 7, 32))
        self.first, self.second = nn.Linear(16, 32), nn.Linear(32, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.second(self.first(x) + self.place)
        return y


class Given:
    """Inputs of a calibration."""

    def __init__(self, x: np.ndarray, name: str) -> None:
        self.left = iter([{name: one[None]} for one in x])

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.left, None)


def quantised_by_onnxruntime(
    folder: Path, kind: type[nn.Module], x: np.ndarray, *, target: str = "zcu104", prepared: bool = False
) -> Project:
    torch.manual_seed(4)  # of the weights
    opened(folder, kind(), x.shape[1:], target)
    (folder / "model.onnx").rename(folder / "float.onnx")
    if prepared:
        quantization.quant_pre_process(folder / "float.onnx", folder / "float.onnx")
    name = onnx.load(folder / "float.onnx").graph.input[0].name
    quantization.quantize_static(folder / "float.onnx", folder / "model.onnx", Given(x[:8], name))
    return reopened(folder)


def nearly_equal(project: Project, x: np.ndarray, wanted: np.ndarray) -> None:
    """Hold the reference to onnxruntime: a float32 sum in another order may lie on the other side of a half, seldom."""
    y = reference(engines_of(project.plan).steps, project.parameters, project.network.x.to_inside(x))
    y = project.network.y.to_outside(y).reshape(wanted.shape)
    step = float(np.diff(np.unique(wanted)).min())  # of the last scale
    assert np.abs(y - wanted).max() < 1.5 * step
    assert (y == wanted).mean() > 0.95


@pytest.mark.filterwarnings("ignore")
def test_places_of_tokens_in_a_model_that_onnxruntime_has_quantised(tmp_path: Path) -> None:
    x = np.random.default_rng(2).normal(size=(8, 7, 16)).astype(np.float32)
    project = quantised_by_onnxruntime(tmp_path, Placed, x)
    nearly_equal(project, x, by_onnxruntime(tmp_path, x))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("prepared", "target"), [(False, "zcu104"), (True, "vck190")])
def test_a_transformer_that_onnxruntime_has_quantised(prepared: bool, target: str, tmp_path: Path) -> None:
    """Products of two activations, softmax and norms are floats between elements: each is rounded as the model says."""
    x = np.random.default_rng(2).normal(size=(24, 3, 8, 12)).astype(np.float32)
    project = quantised_by_onnxruntime(tmp_path, Tokens, x, target=target, prepared=prepared)
    rounded = {
        s.inputs[0].rstrip("0123456789") for s in engines_of(project.plan).steps if isinstance(s, RoundStep)
    }
    assert {"batch_matmul", "softmax", "affine"} <= rounded
    nearly_equal(project, x, by_onnxruntime(tmp_path, x))


@pytest.mark.integration
@pytest.mark.filterwarnings("ignore")
def test_a_transformer_that_onnxruntime_has_quantised_is_emulated(tmp_path: Path) -> None:
    x = np.random.default_rng(2).normal(size=(8, 3, 8, 12)).astype(np.float32)
    emulated(quantised_by_onnxruntime(tmp_path, Tokens, x), x[:6])
