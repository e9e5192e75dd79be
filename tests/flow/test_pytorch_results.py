"""PyTorch's results are kept as long as all that they follow from is the same, and no longer."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numpy as np
import pytest

from aieloom.errors import ToolError
from aieloom.flow import pytorch
from aieloom.flow.opening import open_project
from aieloom.flow.project import LAYER_SAMPLES, Project
from aieloom.flow.pytorch import pytorch_results
from aieloom.flow.tool_runs import _quality_line
from aieloom.reference.layerwise import torch_layers
from aieloom.reference.results import torch_reference
from tests.quantize.projects import inputs, write_project

TEXT = """\
name: kept
target: vck190
weights: w.safetensors
input: {name: x, shape: [2, 5, 5]}
layers:
  - {name: conv, op: conv2d, out_channels: 4, kernel: 3}
  - {name: act, op: leaky_relu, alpha: 0.25}
"""
MAPPED = "mapping:\n  conv: {buffers: ping_pong}\n"


def opened(folder: Path, text: str, seed: int = 1) -> Project:
    write_project(folder, text, seed=seed)
    (folder / "network.yaml").write_text(text)
    return open_project(folder, build=folder / "build")


def check(project: Project, x: np.ndarray) -> None:
    """Compare with PyTorch itself."""
    found = pytorch_results(project, x)
    assert found is not None
    assert np.array_equal(found.y, torch_reference(project.network, project.float_parameters, x))
    wanted = dict(torch_layers(project.network, project.float_parameters, x[:LAYER_SAMPLES]))
    assert list(found.layers) == list(wanted)
    assert all(np.array_equal(found.layers[name], values) for name, values in wanted.items())


def test_nothing_stale_is_taken_for_pytorchs(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    x = inputs((2, 5, 5), 6)
    check(opened(tmp_path, TEXT), x)
    check(opened(tmp_path, TEXT), x * np.float32(2))
    check(opened(tmp_path, TEXT), x[:5])
    check(opened(tmp_path, TEXT, seed=2), x)
    check(opened(tmp_path, TEXT.replace("0.25", "0.5"), seed=2), x)


def test_retiling_and_a_new_process_evaluate_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    x = inputs((2, 5, 5), 6)
    check(opened(tmp_path, TEXT), x)

    def refused(*_: object) -> None:
        raise AssertionError("evaluated again")

    with monkeypatch.context() as patch:
        patch.setattr(pytorch, "torch_reference", refused)
        retiled = opened(tmp_path, TEXT + MAPPED)
        assert pytorch_results(retiled, x) is not None
        with pytest.raises(AssertionError, match="evaluated again"):
            pytorch_results(retiled, x + np.float32(1))


def test_without_pytorch_there_are_no_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(pytorch, "version", missing)
    assert pytorch_results(opened(tmp_path, TEXT), inputs((2, 5, 5), 2)) is None


@pytest.mark.parametrize(
    ("error", "none"),
    [
        (ModuleNotFoundError("No module named 'torch'"), True),
        (ImportError("libtorch_cpu.so: failed to map segment from shared object"), False),
    ],
)
def test_pytorch_that_does_not_start_is_no_machine_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: ImportError, none: bool
) -> None:
    """Else a run with too little memory would leave results that the next one takes for complete."""

    def fail(*_: object) -> np.ndarray:
        raise error

    monkeypatch.setattr(pytorch, "torch_reference", fail)
    project = opened(tmp_path, TEXT)
    if none:
        assert pytorch_results(project, inputs((2, 5, 5), 6)) is None
    else:
        with pytest.raises(ToolError, match="failed to map segment"):
            pytorch_results(project, inputs((2, 5, 5), 6))


def test_no_difference_to_pytorch_is_told_where_it_is_not_installed() -> None:
    assert _quality_line({}) == "not compared with PyTorch, which is not installed"
    assert _quality_line({"max_abs_err_pytorch": 0.25}) == "largest difference to PyTorch 0.25"
