"""ESPCN on the VCK190: the figures of its plan, its results, and that YAML alone retiles it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.errors import CannotFit, SpecError
from aieloom.flow.opening import open_project
from aieloom.flow.samples import load_samples, psnr
from aieloom.reference.results import analyse
from tests.espcn.conftest import ESPCN, errors, images, remap

ELSEWHERE = Path(
    os.environ.get("AIELOOM_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")
)


def test_the_plan_has_the_published_figures() -> None:
    plan = open_project(ESPCN).array
    assert [len(layer.kernels) for layer in plan.aie] == [16, 128, 16]
    assert plan.tiles_in_use == 288
    for is_input, counts in ((True, [4, 32, 16]), (False, [16, 128, 16])):
        assert [
            sum(p.layer == name and p.is_input == is_input for p in plan.plios)
            for name in ("conv1", "conv2", "conv3")
        ] == counts
    assert {"core-2", "mem-2", "dma-1", "plio-1", "route-1", "clk-1", "pl-1", "rate-1"} <= {
        c.rule for c in plan.checks
    }
    assert all(c.used <= c.limit for c in plan.checks)


def check_all_images(folder: Path, weights: Path | None) -> None:
    """The acceptance of issue 2: hardware reference, float64 tables, PSNR, on every test image."""
    project = open_project(folder, weights=weights)
    samples = load_samples(project)
    design = aieloom.design(folder, weights=weights, build=folder / "out")
    y = design.emulate(samples.x)
    analysis = analyse(project.array, project.parameters, samples.x)
    np.testing.assert_array_equal(y, analysis.hardware)
    assert analysis.unreached_error(y) <= 2e-5
    assert analysis.share_within(1e-4, y) >= 0.9
    assert samples.expected is not None
    loss = psnr(design.torch(samples.x), samples.expected) - psnr(y, samples.expected)
    assert float(loss.max()) <= 0.15
    page = design.report().read_text(encoding="utf-8")
    assert "PASS" in page and page.count("data:image/png;base64,") == 1 and f"{len(samples)} samples" in page


@pytest.mark.slow
def test_every_image_agrees(espcn: Path) -> None:
    check_all_images(espcn, None)


@pytest.mark.skipif(not ELSEWHERE.is_dir(), reason="no weights trained elsewhere on this machine")
def test_weights_trained_elsewhere_agree(espcn: Path) -> None:
    check_all_images(espcn, ELSEWHERE / "espcn" / "espcn_x2_bsds300.pth")


@pytest.mark.integration
def test_modules_that_a_run_imports(espcn: Path) -> None:
    """Of aieloom's own, for a run that does all the work and for one that has nothing to do."""
    code = "import atexit, sys, aieloom.cli; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); aieloom.cli.main()"
    for most in (250, 201):
        done = subprocess.run(
            [sys.executable, "-c", code, "sim", str(espcn)], check=True, capture_output=True, text=True
        )
        *_, modules = done.stderr.splitlines()
        assert len({m for m in modules.split() if m.startswith("aieloom.")}) <= most, (
            "what does a run need them for?"
        )


LEGAL = [
    ("conv1", "{tile: [32, 16, 64], mmul: [4, 2, 4], buffers: single, plio: 128}"),
    ("conv1", "{tile: [16, 8, 64], mmul: [4, 2, 4], buffers: single, plio: 128}"),  # K over 4 passes
    ("conv1", "{tile: [32, 26, 32], mmul: [4, 2, 4], buffers: ping_pong, plio: 64}"),
    ("conv2", "{tile: [8, 288, 16], mmul: [4, 2, 4], buffers: single, plio: 64}"),  # K over 2 passes
    (
        "conv2",
        "{tile: [8, 144, 8], mmul: [4, 2, 4], buffers: ping_pong, plio: 64}",
    ),  # K over 4 passes, ping-pong
    ("conv2", "{tile: [8, 576, 8], mmul: [2, 4, 4], buffers: single, plio: 64}"),
    ("conv3", "{tile: [4, 288, 16], mmul: [2, 2, 2], buffers: single, plio: 32}"),
    ("conv3", "{tile: [4, 96, 32], mmul: [4, 4, 2], buffers: ping_pong, plio: 64}"),
    ("conv3", "{tile: [4, 288, 16], mmul: [4, 2, 4], buffers: single, plio: 64, groups: 8}"),
    (
        "conv3",
        "{tile: [4, 288, 16], mmul: [4, 2, 4], buffers: single, plio: 64, place: {col: 6, row: 2, cols: 10, rows: 4}}",
    ),
]


@pytest.mark.integration
@pytest.mark.parametrize(
    ("layer", "mapping"),
    [tiling if n == 1 else pytest.param(*tiling, marks=pytest.mark.slow) for n, tiling in enumerate(LEGAL)],
)
def test_other_tilings_pass(espcn: Path, layer: str, mapping: str) -> None:
    remap(espcn, layer, mapping)
    against_hardware, against_torch = errors(espcn, images(3))
    assert against_hardware == 0
    assert against_torch < 0.05  # the tables' share


ILLEGAL = [
    ("conv1", "{tile: [15, 16, 64]}", "gemm-2"),
    ("conv1", "{tile: [16, 16, 64], mmul: [4, 3, 4]}", "gemm-1"),
    ("conv2", "{tile: [32, 576, 64], mmul: [4, 2, 4], buffers: single}", "mem"),
    ("conv2", "{tile: [8, 576, 8], mmul: [4, 2, 4], buffers: single, plio: 48}", "value"),
    ("conv2", "{tile: [4, 576, 4], mmul: [4, 2, 4], buffers: single}", "core-1"),
    ("conv3", "{tile: [4, 288, 16], mmul: [4, 2, 4], place: {col: 48, row: 6, cols: 8, rows: 8}}", "place"),
    ("conv3", "{tile: [4, 288, 16], mmul: [4, 2, 4], place: {col: 0, row: 0, cols: 2, rows: 1}}", "place"),
    ("tanh1", "{lut: {entries: 1, range: [-4, 4]}}", "value"),
    ("tanh1", "{lut: {entries: 1024, range: [4, -4]}}", ""),
    ("tanh2", "{clock_mhz: 900}", "clk"),
]


@pytest.mark.parametrize(("layer", "mapping", "rule"), ILLEGAL)
def test_illegal_tilings_are_refused_by_their_rule(espcn: Path, layer: str, mapping: str, rule: str) -> None:
    line = remap(espcn, layer, mapping)
    with pytest.raises((CannotFit, SpecError)) as refused:
        open_project(espcn)
    (first, *_) = refused.value.problems
    assert first.line == line, str(refused.value)
    assert first.rule.startswith(rule), str(refused.value)
    assert first.remedy
    assert any(c.isdigit() for c in first.text + first.remedy), "the numbers are missing"
    assert not (espcn / "build").exists()


def conv(channels: int, kernel: int, more: str = "") -> str:
    return f"conv2d, out_channels: {channels}, kernel: {kernel}, padding: {kernel // 2}{more}"


OTHER_NETWORKS = {
    "24x40": ("[1, 24, 40]", [conv(8, 3), "tanh", conv(4, 3), "pixel_shuffle, upscale: 2"]),
    "kernel7": ("[1, 16, 16]", [conv(8, 7), "tanh", conv(4, 1), "pixel_shuffle, upscale: 2"]),
    "stride2": ("[1, 16, 16]", [conv(8, 3, ", stride: 2"), "tanh", conv(4, 3)]),
    "upscale3": ("[1, 8, 8]", [conv(16, 3), "tanh", conv(9, 3), "pixel_shuffle, upscale: 3"]),
    "upscale4": ("[1, 8, 8]", [conv(16, 3), "tanh", conv(16, 3), "pixel_shuffle, upscale: 4"]),
    "colour": ("[3, 12, 12]", [conv(16, 3), "tanh", conv(12, 3), "pixel_shuffle, upscale: 2"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHER_NETWORKS)
def test_other_networks_pass(tmp_path: Path, name: str) -> None:
    torch = pytest.importorskip("torch")
    shape, layers = OTHER_NETWORKS[name]
    rows = "\n".join(f"  - {{name: l{i}, op: {layer}}}" for i, layer in enumerate(layers))
    (tmp_path / "network.yaml").write_text(
        f"name: other\ntarget: vck190\nweights: w.pt\ninput: {{name: x, shape: {shape}, dtype: float32}}\nlayers:\n{rows}\n"
    )
    project = open_project(tmp_path)
    torch.manual_seed(1)
    state = {
        f"{layer.name}.{p.name}": torch.randn(p.shape) * (p.shape[1] * p.shape[2] * p.shape[3]) ** -0.5
        if len(p.shape) == 4
        else torch.randn(p.shape)
        for layer in project.network.layers
        for p in layer.parameters
    }
    torch.save(state, tmp_path / "w.pt")
    x = np.random.default_rng(2).uniform(0, 1, (2, *json.loads(shape))).astype(np.float32)
    against_hardware, against_torch = errors(tmp_path, x)
    assert against_hardware == 0
    assert against_torch < 0.1
