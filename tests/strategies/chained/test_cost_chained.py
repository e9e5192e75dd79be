"""A counting build of the emulator counts of chained kernels what their loops say; the event simulation runs chains."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from aieloom.emit.files import write_tree
from aieloom.emit.names import SIMULATED_IMAGES
from aieloom.emit.project import render
from aieloom.emulator.program import emulate
from aieloom.simulation.of_plan import simulate_plan
from aieloom.spec.quantize import QuantizeSpec, Scales
from aieloom.vitis.simdata import streams as sim_streams
from aieloom.vitis.simdata import write_inputs
from tests.conformance.native import INCLUDE
from tests.cost.counted import COUNTING, check_counts
from tests.designs import edited, network_of, weights_of
from tests.quantize.kernels import integer_design, run_array
from tests.strategies.chained.designs import CHAIN, bfloat16_plan


@pytest.mark.integration
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
        defines=COUNTING,
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
    check_counts(plan, done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scales", "overflow"),
    [(s.value, o) for s in Scales for o in ("saturate", "wrap") if s is not Scales.ONNX or o == "saturate"],
)
def test_arrays_of_integers_count_what_the_model_says(scales: str, overflow: str, tmp_path: Path) -> None:
    settings = QuantizeSpec.model_validate({"scales": scales, "overflow": overflow, "symmetric": True})
    run_array(integer_design(CHAIN, settings), tmp_path, least=10)


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
