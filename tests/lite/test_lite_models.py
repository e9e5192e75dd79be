"""Models of TensorFlow Lite: integers as its interpreter gives them, the doors by which they come in, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aieloom
from aieloom.cli import main
from aieloom.errors import SpecError
from aieloom.flow.onnx_project import write_onnx_project
from aieloom.flow.opening import open_project
from aieloom.network.inputs import quantised
from aieloom.network.readers.onnx_import import read_onnx
from aieloom.network.readers.tflite_file import load_lite
from aieloom.reference.results import hardware_reference
from aieloom.spec.network import IntegersSpec
from tests.lite.models import NONE, LiteBuilder, images, interpreted
from tests.quantize.definitions import multiply_by_quantized_multiplier, quantize_multiplier

RANDOM = np.random.default_rng(3)


def computed(folder: Path, file: Path, x: np.ndarray) -> np.ndarray:
    """Return what the device computes of a model, by definition, for images as TensorFlow Lite has them."""
    write_onnx_project(folder, file, "vck190")
    project = open_project(folder)
    integers = read_onnx(file, shown_as=file.name)
    turned = np.ascontiguousarray(x.transpose(0, 3, 1, 2)) if x.ndim == 4 else x.reshape(*x.shape, 1, 1)
    if "integers" in integers.inputs[0]:
        said = IntegersSpec.model_validate(integers.inputs[0]["integers"])
        turned = (turned.astype(np.float32) - said.zero_point) * np.float32(said.scale)
    y = hardware_reference(project.array, project.parameters, turned.astype(np.float32))
    y = y.reshape(len(y), -1)
    return quantised(y, integers.output_integers) if integers.output_integers else y


@pytest.mark.parametrize("dead", [False, True])
def test_integers_are_those_of_the_interpreter(tmp_path: Path, dead: bool) -> None:
    file = images(tmp_path / "net.tflite", dead=dead)
    x = RANDOM.integers(-128, 128, (16, 9, 7, 3)).astype(np.int8)
    wanted = interpreted(file, x)
    found = computed(tmp_path / "net", file, x)
    apart = np.abs(found.astype(int) - wanted)
    assert len(np.unique(wanted)) > 20
    # LiteRT's reference kernel rounds a dense layer's sums once, its fast one and the published definition twice
    assert apart.max() <= 1
    assert (apart == 0).mean() > 0.9


def test_a_dense_layer_is_the_published_definition(tmp_path: Path) -> None:
    b, weight, bias = LiteBuilder(), RANDOM.integers(-127, 128, (5, 40)), RANDOM.integers(-9000, 9000, 5)
    x, y = b.tensor((1, 40), "int8", 0.07, 9), b.tensor((1, 5), "int8", 0.9, -7)
    w = b.tensor((5, 40), "int8", 0.011, data=weight)
    c = b.tensor((5,), "int32", np.float32(0.07) * np.float32(0.011), data=bias)
    b.add("FULLY_CONNECTED", [x, w, c], y, "FullyConnectedOptions", FusedActivationFunction=NONE)
    file = b.save(tmp_path / "net.tflite", x, y)
    given = RANDOM.integers(-128, 128, (64, 40)).astype(np.int8)
    scales = [float(np.float32(v)) for v in (0.07, 0.011, 0.9)]
    multiplier, shift = quantize_multiplier(scales[0] * scales[1] / scales[2])
    sums = (given.astype(int) - 9) @ weight.T + bias
    wanted = [[multiply_by_quantized_multiplier(int(s), multiplier, shift) - 7 for s in row] for row in sums]
    assert (computed(tmp_path / "net", file, given) == np.clip(wanted, -128, 127)).all()


@dataclass(frozen=True, kw_only=True)
class Behind:
    """An operator behind a convolution: its table of options, its result, how far it may be from the interpreter's."""

    result: tuple[int, ...] = (4, 4, 8)
    scale: float = 0.06  # the convolution's are 0.06 and -10
    zero: int = -10
    numbers: Any = None  # the second input
    both: bool = False  # reads the model's input too
    options: str = ""
    fields: Mapping[str, float] = field(default_factory=dict)
    apart: int = 0


POOL = {"StrideH": 2, "StrideW": 2, "FilterHeight": 3, "FilterWidth": 3, "Padding": 0}
BORDER = [[0, 0], [1, 2], [0, 1], [0, 0]]
BEHIND = {
    "DEPTH_TO_SPACE": Behind(result=(8, 8, 2), options="DepthToSpaceOptions", fields={"BlockSize": 2}),
    "HARD_SWISH": Behind(scale=0.04, zero=-100, apart=1),
    "LEAKY_RELU": Behind(scale=0.05, zero=-20, options="LeakyReluOptions", fields={"Alpha": 0.1}, apart=1),
    "LOGISTIC": Behind(scale=1 / 256, zero=-128),
    "MAX_POOL_2D": Behind(result=(2, 2, 8), options="Pool2DOptions", fields=POOL),
    "MEAN": Behind(result=(8,), scale=0.05, zero=1, numbers=[1, 2], options="ReducerOptions"),
    "MUL": Behind(scale=0.3, zero=5, both=True, options="MulOptions"),
    "PAD": Behind(result=(7, 5, 8), numbers=BORDER),
    "QUANTIZE": Behind(scale=0.04, zero=9, apart=1),
    "RELU": Behind(scale=0.05, zero=-120),
    "RESIZE_NEAREST_NEIGHBOR": Behind(
        result=(8, 8, 8), numbers=[8, 8], options="ResizeNearestNeighborOptions"
    ),
    "SOFTMAX": Behind(scale=1 / 256, zero=-128, options="SoftmaxOptions", fields={"Beta": 1.0}),
    "SUB": Behind(scale=0.1, zero=5, both=True, options="SubOptions"),
    "TANH": Behind(scale=1 / 128, zero=0),
}


@pytest.mark.parametrize("kind", BEHIND)
def test_operators_are_those_of_the_interpreter(tmp_path: Path, kind: str) -> None:
    case, b, random = BEHIND[kind], LiteBuilder(), np.random.default_rng(5)
    x, y = b.tensor((1, 4, 4, 8), "int8", 0.05, 3), b.tensor((1, 4, 4, 8), "int8", 0.06, -10)
    weight = random.integers(-127, 128, (1, 1, 1, 8))
    w = b.tensor((1, 1, 1, 8), "int8", np.full(8, 0.01), data=weight, axis=3)
    beside = np.full(8, np.float32(0.05) * np.float32(0.01))
    bias = b.tensor((8,), "int32", beside, data=random.integers(-900, 900, 8))
    window = {"StrideH": 1, "StrideW": 1, "DepthMultiplier": 1, "DilationHFactor": 1, "DilationWFactor": 1}
    b.add("DEPTHWISE_CONV_2D", [x, w, bias], y, "DepthwiseConv2DOptions", **window)
    given = [x, y] if case.both else [y]
    if case.numbers is not None:
        given.append(b.tensor(np.shape(case.numbers), "int32", data=np.array(case.numbers)))
    z = b.tensor((1, *case.result), "int8", case.scale, case.zero)
    b.add(kind, given, z, case.options, **case.fields)
    file = b.save(tmp_path / "net.tflite", x, z)
    samples = random.integers(-128, 128, (16, 4, 4, 8)).astype(np.int8)
    wanted = interpreted(file, samples)
    found = computed(tmp_path / "net", file, samples)
    if wanted.ndim == 4:
        n, height, width, channels = wanted.shape
        found = found.reshape(n, channels, height, width).transpose(0, 2, 3, 1)
    assert len(np.unique(wanted)) > 40
    assert np.abs(found.astype(int) - wanted).max() <= case.apart


def test_floats_are_those_of_the_interpreter(tmp_path: Path) -> None:
    file = images(tmp_path / "net.tflite", floats=True)
    x = RANDOM.standard_normal((4, 9, 7, 3)).astype(np.float32)
    wanted = interpreted(file, x)
    assert np.abs(computed(tmp_path / "net", file, x) - wanted).max() < 1e-5 * np.abs(wanted).max()


def test_a_file_alone_is_a_project_and_new_makes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = images(tmp_path / "net.tflite")
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "model.tflite").write_bytes(file.read_bytes())
    (alone / "network.yaml").write_text("name: alone\ntarget: vck190\nweights: model.tflite\n")
    ops = [layer.op for layer in open_project(alone).network.layers]
    assert ops == ["conv2d", "clip", "conv2d", "add", "relu", "avg_pool", "dense"]
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine", "--model", "net.tflite"]) == 0
    assert (tmp_path / "mine/model.tflite").read_bytes() == file.read_bytes()
    assert "saturates" in _refused(capsys, alone, "quantize: {overflow: wrap}\n")


def _refused(capsys: pytest.CaptureFixture[str], folder: Path, more: str) -> str:
    text = (folder / "network.yaml").read_text()
    (folder / "network.yaml").write_text(text + more)
    assert main(["plan", str(folder)]) == 2
    return capsys.readouterr().err


@pytest.mark.slow
def test_a_session_takes_and_gives_what_the_interpreter_does(tmp_path: Path) -> None:
    file = images(tmp_path / "net.tflite")
    x = RANDOM.integers(-128, 128, (3, 9, 7, 3)).astype(np.int8)
    with aieloom.Session(file) as session:
        assert session.get_inputs()[0].shape == (None, 9, 7, 3)
        (y,) = session.run(None, {session.get_inputs()[0].name: x})
    wanted = interpreted(file, x)
    assert (y.dtype, y.shape) == (wanted.dtype, wanted.shape)
    assert np.abs(y.astype(int) - wanted).max() <= 1


def test_operators_that_are_not_taken_are_all_named(tmp_path: Path) -> None:
    b = LiteBuilder()
    x, between, y = (b.tensor((1, 8), "float32") for _ in range(3))
    b.add("COS", [x], between)
    b.add("FLOOR", [between], y)
    file = b.save(tmp_path / "net.tflite", x, y)
    with pytest.raises(SpecError) as e:
        read_onnx(file, shown_as="net.tflite")
    assert "operator 0 (COS), which makes 't1': the operator is not supported" in str(e.value)
    assert "operator 1 (FLOOR)" in str(e.value)
    assert "CONV_2D" in str(e.value)


def test_a_model_that_quantises_as_it_runs_is_refused(tmp_path: Path) -> None:
    b = LiteBuilder()
    x, y = b.tensor((1, 8), "float32"), b.tensor((1, 4), "float32")
    w = b.tensor((4, 8), "int8", 0.1, data=RANDOM.integers(-9, 9, (4, 8)))
    b.add("FULLY_CONNECTED", [x, w], y, "FullyConnectedOptions", FusedActivationFunction=NONE)
    with pytest.raises(SpecError, match="quantises that one as it runs") as e:
        read_onnx(b.save(tmp_path / "net.tflite", x, y), shown_as="net.tflite")
    assert "representative_dataset" in str(e.value)


def test_damaged_files_give_one_message(tmp_path: Path) -> None:
    data = images(tmp_path / "net.tflite").read_bytes()
    (tmp_path / "no.tflite").write_bytes(b"PK\3\4" + data[4:8].lower() + data[8:])
    with pytest.raises(SpecError, match="is no TensorFlow Lite file"):
        load_lite(tmp_path / "no.tflite", "no.tflite")
    random, file, refused = np.random.default_rng(11), tmp_path / "bad.tflite", 0
    for trial in range(150):
        bad = bytearray(data[: random.integers(8, len(data))] if trial % 3 == 0 else data)
        for _ in range(random.integers(1, 6)):
            bad[random.integers(8, len(bad))] = random.integers(256)
        file.write_bytes(bytes(bad))
        try:
            read_onnx(file, shown_as=file.name)
        except SpecError:
            refused += 1
    assert refused > 50  # what changes weights alone is a model
