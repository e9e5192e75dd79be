"""Networks of several outputs: emulated against their reference to the bit, beside onnxruntime, each by its name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.errors import SpecError
from aieloom.network.readers.onnx_import import read_onnx
from tests.heavy import TensorProto
from tests.onnx_session import session as onnx_session
from tests.sequential.several import images, model

INTEGERS = "quantize: {activations: int8, weights: int8, calibration: calib.npz}\n"


@pytest.mark.integration
@pytest.mark.parametrize(
    ("target", "execution", "more"),
    [
        ("zcu104", "sequential", ""),
        ("vck190", "sequential", INTEGERS),
        pytest.param("vck190", "spatial", INTEGERS, marks=pytest.mark.slow),
        pytest.param("vek280", "spatial", "", marks=pytest.mark.slow),
    ],
)
def test_outputs_are_those_of_onnxruntime(target: str, execution: str, more: str, tmp_path: Path) -> None:
    model(tmp_path / "model.onnx")
    np.savez(tmp_path / "calib.npz", x=images(16, seed=1))
    (tmp_path / "network.yaml").write_text(
        f"name: several\ntarget: {target}\nexecution: {execution}\nweights: model.onnx\n{more}"
    )
    design, x = aieloom.design(tmp_path), images(3, seed=2)
    y = design.emulate(x)
    np.testing.assert_array_equal(y, design.reference(x))
    session = onnx_session(tmp_path / "model.onnx")
    wanted = session.run(None, {"x": x})
    found = design.outputs(y)
    assert [part.shape for part in found.values()] == [w.shape for w in wanted]
    for part, exact in zip(found.values(), wanted, strict=True):
        ratio = 10 * np.log10((exact**2).sum() / ((part - exact) ** 2).sum())
        assert ratio > (20 if more else 100)  # dB; calibrated on other images, whose peaks are smaller
    of_project = aieloom.Session(tmp_path)
    names = [o.name for o in of_project.get_outputs()]
    assert names == [*found]
    (last,) = of_project.run(names[2:], {of_project.get_inputs()[0].name: x})
    np.testing.assert_array_equal(last, found[names[2]])


@pytest.mark.slow
def test_a_session_of_the_model_gives_each_by_its_name(tmp_path: Path) -> None:
    model(tmp_path / "model.onnx")
    x = images(3, seed=2)
    session = aieloom.Session(tmp_path / "model.onnx", target="vck190")
    assert [o.name for o in session.get_outputs()] == ["scores", "heat", "deep"]
    (place,) = session.places
    assert (place.engine, place.outputs) == ("vck190", ("scores", "heat", "deep"))
    heat, scores = session.run(["heat", "scores"], {"x": x})
    of_onnx = onnx_session(tmp_path / "model.onnx")
    for part, exact in zip((heat, scores), of_onnx.run(["heat", "scores"], {"x": x}), strict=True):
        assert part.shape == exact.shape
        assert np.abs(part - exact).max() < 1e-5 * np.abs(exact).max()


def test_the_last_layer_names_the_outputs_in_the_files_order(tmp_path: Path) -> None:
    model(tmp_path / "model.onnx")
    *_, last = read_onnx(tmp_path / "model.onnx", shown_as="model.onnx").layers
    assert last["op"] == "graph_outputs"
    inputs = last["inputs"]
    assert isinstance(inputs, list) and len(set(inputs)) == 3


def test_integers_among_several_outputs_are_refused(tmp_path: Path) -> None:
    model(tmp_path / "model.onnx", types=(TensorProto.INT64, TensorProto.FLOAT, TensorProto.FLOAT))
    with pytest.raises(SpecError, match=r"of 3 outputs scores is no float32"):
        read_onnx(tmp_path / "model.onnx", shown_as="model.onnx")
