"""Direct convolution by aie::mmul in the emulator: the array alone and the logic beside it, to the bit, and its counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.plan.types import array_of
from aieloom.spec.quantize import QuantizeSpec, Scales
from aieloom.strategies.lanes.grid import LaneGrid
from tests.designs import Design, design_of
from tests.ops.kernels import check
from tests.ops.system import project
from tests.quantize.kernels import BFLOAT16, INT16, integer_design, run_array
from tests.quantize.projects import inputs, write_project
from tests.strategies.lanes.designs import FLOATS, LAYERS

AIE = LAYERS.format(target="vck190", first="[8, 72, 18]", mmul="[4, 8, 4]", second="[8, 48, 8]")
AIE16 = LAYERS.format(target="vck190", first="[8, 72, 18]", mmul="[4, 4, 4]", second="[8, 120, 8]")
ML = LAYERS.format(target="vek280", first="[8, 72, 18]", mmul="[4, 8, 8]", second="[8, 48, 8]")
ML_BFLOAT16 = LAYERS.format(target="vek280", first="[8, 72, 18]", mmul="[4, 8, 4]", second="[8, 48, 8]")


@pytest.mark.integration
@pytest.mark.parametrize(
    ("text", "settings"),
    [(AIE, QuantizeSpec()), (ML_BFLOAT16, BFLOAT16)],
    ids=["int8", "bfloat16"],
)
def test_cores_give_the_references_bits_and_count_what_the_model_says(
    text: str, settings: QuantizeSpec, tmp_path: Path
) -> None:
    design = integer_design(text, settings)
    grids = [layer.grid for layer in design.plan.aie]
    assert max(g.passes for g in grids) > 1
    assert max(g.rounds for g in grids) > 1
    run_array(design, tmp_path)


# Rows whose columns lie in skewed banks, read by lanes that reach beyond the image: those columns are in no bank.
BEYOND = """\
name: direct
target: vek280
weights: w.safetensors
input: {name: x, shape: [3, 5, 7]}
layers:
  - {name: c1, op: conv2d, out_channels: 19, kernel: 2, padding: [1, 0], stride: [2, 1]}
  - {name: r1, op: relu}
  - {name: c2, op: conv2d, out_channels: 8, kernel: 1, stride: [2, 3]}
mapping:
  c1: {strategy: direct, plio: 128}
  r1: {strategy: streaming}
  c2: {strategy: direct, plio: 64}
"""


@pytest.mark.slow
def test_logic_beside_lanes_gives_the_references_bits(tmp_path: Path) -> None:
    """Frame buffers and line buffers that read lanes and write them, in all widths."""
    settings = {AIE: QuantizeSpec(), ML_BFLOAT16: BFLOAT16, BEYOND: BFLOAT16}
    framed = AIE.replace("r1: {strategy: streaming}", "c3: {strategy: im2col_gemm}", 1)
    framed = framed.replace("  c3: {strategy: direct, plio: 128}\n", "")
    settings[framed] = QuantizeSpec(symmetric=True)
    check(list(settings), tmp_path, lambda text: integer_design(text, settings[text]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "settings"),
    [
        *(
            (AIE, QuantizeSpec.model_validate({"scales": s.value, "overflow": o}))
            for s in Scales
            for o in ("saturate", "wrap")
            if (s, o) != (Scales.ONNX, "wrap")
        ),
        (AIE, QuantizeSpec(symmetric=True)),
        (ML, QuantizeSpec()),
        (ML, QuantizeSpec(scales="multiplier16", symmetric=True)),
        (ML, QuantizeSpec(scales="power_of_two")),
        (AIE16, INT16),
        (AIE16.replace("vck190", "vek280"), INT16),
    ],
)
def test_cores_of_all_scalings_give_the_references_elements(
    text: str, settings: QuantizeSpec, tmp_path: Path
) -> None:
    run_array(integer_design(text, settings), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["vck190", "vek280"])
def test_cores_of_floats_give_the_references_bits(target: str, tmp_path: Path) -> None:
    text = FLOATS.replace("vck190", target)
    if target == "vek280":
        text = text.replace("[4, 2, 4]", "[4, 1, 4]").replace("[4, 60, 8]", "[4, 48, 8]")
    run_array(design_of(text), tmp_path)


def random_text(seed: int, target: str) -> str:
    """Return two layers of any small shape, cut in any way, each kernel beside them of either kind."""
    random = np.random.default_rng(seed)

    def pick(*values: int) -> int:
        return int(random.choice(values))

    layers, height, width = [], pick(5, 7, 8, 11), pick(4, 7, 8, 13)
    shape = f"[{pick(1, 3, 8, 17)}, {height}, {width}]"
    for name in ("c1", "c2"):
        kernel = [pick(*range(1, min(5, size) + 1)) for size in (height, width)]
        padding = [pick(*range(k)) for k in kernel]
        stride = [pick(1, 1, 2, 3), pick(1, 1, 2, 3)]
        height, width = (
            (size + 2 * p - k) // s + 1
            for size, p, k, s in zip((height, width), padding, kernel, stride, strict=True)
        )
        layers.append(
            f"  - {{name: {name}, op: conv2d, out_channels: {pick(1, 6, 8, 19)}, kernel: {kernel}, "
            f"padding: {padding}, stride: {stride}}}\n  - {{name: {name}_act, op: relu}}\n"
        )
    streaming = f"  c1_act: {{strategy: {random.choice(['streaming', 'frame'])}}}\n"
    plio = [pick(32, 64, 128), pick(32, 64, 128)]
    return (
        f"name: direct\ntarget: {target}\nweights: w.safetensors\ninput: {{name: x, shape: {shape}}}\nlayers:\n"
        + "".join(layers)
        + "mapping:\n"
        + "".join(
            f"  {n}: {{strategy: direct, plio: {b}}}\n" for n, b in zip(("c1", "c2"), plio, strict=True)
        )
        + streaming
    )


KINDS = [
    ("vck190", None),
    ("vck190", QuantizeSpec()),
    ("vek280", QuantizeSpec()),
    ("vek280", BFLOAT16),
    ("vck190", INT16),
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_any_shape_gives_the_references_bits(seed: int, tmp_path: Path) -> None:
    target, settings = KINDS[seed % len(KINDS)]
    text = random_text(seed, target)
    design = integer_design(text, settings) if settings else design_of(text)
    assert {layer.draft.strategy for layer in design.plan.aie} == {"direct"}
    run_array(design, tmp_path, least=1)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 120, 20))
def test_logic_beside_any_shape_gives_the_references_bits(first: int, tmp_path: Path) -> None:
    kinds = {random_text(seed, KINDS[seed % 5][0]): KINDS[seed % 5][1] for seed in range(first, first + 20)}

    def plan(text: str) -> Design:
        settings = kinds[text]
        return integer_design(text, settings) if settings else design_of(text)

    check(list(kinds), tmp_path, plan)


# The second stage of resnet8, and conv2 of mnist behind its pool: whole systems, host program to cores and back.
RESNET = """\
name: stage
target: {target}
weights: w.safetensors
input: {{name: x, shape: [16, 32, 32]}}
layers:
  - {{name: conv1, op: conv2d, out_channels: 16, kernel: 3, padding: 1}}
  - {{name: act1, op: relu}}
  - {{name: conv3, op: conv2d, out_channels: 32, kernel: 3, stride: 2, padding: 1}}
  - {{name: act3, op: relu}}
mapping:
  conv1: {{strategy: direct}}
  conv3: {{strategy: direct}}
"""
MNIST = """\
name: digits
target: vek280
weights: w.safetensors
input: {name: digit, shape: [1, 28, 28]}
layers:
  - {name: conv1, op: conv2d, out_channels: 16, kernel: 3}
  - {name: act1, op: relu}
  - {name: pool1, op: max_pool, kernel: 2}
  - {name: conv2, op: conv2d, out_channels: 64, kernel: 3}
  - {name: act2, op: relu}
  - {name: pool2, op: max_pool, kernel: 2}
  - {name: conv3, op: conv2d, out_channels: 128, kernel: 3}
  - {name: act3, op: relu}
  - {name: fc, op: dense, out_features: 10}
mapping:
  conv1: {strategy: direct}
  conv2: {strategy: direct}
  conv3: {strategy: direct, weights: stream}
"""
BFLOAT16_KEYS = "activations: bfloat16, weights: bfloat16"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "quantize"),
    [
        (RESNET.format(target="vck190"), ""),
        (RESNET.format(target="vek280"), ""),
        (MNIST, BFLOAT16_KEYS),
        (MNIST.replace("vek280", "vck190"), ""),
    ],
    ids=["resnet8-vck190", "resnet8-vek280", "mnist-bfloat16", "mnist-int8-vck190"],
)
def test_whole_systems_give_the_references_bits(text: str, quantize: str, tmp_path: Path) -> None:
    design = aieloom.design(write_project(tmp_path, text, quantize))
    direct = [layer for layer in array_of(design.plan).aie if isinstance(layer.grid, LaneGrid)]
    assert len(direct) >= 2
    x = inputs(design.plan.x.outside, 3, seed=5) * np.float32(1.5)
    y, reference = design.emulate(x), design.reference(x)
    assert np.array_equal(y, reference)
    assert len(np.unique(reference)) > 10, "the results say nothing"


# A kernel with a frame buffer, which is called for every image, before one of tasks, which is called once.
BOTH = """\
name: both
target: vck190
weights: w.safetensors
input: {name: x, shape: [1, 8, 9]}
layers:
  - {name: c1, op: conv2d, out_channels: 6, kernel: 3, padding: 1}
  - {name: pool, op: max_pool, kernel: 2}
  - {name: c2, op: conv2d, out_channels: 4, kernel: 3, stride: 2, padding: 1}
  - {name: rel, op: relu}
mapping:
  c1: {strategy: direct, tile: [8, 18, 18], mmul: [4, 2, 4]}
  c2: {strategy: direct, tile: [4, 54, 2], mmul: [4, 2, 4]}
  rel: {strategy: streaming}
"""


@pytest.mark.integration
def test_a_system_of_frames_and_lines_runs_image_after_image(tmp_path: Path) -> None:
    design = aieloom.design(project(tmp_path, BOTH))
    assert [kernel.part is not None for kernel in array_of(design.plan).pl] == [False, True]
    x = inputs(design.plan.x.outside, 4, seed=5)
    y = design.emulate(x)
    assert np.array_equal(y.view(np.int32), design.reference(x).view(np.int32))


# Pools and borders in line buffers behind lanes, whose pixels come out of order within their rows.
POOLED = """\
name: pooled
target: {target}
weights: w.safetensors
input: {{name: x, shape: [3, 8, 10]}}
layers:
  - {{name: c1, op: conv2d, out_channels: 8, kernel: 3, padding: 1}}
  - {{name: p1, op: max_pool, kernel: 2}}
  - {{name: c2, op: conv2d, out_channels: 6, kernel: 3, padding: 1}}
  - {{name: whole, op: {pool}}}
  - {{name: c3, op: conv2d, out_channels: 4, kernel: 1}}
mapping:
  c1: {{strategy: direct}}
  p1: {{strategy: streaming}}
  c2: {{strategy: direct}}
  whole: {{strategy: streaming}}
"""


@pytest.mark.slow
def test_pools_in_lines_behind_lanes_give_the_references_bits(tmp_path: Path) -> None:
    integers = POOLED.format(target="vck190", pool="global_avg_pool")
    floats = POOLED.format(target="vek280", pool="max_pool, kernel: 2, stride: 1")
    means = POOLED.format(target="vek280", pool="global_avg_pool")  # whose sums have an order
    settings = {integers: QuantizeSpec(), floats: BFLOAT16, means: BFLOAT16}
    check(list(settings), tmp_path, lambda text: integer_design(text, settings[text]))
