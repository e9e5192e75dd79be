"""Networks whose layers are chains of cores, as whole emulated systems, to the bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.spec.quantize import QuantizeSpec
from tests.designs import design_of
from tests.ops.lines import CHAINED
from tests.ops.system import check
from tests.quantize.designs import check as check_quantised
from tests.quantize.kernels import BFLOAT16, INT16, integer_design, run_array

ONE = """\
name: one
target: vck190
weights: w.safetensors
input: {name: x, shape: [5, 4, 3]}
layers:
  - {name: conv, op: conv2d, out_channels: 6, kernel: 3, padding: 1}
mapping:
  conv: {tile: [8, 16, 8], cascade: 3}
"""


@pytest.mark.integration
def test_a_layer_of_chains_runs_to_the_bit_and_counts_what_the_model_says(tmp_path: Path) -> None:
    """In 16-bit integers, whose 48-bit sums pass along the cascade."""
    run_array(integer_design(ONE, INT16), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["vck190", "vek280"])
@pytest.mark.parametrize("settings", [None, QuantizeSpec(), INT16, BFLOAT16])
def test_arrays_of_chains_count_what_the_model_says(
    target: str, settings: QuantizeSpec | None, tmp_path: Path
) -> None:
    if target == "vck190" and settings is BFLOAT16:
        pytest.skip("the VCK190 has no bfloat16")
    text = CHAINED.replace("vck190", target)
    run_array(integer_design(text, settings) if settings else design_of(text), tmp_path, least=80)


@pytest.mark.slow
def test_a_layer_of_chains_runs_to_the_bit(tmp_path: Path) -> None:
    check_quantised(tmp_path, ONE, "activations: int16, weights: int16", images=2)


@pytest.mark.slow
def test_chains_of_floats_run_to_the_bit(tmp_path: Path) -> None:
    check(tmp_path, CHAINED, 3)


@pytest.mark.slow
def test_chains_of_floats_run_to_the_bit_on_aie_ml(tmp_path: Path) -> None:
    check(tmp_path, CHAINED.replace("vck190", "vek280"), 3)


@pytest.mark.slow
def test_chains_behind_a_streaming_kernel_run_to_the_bit(tmp_path: Path) -> None:
    """As those that a kernel feeds from memory, which all of these have."""
    check(tmp_path, CHAINED.replace("mapping:\n", "mapping:\n  act: {strategy: streaming}\n"), 3)


@pytest.mark.integration
@pytest.mark.parametrize("target", ["vck190", pytest.param("vek280", marks=pytest.mark.slow)])
def test_images_of_one_pixel_are_dealt_to_the_links_of_a_chain(target: str, tmp_path: Path) -> None:
    """Memory holds them as they are; 40 channels of 48 that the links take. More of them than streams and links hold."""
    text = """\
name: dealt
target: vck190
weights: w.safetensors
input: {name: x, shape: [40, 1, 1]}
layers:
  - {name: fc, op: dense, out_features: 12}
mapping:
  fc: {tile: [12, 16, 8], mmul: [4, 8, 8], cascade: 3, plio: 128}
"""
    if target == "vck190":
        text = text.replace("[12, 16, 8], mmul: [4, 8, 8]", "[12, 16, 4], mmul: [4, 8, 4]")
    design = integer_design(text.replace("vck190", target), QuantizeSpec())
    mover = design.plan.subgraphs[0].mm2s
    assert mover.spread and mover.streams == 3 and mover.image_bytes == 48
    check_quantised(tmp_path, text.replace("vck190", target), "activations: int8, weights: int8", images=1500)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "quantize"),
    [
        ("vck190", "scales: multiplier"),
        ("vek280", "scales: multiplier16"),
        ("vek280", "scales: power_of_two"),
        ("vek280", "activations: bfloat16, weights: bfloat16"),
    ],
)
def test_chains_of_narrow_types_run_to_the_bit(target: str, quantize: str, tmp_path: Path) -> None:
    check_quantised(tmp_path, CHAINED.replace("vck190", target), quantize)


BRANCHED = """\
name: branched
target: vck190
weights: w.safetensors
input: {name: x, shape: [3, 6, 6]}
layers:
  - {name: c1, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: c2, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: sum, op: add, inputs: [c1, c2]}
  - {name: c3, op: conv2d, out_channels: 4, kernel: 3}
mapping:
  c2: {cascade: 3}
  c3: {cascade: 2}
"""


@pytest.mark.slow
def test_chains_behind_a_branch_run_to_the_bit(tmp_path: Path) -> None:
    check(tmp_path, BRANCHED, 3)
