"""Networks of the zoo at their real size: emulated to the bit, beside onnxruntime's float32."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aieloom.flow.opening import open_any
from aieloom.flow.samples import load_samples
from aieloom.flow.sequential import design_of
from aieloom.sequential.plan import engines_of
from aieloom.sequential.reference import reference
from tests.onnx_session import session as onnx_session
from tests.sequential.zoo import ZOO, made

# Of integers the least signal-to-noise ratio in dB against float32: a bound below what these seeded weights gave (docs/sequential.md).
INTEGERS = {
    "resnet18": 25,
    "mobilenet_v2": 10,
    "ds_cnn": 20,
    "mobilenet_v1": 10,
    "resnet50": 12,
    "unet": 15,
    "tiny_yolo": 12,
    "bert_int8": 20,
}


def emulated(
    folder: Path, target: str | None, tmp_path: Path, samples: Path
) -> tuple[np.ndarray, np.ndarray]:
    """Return what the emulator gives, equal to the reference, and what onnxruntime does."""
    project = open_any(folder, target=target, build=tmp_path)
    design = design_of(project)
    design.emulated.make(design.render())
    inside = load_samples(project).x
    y = design.emulated.run(inside).y
    assert y.tobytes() == reference(engines_of(project.plan).steps, project.parameters, inside).tobytes()
    session = onnx_session(samples / "model.onnx")
    x, names = np.load(samples / "samples.npz"), [i.name for i in session.get_inputs()]
    given = {name: x[name if len(names) > 1 else "x"] for name in names}
    wanted = np.concatenate(
        [session.run(None, {n: v[i : i + 1] for n, v in given.items()})[0] for i in range(len(y))]
    )
    return project.network.y.to_outside(y).reshape(wanted.shape), wanted


def decibels(y: np.ndarray, wanted: np.ndarray) -> float:
    return float(10 * np.log10((wanted**2).sum() / ((y - wanted) ** 2).sum()))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["vck190", "vek280"])
@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name: str, target: str, tmp_path: Path) -> None:
    folder = made(name)
    text = (folder / "network.yaml").read_text()
    for file in folder.glob("*.np*"):
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "model.onnx").symlink_to(folder / "model.onnx")
    (tmp_path / "network.yaml").write_text(text.replace("execution: auto", "execution: sequential"))
    y, wanted = emulated(tmp_path, target, tmp_path / "build", folder)
    assert decibels(y, wanted) > INTEGERS[name]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["vck190", "vek280"])
def test_a_transformer_in_integers(target: str, tmp_path: Path) -> None:
    y, wanted = emulated(ZOO / "deit_tiny_int8", target, tmp_path, made("deit_tiny"))
    assert decibels(y, wanted) > 12  # 15.5 dB (docs/sequential.md)


# Layers deep, and products of the longest sum: 2^-24 of the peak each, as a random walk.
FLOATS = {"deit_tiny": (12 * 12, 768), "bert": (12 * 12, 3072), "lstm": (64, 168)}


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOATS)
def test_transformers_and_lstm(name: str, tmp_path: Path) -> None:
    folder = made(name)
    y, wanted = emulated(folder, None, tmp_path, folder)
    depth, longest = FLOATS[name]
    bound = depth * np.sqrt(longest) * 2.0**-24 * np.abs(wanted).max()
    assert np.abs(y - wanted).max() < bound


@pytest.mark.slow
@pytest.mark.parametrize("target", ["zcu104", "vck190"])
def test_float32_with_and_without_an_array(target: str, tmp_path: Path) -> None:
    samples = made("resnet18")
    y, wanted = emulated(ZOO / "resnet18_float", target, tmp_path, samples)
    # 21 layers deep, each sum of at most 4608 products rounded as a random walk: sqrt(4608) x 2^-24 x 21 of the peak
    assert np.abs(y - wanted).max() < 21 * np.sqrt(4608) * 2.0**-24 * np.abs(wanted).max()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "depth"), [("resnet18", 21), ("deit_tiny", 12 * 12)])
def test_bfloat16_on_an_array(name: str, depth: int, tmp_path: Path) -> None:
    samples = made(name)
    y, wanted = emulated(ZOO / f"{name}_bfloat16", "vek280", tmp_path, samples)
    # Each layer rounds tensors and weights to half of 2^-8 at most: as a random walk, of the peak
    assert np.abs(y - wanted).max() < np.sqrt(depth) * 2.0**-8 * np.abs(wanted).max()
