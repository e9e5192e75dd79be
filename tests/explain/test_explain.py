"""explain's arithmetic against the published design's, and suggest's lines written into the file and planned again."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from aieloom.cli import main
from aieloom.errors import SpecError
from aieloom.explain.explain import explain
from aieloom.explain.suggest import suggest
from aieloom.flow.opening import open_project
from aieloom.flow.project import Project
from aieloom.search.mapped import Mapped
from aieloom.search.suggestions import Suggestions
from aieloom.simulation.of_plan import modelled_rates, simulate_plan
from tests.designs import ROOT
from tests.flow.conftest import SMALL, SMALL_SHAPES, make_project

ESPCN = ROOT / "projects" / "espcn"


@pytest.fixture(scope="module")
def espcn() -> Project:
    return open_project(ESPCN)


@pytest.fixture(scope="module")
def advice(espcn: Project) -> dict[str, Suggestions]:
    return {layer: suggest(espcn, layer) for layer in ("conv2", "tanh1")}


def test_a_layer_on_the_array_is_explained_with_numbers_that_add_up(espcn: Project) -> None:
    text = "\n".join(explain(espcn, "conv2"))
    assert "M x K x N = 32 x 576 x 256" in text  # 32 channels; 64 x 3 x 3; 16 x 16
    assert "4 x 32 = 128 cores" in text
    assert "weights  18432 = 18432 B" in text  # 8 x 576 x 4
    assert "together 42400 B" in text  # 256 + 128 + 18432 + 18432 + 5152: a stack of 4096
    assert "1152 aie::mmul of 4 x 2 x 4" in text  # 8/4 x 576/2 x 8/4
    found = re.search(r"1 x \(1 x (\d+) \+ (\d+) \+ (\d+)\) = (\d+)", text)
    assert found
    fill, kernel, drain, total = map(int, found.groups())
    assert abs(fill - 4608 * 4 / 8 * 1250 / 260) < 1  # bytes / 8 a PL cycle
    assert abs(drain - 64 * 4 / 8 * 1250 / 260) < 1
    assert abs(fill + kernel + drain - total) <= 2
    assert f"{32 * 576 * 256:,} MACs" in text
    assert "the bottleneck is pl_tanh1" in text and "cost model" in text


def test_whatever_a_rate_names_can_be_asked_for(espcn: Project) -> None:
    """Stages, the movers among them, and the host program; a kernel by its own name says what its layer says."""
    for stage in espcn.array.cost.stages:
        lines = list(explain(espcn, stage.name))
        assert lines[0].startswith(f"{stage.name} of espcn"), stage
        assert any(f"an image every {stage.interval_us:.2f} us" in line for line in lines), stage
    by_kernel, by_layer = (
        "\n".join(explain(espcn, name)).split("\n", 1)[1] for name in ("pl_tanh1", "tanh1")
    )
    assert by_kernel == by_layer
    host = modelled_rates(espcn.array).host
    (said,) = re.findall(
        r"  ([\d.]+) us for each image, where the device takes 284 us", "\n".join(explain(espcn, "host"))
    )
    assert float(said) == pytest.approx(host.image_us + host.batch_us / host.images, rel=1e-2)


def test_what_is_part_of_another_layer_is_explained_as_that(tmp_path: Path) -> None:
    """The relu behind a product of integers is the bound of its elements."""
    jet = open_project(ROOT / "projects" / "jet", build=tmp_path)
    assert jet.shown_layers["fc1"] == "act1"
    assert list(explain(jet, "act1")) == list(explain(jet, "fc1"))


def test_a_layer_on_the_logic_is_explained(espcn: Project) -> None:
    text = "\n".join(explain(espcn, "tanh1"))
    assert "in kernel pl_tanh1" in text
    assert "16 x 256 words of 128 bits, tiles of conv1" in text
    found = re.search(r"(\d+) / 260 MHz = ([\d.]+) us", text)
    assert found and float(found[2]) == pytest.approx(int(found[1]) / 260, abs=0.01)
    assert "the bottleneck of the design" in text
    assert "by MMCM from 312.5 (2022.1 to 2024.2)" in text


def _rewritten(project: Project, advice: Suggestions, number: int, to: Path) -> Project:
    shutil.copytree(project.folder, to)
    yaml = to / "network.yaml"
    (line,) = advice.found[number].yaml
    text, count = re.subn(rf"(?m)^  {advice.layer}: \{{.*\}}$", f"  {line}", yaml.read_text())
    if not count:
        text = text.replace("mapping:\n", f"mapping:\n  {line}\n")
    yaml.write_text(text)
    return open_project(to)


@pytest.mark.parametrize("layer", ["conv2", "tanh1"])
def test_a_suggestion_written_into_the_file_gives_what_was_promised(
    espcn: Project, advice: dict[str, Suggestions], layer: str, tmp_path: Path
) -> None:
    told = advice[layer]
    assert told.found and told.tried > len(told.found)
    for number in range(min(2, len(told.found))):
        promised = told.found[number].design
        plan = _rewritten(espcn, told, number, tmp_path / str(number)).array
        run = simulate_plan(plan)
        interval = modelled_rates(plan, run).system.interval_us
        assert (interval, run.latency_us) == (promised.interval_us, promised.latency_us)
        assert isinstance(promised, Mapped)
        assert (plan.cores, plan.tiles_in_use) == (promised.cores, promised.plan.tiles_in_use)
        assert told.found[number].better
        assert promised.interval_us <= told.now.interval_us


def test_suggestions_are_better_and_the_best_comes_first(advice: dict[str, Suggestions]) -> None:
    told = advice["tanh1"]
    intervals = [s.design.interval_us for s in told.found]
    assert intervals == sorted(intervals)
    assert all(i < told.now.interval_us for i in intervals)
    first, second = (s.changes for s in told.found[:2])
    assert (first, second) == ({"strategy": "streaming"}, {"clock_mhz": 500}), "the bottleneck is a PL kernel"
    lines = "\n".join(told.lines)
    assert "tanh1: {engine: pl, clock_mhz: 500, lut: {entries: 1024, range: [-4, 4]}}" in lines
    assert "only the link tells" in lines and "by schedules" in lines


def test_rules_refuse_neighbours_and_are_counted(advice: dict[str, Suggestions]) -> None:
    assert advice["conv2"].refused["mem-1"] > 0


def test_where_nothing_is_better_it_says_where_to_look(tmp_path: Path) -> None:
    project = open_project(make_project(tmp_path / "p", SMALL, SMALL_SHAPES).path)
    layer = project.array.aie[0].name
    best = suggest(project, layer)
    text = "\n".join(replace(best, found=(), tried=3, refused={"mem-1": 2}).lines)
    assert "none of 3 neighbours is better" in text and "mem-1 2" in text


def test_8_bit_layers_have_neighbours_too() -> None:
    project = open_project(ROOT / "projects" / "iris")
    name = project.array.aie[0].name
    advice = suggest(project, name)
    assert advice.tried > sum(advice.refused.values()), "some are legal"
    assert "gemm-1" not in advice.refused, "their products are of integers"
    text = "\n".join(explain(project, name))
    assert "x 1 B on a" in text, "a byte an element"
    assert any(line.startswith("  now") for line in advice.lines)


def test_chained_layers_are_explained_and_have_neighbours() -> None:
    project = open_project(ROOT / "projects" / "mnist")
    for layer in project.array.aie:
        assert "cycles" in "\n".join(explain(project, layer.name))
    advice = suggest(project, "conv1")
    assert advice.tried > sum(advice.refused.values()), "some are legal"
    now = advice.now.interval_us * (1 + 1e-12)  # sums of floats
    assert all(s.design.interval_us <= now for s in advice.found)


def test_an_unknown_layer_is_refused(
    espcn: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for ask in (lambda: list(explain(espcn, "conv9")), lambda: suggest(espcn, "conv9")):
        with pytest.raises(SpecError, match="no layer 'conv9'"):
            ask()
    monkeypatch.chdir(ROOT)
    assert main(["explain", "conv9"]) == 2
    assert "use one of: conv1, tanh1" in capsys.readouterr().err
    assert main(["explain", "conv3"]) == 0
    assert "conv3 of espcn on vck190" in capsys.readouterr().out


@pytest.mark.integration
def test_neighbours_of_a_direct_convolution_are_direct_and_legal() -> None:
    project = open_project(ROOT / "projects" / "espcn-fast")
    told = suggest(project, "conv3")
    assert told.tried > 10
    assert "conv-1" not in told.refused
    assert "gemm-2" not in told.refused
    kernel = suggest(project, "tanh2")
    assert kernel.tried > 3
    assert "stream-2" not in kernel.refused
