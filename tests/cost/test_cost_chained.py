"""The timed emulator counts of chained kernels what their loops say; the event simulation runs chains."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from aieloom.cost.chained import chained_kernel, loops
from aieloom.cost.loops import counts, pipelined_trips
from aieloom.cost.of_plan import simulate_plan
from aieloom.cost.parameters import load_parameters
from aieloom.emit.aie import SIMULATED_IMAGES
from aieloom.emit.files import write_tree
from aieloom.emit.project import render
from aieloom.emulator.program import emulate
from aieloom.plan.chains.grid import ChainGrid
from aieloom.plan.chains.loops import chained_of
from aieloom.plan.types import AieLayerPlan
from aieloom.vitis.simdata import streams as sim_streams
from aieloom.vitis.simdata import write_inputs
from tests.conformance.native import INCLUDE
from tests.designs import edited, network_of, weights_of
from tests.plan.chained import CHAIN, bfloat16_plan

COUNTED = re.compile(
    r"^(\w+)::run\[0\]: calls (\d+), vector loads (\d+), stores (\d+), multiplications (\d+) \((\d+) products\), "
    r"shuffles (\d+), stream words (\d+), pipelined trips (\d+)$",
    re.MULTILINE,
)


def by_model(layer: AieLayerPlan) -> list[float]:
    """Return one call's operations and pipelined trips."""
    grid = layer.grid
    assert isinstance(grid, ChainGrid)
    chained = chained_of(grid, layer.draft.requant)
    nodes = loops(chained)
    estimate = chained_kernel(load_parameters(), "aie-ml", chained)
    assert counts(*estimate.nodes) == counts(*nodes), "the estimate counts the same"
    ops = counts(*nodes)
    m, k, n = grid.mmul
    return [ops.loads, ops.stores, ops.macs, ops.macs * m * k * n, ops.shuffles, 0, pipelined_trips(*nodes)]


def test_the_array_alone_gives_the_reference_and_counts_what_the_model_says(tmp_path: Path) -> None:
    text = edited(CHAIN, "bands: 2}", "bands: 2, weights: stream}")  # conv2's and fc's are compiled in
    plan, weights = bfloat16_plan(text), weights_of(network_of(text))
    write_tree(tmp_path, render(plan, weights), owned=())
    warnings = ["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
    defines = ["-D__AIE_ARCH__=20", "-D__X86SIM__", f"-I{INCLUDE}", f"-I{tmp_path}/src/aie"]
    compiled = subprocess.run(
        [*warnings, *defines, f"{tmp_path}/src/aie/graph.cpp", f"{tmp_path}/src/aie/conv1.cc"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert compiled.stderr == ""
    x = np.random.default_rng(1).normal(size=(SIMULATED_IMAGES, *plan.x.shape)).astype(np.float32)
    streams = sim_streams(plan, weights, x)
    assert [s.plio.name for s in streams if s.plio.weights] == ["conv1_weights_0", "conv1_weights_1"]
    write_inputs(tmp_path, streams)
    last = next(s for s in streams if not s.plio.is_input)
    done = emulate(
        tmp_path / "src" / "aie" / "graph.cpp",
        timed=True,
        arch="aie-ml",
        data=tmp_path,
        folder=tmp_path / "build",
        out=tmp_path / "out",
    )
    assert done.code == 0, done.stderr
    text = (tmp_path / "out" / last.plio.data_file).read_text(encoding="utf-8")
    result = np.array(text.split(), np.float32)[last.counts]
    assert np.array_equal(result, last.values[last.counts])
    assert len(result) == SIMULATED_IMAGES * 10
    found = {row[0]: list(map(int, row[1:])) for row in COUNTED.findall(done.stdout)}
    for layer in plan.aie:
        calls, *ops = found[f"{layer.draft.class_name}Kernel"]
        assert calls == SIMULATED_IMAGES
        assert ops == [SIMULATED_IMAGES * n for n in by_model(layer)], f"{layer.name}: {ops}"


def test_more_cores_are_faster_by_the_model() -> None:
    few, many = bfloat16_plan(CHAIN.replace("cores: 3}", "cores: 1}")), bfloat16_plan(CHAIN)
    cycles = [next(s.cycles for s in plan.cost.stages if s.name == "conv2") for plan in (few, many)]
    assert cycles[0] > 2 * cycles[1]


@pytest.mark.parametrize("buffers", ["single", "ping_pong"])
def test_chains_run_in_the_event_simulation(buffers: str) -> None:
    plan = bfloat16_plan(CHAIN.replace("cores: 3}", f"cores: 3, buffers: {buffers}}}"))
    run = simulate_plan(plan)
    slowest = max(s.interval_us for s in plan.cost.stages)
    assert slowest * 0.7 <= run.interval_us <= slowest * 1.3  # of single buffers, whose ends overlap a little
    lanes = {s.lane for s in run.slices}
    assert {"aie/conv1 (4 cores)", "aie/conv2 (3 cores)", "aie/fc (1 cores)"} <= lanes
    assert run.latency_us > run.interval_us
