"""Networks of several inputs: emulated against their reference to the bit, beside onnxruntime and PyTorch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aieloom
from aieloom.api import DesignHandle
from aieloom.errors import SpecError
from aieloom.sequential.alone import types_of
from aieloom.sequential.commands import Input, Row, to_bytes
from aieloom.sequential.plan import command_list, commands, engines_of
from aieloom.sequential.row_unit import RowStep
from tests.heavy import Module, nn, quantization, torch
from tests.sequential.command_reader import Refused, from_bytes
from tests.sequential.masked import PLACES, by_onnxruntime, exported, samples
from tests.sequential.siamese import images, saved, siamese

QUANTISED = "quantize: {activations: int8, weights: int8, calibration: calib.npz}\n"


@pytest.mark.integration
@pytest.mark.parametrize(
    ("target", "execution", "more"),
    [
        ("zcu104", "sequential", ""),
        pytest.param("vck190", "sequential", QUANTISED, marks=pytest.mark.slow),
        pytest.param("vck190", "spatial", QUANTISED, marks=pytest.mark.slow),
        pytest.param("vck190", "spatial", "", marks=pytest.mark.slow),
    ],
)
def test_two_images_through_shared_weights(target: str, execution: str, more: str, tmp_path: Path) -> None:
    siamese(tmp_path, target, execution, more)
    design, x = aieloom.design(tmp_path), images(9, seed=2)
    y = design.emulate(x)
    np.testing.assert_array_equal(y, design.reference(x))
    wanted = design.torch(x).reshape(y.shape)
    assert np.abs(y - wanted).max() < (0.06 if more else 1e-5) * np.abs(wanted).max()
    if execution == "sequential":
        begins = [c.begin for c in commands(design.plan) if isinstance(c, Input)]
        assert begins == [0, 192], "both are brought where they are read"
        own = design.layer("left").emulate(x["left"].reshape(9, -1).repeat(2, 1))
        np.testing.assert_array_equal(own, x["left"].reshape(9, -1).repeat(2, 1)[:, :192].reshape(own.shape))
    swapped = {"left": x["right"], "right": x["left"]}
    assert not np.array_equal(design.reference(swapped), y)


class Pair(Module):
    """Two images through one convolution, whose results are added and joined."""

    def __init__(self) -> None:
        super().__init__()
        self.both, self.behind, self.head = nn.Conv2d(3, 16, 3), nn.Conv2d(32, 16, 3, 2), nn.Linear(16, 10)

    def forward(self, left: Any, right: Any) -> Any:
        a, b = self.both(left).relu(), self.both(right).relu()
        return self.head(self.behind(torch.cat([a + b, a], 1)).relu().mean((2, 3)))


class Reader:
    """Pairs, one after another."""

    def __init__(self) -> None:
        x = images(16, seed=5)
        self.left = iter([{name: v[i : i + 1] for name, v in x.items()} for i in range(16)])

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.left, None)


@pytest.mark.integration
@pytest.mark.filterwarnings("ignore")
def test_a_quantised_model_of_two_images_is_onnxruntime_s(tmp_path: Path) -> None:
    torch.manual_seed(0)
    example = tuple(torch.from_numpy(v) for v in images(1, seed=1).values())
    names, file = ["left", "right"], tmp_path / "model.onnx"
    torch.onnx.export(
        Pair().eval(), example, tmp_path / "f.onnx", opset_version=17, dynamo=False, input_names=names
    )
    quantization.quant_pre_process(tmp_path / "f.onnx", tmp_path / "p.onnx")
    quantization.quantize_static(
        tmp_path / "p.onnx",
        file,
        Reader(),
        quant_format=quantization.QuantFormat.QDQ,
        activation_type=quantization.QuantType.QInt8,
    )
    (tmp_path / "network.yaml").write_text(
        "name: pair\ntarget: zcu104\nexecution: sequential\nweights: model.onnx\n"
    )
    design, x = aieloom.design(tmp_path), images(5, seed=50)
    y = design.emulate(x)
    np.testing.assert_array_equal(y, design.reference(x))
    wanted = by_onnxruntime(file, x)
    step = np.unique(np.abs(np.diff(np.unique(wanted)))).min()
    assert np.abs(y.reshape(wanted.shape) - wanted).max() < 1.5 * step, "a step at most"


@pytest.mark.integration
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "mask", ["product", *(pytest.param(m, marks=pytest.mark.slow) for m in ("fill", "decoder"))]
)
def test_tokens_mask_and_types(mask: str, tmp_path: Path) -> None:
    exported(tmp_path / "model.onnx", mask)
    (tmp_path / "network.yaml").write_text(
        "name: bert\ntarget: zcu104\nexecution: sequential\nweights: model.onnx\n"
    )
    design, x = aieloom.design(tmp_path), samples(6)
    y = design.emulate(x)
    np.testing.assert_array_equal(y, design.reference(x))
    wanted = by_onnxruntime(tmp_path / "model.onnx", x)
    # 30 layers deep, each sum of at most 64 products rounded as a random walk, of the peak
    assert np.abs(y - wanted).max() < 30 * np.sqrt(64) * 2.0**-24 * np.abs(wanted).max()
    inputs = aieloom.Session(tmp_path).get_inputs()
    assert [i.name for i in inputs] == list(x)
    every = {**x, "attention_mask": np.ones_like(x["attention_mask"])}
    assert np.abs(design.reference(every) - y).max() > 0.1, "what is masked counts"


def integers(folder: Path, mask: str, target: str = "vck190") -> DesignHandle:
    """Write the encoder in 8-bit integers."""
    exported(folder / "model.onnx", mask)
    text = f"name: bert\ntarget: {target}\nexecution: sequential\nweights: model.onnx\n{QUANTISED}"
    (folder / "network.yaml").write_text(text)
    saved(folder, samples(48, seed=2))
    return aieloom.design(folder)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mask", ["product", "fill"])
def test_a_mask_of_keys_is_the_attention_layer_s(mask: str, tmp_path: Path) -> None:
    """Of all that makes a mask of scores nothing is left but the input."""
    plan = integers(tmp_path, mask).plan
    design = engines_of(plan)
    assert [s.op for s in design.functions] == ["embedding", "embedding"]
    shares = [s for s in design.steps if isinstance(s, RowStep) and s.op == "softmax"]
    assert [s.inputs[1:] for s in shares] == [("attention_mask",)] * 2
    assert not [s for s in design.steps if s.op in ("rearrange", "scale", "sub", "mul", "abs", "sign")]
    weights = bytes(design.weights_bytes)
    rows = [c for c in commands(plan) if isinstance(c, Row)]
    found = from_bytes(to_bytes(command_list(plan), weights), weights).commands
    assert [c for c in found if isinstance(c, Row)] == rows
    row = next(c for c in rows if c.masked)
    forged = replace(row, mask=replace(row.mask, channels=row.mask.channels - 1))
    others = tuple(forged if c == row else c for c in commands(plan))
    with pytest.raises(Refused, match="has a mask of 11 channels for rows of 12 elements"):
        from_bytes(to_bytes(replace(command_list(plan), commands=others), weights), weights)


@pytest.mark.filterwarnings("ignore")
def test_what_is_no_mask_of_keys_stays_the_processor_s_and_is_named(tmp_path: Path) -> None:
    design = integers(tmp_path, "decoder")
    assert len([s for s in engines_of(design.plan).functions if s.op == "batch_matmul"]) == 4
    said = "'batch_matmul1' and 'batch_matmul2' are the processor's: what 'add3' adds to scores is no mask of keys: "
    why = "'rearrange4' does not follow from one input of 0 and 1 by functions of single values"
    assert said + why in design.project.weights_notes


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("mask", "target"),
    [
        pytest.param("product", "vck190", marks=pytest.mark.integration),
        pytest.param("product", "zcu104", marks=pytest.mark.integration),
        pytest.param("fill", "vek280", marks=pytest.mark.slow),
        pytest.param("decoder", "zcu104", marks=pytest.mark.slow),
    ],
)
def test_a_mask_in_integers(mask: str, target: str, tmp_path: Path) -> None:
    design, x = integers(tmp_path, mask, target), samples(6)
    x["attention_mask"][1] = 0
    x["attention_mask"][1, 2] = 1  # one key alone
    wanted = by_onnxruntime(tmp_path / "model.onnx", x)
    y = design.emulate(x)
    np.testing.assert_array_equal(y, design.reference(x))
    some = x["attention_mask"].any(1)
    ratio = 10 * np.log10((wanted[some] ** 2).sum() / ((y - wanted)[some] ** 2).sum())
    assert ratio > 25, "as of the same network without a mask"
    other = {**x, "input_ids": np.where(x["attention_mask"], x["input_ids"], 7)}
    own = x["attention_mask"].astype(bool)
    np.testing.assert_array_equal(design.reference(other)[own], y[own])


@pytest.mark.integration
@pytest.mark.filterwarnings("ignore")
def test_shares_of_a_mask_alone(tmp_path: Path) -> None:
    design, random = integers(tmp_path, "product"), np.random.default_rng(1)
    step = next(s for s in engines_of(design.plan).steps if s.layer == "batch_matmul2_shares")
    scores, mask = (random.normal(size=(3, *t.outside)).astype(np.float32) for t in types_of(step))
    layer, mask = design.layer(step.layer), (mask > 0).astype(np.float32)
    y = layer.emulate(scores, mask)
    np.testing.assert_array_equal(y, layer.reference(scores, mask))
    heads = y.reshape(3, PLACES, 2, 16)[..., :PLACES]
    assert (heads * (mask.reshape(3, 1, 1, PLACES) == 0) == 0).all(), "keys that do not count have no share"
    assert (heads.sum(3) > 0.9).all()


@pytest.mark.filterwarnings("ignore")
def test_a_mask_that_hides_all_keys_of_a_sample_is_refused(tmp_path: Path) -> None:
    """An attention of no key gives 0 on the engines; the model's own sums give the mean of all values."""
    exported(tmp_path / "m.onnx", "product", 1)
    (tmp_path / "network.yaml").write_text(
        "name: masked\ntarget: vek280\nweights: m.onnx\nexecution: sequential\n"
    )
    design, x = aieloom.design(tmp_path), samples(3)
    x["attention_mask"][1] = 0
    with pytest.raises(SpecError, match="'attention_mask' of sample 1 is 0 everywhere: it hides all keys"):
        design.reference(x)
    x["attention_mask"][1, 3] = 1
    wanted = by_onnxruntime(tmp_path / "m.onnx", x)
    np.testing.assert_allclose(design.reference(x), wanted.reshape(design.reference(x).shape), atol=1e-4)
