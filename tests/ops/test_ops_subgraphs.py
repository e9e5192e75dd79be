"""Layers on the processor in the middle of a network: whole systems of several subgraphs, to the bit."""

from __future__ import annotations

import re
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aieloom
from aieloom.cli import main
from aieloom.errors import SpecError
from aieloom.explain.explain import explain
from aieloom.flow.designs import design_of as flow_design
from aieloom.flow.opening import open_project
from aieloom.plan.rates import banks
from aieloom.plan.types import array_of
from aieloom.spec.network import INPUT
from tests.designs import RESIDUAL_MLP, design_of
from tests.flow.conftest import SMALL, SMALL_SHAPES, make_project
from tests.ops.cores import check as check_cores
from tests.ops.networks import on_processor, random_graph_yaml
from tests.quantize.projects import inputs, write_project
from tests.strategies.chained.designs import CHAIN

RESIDUAL = """\
name: residual
target: {target}
weights: w.safetensors
{more}input: {{name: x, shape: [4, 8, 8]}}
layers:
  - {{name: first, op: conv2d, out_channels: 8, kernel: 3, padding: 1}}
  - {{name: soft, op: gelu}}
  - {{name: second, op: conv2d, out_channels: 8, kernel: 3, padding: 1}}
  - {{name: beside, op: conv2d, out_channels: 8, kernel: 1, inputs: [first]}}
  - {{name: both, op: mul, inputs: [second, beside]}}
  - {{name: sum, op: add, inputs: [both, first]}}
  - {{name: act, op: relu}}
  - {{name: side, op: reduce_mean, axes: [height, width], inputs: [first]}}
  - {{name: scaled, op: mul, inputs: [act, side]}}
  - {{name: last, op: conv2d, out_channels: 4, kernel: 1}}
  - {{name: rest, op: add, inputs: [last, x]}}
mapping:
  soft: {{engine: ps}}
"""
KINDS = {
    "float32": ("vck190", "", 1e-5),
    "int8": ("vek280", "activations: int8", 0.3),
    "int8 on AIE": ("vck190", "activations: int8", 0.3),
    "bfloat16": ("vek280", "activations: bfloat16, weights: bfloat16", 0.1),
}


def made(folder: Path, text: str, quantize: str) -> aieloom.Design:
    """Write a project and open it as a design."""
    write_project(folder, text, quantize)
    if not quantize:
        (folder / "network.yaml").write_text(text)
    return aieloom.design(folder, build=folder / "build")


def check(design: aieloom.Design, tolerance: float, images: int = 5) -> None:
    x = inputs(design.plan.x.outside, images)
    y = design.emulate(x)
    assert np.array_equal(y, design.reference(x))
    assert np.abs(y - design.torch(x)).max() < tolerance * np.abs(y).max()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["float32", "int8", "bfloat16"])
def test_an_mlp_with_norms_between_its_layers(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    target, quantize, tolerance = KINDS[kind]
    design = made(tmp_path, RESIDUAL_MLP.format(target=target, more=""), quantize)
    assert len(array_of(design.plan).subgraphs) == 3
    check(design, tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_skips_pass_the_processor(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    target, quantize, tolerance = KINDS[kind]
    design = made(tmp_path, RESIDUAL.format(target=target, more=""), quantize)
    assert [s.receives for s in array_of(design.plan).subgraphs] == ["first", "second", "beside", "last"]
    assert [s.sends for s in array_of(design.plan).subgraphs] == [INPUT, "soft", "first", "scaled"]
    check(design, tolerance)
    x = inputs(design.plan.x.outside, 5)  # in batches of two, and one
    x.tofile(tmp_path / "input.bin")
    system = flow_design(design.project).emulated
    files = (str(system.program), str(system.xclbin), "input.bin")
    words = [*files, "--output", "again.bin", "--batch", "2"]
    emulated = subprocess.run(words, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert emulated.returncode == 0, emulated.stderr
    again = np.fromfile(tmp_path / "again.bin", "<f4")
    assert np.array_equal(again, design.reference(x).ravel())


LOGIC = """\
name: logic
target: {target}
weights: w.safetensors
input: {{name: x, shape: [2, 4, 4]}}
layers:
  - {{name: first, op: dense, out_features: 6}}
  - {{name: a, op: softplus}}
  - {{name: up, op: relu}}
  - {{name: twice, op: add, inputs: [up, a]}}
  - {{name: b, op: softplus}}
  - {{name: last, op: dense, out_features: 3}}
mapping:
  a: {{engine: ps}}
  up: {{engine: pl}}
  b: {{engine: ps}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["float32", "int8"])
def test_programmable_logic_alone_can_be_a_subgraph(kind: str, tmp_path: Path) -> None:
    """It holds the sum as well, whose inputs both come of the one tensor that enters it."""
    pytest.importorskip("torch")
    target, quantize, tolerance = KINDS[kind]
    design = made(tmp_path, LOGIC.format(target=target), quantize)
    assert [s.layers for s in array_of(design.plan).subgraphs][1] == ("up", "twice")
    check(design, tolerance)


@pytest.mark.slow
def test_chains_end_and_begin_at_the_processor(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    target, quantize, tolerance = KINDS["bfloat16"]
    text = CHAIN.replace("  - {name: conv2,", "  - {name: soft, op: gelu}\n  - {name: conv2,")
    design = made(tmp_path, f"{text}  soft: {{engine: ps}}\n", quantize)
    assert array_of(design.plan).device.name == target
    assert [s.receives for s in array_of(design.plan).subgraphs] == [
        "conv1",
        "shares",
    ]  # conv1 with its relu and pool
    assert [p.name for p in array_of(design.plan).plios] == [
        "conv1_in_0",
        "conv1_out_0",
        "conv2_in_0",
        "fc_out_0",
    ]
    check(design, tolerance)


@pytest.mark.slow
def test_copies_of_a_design_of_subgraphs_share_the_images(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    text = RESIDUAL_MLP.format(target="vck190", more="copies: 2\n") + "mapping:\n  mid: {weights: stream}\n"
    design = made(tmp_path, text, "")
    assert (array_of(design.plan).copies, len(array_of(design.plan).subgraphs)) == (2, 3)
    check(design, 1e-5)


def test_each_copy_has_movers_of_its_own_for_every_subgraph() -> None:
    design = design_of(RESIDUAL_MLP.format(target="vck190", more="copies: 2\n"))
    config = design.files()["src/system.cfg"]
    for line in (
        "nk=mm2s_mid:2\n",
        f"sp=mm2s_mid_2.memory:{banks(design.plan)['mm2s_mid']}\n",
        "stream_connect=mm2s_mid_2.out:pl_norm_to_mid_2.in\n",
        "stream_connect=pl_norm_to_mid_2.out:ai_engine_0.mid_copy2_in_0\n",
    ):
        assert line in config.replace("out_0:", "out:")
    assert len(set(re.findall(r"^stream_connect=(\S+)$", config, re.MULTILINE))) == len(
        design.plan.connections
    )
    one = design_of(RESIDUAL_MLP.format(target="vck190", more=""))
    host = sum(s.interval_us for s in one.plan.cost.stages if s.kind == "ps")
    assert design.plan.cost.interval_us - host == pytest.approx((one.plan.cost.interval_us - host) / 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_branches_with_layers_on_the_processor_anywhere(seed: int, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    target, quantize, _ = list(KINDS.values())[seed % len(KINDS)]
    text = on_processor(random_graph_yaml(500 + seed), seed).replace("target: vck190", f"target: {target}")
    try:
        design = made(tmp_path, text, quantize)
        x = inputs(design.plan.x.outside, 3)
    except SpecError as e:
        if {p.rule for p in e.problems} <= {"aie-1", "mem-1", "plio-1", "route-1", "place-1"}:
            pytest.skip(str(e))
        raise
    assert np.array_equal(design.emulate(x), design.reference(x)), text


@pytest.mark.integration
def test_the_array_alone_is_given_every_subgraphs_data(tmp_path: Path) -> None:
    """The graph as a simulator runs it: each layer's files are the reference's, whatever the processor does between."""
    design = made(tmp_path, RESIDUAL_MLP.format(target="vck190", more="copies: 1\n"), "")
    assert {p.layer for p in array_of(design.plan).plios} == {"up", "mid", "down"}
    assert check_cores(open_project(tmp_path, build=tmp_path / "build"), "", 1) == 3


MORE = """\
  - {name: norm, op: layer_norm, over: width}
  - {name: level, op: reduce_mean, axes: [channels, height, width], inputs: [first]}
  - {name: scaled, op: mul, inputs: [norm, level]}
  - {name: best, op: argmax}
mapping:
  squash: {engine: ps}
"""


@pytest.mark.slow
def test_doit_runs_and_tells_of_every_subgraph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The cores are those of tests/flow, whose objects are kept. What comes from the first subgraph is read twice."""
    shapes = {**SMALL_SHAPES, "norm.weight": (16,), "norm.bias": (16,)}
    folder = make_project(tmp_path, SMALL.replace("mapping:\n", MORE), shapes)
    done = folder.doit("sim")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS" in done.stdout and "bit for bit equal" in done.stdout
    assert "squash (op tanh) runs on the processor: mapping: engine: ps" in done.stdout
    assert "best (op argmax) runs on the processor: op argmax runs on the processor only" in done.stdout
    assert (
        "subgraph 2 of the device is 'last' to 'shuffle': 'squash' comes from memory by mm2s_last"
        in done.stdout
    )
    header = (folder.build / "src" / "host" / "small_host.h").read_text()
    assert "// On the processor: op argmax runs on the processor only." in header
    page = (folder.build / "report" / "index.html").read_text()
    assert "processor: mapping: engine: ps" in page and "im2col_gemm, subgraph 2" in page
    assert (
        page.count(">DDR<") == 3
    )  # arrows to the layers between the subgraphs, from them, and to those behind
    project = open_project(tmp_path, build=tmp_path / "build")
    assert "subgraph 2 of the device" in "\n".join(explain(project, "last"))
    told = "\n".join(explain(project, "level"))
    assert "reduce_mean 8x8x8 float32 to 1x1x1 float32 on the processor" in told
    assert "host_before_last: about" in told and "host_after" not in told
    assert main(["check", str(tmp_path)]) == 0
    assert "subgraph 1 of the device is 'first'" in capsys.readouterr().out


# --- a network from PyTorch by way of ONNX -----------------------------------------------------------------------


def exported(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Write a network with a LayerNorm in its middle as PyTorch's exporter does; return inputs of it."""
    torch: Any = pytest.importorskip("torch")
    nn = torch.nn
    torch.manual_seed(1)
    model = nn.Sequential(
        nn.Linear(16, 24), nn.ReLU(), nn.LayerNorm(24), nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, 10)
    )
    x = inputs((16,), 96)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter that needs no further package calls itself old
        torch.onnx.export(
            model.eval(), (torch.from_numpy(x[:1]),), path, dynamo=False, opset_version=17, input_names=["x"]
        )
    return x


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["float32", "int8"])
def test_a_norm_in_an_exported_network(kind: str, tmp_path: Path) -> None:
    target, quantize, tolerance = KINDS[kind]
    pytest.importorskip("onnx")
    x = exported(tmp_path / "model.onnx").reshape(-1, 16, 1, 1)
    np.savez(tmp_path / "calib.npz", x=x)
    more = f"quantize: {{calibration: calib.npz, {quantize}}}\n" if quantize else ""
    (tmp_path / "network.yaml").write_text(f"name: exported\ntarget: {target}\nweights: model.onnx\n{more}")
    design = aieloom.design(tmp_path, build=tmp_path / "build")
    processor = array_of(design.plan).processor
    assert processor is not None
    assert [s.op for s in processor.segments[1].steps] == ["layer_norm"]
    assert len(array_of(design.plan).subgraphs) == 2
    check(design, tolerance)
