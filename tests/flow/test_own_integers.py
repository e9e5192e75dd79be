"""Runs of models that came quantised, beside the models' own runtimes: how many integers are the same."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aieloom.flow.batch import Run
from aieloom.flow.designs import design_of
from aieloom.flow.onnx_project import write_onnx_project
from aieloom.flow.opening import open_project
from aieloom.flow.own_integers import own_integers
from aieloom.flow.project import Project
from aieloom.flow.samples import load_samples
from aieloom.flow.sim import simulate
from aieloom.reference.results import hardware_reference
from tests.heavy import TensorProto, helper, numpy_helper, onnx
from tests.lite.models import images

SCALE, ZERO = np.float32(0.02), np.int8(-20)
OUT = np.float32(0.05), np.int8(7)


def qdq(path: Path) -> Path:
    """Write a convolution between QuantizeLinear and DequantizeLinear, whose results are real values."""
    return _onnx(path, [("x", "xq"), ("xq", "xf")], "Conv", [("c", "cq"), ("cq", "y")])


def qoperator(path: Path) -> Path:
    """Write the same convolution as QLinearConv, whose results are integers."""
    return _onnx(path, [("x", "xq")], "QLinearConv", [])


def _onnx(path: Path, before: list[tuple[str, str]], op: str, behind: list[tuple[str, str]]) -> Path:
    random = np.random.default_rng(5)
    constants = {
        "s": SCALE,
        "z": ZERO,
        "os": OUT[0],
        "oz": OUT[1],
        "w": random.integers(-127, 128, (4, 2, 3, 3)).astype(np.int8),
        "ws": random.uniform(0.002, 0.004, 4).astype(np.float32),
        "wz": np.zeros(4, np.int8),
    }

    def pair(kind: str, ends: tuple[str, str], scale: list[str]) -> onnx.NodeProto:
        return helper.make_node(kind, [ends[0], *scale], [ends[1]])

    kinds = ("QuantizeLinear", "DequantizeLinear")
    nodes = [pair(k, ends, ["s", "z"]) for k, ends in zip(kinds, before, strict=False)]
    if op == "Conv":
        nodes.append(helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wf"], axis=0))
        nodes.append(helper.make_node("Conv", ["xf", "wf"], ["c"]))
    else:
        nodes.append(helper.make_node(op, ["xq", "s", "z", "w", "ws", "wz", "os", "oz"], ["y"]))
    nodes += [pair(k, ends, ["os", "oz"]) for k, ends in zip(kinds, behind, strict=False)]
    kind = TensorProto.FLOAT if behind else TensorProto.INT8
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2, 6, 5])],
        [helper.make_tensor_value_info("y", kind, [1, 4, 4, 3])],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


FORMS: dict[str, Callable[[Path], Path]] = {
    "qdq.onnx": qdq,
    "qoperator.onnx": qoperator,
    "net.tflite": images,
}


def opened(form: str, folder: Path) -> Project:
    write_onnx_project(folder / "net", FORMS[form](folder / form), "vck190")
    return open_project(folder / "net", build=folder / "build")


@pytest.mark.parametrize("form", FORMS)
def test_all_that_differ_are_counted(form: str, tmp_path: Path) -> None:
    project = opened(form, tmp_path)
    x = load_samples(project).x
    y = hardware_reference(project.array, project.parameters, x)
    assert len(np.unique(y)) > 20
    told = own_integers(project, x, y)
    assert told and told.share is not None
    same = round(told.share * y.size)
    assert same >= (0.95 if form.endswith("tflite") else 1) * y.size, "LiteRT's kernels round dense sums once"
    wrong = y.copy()
    wrong[3] += 100
    spoiled = own_integers(project, x, wrong)
    alone = own_integers(project, x[3:4], y[3:4])
    assert spoiled and spoiled.share and alone and alone.share
    assert round(spoiled.share * y.size) == same - round(alone.share * y[3].size)


@pytest.mark.parametrize("form", ["qdq.onnx", "net.tflite"])
def test_where_the_runtime_is_missing_it_says_so(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = opened(form, tmp_path)
    x = load_samples(project).x
    for name in ("onnxruntime", "ai_edge_litert", "ai_edge_litert.interpreter"):
        monkeypatch.setitem(sys.modules, name, None)
    told = own_integers(project, x, x)
    assert told and told.share is None and told.quality == {}
    name = "LiteRT" if form.endswith("tflite") else "onnxruntime"
    assert f"{name} is not installed (pip install" in told.line


def test_sim_tells_the_share(tmp_path: Path) -> None:
    project = opened("qdq.onnx", tmp_path)
    design = design_of(project)
    simulate(design, lambda x: Run(y=design.reference(x), seconds=1.0, peak_bytes=1))
    summary = json.loads((project.build / "report" / "summary.json").read_text())
    assert summary["quality"]["share_equal_integers"] == 1.0
    assert any("100.00% of 768 integers are the model's own, by onnxruntime" in r for r in summary["remarks"])
