"""`quantize:` of networks without a product for the engine: integers, or an error that names it; never float32 without a word."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import aieloom
from aieloom.errors import SpecError
from aieloom.spec.types import DataType

SHAPE = (8, 6, 6)
LAYERS = {
    "add": "{name: y, op: add, inputs: [a, b]}",
    "max_pool": "{name: y, op: max_pool, kernel: 2}",
    "relu": "{name: y, op: relu}",
    "avg_pool": "{name: y, op: avg_pool, kernel: 2}",
    "depthwise": "{name: y, op: conv2d, out_channels: 8, kernel: 3, padding: 1, groups: 8}",
}


def project(folder: Path, op: str, *, scales: str = "") -> aieloom.api.DesignHandle:
    """Write a project of one layer, with weights and calibration inputs."""
    random = np.random.default_rng(0)
    weights = {"y.weight": random.normal(0, 0.3, (8, 1, 3, 3)), "y.bias": random.normal(0, 1, 8)}
    held = weights if op == "depthwise" else {}
    save_file({n: v.astype(np.float32) for n, v in held.items()}, folder / "w.safetensors")
    names = ("a", "b") if op == "add" else ("x",)
    samples = {n: random.uniform(-1, 1, (16, *SHAPE)).astype(np.float32) for n in names}
    np.savez(folder / "c.npz", allow_pickle=False, **samples)
    shape = f"shape: [{', '.join(map(str, SHAPE))}]"
    inputs = "".join(f"  - {{name: {n}, {shape}}}\n" for n in names)
    (folder / "network.yaml").write_text(
        "name: alone\ntarget: vck190\nweights: w.safetensors\nexecution: sequential\n"
        + (f"inputs:\n{inputs}" if len(names) > 1 else f"input: {{name: x, {shape}}}\n")
        + f"quantize: {{activations: int8, weights: int8, calibration: c.npz{scales}}}\n"
        + f"layers:\n  - {LAYERS[op]}\n"
    )
    return aieloom.design(folder)


@pytest.mark.parametrize("op", LAYERS)
def test_a_layer_alone_is_computed_in_int8(op: str, tmp_path: Path) -> None:
    design = project(tmp_path, op)
    given = dict(np.load(tmp_path / "c.npz"))
    x = given if op == "add" else given["x"]
    y = design.reference(x)
    wanted = design.torch(x)
    step = float(np.ptp(wanted)) / 255
    integers = design._present().project.quantised
    assert integers is not None and integers.network.layers[-1].y.dtype is DataType.INT8
    assert len(np.unique(y)) <= 256
    assert np.abs(y - wanted).max() <= (4 if op == "depthwise" else 2) * step


@pytest.mark.integration
@pytest.mark.parametrize("op", ["add", "max_pool", "depthwise"])
def test_the_emulated_system_gives_these_integers(op: str, tmp_path: Path) -> None:
    design = project(tmp_path, op)
    given = dict(np.load(tmp_path / "c.npz"))
    x = {n: v[:2] for n, v in given.items()} if op == "add" else given["x"][:2]
    np.testing.assert_array_equal(design.emulate(x), design.reference(x))


def test_what_has_no_integers_is_refused_and_the_remedy_helps(tmp_path: Path) -> None:
    """`scales: multiplier16` keeps layers off the vector unit, and no product is left."""
    with pytest.raises(SpecError, match=r"\[quant-7\] no layer is computed in int8") as e:
        project(tmp_path, "add", scales=", scales: multiplier16").reference(dict(np.load(tmp_path / "c.npz")))
    assert "leave 'quantize:' out" in str(e.value)
    file = tmp_path / "network.yaml"
    file.write_text("".join(s for s in file.read_text().splitlines(True) if not s.startswith("quantize:")))
    x = dict(np.load(tmp_path / "c.npz"))
    np.testing.assert_array_equal(aieloom.design(tmp_path).reference(x), x["a"] + x["b"])
