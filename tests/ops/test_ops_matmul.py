"""Matrix products in networks: rows of features through matmul and dense, against NumPy and as whole emulated systems."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

import aieloom
from aieloom.plan.types import ArrayPart
from aieloom.reference.results import hardware_reference, torch_reference
from tests.designs import Design, design_of, network_of, plan_of, refusal, stored_of, weights_of

BLOCK = """\
name: block
target: {target}
weights: w.safetensors
input: {{name: x, shape: [{rows}, {width}]}}
layers:
  - {{name: up, op: matmul, out_features: {hidden}, bias: true}}
  - {{name: act, op: relu}}
  - {{name: down, op: {op}, out_features: {width}}}
  - {{name: sum, op: add, inputs: [down, x]}}
  - {{name: shares, op: softmax}}
"""


def block(
    target: str = "vck190", rows: int = 12, width: int = 20, hidden: int = 36, op: str = "dense"
) -> str:
    """Return a transformer's block of two products with a skip, and a softmax of each row."""
    return BLOCK.format(target=target, rows=rows, width=width, hidden=hidden, op=op)


def numpys(weights: dict[str, dict[str, np.ndarray]], x: np.ndarray) -> np.ndarray:
    """Return the block as NumPy writes it, in float64; the planner's weights are (out, in)."""
    up, down = weights["up"], weights["down"]
    hidden = np.maximum(x.astype(np.float64) @ up["weight"].T + up["bias"], 0)
    y = hidden @ down["weight"].T + down.get("bias", 0) + x
    power = np.exp(y - y.max(axis=-1, keepdims=True))
    return np.asarray(power / power.sum(axis=-1, keepdims=True))


def outside(design: Design, x: np.ndarray) -> np.ndarray:
    """Return the hardware reference of a matrix as a matrix."""
    y = hardware_reference(design.plan, design.parameters, design.plan.x.to_inside(x))
    return design.plan.y.to_outside(y)


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 33), st.integers(1, 40), st.integers(1, 70), st.sampled_from(["dense", "matmul"]))
def test_rows_of_any_size_give_what_numpy_gives(rows: int, width: int, hidden: int, op: str) -> None:
    design = design_of(block(rows=rows, width=width, hidden=hidden, op=op))
    x = np.random.default_rng(3).normal(size=(2, rows, width)).astype(np.float32)
    y = outside(design, x)
    assert y.shape == x.shape
    np.testing.assert_allclose(y, numpys(design.parameters, x), atol=2e-6)
    inside = design.plan.x.to_inside(x)
    torch = torch_reference(design.network, design.parameters, inside)
    np.testing.assert_allclose(design.plan.y.to_outside(torch), y, atol=2e-6)


def test_a_flattened_matrix_is_in_numpys_order() -> None:
    layers = "  - {name: p, op: matmul, out_features: 6}\n  - {name: f, op: flatten}\n  - {name: fc, op: dense, out_features: 3}\n"
    head = block().partition("  - ")[0]
    design = design_of(head + layers)
    x = np.random.default_rng(4).normal(size=(3, 12, 20)).astype(np.float32)
    trained = design.parameters
    flat = (x.astype(np.float64) @ trained["p"]["weight"].T).reshape(3, -1)
    wanted = flat @ trained["fc"]["weight"].T + trained["fc"]["bias"]
    np.testing.assert_allclose(outside(design, x).reshape(3, 3), wanted, atol=2e-6)


def numbers(plan: ArrayPart) -> list[tuple[int, int, int]]:
    return [(la.grid.m, la.grid.k, la.grid.n) for la in plan.aie]


@pytest.mark.parametrize("target", ["vck190", "vek280"])
def test_a_transformers_block_is_planned_and_keeps_every_rule(target: str) -> None:
    text = block(target, 64, 256, 1024)
    plan = plan_of(text)
    assert numbers(plan) == [(1024, 256, 64), (256, 1024, 64)]
    assert all(c.used <= c.limit for c in plan.checks) and plan.cores > 2


def test_a_weight_is_read_as_inputs_by_outputs(tmp_path: Path) -> None:
    network = network_of(block(op="matmul"))
    assert [str(p) for la in network.layers for p in la.parameters] == [
        "weight (20, 36)",
        "bias (36,)",
        "weight (36, 20)",
    ]
    write(tmp_path, block(op="matmul"))
    design = aieloom.design(tmp_path)
    x = np.random.default_rng(1).normal(size=(2, 12, 20)).astype(np.float32)
    np.testing.assert_allclose(design.reference(x), numpys(weights_of(network), x), atol=2e-6)
    np.testing.assert_allclose(design.torch(x), design.reference(x), atol=2e-6)


def test_an_image_is_no_matrix() -> None:
    head = block().replace("[12, 20]", "[3, 4, 5]")
    assert "takes rows of features" in refusal(head)


def write(folder: Path, text: str, quantize: str = "") -> None:
    """Write a project with seeded weights, and samples to calibrate on."""
    (folder / "network.yaml").write_text(text + quantize)
    network = network_of(text)
    flat = stored_of(network)
    (folder / "w.safetensors").write_bytes(save(flat))
    x = np.random.default_rng(0).normal(size=(64, *network.x.outside)).astype(np.float32)
    np.savez(folder / "calib.npz", x=x)


SYSTEMS = {
    "float32": ("vck190", ""),
    "int8": ("vck190", "quantize: {calibration: calib.npz}\n"),
    "int8 on AIE-ML": ("vek280", "quantize: {calibration: calib.npz}\n"),
    "bfloat16": ("vek280", "quantize: {activations: bfloat16, weights: bfloat16}\n"),
}


@pytest.mark.integration
@pytest.mark.parametrize(
    "case",
    [
        pytest.param("float32", marks=pytest.mark.slow),
        pytest.param("int8", marks=pytest.mark.slow),
        pytest.param("int8 on AIE-ML"),
        pytest.param("bfloat16", marks=pytest.mark.slow),
    ],
)
def test_a_block_runs_to_the_bit(case: str, tmp_path: Path) -> None:
    target, quantize = SYSTEMS[case]
    write(tmp_path, block(target, op="matmul"), quantize)
    design = aieloom.design(tmp_path)
    x = np.random.default_rng(1).normal(size=(9, 12, 20)).astype(np.float32)
    y = design.emulate(x)
    assert y.shape == x.shape
    assert np.array_equal(y, design.reference(x))
    assert np.abs(y - design.torch(x)).max() < (1e-5 if case == "float32" else 0.15)
    assert len(np.unique(y)) > 2


ON_PROCESSOR = """\
name: rows
target: vck190
weights: w.safetensors
input: {name: x, shape: [6, 8]}
layers:
  - {name: a, op: matmul, out_features: 5}
  - {name: b, op: matmul, out_features: 3, bias: true}
  - {name: best, op: argmax}
mapping:
  b: {engine: ps}
"""


def test_rows_on_the_processor_are_rows() -> None:
    design = design_of(ON_PROCESSOR)
    assert design.plan.processor is not None
    assert [s.name for s in design.plan.processor.segments[-1].steps] == ["b", "best"]
    x = np.random.default_rng(6).normal(size=(3, 6, 8)).astype(np.float32)
    a, b = design.parameters["a"], design.parameters["b"]
    wanted = (x @ a["weight"].T @ b["weight"].T + b["bias"]).argmax(axis=-1)
    assert np.array_equal(outside(design, x).reshape(3, 6), wanted)


@pytest.mark.slow
def test_a_system_with_rows_on_the_processor_is_right_to_the_bit(tmp_path: Path) -> None:
    (tmp_path / "network.yaml").write_text(ON_PROCESSOR.replace("  - {name: best, op: argmax}\n", ""))
    flat = stored_of(network_of(ON_PROCESSOR))
    (tmp_path / "w.safetensors").write_bytes(save(flat))
    design = aieloom.design(tmp_path)
    x = np.random.default_rng(7).normal(size=(4, 6, 8)).astype(np.float32)
    y = design.emulate(x)
    assert y.shape == (4, 6, 3)
    assert np.array_equal(y.view(np.int32), design.reference(x).view(np.int32))
