"""Several copies of a design side by side: what each has, what they share, and whole systems to the bit."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.emit.names import output_names
from aieloom.errors import SpecError
from aieloom.flow.dse import search
from aieloom.flow.opening import open_project
from aieloom.plan.types import array_of
from aieloom.plan.whole import whole
from aieloom.report.summary import resources
from aieloom.search.choose import Outcome
from aieloom.simulation.of_plan import modelled_rates, simulate_plan
from aieloom.vitis.simdata import streams
from tests.designs import ROOT, SENT_COPIES, SMALL, TWO_COPIES, design_of, plan_of
from tests.emit.compiling import INCLUDE, STRICT, compiler, together, written
from tests.ops.system import project
from tests.tiles.networks import ESPCN


def test_copies_multiply_what_they_take_and_give() -> None:
    one, two = plan_of(SMALL), plan_of(TWO_COPIES)
    assert (two.copies, two.cores, two.tiles_in_use) == (2, 2 * one.cores, 2 * one.tiles_in_use)
    assert len(two.plios) == len({p.name for p in two.plios}) == 2 * len(one.plios)
    assert len(two.connections) == len(set(two.connections)) == 2 * len(one.connections)
    assert two.cost.throughput_fps == pytest.approx(2 * one.cost.throughput_fps)
    assert two.cost.latency_us == one.cost.latency_us
    ours, theirs = simulate_plan(two), simulate_plan(one)
    assert (2 * ours.interval_us, ours.latency_us) == pytest.approx((theirs.interval_us, theirs.latency_us))
    for name in ("bram36", "lut"):
        assert resources(whole(two))["pl"][name] == 2 * resources(whole(one))["pl"][name]
    tiles = [set(layer.tiles) for layer in two.all_aie]
    assert len(set().union(*tiles)) == sum(map(len, tiles))


def test_a_copy_has_places_of_its_own_and_the_kernels_of_all() -> None:
    design = design_of(TWO_COPIES)
    files = design.files()
    assert set(files) == set(output_names(design.plan))
    assert "src/aie/first_copy2_graph.h" in files
    assert "src/aie/first_copy2.cc" not in files
    graph = files["src/aie/first_copy2_graph.h"]
    assert "class FirstCopy2Graph" in graph
    assert "FirstKernel" in graph
    config = files["src/system.cfg"]
    assert "nk=pl_act:2\n" in config
    assert "stream_connect=pl_act_2.out:ai_engine_0.second_copy2_in_0" in config.replace("out_0", "out")
    assert "sp=mm2s_2.memory:" in config
    host = next(text for name, text in files.items() if name.endswith("_host.cpp"))
    started = {f'"{k}:{{{k}_{copy}}}"' for k in ("pl_act", "pl_shuffle") for copy in (1, 2)}
    assert set(re.findall(r'frames_\.emplace_back\(xrt::kernel\(device_, uuid_, ("[^"]+")', host)) == started


def test_each_copy_is_sent_its_weights() -> None:
    design = design_of(SENT_COPIES)
    ways = [c for c in design.plan.connections if c.source.startswith("weights_second_")]
    assert len({c.target for c in ways}) == len(ways) == 2 * len(ways[: len(ways) // 2])
    assert {c.source.split(".")[0] for c in ways} == {"weights_second_1", "weights_second_2"}
    assert any("second_copy2_weights_0" in c.target for c in ways)
    host = design.files()["src/host/small_host.cpp"]
    assert "copy <= kCopies" in host
    assert "weights_second:{weights_second_" in host


def test_simulations_of_the_array_alone_feed_every_copy() -> None:
    design = design_of(TWO_COPIES)
    found = {s.plio.name: s.values for s in streams(design.plan, design.parameters, design.images(2))}
    assert set(found) == {p.name for p in design.plan.plios}
    assert np.array_equal(found["second_copy2_out_0"], found["second_out_0"])


def test_places_of_the_user_are_repeated_beside_each_other() -> None:
    text = TWO_COPIES.replace(
        "mmul: [4, 2, 4]}\n  act", "mmul: [4, 2, 4], place: {col: 8, row: 1, cols: 4, rows: 2}}\n  act"
    )
    plan = plan_of(text)
    first, copy = plan.aie[0], plan.others[0]
    assert copy.name == "first_copy2"
    assert [(c - 4, r) for c, r in (k.tile for k in copy.kernels)] == [k.tile for k in first.kernels]


def test_too_many_copies_are_refused_by_what_is_short() -> None:
    with pytest.raises(SpecError, match=r"\[(place-1|plio-1|pl-1|route-1)\]"):
        plan_of(TWO_COPIES.replace("copies: 2", "copies: 64"))
    with pytest.raises(SpecError, match="copies"):
        plan_of(TWO_COPIES.replace("copies: 2", "copies: 65"))


@pytest.mark.integration
@pytest.mark.parametrize(
    ("text", "images"),
    [
        (SENT_COPIES, 3),
        pytest.param(
            ESPCN.replace("layers:", "copies: 2\nlayers:").replace("[1, 40, 56]", "[1, 24, 56]"),
            1,
            marks=pytest.mark.slow,
        ),
    ],
    ids=["images", "tiles"],
)
def test_systems_deal_images_and_tiles_and_give_results_in_order(
    text: str, images: int, tmp_path: Path
) -> None:
    """Three images for two copies, each with its own senders of weights; three tiles for two copies."""
    design = aieloom.design(project(tmp_path, text))
    x = np.random.default_rng(1).normal(size=(images, *design.plan.x.shape)).astype(np.float32)
    assert images * array_of(design.plan).tiles == 3
    y = design.emulate(x)
    assert np.array_equal(y.view(np.int32), design.reference(x).view(np.int32))


@pytest.mark.slow
def test_the_search_takes_tiles_and_copies_as_they_are_said(tmp_path: Path) -> None:
    for text in (TWO_COPIES, ESPCN):
        plan = open_project(project(tmp_path, text)).array
        words = {"pl": "written", "ways": "written", "workers": "1"}
        outcome = search(open_project(tmp_path, build=tmp_path / "build"), words)
        assert isinstance(outcome, Outcome)
        assert outcome.winner.interval_us <= modelled_rates(plan).system.interval_us
        if text == TWO_COPIES:  # of the other one nothing is said
            assert {d.plan.copies for d in outcome.designs} == {plan.copies}
        assert {d.plan.tiles for d in outcome.designs} == {plan.tiles}
    with pytest.raises(SpecError, match="says copies: 2") as e:
        search(open_project(project(tmp_path, TWO_COPIES)), {"copies": "3"})
    assert {p.rule for p in e.value.problems} == {"dse-2"}


@pytest.mark.integration
@pytest.mark.parametrize("cxx", [pytest.param("g++", marks=pytest.mark.slow), "clang++"])
def test_host_programs_and_movers_compile_without_a_warning(cxx: str, tmp_path: Path) -> None:
    path = compiler(cxx)
    tiled = ESPCN.replace("layers:", "copies: 2\nlayers:")
    for number, text in enumerate((SENT_COPIES, tiled, ESPCN)):
        tree = design_of(text).files()
        kept = {
            f: t
            for f, t in tree.items()
            if f.startswith(("src/host/", "src/include/")) or f in ("src/pl/mm2s.cpp", "src/pl/s2mm.cpp")
        }
        folder = tmp_path / str(number)
        files = written(folder, kept)
        run_compiler = subprocess.run(
            [path, *STRICT, f"-I{INCLUDE}", str(together(folder, files))],
            capture_output=True,
            text=True,
            check=False,
        )
        assert not run_compiler.returncode, run_compiler.stderr[:2000]


MNIST = ROOT / "projects" / "mnist"


def copied_mnist(folder: Path, copies: int) -> Path:
    """Write projects/mnist with so many copies of its chain."""
    text = (MNIST / "network.yaml").read_text(encoding="utf-8")
    (folder / "network.yaml").write_text(text.replace("layers:\n", f"copies: {copies}\nlayers:\n", 1))
    (folder / "weights.safetensors").write_bytes((MNIST / "weights.safetensors").read_bytes())
    return folder


def test_copies_of_a_chain_have_memory_tiles_of_their_own(tmp_path: Path) -> None:
    one = array_of(aieloom.design(MNIST).plan)
    three = array_of(aieloom.design(copied_mnist(tmp_path, 3)).plan)
    assert three.cores == 3 * one.cores
    assert len({b.name for b in three.buffers}) == len(three.buffers) == 3 * len(one.buffers)
    assert {b.before for b in three.buffers} >= {"conv1", "conv1_copy2", "conv1_copy3"}
    assert three.cost.throughput_fps == pytest.approx(3 * one.cost.throughput_fps)
    assert three.cost.throughput_fps > 1_000_000
    for buffer in three.buffers:
        ends = [la for la in three.all_aie if la.name in (buffer.before, buffer.after)]
        assert len({la.name.partition("_copy")[2] for la in ends}) == 1


def test_chains_take_no_tiles() -> None:
    text = (MNIST / "network.yaml").read_text(encoding="utf-8")
    for pattern in (r"  - \{name: fc.*\n", r"  - \{name: shares.*\n", r"  fc: .*\n", r"quantize: .*\n"):
        text, found = re.subn(pattern, "", text)
        assert found == 1
    with pytest.raises(SpecError, match="layer 'conv1' begins a chain") as e:
        plan_of(text.replace("layers:\n", "tiles: {size: [24, 24]}\nlayers:\n", 1))
    assert {p.rule for p in e.value.problems} == {"tiles-1"}


@pytest.mark.slow
def test_copies_of_a_chain_give_the_references_bits(tmp_path: Path) -> None:
    design = aieloom.design(copied_mnist(tmp_path, 3))
    x = np.random.default_rng(1).uniform(size=(4, *design.plan.x.shape)).astype(np.float32)
    y = design.emulate(x)
    assert np.array_equal(y.view(np.int32), design.reference(x).view(np.int32))
