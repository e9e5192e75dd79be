"""Networks on the matrix engine in the logic: emulated against their reference, the reference against PyTorch."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.cli import main
from aieloom.errors import SpecError
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_any, open_project
from aieloom.flow.sim import simulate
from aieloom.matrix_engine.engine import Product, engine_of, product_cost
from aieloom.matrix_engine.network import products
from aieloom.plan.processor import PsStep
from aieloom.reference.results import torch_reference
from aieloom.units.plan import interval_us
from tests.designs import ROOT
from tests.matrix_engine.projects import NETWORK, opened


def test_an_emulated_network_equals_its_reference_and_pytorch(tmp_path: Path) -> None:
    project = opened(tmp_path)
    x = np.random.default_rng(5).normal(0, 1, (19, 2, 9, 7)).astype(np.float32)  # more than a batch
    handle = aieloom.design(project.folder)
    y = handle.emulate(x)
    wanted = design_of(project).reference(x)
    assert y.tobytes() == wanted.tobytes()
    floats = torch_reference(project.network, project.float_parameters, x)
    assert np.allclose(y, floats, rtol=0, atol=1e-5)
    made = handle.project.build
    assert set(design_of(project).sources.names) == {
        str(f.relative_to(made)) for f in (made / "src").rglob("*") if f.is_file()
    }
    page = handle.report()
    assert "✔ PASS" in page.read_text()
    assert json.loads((page.parent / "summary.json").read_text())["passed"]


def test_half_precision_rounds_every_step(tmp_path: Path) -> None:
    project = opened(tmp_path, NETWORK.replace("block: [16, 16, 8]", "element: float16, block: [32, 32, 8]"))
    x = np.random.default_rng(5).normal(0, 1, (2, 2, 9, 7)).astype(np.float32)
    y = design_of(project).reference(x)
    floats = torch_reference(project.network, project.float_parameters, x)
    error = np.abs(y - floats).max() / np.abs(floats).max()
    assert 2.0**-14 < error < 2.0**-6, "half precision, and no more"


@pytest.mark.slow
@pytest.mark.parametrize("element", ["float32", "float16"])
def test_the_published_convolution(element: str, tmp_path: Path) -> None:
    text = (ROOT / "projects/caffe-conv/network.yaml").read_text()
    (tmp_path / "network.yaml").write_text(
        text.replace("strategy: gemm}", f"strategy: gemm, element: {element}}}")
    )
    for name in ("weights.safetensors", "samples.npz"):
        (tmp_path / name).write_bytes((ROOT / "projects/caffe-conv" / name).read_bytes())
    project = open_any(tmp_path, target="zynq-7020", build=tmp_path / "build")
    (product,) = products(project.plan.tasks)
    assert product.read(Product).size == (96, 484, 363)
    design = design_of(project)
    design.emulated.make(design.render())
    simulate(design)
    summary = json.loads((project.build / "report" / "summary.json").read_text())
    assert summary["passed"]
    assert summary["golden"]["bit_exact"]


@pytest.mark.parametrize(
    ("was", "becomes", "text"),
    [
        ("  fc: {engine: pl, strategy: gemm, block: [16, 16, 8]}\n", "", "'conv' runs on the matrix engine in the logic and 'fc'"),
        ("  fc: {engine: pl, strategy: gemm, block: [16, 16, 8]}", "  fc: {engine: pl}", "'conv' and 'fc' want engines of another"),
        ("strategy: gemm, block: [16, 16, 8]}\n  fc", "strategy: direct}\n  fc", "engine: pl and strategy: gemm belong together"),
        ("{engine: pl, strategy: gemm, block", "{engine: aie, block", "element and block are keys of engine: pl"),
        ("{engine: pl, strategy: gemm, block", "{engine: pl, plio: 64, block", "leave plio out"),
        ("padding: [1, 0]", "padding: [1, 0], groups: 1", ""),
        ("[16, 16, 8]", "[64, 64, 66]", "[engine-1] a block of 64 x 64 x 66 (M x N x K) in float32 does not fit"),
    ],
)  # fmt: skip
def test_what_no_design_has_is_refused(was: str, becomes: str, text: str, tmp_path: Path) -> None:
    assert was in NETWORK
    wrong = NETWORK.replace(was, becomes)
    if not text:
        opened(tmp_path, wrong)
        return
    with pytest.raises(SpecError) as error:
        opened(tmp_path, wrong)
    assert text in str(error.value)
    assert "network.yaml:" in str(error.value)


def test_groups_and_the_array_s_commands_are_refused(tmp_path: Path) -> None:
    grouped = NETWORK.replace("out_channels: 5", "out_channels: 4, groups: 2")
    with pytest.raises(
        SpecError,
        match=r"\[engine-2\] layer 'conv' has 2 groups: the matrix engine multiplies by whole matrices",
    ):
        opened(tmp_path, grouped.replace("weights.safetensors", "none.safetensors"))
    opened(tmp_path)
    with pytest.raises(SpecError, match=r"network.yaml:2: \[array-2\] zynq-7020 has no AI Engine array"):
        (tmp_path / "network.yaml").write_text(NETWORK.split("mapping:", maxsplit=1)[0])
        open_project(tmp_path)


def test_turns_are_products_and_the_processor_s_layers_between_them(tmp_path: Path) -> None:
    plan = opened(tmp_path).plan
    engine, cpu = engine_of(plan), plan.board.processor
    assert [(t.units, t.tasks) for t in plan.schedule.turns] == [
        (("gemm_engine",), ("conv",)),
        (("host_before_fc",), ("act", "pool")),
        (("gemm_engine",), ("fc",)),
    ]
    # 5 channels of 5 x 6, of 2 x 3 x 2 taps; then 5 channels of 2 x 3 into 3 values, without a bias
    sizes = {"conv": (5, 5 * 6, 12), "fc": (3, 1, 30)}
    assert {t.name: t.read(Product).size for t in products(plan.tasks)} == sizes
    costs = [product_cost(engine, *sizes[name], adds=name == "conv").total_us for name in sizes]
    operations = sum(t.read(PsStep).operations for t in plan.tasks if t.name in ("act", "pool"))
    layers = operations * cpu.cycles_per_operation / cpu.mhz
    assert interval_us(plan) == pytest.approx(sum(costs) + layers)


@pytest.mark.parametrize("kind", ["bfloat16", "int8"])
def test_elements_that_the_engine_does_not_multiply_are_named(kind: str, tmp_path: Path) -> None:
    """It has float32 and float16: what network.yaml calls bfloat16 is not computed in float32 without a word."""
    x = np.random.default_rng(5).normal(0, 1, (4, 2, 9, 7)).astype(np.float32)
    np.savez(tmp_path / "calib.npz", x=x)
    settings = f"quantize: {{activations: {kind}, weights: {kind}"
    settings += ", calibration: calib.npz}\n" if kind == "int8" else "}\n"
    with pytest.raises(SpecError) as error:
        opened(tmp_path, NETWORK + settings)
    said = [(p.rule, p.text) for p in error.value.problems]
    wanted = f"is {kind}: the matrix engine multiplies float32, or float16 where element: says it"
    assert said == [("engine-2", f"layer '{name}' {wanted}") for name in ("conv", "fc")]
    assert "leave quantize: out" in str(error.value)


def test_the_commands_of_a_project_take_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = opened(tmp_path)
    assert main(["check", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    used, limit = engine_of(project.plan).block.dsp, project.plan.board.logic.dsp
    assert f"DSP slices: {used:,} of {limit:,}" in said


def test_explain_tells_products_and_what_the_processor_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = opened(tmp_path).plan
    cost = product_cost(engine_of(plan), 5, 30, 12, adds=True)
    explain = ["explain", "--project", str(tmp_path)]
    assert main([*explain, "conv"]) == 0
    said = capsys.readouterr().out
    assert "conv: conv2d, 2x9x7 float32 to 5x5x6 float32, on the matrix engine in the logic" in said
    assert "5 x 30 x 12 (M x N x K), 1 x 2 x 2 blocks" in said
    assert f"{cost.total_us:,.0f} with the host program" in said and f"bound by {cost.bottleneck}" in said
    assert f"its turn (conv) takes {cost.total_us:,.1f} us of the {interval_us(plan):,.1f} us" in said
    assert main([*explain, "pool"]) == 0
    said = capsys.readouterr().out
    assert "pool: max_pool, 5x5x6 float32 to 5x2x3 float32, on the processor" in said
    assert "the engine multiplies matrices only" in said and "its turn (act, pool) takes" in said
    assert main([*explain, "none"]) == 2
    assert "[layer] there is no layer 'none'" in capsys.readouterr().err
