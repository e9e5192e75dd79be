"""The search by default: what a mapping leaves out, chosen no worse than the planner and no worse than by hand."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aieloom.errors import CannotFit, Problem, SpecError
from aieloom.flow.opening import open_project
from aieloom.network.layers import Network
from aieloom.ops import REGISTRY
from aieloom.pl.line_store import LOOP_CYCLES
from aieloom.plan.build import make_plan
from aieloom.plan.types import ArrayPart
from aieloom.search import best, default, mapped, quick, streaming
from aieloom.search.default import settle, spare_cores
from aieloom.search.figures import present
from aieloom.search.mapped import left_to_compiler, timed, with_choices
from aieloom.search.scope import open_layers
from aieloom.simulation.of_plan import modelled_rates
from aieloom.spec.device import load_device
from aieloom.spec.network import BudgetSpec
from aieloom.spec.types import Buffers
from aieloom.units.plan import as_json
from tests.designs import ESPCN, ROOT, array_projects, network_of
from tests.ops.networks import random_yaml
from tests.searching import look_at_little

PROJECTS = array_projects()
LONG = (
    "espcn",
    "espcn-720p",
    "espcn-fast",
    "espcn-int8",
    "espcn-int8-pow2",
    "mnist_float",
    "mnist_int8",
    "mnist_wide",
    "resnet8",
)
# which of the others take over 5 s of processor
SEARCHED = {"mnist", "mnist-tutorial"}
PLANNED = {"autoencoder"}
SMALL = (
    ESPCN.partition("mapping:")[0]
    .replace("[1, 16, 16]", "[1, 8, 8]")
    .replace("out_channels: 64", "out_channels: 16")
    .replace("out_channels: 32", "out_channels: 8")
)


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Search anew in every test."""
    monkeypatch.setattr(default, "cache_folder", lambda: tmp_path / "cache")


def marks(name: str, integration: set[str]) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if name in LONG else [pytest.mark.integration] if name in integration else []


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search few tilings of a layer, and nothing around the best design: for what is not about which of them wins."""
    look_at_little(monkeypatch)


def plan_json(plan: ArrayPart) -> str:
    return json.dumps(as_json(plan))


def said(network: Network) -> dict[str, dict[str, Any]]:
    """Return what the mapping of a settled network says."""
    made = settle(network, load_device(network.spec.target), REGISTRY).network.spec.mapping
    return {name: m.model_dump(exclude_unset=True) for name, m in made.items()}


def settled(network: Network) -> ArrayPart:
    return settle(network, load_device(network.spec.target), REGISTRY).plan


def without_cuts(network: Network, cores: int) -> Network:
    """Return the network whose mapping says no more than the PL kernels' clocks, within so many cores."""
    mapping = {}
    for name, m in network.spec.mapping.items():
        kept = {k: v for k, v in m.model_dump(exclude_unset=True).items() if k == "clock_mhz"}
        mapping[name] = type(m).model_validate(kept)
    budget = BudgetSpec(aie_cores=cores)
    return replace(network, spec=network.spec.model_copy(update={"mapping": mapping, "budget": budget}))


def test_layers_are_multiplied_so_that_little_is_left_to_the_compiler() -> None:
    """jet's first two layers have K of 16 and 64: one trip of 16, and eight of 8 that stay a loop, at the same rate."""
    project = open_project(ROOT / "projects" / "jet", target="vck190")
    first, second, *_ = project.array.aie
    assert (first.grid.mmul[1], second.grid.mmul[1]) == (16, 8)
    assert [any(n.flattened and max(n.trips) > 1 for n in la.draft.loops) for la in (first, second)] == [
        False
    ] * 2
    network = with_choices(
        project.planned, {"fc1": present(project.array, first)[0]._replace(mmul=(8, 8, 4))}
    )
    other = timed(make_plan(network, project.array.device, REGISTRY))
    assert other.interval_us == pytest.approx(timed(project.array).interval_us, rel=1e-9)
    assert other.flattened == left_to_compiler(project.array.aie) + 1
    bare = without_cuts(project.planned, project.array.cores)
    mapping = {**bare.spec.mapping, "fc1": type(bare.spec.mapping["fc1"]).model_validate({"mmul": [8, 8, 4]})}
    said_so = replace(bare, spec=bare.spec.model_copy(update={"mapping": mapping}))
    assert settled(said_so).aie[0].grid.mmul == (8, 8, 4), "the mapping says it"


@pytest.mark.slow
def test_mnist_int8_is_found_as_fast_as_a_review_knew_it() -> None:
    """Its slowest stages take 288 cycles of the logic's 312.5 MHz: fc's 1,152 inputs, 4 columns each, 16 bytes a word."""
    plan = open_project(ROOT / "projects" / "mnist_int8", target="vck190").array
    assert plan.cost.throughput_fps >= 312.5e6 / (1152 * 4 / 16)
    assert left_to_compiler(plan.aie) == 0, "its 9 taps are one trip of 16: conv1 has no loop to flatten"


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=marks(n, SEARCHED)) for n in PROJECTS],
)
def test_the_search_is_at_least_as_good_as_every_project_s_own_mapping(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As good as by hand where there is a mapping, else as the planner alone; again with the same bytes."""
    with monkeypatch.context() as patch:
        patch.setattr(default, "open_layers", lambda *_: ())
        project = open_project(ROOT / "projects" / name)
    by_hand, network = timed(project.array).interval_us, project.planned
    open_network = without_cuts(network, project.array.cores)
    assert open_layers(open_network, REGISTRY)
    plan = settled(open_network)
    assert timed(plan)[0] <= by_hand * (1 + 1e-9)
    assert plan.cores <= project.array.cores
    assert all(c.used <= c.limit for c in plan.checks)
    assert all("chosen by the search, of" in la.draft.why[-1] for la in plan.aie)
    kept = settled(open_network)
    assert plan_json(kept) == plan_json(plan)
    monkeypatch.setattr(default, "FOLDER", "elsewhere")
    assert plan_json(settled(open_network)) == plan_json(plan)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=marks(n, PLANNED)) for n in PROJECTS if n != "espcn"],
)
def test_no_kernel_of_the_pl_is_longer_than_the_longest_layer_on_the_array(name: str) -> None:
    """But for the cycles in which a reader's loop runs empty, which images of a few values do not hide; espcn keeps frames.

    By an eighth it may be: the search takes no more cores than keep up with the logic, as of resnet8 and mnist_float, and of
    what a layer can be the next smaller one is slower by more than that.
    """
    project = open_project(ROOT / "projects" / name)
    for target in ("vck190", "vek280"):
        try:
            stages = open_project(project.folder, target=target).array.cost.stages
        except (CannotFit, SpecError):  # what network.yaml maps by hand is of the other board
            assert target != project.network.spec.target
            continue
        longest = max(s.interval_us for s in stages if s.kind == "aie")
        for kernel in (s for s in stages if s.kind == "pl"):
            assert kernel.interval_us - LOOP_CYCLES / kernel.clock_mhz <= 1.125 * longest, (target, kernel)


@pytest.mark.slow
def test_a_second_run_searches_nothing_and_a_damaged_file_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "CANDIDATES", 1000)
    network = network_of(SMALL)
    first_said = said(network)
    first = plan_json(settled(network))
    (file,) = (tmp_path / "cache" / default.FOLDER).iterdir()
    calls: list[int] = []
    search = best.best_design

    def counted(*given: Any, **options: Any) -> Any:
        calls.append(1)
        return search(*given, **options)

    monkeypatch.setattr(best, "best_design", counted)
    assert plan_json(settled(network)) == first and said(network) == first_said and not calls
    for text in (
        "{",
        "[]",
        '{"mapping": {"nobody": {}}, "why": {}}',
        '{"mapping": {"conv1": {"tile": [7, 7, 7]}}}',
    ):
        file.write_text(text)
        assert plan_json(settled(network)) == first
    assert len(calls) == 4


def test_a_complete_mapping_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    network = network_of(ESPCN)
    assert open_layers(network, REGISTRY) == ()
    assert open_layers(network_of(ESPCN.replace("buffers: single, ", "")), REGISTRY) == ()
    assert open_layers(network_of(ESPCN.replace("tile: [4, 288, 16],", "")), REGISTRY) == ("conv3",)
    monkeypatch.setattr(best, "best_design", None)
    assert replace(settled(network), remarks=()) == make_plan(network, load_device("vck190"), REGISTRY)


# What is said of conv1, and what of its plan must then be so.
SAID: dict[str, Any] = {
    "tile: [8, 26, 32]": lambda d: (d.grid.tile_m, d.grid.tile_k, d.grid.tile_n) == (8, 26, 32),
    "groups: 3": lambda d: d.grid.groups == 3,
    "strategy: im2col_gemm": lambda d: d.strategy == "im2col_gemm",
    "strategy: direct": lambda d: d.strategy == "direct",
    "buffers: single": lambda d: d.buffers is Buffers.SINGLE,
    "plio: 32": lambda d: d.plio_bits == 32,
    "mmul: [2, 4, 4]": lambda d: d.grid.mmul == (2, 4, 4),
    "cascade: 2": lambda d: d.grid.cascade == 2,
    "weights: stream": lambda d: d.streamed and d.streamed.streams == d.grid.parts,
    "place: {col: 7, row: 1, cols: 9, rows: 5}": lambda d: (d.region.col, d.region.row) == (7, 1),
}


QUICK = (
    "groups: 3",
    "strategy: direct",
    "plio: 32",
    "cascade: 2",
    "place: {col: 7, row: 1, cols: 9, rows: 5}",
)


@pytest.mark.parametrize("said", [s if s in QUICK else pytest.param(s, marks=pytest.mark.slow) for s in SAID])
@pytest.mark.usefixtures("few")
def test_what_the_mapping_says_stays(said: str) -> None:
    network = network_of(f"{SMALL}mapping:\n  conv1: {{{said}}}\n  tanh2: {{strategy: frame}}\n")
    plan = settled(network)
    assert SAID[said](plan.aie[0].draft)
    assert next(g for g in plan.pl if g.name == "pl_tanh2").part is None


@pytest.mark.usefixtures("few")
def test_it_is_never_worse_than_the_planner_alone() -> None:
    better = 0
    for seed in range(10):
        network = network_of(random_yaml(seed).replace("op: batch_norm", "op: relu"))
        try:
            alone = make_plan(network, load_device("vck190"), REGISTRY)
        except CannotFit:
            continue
        found, before = (timed(plan).interval_us for plan in (settled(network), alone))
        assert found <= before * (1 + 1e-6), seed
        better += found < before * 0.99
    assert better >= 3


@pytest.mark.usefixtures("few")
def test_a_budget_is_kept_where_it_can_be() -> None:
    network = network_of(f"{SMALL}budget: {{aie_cores: 5}}\n")
    assert settled(network).cores <= 5
    free = settled(network_of(SMALL))
    assert free.cores > 5
    fewest = settled(network_of(f"{SMALL}objective: cores\n"))
    assert fewest.cores == 3


@pytest.mark.usefixtures("few")
def test_cores_of_the_budget_that_are_left_are_told_with_the_reason() -> None:
    plan = settled(network_of(f"{SMALL}budget: {{aie_cores: 399}}\n"))
    assert plan.cores < 399
    (remark,) = plan.remarks
    assert remark.startswith(f"{plan.cores} of the budget's 399 cores: ")
    assert f"{modelled_rates(plan).system.bottleneck} is the slowest" in remark
    again = settled(
        network_of(f"{SMALL}budget: {{aie_cores: 399}}\n")
    )  # by the file that the first search left
    assert again.remarks == plan.remarks
    assert settled(network_of(f"{SMALL}budget: {{aie_cores: 3}}\n")).remarks == ()
    assert not any("of the budget's" in remark for remark in settled(network_of(SMALL)).remarks)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (None, "network.yaml says how every layer is cut"),
        ((12.5, 11.0), "of 2 designs that take more, the fastest gives an image in 11 us"),
        ((), "no design that was found takes more"),
    ],
)
def test_a_remark_says_what_more_cores_would_give(more: tuple[float, ...] | None, said: str) -> None:
    plan = make_plan(network_of(SMALL), load_device("vck190"), REGISTRY)
    (remark,) = spare_cores(plan, plan.cores + 5, more)
    assert said in remark
    rate = modelled_rates(plan).system
    assert f"this one gives an image in {rate.interval_us:.4g} us, for which {rate.bottleneck} is" in remark
    assert spare_cores(plan, plan.cores, more) == ()


def test_a_chain_s_ends_are_as_wide_as_their_elements_fill(tmp_path: Path) -> None:
    """jet within two streams: 16 8-bit features fill 128 bits, the 8 channels of its last core 64."""
    folder = tmp_path / "jet"
    shutil.copytree(ROOT / "projects" / "jet", folder)
    with (folder / "network.yaml").open("a") as text:
        text.write("\nbudget: {aie_cores: 4, plio: 2}\n")
    plan = open_project(folder).array
    assert [la.draft.strategy for la in plan.aie] == ["chained"] * 4
    assert [p.bits for p in plan.plios] == [128, 64]


def test_designs_of_one_kind_that_a_rule_refuses_do_not_hide_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As with resnet8 by im2col alone, whose streaming joins take more block RAM than there is."""
    network = network_of(SMALL)
    refusals = []

    def strict(*arguments: Any) -> ArrayPart:
        plan = make_plan(*arguments)
        if any(kernel.part for kernel in plan.pl):
            refusals.append(plan)
            raise CannotFit(Problem(rule="pl-1", text="too much block RAM", remedy="stream less"))
        return plan

    monkeypatch.setattr(quick, "PLANNED", 2)
    for module in (quick, streaming, mapped):
        monkeypatch.setattr(module, "make_plan", strict)
    plan = settled(network)
    assert len(refusals) >= quick.PLANNED
    assert not any(kernel.part for kernel in plan.pl)
    alone = make_plan(network, load_device("vck190"), REGISTRY)
    assert timed(plan)[0] < timed(alone)[0]
