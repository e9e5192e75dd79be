"""Direct convolution by aie::mmul in the emulator: the array alone and the logic beside it, to the bit, and its counts."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from aieloom.cost.lanes import generated_lanes, lane_kernel
from aieloom.cost.loops import counts, pipelined_trips
from aieloom.cost.parameters import load_parameters
from aieloom.emit.aie import SIMULATED_IMAGES
from aieloom.emit.files import write_tree
from aieloom.emit.project import render
from aieloom.emulator.program import emulate
from aieloom.plan.direct import lanes_of
from aieloom.plan.gemm import find_mode
from aieloom.plan.rows import LaneGrid
from aieloom.plan.types import AieLayerPlan
from aieloom.spec.quantize import QuantizeSpec
from aieloom.vitis import simdata
from tests.cost.test_cost_counts import COUNTED
from tests.designs import Design
from tests.ops.test_ops_kernels import check
from tests.quantize.projects import inputs
from tests.quantize.test_quantize_kernels import BFLOAT16, integer_design

# A stride of 1 and of 2, a row that no lanes divide, channels that fill no block, K in passes, tiles in rounds and groups.
LAYERS = """\
name: direct
target: {target}
weights: w.safetensors
input: {{name: x, shape: [5, 8, 9]}}
layers:
  - {{name: c1, op: conv2d, out_channels: 18, kernel: 3, padding: 1}}
  - {{name: r1, op: relu}}
  - {{name: c2, op: conv2d, out_channels: 6, kernel: [3, 2], padding: [1, 0], stride: 2}}
  - {{name: six, op: clip, min: 0, max: 0.4}}
  - {{name: c3, op: conv2d, out_channels: 4, kernel: [2, 3], padding: [0, 1], stride: [1, 3]}}
mapping:
  c1: {{strategy: direct, tile: {first}, mmul: {mmul}, groups: 2, plio: 32}}
  r1: {{strategy: streaming}}
  c2: {{strategy: direct, tile: {second}, groups: 1, buffers: single}}
  c3: {{strategy: direct, plio: 128}}
"""
FLOATS = LAYERS.format(target="vck190", first="[8, 36, 18]", mmul="[4, 2, 4]", second="[4, 60, 8]")
AIE = LAYERS.format(target="vck190", first="[8, 72, 18]", mmul="[4, 8, 4]", second="[8, 48, 8]")
AIE16 = LAYERS.format(target="vck190", first="[8, 72, 18]", mmul="[4, 4, 4]", second="[8, 120, 8]")
ML = LAYERS.format(target="vek280", first="[8, 72, 18]", mmul="[4, 8, 8]", second="[8, 48, 8]")
ML_BFLOAT16 = LAYERS.format(target="vek280", first="[8, 72, 18]", mmul="[4, 8, 4]", second="[8, 48, 8]")


def by_model(layer: AieLayerPlan, design: Design) -> list[float]:
    """Return one call's operations and pipelined trips."""
    grid, draft, device = layer.grid, layer.draft, design.plan.device
    assert isinstance(grid, LaneGrid)
    mode = find_mode(device, draft.dtype, grid.mmul)
    lanes = lanes_of(grid, mode, draft.dtype, draft.requant, device.architecture)
    nodes = generated_lanes(lanes)
    estimate = lane_kernel(load_parameters(), device.architecture.value, lanes)
    m, k, n = grid.mmul
    mmuls = grid.passes * counts(*estimate.nodes).macs / mode.issue_cycles
    ops = counts(*nodes)
    assert mmuls * m * k * n == grid.passes * grid.out_elements * grid.tile_k
    scaled = lanes.scale_products * grid.out_elements
    return [
        ops.loads,
        ops.stores,
        ops.macs,
        mmuls * m * k * n + scaled,
        ops.shuffles,
        0,
        pipelined_trips(*nodes),
    ]


def run_array(design: Design, folder: Path) -> None:
    """Run the array alone; compare every stream with the reference, and every kernel's counts with the model."""
    write_tree(folder, render(design.plan, design.parameters), owned=())
    images = inputs(design.plan.x.shape, SIMULATED_IMAGES, seed=9) * np.float32(1.5)
    streams = simdata.streams(design.plan, design.parameters, images)
    simdata.write_inputs(folder, streams)
    aie = folder / "src" / "aie"
    arch = design.plan.device.architecture.value
    done = emulate(aie / "graph.cpp", includes=[aie], arch=arch, data=folder, out=folder / "out", timed=True)
    assert done.code == 0, done.stderr
    agreement = simdata.compare(folder / "out", streams)
    assert agreement.bit_exact, agreement
    assert agreement.expected > 100
    found = re.findall(COUNTED, done.stdout)
    for layer in design.plan.aie:
        if isinstance(layer.grid, LaneGrid):
            said = [row[1:] for row in found if row[0] == f"{layer.draft.class_name}Kernel"]
            calls = SIMULATED_IMAGES * layer.grid.rounds
            wanted = [calls, *(calls * n for n in by_model(layer, design))]
            assert said
            assert list(map(int, said[0])) == wanted, layer.name


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


def test_logic_beside_lanes_gives_the_references_bits(tmp_path: Path) -> None:
    """Image buffers and line buffers that read lanes and write them, in all widths."""
    settings = {AIE: QuantizeSpec(), ML_BFLOAT16: BFLOAT16}
    framed = AIE.replace("r1: {strategy: streaming}", "c3: {strategy: im2col_gemm}", 1)
    framed = framed.replace("  c3: {strategy: direct, plio: 128}\n", "")
    settings[framed] = QuantizeSpec(symmetric=True)
    check(list(settings), tmp_path, lambda text: integer_design(text, settings[text]))
