"""A project of an ONNX model alone, the project that `aieloom new` writes from it, and what is refused of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.cli import main
from aieloom.errors import SpecError
from aieloom.flow.onnx_project import write_onnx_project
from aieloom.flow.opening import open_project
from aieloom.reference.results import hardware_reference, torch_reference
from tests.onnx.models import Builder

ALONE = "name: net\ntarget: vck190\nweights: model.onnx\ninput: {name: x, shape: [2, 6, 6]}\n"


def model(path: Path) -> Path:
    """Conv, batch norm, leaky ReLU with a small slope, pool, dense, softmax: every kind of key there is."""
    b = Builder(["N", 2, 6, 6])
    b.add("Conv", b.weights("features.0.weight", 4, 2, 3, 3), pads=[0, 1, 0, 1])
    norm = [
        b.constant(n, b.random.uniform(0.5, 1.5, 4).astype(np.float32)) for n in ("bn.weight", "s", "m", "v")
    ]
    b.add("BatchNormalization", *norm).add("LeakyRelu", alpha=1e-5)
    b.add("MaxPool", kernel_shape=[2, 2], strides=[2, 1]).add("Flatten")
    b.add("Gemm", b.weights("fc.weight", 3, 40), b.weights("fc.bias", 3), transB=1).add("Softmax", axis=-1)
    return b.save(path, 2)


def test_an_onnx_file_alone_is_a_project(tmp_path: Path) -> None:
    model(tmp_path / "model.onnx")
    (tmp_path / "network.yaml").write_text(ALONE)
    project = open_project(tmp_path)
    assert [layer.name for layer in project.network.layers] == [
        "features_0", "leaky_relu1", "max_pool1", "fc", "softmax1",
    ]  # fmt: skip
    assert any("batch_norm 'bn' is folded into 'features_0'" in note for note in project.weights_notes)
    x = np.random.default_rng(0).normal(size=(3, 2, 6, 6)).astype(np.float32)
    hardware = hardware_reference(project.array, project.parameters, x)
    assert np.abs(hardware - torch_reference(project.network, project.parameters, x)).max() < 1e-6
    assert hardware.shape == (3, 3, 1, 1)


def test_the_same_file_serves_both_boards(tmp_path: Path) -> None:
    model(tmp_path / "model.onnx")
    (tmp_path / "network.yaml").write_text(ALONE)
    for target in ("vck190", "vek280"):
        project = open_project(tmp_path, target=target)
        assert project.array.device.name == target
        assert [layer.name for layer in project.array.aie] == ["features_0", "fc"]


def test_new_writes_a_readable_network_yaml_that_opens(tmp_path: Path) -> None:
    made = write_onnx_project(tmp_path / "mynet", model(tmp_path / "model.onnx"), "vck190")
    assert made == ("network.yaml", "weights.safetensors")
    text = (tmp_path / "mynet" / "network.yaml").read_text()
    for line in (
        "name: mynet",
        "weights: weights.safetensors",
        "input: {name: x, shape: [2, 6, 6], dtype: float32}",
        "  - {name: features_0, op: conv2d, out_channels: 4, kernel: 3, padding: [0, 1], bias: false}",
        "  - {name: leaky_relu1, op: leaky_relu, alpha: 1.0e-05}",
        "  - {name: max_pool1, op: max_pool, kernel: 2, stride: [2, 1]}",
        "  - {name: fc, op: dense, out_features: 3}",
    ):
        assert line in text.splitlines()
    (tmp_path / "network.yaml").write_text(ALONE)
    written, alone = open_project(tmp_path / "mynet"), open_project(tmp_path)
    assert written.written.layers == alone.written.layers
    x = np.random.default_rng(0).normal(size=(2, 2, 6, 6)).astype(np.float32)
    first, second = (hardware_reference(p.array, p.parameters, x) for p in (written, alone))
    assert np.array_equal(first, second)


def test_a_model_without_weights_is_no_project(tmp_path: Path) -> None:
    path = Builder([1, 2, 4, 4]).add("Relu").save(tmp_path / "m.onnx")
    with pytest.raises(SpecError, match="the model has no weights"):
        write_onnx_project(tmp_path / "new", path, "vck190")
    assert not (tmp_path / "new").exists()


def test_another_input_than_the_models_is_refused_with_its_line(tmp_path: Path) -> None:
    model(tmp_path / "model.onnx")
    (tmp_path / "network.yaml").write_text(ALONE.replace("[2, 6, 6]", "[2, 6, 7]"))
    with pytest.raises(SpecError) as refused:
        open_project(tmp_path)
    (problem,) = refused.value.problems
    assert problem.line == 4
    assert "[2, 6, 7]" in problem.text
    assert "[2, 6, 6]" in problem.text + problem.remedy


def test_without_layers_other_weights_do_not_do(tmp_path: Path) -> None:
    (tmp_path / "network.yaml").write_text(ALONE.replace("model.onnx", "w.pt"))
    with pytest.raises(SpecError, match="'layers' is missing"):
        open_project(tmp_path)


def test_layers_by_hand_may_take_their_weights_from_a_model(tmp_path: Path) -> None:
    model(tmp_path / "model.onnx")
    layers = """layers:
  - {name: c, op: conv2d, out_channels: 4, kernel: 3, padding: [0, 1], bias: false}
  - {name: n, op: batch_norm}
  - {name: act, op: relu}
  - {name: pool, op: max_pool, kernel: 2, stride: [2, 1]}
  - {name: out, op: dense, out_features: 3}
"""
    (tmp_path / "network.yaml").write_text(ALONE + layers)
    project = open_project(tmp_path)
    assert "order and shape" in project.weights_notes[0]
    assert set(project.parameters) == {"c", "out"}


def test_the_command_writes_a_whole_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = model(tmp_path / "model.onnx")
    assert main(["new", str(tmp_path / "mynet"), "--model", str(path), "--target", "vck190"]) == 0
    assert {"network.yaml", "weights.safetensors", "dodo.py"} <= {
        f.name for f in (tmp_path / "mynet").iterdir()
    }
    assert "network.yaml" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "mynet")]) == 0
    assert "batch_norm 'bn' is folded into 'features_0'" in capsys.readouterr().out


def test_the_command_refuses_by_node_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Builder([1, 2, 4, 4]).add("Sin").save(tmp_path / "m.onnx")
    assert main(["new", str(tmp_path / "mynet"), "--model", str(path)]) == 2
    assert "node 'sin_0' (Sin): the operator is not supported" in capsys.readouterr().err
    assert not (tmp_path / "mynet").exists()


def test_a_model_over_rows_is_a_project_of_a_matrix(tmp_path: Path) -> None:
    b = Builder([1, 6, 9])
    b.add("MatMul", b.weights("up.weight", 9, 12)).add("Add", b.weights("up.bias", 12)).add("Relu")
    b.add("MatMul", b.weights("down.weight", 12, 5)).save(tmp_path / "rows.onnx", 3)
    write_onnx_project(tmp_path / "rows", tmp_path / "rows.onnx", "vek280")
    assert "shape: [6, 9]" in (tmp_path / "rows" / "network.yaml").read_text()
    design = aieloom.design(tmp_path / "rows")
    x = np.random.default_rng(0).normal(size=(2, 6, 9)).astype(np.float32)
    w = b.constants
    wanted = np.maximum(x @ w["up.weight"] + w["up.bias"], 0) @ w["down.weight"]
    np.testing.assert_allclose(design.reference(x), wanted, atol=1e-5)
