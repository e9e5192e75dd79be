"""Models whose ends are integers: a published network of exclusive or, as a converter wrote it from TensorFlow Lite.

Its integers and scales are those of OpenQNPU's model (ThomasMuyal/OpenNPU, quantmodel.onnx), whose document gives the results
-79, 85, 85, -79 for the four pairs of bits.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.errors import SpecError
from aieloom.flow.onnx_project import write_onnx_project
from aieloom.flow.opening import open_project
from aieloom.flow.samples import load_samples
from aieloom.network.readers.onnx_import import read_onnx
from aieloom.reference.results import hardware_reference
from tests.heavy import onnx
from tests.qonnx.exclusive_or import CONSTANTS, PUBLISHED, by_onnxruntime, every_input, exclusive_or


def test_the_published_integers_are_reproduced(tmp_path: Path) -> None:
    model = exclusive_or()
    onnx.save(model, tmp_path / "m.onnx")
    write_onnx_project(tmp_path / "p", tmp_path / "m.onnx", "vck190")
    x = np.array([[0, 0], [0, 255], [255, 0], [255, 255]], np.uint8)
    np.savez(tmp_path / "p" / "bits.npz", x=x)
    with (tmp_path / "p" / "network.yaml").open("a") as f:
        f.write("data: {samples: bits.npz}\n")
    project = open_project(tmp_path / "p")
    assert project.network.spec.input.integers is not None
    samples = load_samples(project).x
    assert samples.ravel().tolist() == pytest.approx([0, 0, 0, 1, 1, 0, 1, 1])
    y = hardware_reference(project.array, project.parameters, samples)
    steps = y.ravel() / CONSTANTS["z_scale"] + CONSTANTS["z_zero"]
    assert tuple(np.rint(steps).astype(int)) == PUBLISHED
    assert np.allclose(steps, np.rint(steps), atol=1e-4)


def test_a_session_takes_and_gives_the_model_s_integers(tmp_path: Path) -> None:
    model = exclusive_or()
    onnx.save(model, tmp_path / "m.onnx")
    session = aieloom.Session(tmp_path / "m.onnx", target="zynq-7020")
    x = every_input(15)
    (y,) = session.run(None, {"x": x})
    wanted = by_onnxruntime(model, x)
    assert y.dtype == np.uint8 and y.shape == wanted.shape
    assert (y == wanted).all()


def test_two_meanings_of_an_input_are_refused(tmp_path: Path) -> None:
    onnx.save(exclusive_or(reads_twice=True), tmp_path / "m.onnx")
    with pytest.raises(
        SpecError,
        match="input 'x' is uint8; float32 is known, uint8 or int8 that DequantizeLinear alone reads",
    ):
        read_onnx(tmp_path / "m.onnx", shown_as="m.onnx")
