"""float32 and bfloat16 on the array: emulated to the bit in the stated order of sums, whichever row of chains has an image."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import aieloom
from aieloom.errors import CannotFit
from aieloom.flow.project import Project
from aieloom.flow.sequential import design_of
from aieloom.network.elements import to_bfloat16
from aieloom.network.tensor import TensorType
from aieloom.reference.results import torch_reference
from aieloom.sequential import commands as c
from aieloom.sequential.emit import render
from aieloom.sequential.fusion import with_folded_input
from aieloom.sequential.packing import packed
from aieloom.sequential.plan import command_list, commands, engines_of
from aieloom.sequential.reference import convolution, reference
from aieloom.sequential.row_unit import RowStep
from aieloom.sequential.steps import AddOrder, ConvStep
from aieloom.sequential.vector import Operation
from aieloom.spec.network import INPUT
from aieloom.spec.types import DataType
from tests.conformance.native import INCLUDE
from tests.designs import network_of, stored_of
from tests.sequential.command_reader import from_bytes
from tests.sequential.networks import NETWORK, SHAPES, conv_step, opened, plan_of

FLOATS = """\
name: floats
target: vck190
weights: weights.safetensors
execution: sequential
engine: aie
input: {name: x, shape: [3, 14, 12]}
layers:
  - {name: conv, op: conv2d, out_channels: 40, kernel: 3, stride: 2, padding: 1}
  - {name: act, op: relu}
  - {name: most, op: max_pool, kernel: 3, stride: 1, padding: 1}
  - {name: side, op: conv2d, out_channels: 96, kernel: 1}
  - {name: trunk, op: conv2d, inputs: [most], out_channels: 96, kernel: 3, padding: 1}
  - {name: sum, op: add, inputs: [trunk, side]}
  - {name: six, op: clip, min: -0.5, max: 0.6}
  - {name: halves, op: conv2d, out_channels: 64, kernel: 3, groups: 2, padding: 1}
  - {name: mean, op: avg_pool, kernel: 3, stride: 1, padding: 1, count_include_pad: false}
  - {name: soft, op: tanh}
  - {name: both, op: add, inputs: [soft, halves]}
  - {name: flat, op: flatten}
  - {name: fc, op: dense, out_features: 10}
"""
BFLOAT16 = "quantize: {activations: bfloat16, weights: bfloat16}\n"
WEIGHTS = {
    "conv.weight": (40, 3, 3, 3),
    "side.weight": (96, 40, 1, 1),
    "trunk.weight": (96, 40, 3, 3),
    "halves.weight": (64, 48, 3, 3),
    "fc.weight": (10, 64 * 7 * 6),
}


def floats(folder: Path, target: str, settings: str = "") -> Project:
    (folder / "network.yaml").write_text(FLOATS.replace("vck190", target) + settings)
    random = np.random.default_rng(3)
    tensors = {n: random.normal(0, 0.1, s).astype(np.float32) for n, s in WEIGHTS.items()}
    tensors |= {
        n.replace("weight", "bias"): random.normal(0, 0.1, s[:1]).astype(np.float32)
        for n, s in WEIGHTS.items()
    }
    save_file(tensors, folder / "weights.safetensors")
    return plan_of(folder)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "settings"), [("vck190", ""), ("vek280", BFLOAT16)])
def test_the_array_gives_floats_to_the_bit(target: str, settings: str, tmp_path: Path) -> None:
    """Sums, pools and bounds on the vector unit, tanh on the row unit; an image's results are the same in any place of a batch."""
    project = floats(tmp_path, target, settings)
    plan = project.plan
    in_turn = engines_of(plan)
    assert in_turn.array
    assert not in_turn.in_logic
    assert in_turn.functions == ()
    assert [s.layer for s in in_turn.steps if isinstance(s, RowStep)] == ["soft"]
    x = np.random.default_rng(5).normal(0, 1, (plan.schedule.batch + 3, 3, 14, 12)).astype(np.float32)
    design = design_of(project)
    design.emulated.make(design.render())
    y = design.emulated.run(x).y
    assert y.tobytes() == reference(in_turn.steps, project.parameters, x).tobytes()
    assert design.emulated.run(x[::-1]).y.tobytes() == np.ascontiguousarray(y[::-1]).tobytes()
    exact = torch_reference(project.network, project.float_parameters, x)
    assert np.abs(y - exact).max() < (1e-5 if target == "vck190" else 0.05) * np.abs(exact).max()


def test_a_sum_takes_the_bounds_behind_it_and_every_chain_adds_in_one_order(tmp_path: Path) -> None:
    plan = floats(tmp_path, "vck190").plan
    design = engines_of(plan)
    (behind,) = (s for s in design.products if s.sum)
    assert (behind.layer, behind.gives, behind.inputs) == ("trunk", "six", ("most", "side"))
    assert design.array
    assert design.array.gemm
    assert all(core.part == core.link for core in design.array.gemm.cores)
    assert {s.order for s in design.products} == {
        AddOrder(parts=design.array.parts, depth=design.array.depth)
    }


def test_lists_of_bfloat16_are_read_as_they_were_written(tmp_path: Path) -> None:
    project = floats(tmp_path, "vek280", BFLOAT16)
    plan, weights = project.plan, packed(project.plan, project.parameters)
    unnamed = [
        replace(command, name="") if isinstance(command, c.Call) else command for command in commands(plan)
    ]
    assert list(from_bytes(c.to_bytes(command_list(plan), weights), weights).commands) == unnamed
    assert {
        t.type
        for command in commands(plan)
        if isinstance(command, c.Product)
        for t in (command.conv.x, command.conv.y)
    } == {c.BFLOAT16}


@pytest.mark.parametrize("dtype", [DataType.FLOAT32, DataType.BFLOAT16])
@pytest.mark.parametrize(("channels", "stride"), [(3, 1), (3, 2), (35, 1)])
def test_sums_are_added_in_passes_over_k(dtype: DataType, channels: int, stride: int) -> None:
    """One number after another, as docs/sequential.md says it: taps, in each its channels filled up to 16, in passes; then the bias."""
    step = conv_step(channels, 5, (3, 3), 8)
    side = (8 - 3) // stride + 1
    window = replace(step.window, stride=(stride, stride))
    step = replace(
        step, window=window, inputs=(INPUT,), x=TensorType((channels, 8, 8), dtype), y=TensorType((5, side, side), dtype),
        low=-2.0, high=3.0,
    )  # fmt: skip
    (step,) = (s for s in with_folded_input((step,), lambda _: True) if isinstance(s, ConvStep))
    assert (step.fold == (2, 2)) == (stride == 2)
    order = AddOrder(parts=3, depth=16)
    random = np.random.default_rng(channels)
    weight, bias, x = (
        random.normal(0, 1, s).astype(np.float32) for s in ((5, channels, 3, 3), (5,), (1, channels, 8, 8))
    )
    if dtype is DataType.BFLOAT16:
        x = to_bfloat16(x)
    y = convolution(replace(step, order=order), {"weight": weight, "bias": bias}, x)
    fold, words = step.fold[0], -(-step.window.channels // 16)
    for m, row, column in ((0, 0, 0), (4, side - 1, 1), (2, 1, side - 1)):
        products = []  # of each place of K: what is multiplied
        for tap in range(step.window.kernel[0] * step.window.kernel[1]):
            dy, dx = divmod(tap, step.window.kernel[1])
            for channel in range(16 * words):
                part, of = divmod(channel, channels)
                ky, kx = dy * fold + part // fold, dx * fold + part % fold
                there = channel < step.window.channels and ky < 3 and kx < 3
                pair = (
                    (weight[m, of, ky, kx], x[0, of, row * stride + ky, column * stride + kx])
                    if there
                    else (0.0, 0.0)
                )
                products.append((np.float32(pair[0]), np.float32(pair[1])))
        if dtype is DataType.BFLOAT16:
            products = [(np.float32(to_bfloat16(np.array(w))), v) for w, v in products]
        total = np.float32(0)
        once = order.parts * order.depth
        for begin in range(0, len(products), once):
            sums = np.float32(0)
            for w, v in products[begin : begin + once]:
                sums = np.float32(sums + np.float32(w * v))
            total = sums if begin == 0 else np.float32(total + sums)
        wanted = min(max(np.float32(total + bias[m]), np.float32(-2)), np.float32(3))
        assert y[0, m, row, column] == wanted


DEPTHWISE = """\
name: apart
target: vck190
weights: weights.safetensors
execution: sequential
engine: aie
input: {name: x, shape: [3, 16, 12]}
layers:
  - {name: conv, op: conv2d, out_channels: 24, kernel: 3, stride: 2, padding: 1}
  - {name: act, op: relu}
  - {name: apart, op: conv2d, out_channels: 24, kernel: 3, groups: 24, padding: 1}
  - {name: six, op: clip, min: -0.4, max: 0.6}
  - {name: point, op: conv2d, out_channels: 40, kernel: 1}
  - {name: wide, op: conv2d, out_channels: 40, kernel: [5, 3], groups: 40, stride: 2, padding: [2, 1], bias: false}
  - {name: mean, op: global_avg_pool}
  - {name: fc, op: dense, out_features: 10}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("target", "settings"), [("vck190", ""), ("vek280", BFLOAT16)])
def test_depthwise_layers_of_floats_are_the_vector_units(target: str, settings: str, tmp_path: Path) -> None:
    """Weights on the chip, taps in their order, the bias, bounds; an image's results are the same in any place of a batch."""
    text = DEPTHWISE.replace("vck190", target) + settings
    (tmp_path / "network.yaml").write_text(text)
    save_file(stored_of(network_of(text)), tmp_path / "weights.safetensors")
    project = plan_of(tmp_path)
    plan = project.plan
    in_turn = engines_of(plan)
    assert in_turn.functions == ()
    assert not in_turn.in_logic
    taken = {name: f.operation for name, f in in_turn.forms.items()}
    assert taken["apart"] == taken["wide"] == Operation.DEPTHWISE
    x = np.random.default_rng(5).normal(size=(plan.schedule.batch + 2, 3, 16, 12)).astype(np.float32)
    design = aieloom.design(tmp_path)
    y = design.emulate(x)
    np.testing.assert_array_equal(y, design.reference(x))
    wanted = design.torch(x).reshape(y.shape)
    assert np.abs(y - wanted).max() < (2.0**-6 if settings else 1e-5) * np.abs(wanted).max()
    np.testing.assert_array_equal(design.emulate(x[::-1].copy()), y[::-1])


BOUNDS = """\
#include "src/pl/vector_unit.cpp"
int main(int count, char**) {
  using Element = Engine::Values::Element;
  static vector::Trained<Engine> trained;
  static Element table[vector::kEntries];
  const vector::ScalingOf<Engine> scaling = {};
  const int word = 159 + count - 1;  // of 2,560 channels: pools have more words than a depthwise layer
  volatile Element found = trained.ended(kMean, 8, Element(), Element(), 4, table, word, 3, scaling);
  (void)found;
  return 0;
}
"""


def test_pools_of_many_channels_read_no_weights(tmp_path: Path) -> None:
    """What a depthwise layer alone has is not looked up for others: their words go further."""
    compiler = shutil.which("g++")
    if not compiler:
        pytest.skip("there is no g++ here")
    (tmp_path / "network.yaml").write_text(DEPTHWISE)
    save_file(stored_of(network_of(DEPTHWISE)), tmp_path / "weights.safetensors")
    project = plan_of(tmp_path)
    for path, text in render(project.plan, project.parameters).items():
        if path.startswith(("src/pl", "src/include")):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(str(text))
    (tmp_path / "main.cpp").write_text(BOUNDS)
    options = (
        "-std=c++20",
        "-Wno-unknown-pragmas",
        "-fsanitize=bounds-strict",  # the last array of a struct too
        "-fsanitize-undefined-trap-on-error",
        "-O1",
        "-ffunction-sections",
        "-Wl,--gc-sections",  # nothing is linked of streams, which are not used here
        f"-I{INCLUDE}",
    )
    subprocess.run([compiler, *options, "main.cpp", "-o", "main"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"], check=False).returncode == 0


def test_products_in_bfloat16_that_no_array_takes_are_named(tmp_path: Path) -> None:
    save = {n: np.zeros(s, np.float32) for n, s in SHAPES.items()}
    save_file(save, tmp_path / "weights.safetensors")
    (tmp_path / "network.yaml").write_text(NETWORK.replace("zcu104", "vek280") + BFLOAT16)
    assert "apart" in engines_of(plan_of(tmp_path).plan).forms, (
        "the vector unit multiplies where every channel sees itself alone"
    )
    (tmp_path / "network.yaml").write_text(NETWORK.replace("zcu104", "vck190") + BFLOAT16)
    with pytest.raises(CannotFit, match=r"\[sequential-1\] .*on an array of AIE-ML alone"):
        plan_of(tmp_path)
    opened(tmp_path)  # in float32 both have an engine


INFINITE = """\
name: infinite
target: TARGET
weights: weights.safetensors
execution: sequential
input: {name: x, shape: [16, 2, 2]}
layers:
  - {name: wide, op: conv2d, out_channels: 8, kernel: 1, bias: false}
  - {name: narrow, op: conv2d, out_channels: 4, kernel: 1, bias: false}
"""


@pytest.mark.integration
@pytest.mark.parametrize(
    ("target", "settings"),
    [
        ("zcu104", ""),
        pytest.param("vck190", "engine: aie\n", marks=pytest.mark.slow),
        pytest.param("vek280", BFLOAT16 + "engine: aie\n", marks=pytest.mark.slow),
    ],
)
def test_an_infinity_does_not_come_back_from_channels_that_fill_up(
    target: str, settings: str, tmp_path: Path
) -> None:
    """Weights of 0 make NaN of it in the 8 channels that nobody has; the next layer multiplies those by 0 again."""
    (tmp_path / "network.yaml").write_text(INFINITE.replace("TARGET", target) + settings)
    tensors = {"wide.weight": np.full((8, 16, 1, 1), 0.5), "narrow.weight": np.full((4, 8, 1, 1), 0.25)}
    save_file({n: t.astype(np.float32) for n, t in tensors.items()}, tmp_path / "weights.safetensors")
    project = plan_of(tmp_path)
    x = np.ones((1, 16, 2, 2), np.float32)
    x[0, 3, 1, 0] = np.inf
    design = design_of(project)
    design.emulated.make(design.render())
    wanted = np.full((1, 4, 2, 2), 16.0, np.float32)  # 8 sums of 16 halves, a quarter of each
    wanted[..., 1, 0] = np.inf
    assert reference(engines_of(project.plan).steps, project.parameters, x).tobytes() == wanted.tobytes()
    assert design.emulated.run(x).y.tobytes() == wanted.tobytes()
