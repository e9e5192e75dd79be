"""Integer kernels on their own: those on programmable logic in one program, the array alone by its PLIO text files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from aieloom.network.elements import to_elements
from aieloom.network.quantisation import limits
from aieloom.plan.scaling_code import row_vectors
from aieloom.reference.forward import evaluate
from aieloom.spec.quantize import QuantizeSpec, Scales
from tests.ops.kernels import check, streaming
from tests.ops.networks import network_yaml, random_graph_yaml, random_yaml
from tests.quantize.designs import EVERY, JOINED, MIXED
from tests.quantize.kernels import BFLOAT16, INT16, integer_design, run_array
from tests.quantize.projects import inputs

# Three layers of different cuts: tiles in rounds and parts, K in passes, uneven edges, both kinds of bias.
ARRAY = """\
name: cut
target: {target}
weights: w.safetensors
input: {{name: x, shape: [3, 7, 6]}}
layers:
  - {{name: c1, op: conv2d, out_channels: 18, kernel: 3, padding: 1}}
  - {{name: r1, op: relu}}
  - {{name: c2, op: conv2d, out_channels: 6, kernel: 3, padding: [1, 0], stride: [2, 1], groups: 3, bias: false}}
  - {{name: six, op: clip, min: 0, max: 0.4}}
  - {{name: d1, op: dense, out_features: 9}}
mapping:
  c1: {{tile: {first}, groups: 2}}
  c2: {{tile: {second}}}
"""
CUTS = {"vck190": ("[8, 32, 16]", "[8, 64, 8]"), "vek280": ("[16, 32, 16]", "[8, 48, 8]")}


LOW = network_yaml(  # pixels all of whose elements are near the lowest
    (2, 6, 9),
    [
        "  - {name: s, op: sigmoid}",
        "  - {name: shares, op: softmax}",
        "  - {name: fc, op: dense, out_features: 4}",
    ],
)


@pytest.mark.parametrize("settings", [QuantizeSpec(), INT16])
def test_products_and_differences_of_elements_are_within_one_element(settings: QuantizeSpec) -> None:
    """Of what the elements mean, in float64: TensorFlow Lite's scaling loses a little more than half an element."""
    design = integer_design(JOINED, settings)
    x = to_elements(inputs(design.network.x.shape, 8, seed=4), design.plan.x)
    checked = 0
    for step, given, found in evaluate(design.plan.steps, design.parameters, x):
        if step.op in ("mul", "sub"):
            a, b = (
                (v.astype(np.float64) - quant.zero_point) * quant.scale
                for v, t in zip(given, (step.x, *step.others), strict=True)
                if (quant := t.quant)
            )
            made = step.y.quant
            assert made
            wanted = (a * b if step.op == "mul" else a - b) / made.scale + made.zero_point
            low, high = limits(step.y.dtype)
            assert np.abs(found - np.clip(wanted, low, high)).max() <= 1
            checked += 1
    assert checked == 3


@pytest.mark.integration
def test_logic_gives_the_references_elements(tmp_path: Path) -> None:
    symmetric = QuantizeSpec(symmetric=True)
    narrow = {random_yaml(seed).replace("vck190", "vek280"): BFLOAT16 for seed in range(44, 47)}
    whole = {random_yaml(seed): symmetric if seed % 2 else QuantizeSpec() for seed in range(37, 44)}
    branches = {random_graph_yaml(seed): symmetric if seed % 2 else QuantizeSpec() for seed in range(3)}
    wide = {random_graph_yaml(seed).replace("vck190", "vek280"): BFLOAT16 for seed in (3, 4)}
    lines = {streaming(1): QuantizeSpec(), streaming(7).replace("vck190", "vek280"): BFLOAT16}
    sixteen = {EVERY.format(target="vck190"): INT16, random_graph_yaml(5): INT16, random_yaml(60): INT16}
    sixteen[JOINED] = INT16
    sixteen[LOW.replace("shares", "of16")] = INT16
    sixteen[LOW] = QuantizeSpec()
    sixteen[JOINED.replace("vck190", "vek280")] = QuantizeSpec()
    settings = {MIXED: QuantizeSpec(), **sixteen, **whole, **narrow, **branches, **wide, **lines}
    check(list(settings), tmp_path, lambda text: integer_design(text, settings[text]))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(700, 760, 20))
def test_logic_of_many_bfloat16_networks_gives_the_references_elements(first: int, tmp_path: Path) -> None:
    ml = [random_yaml(seed).replace("vck190", "vek280") for seed in range(first, first + 20)]
    check(ml, tmp_path, lambda text: integer_design(text, BFLOAT16))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(500, 620, 20))
def test_logic_of_many_networks_gives_the_references_elements(first: int, tmp_path: Path) -> None:
    check([random_yaml(seed) for seed in range(first, first + 20)], tmp_path, integer_design)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1060, 20))
def test_logic_of_many_networks_of_16_bits_gives_the_references_elements(first: int, tmp_path: Path) -> None:
    chains = [random_yaml(seed) for seed in range(first, first + 12)]
    branches = [random_graph_yaml(seed) for seed in range(first + 12, first + 20)]
    check([*chains, *branches], tmp_path, lambda text: integer_design(text, INT16))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(800, 920, 20))
def test_logic_of_many_branches_gives_the_references_elements(first: int, tmp_path: Path) -> None:
    settings = {random_graph_yaml(seed): QuantizeSpec() for seed in range(first, first + 12)}
    settings |= {
        random_graph_yaml(seed).replace("vck190", "vek280"): BFLOAT16
        for seed in range(first + 12, first + 20)
    }
    check(list(settings), tmp_path, lambda text: integer_design(text, settings[text]))


@pytest.mark.integration
@pytest.mark.parametrize(
    ("target", "settings"),
    [
        ("vck190", QuantizeSpec()),
        ("vek280", QuantizeSpec(scales="multiplier16")),
        ("vek280", BFLOAT16),
    ],
)
def test_cores_give_the_references_elements(target: str, settings: QuantizeSpec, tmp_path: Path) -> None:
    first, second = CUTS[target]
    design = integer_design(ARRAY.format(target=target, first=first, second=second), settings)
    assert max(layer.grid.passes for layer in design.plan.aie) > 1
    assert max(layer.grid.rounds for layer in design.plan.aie) > 1
    run_array(design, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("target", CUTS)
@pytest.mark.parametrize("scales", [s.value for s in Scales])
@pytest.mark.parametrize("overflow", ["saturate", "wrap"])
def test_cores_of_all_scalings_give_the_references_elements(
    target: str, scales: str, overflow: str, tmp_path: Path
) -> None:
    if (scales, overflow) == ("onnx", "wrap"):
        pytest.skip("ONNX's results saturate")
    first, second = CUTS[target]
    settings = QuantizeSpec.model_validate(
        {"scales": scales, "overflow": overflow, "method": "percentile", "percentile": 90.0}
    )
    run_array(integer_design(ARRAY.format(target=target, first=first, second=second), settings), tmp_path)


@pytest.mark.slow
def test_multipliers_above_one_are_shifted_to_the_left(tmp_path: Path) -> None:
    """Ranges so narrow that an element of the output is less than a unit of the sums."""
    first, second = CUTS["vck190"]
    text = ARRAY.format(target="vck190", first=first, second=second)
    design = integer_design(text.replace("max: 0.4", "max: 0.0004"))
    assert any(layer.draft.requant and layer.draft.requant.left for layer in design.plan.aie)
    run_array(design, tmp_path)


def test_rows_hold_what_the_epilogue_reads() -> None:
    design = integer_design(ARRAY.format(target="vek280", first="[16, 32, 16]", second="[8, 48, 8]"))
    requant = design.plan.aie[0].draft.requant
    assert requant is not None
    assert [row_vectors(r) for r in (None, requant, replace(requant, left=True))] == [1, 3, 4]
