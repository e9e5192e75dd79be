"""Boards, architectures and releases as data: device files by path, what a release has first, what no public text gives."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.emulator.build import Design as Emulated
from aieloom.emulator.build import design_steps
from aieloom.errors import CannotFit, SpecError
from aieloom.flow.opening import open_project
from aieloom.flow.samples import load_samples
from aieloom.hardware.mmul import mmul_modes
from aieloom.ops import REGISTRY
from aieloom.plan.rules import check, needs
from aieloom.reference.results import analyse
from aieloom.spec.architecture import Architecture, architecture_names
from aieloom.spec.device import device_names, load_device
from aieloom.spec.features import features, vector_bits
from aieloom.spec.load import load_network
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.plan import make_gemm
from aieloom.strategies.array_gemm.types import Request
from tests.designs import ESPCN, ROOT, SMALL, edited, line_of, network_of, plan_of, refusal
from tests.strategies.chained.designs import CHAIN, bfloat16_plan

DEVICES = ROOT / "scripts" / "aieloom" / "spec" / "devices"


def test_architectures_are_data_and_an_unknown_one_is_refused() -> None:
    assert architecture_names() == ("aie", "aie-ml", "aie-mlv2")
    assert [Architecture(n).macro for n in architecture_names()] == [10, 20, 22]
    assert Architecture("aie-mlv2") is Architecture("aie-mlv2")
    with pytest.raises(ValueError, match="aie-x"):
        Architecture("aie-x")


def test_a_device_file_of_an_unknown_architecture_names_those_that_there_are(tmp_path: Path) -> None:
    text = (DEVICES / "vck190.yaml").read_text(encoding="utf-8")
    file = tmp_path / "mine.yaml"
    file.write_text(edited(text, "architecture: aie\n", "architecture: aie-x\n"), encoding="utf-8")
    with pytest.raises(SpecError) as e:
        load_device(str(file))
    assert "architecture is 'aie-x'" in str(e.value)
    assert "use one of: 'aie' or 'aie-ml' or 'aie-mlv2'" in str(e.value)


def test_no_architecture_is_taken_for_another() -> None:
    """AIE-MLv2 is not AIE-ML: it has no product, no chain, and its own cascade and registers."""
    v2 = Architecture("aie-mlv2")
    assert all(mmul_modes(v2, a, a) == () for a in DataType)
    assert not v2.facts.chains
    assert not v2.facts.emulated
    assert load_device("vek385").cascade_next((35, 1)) is None, "a row's end is the cascade's"


def test_boards_without_public_mmul_shapes_are_refused_by_name() -> None:
    text = SMALL.replace("target: vck190", "target: vek385")
    said = refusal(text)
    assert said.startswith(
        f"network.yaml:{line_of(text, 'target:')}: [arch-1] vek385 is AI Engine-ML v2 (aie-mlv2)"
    )
    assert "use another board: ve2302, vp2802" not in said
    assert "use another board: vck190, ve2302, vek280, vp2802" in said
    with pytest.raises(CannotFit, match=r"\[arch-1\] vek385"):
        make_gemm(load_device("vek385"), Request(m=8, k=8, n=8, dtype=DataType.INT8, out=DataType.INT32))


def unmapped(text: str, board: str) -> str:
    return re.sub(r"target: \w+", f"target: {board}", text[: text.index("mapping:")])


@pytest.mark.parametrize("board", ["ve2302", "vp2802"])
def test_networks_plan_on_the_new_boards(board: str) -> None:
    for text in (SMALL, ESPCN):
        plan = plan_of(unmapped(text, board))
        assert plan.device.name == board
        first, last = plan.device.array.plio_columns
        assert all(first <= p.column <= last for p in plan.plios)
        assert all(plan.device.has_tile(t) for la in plan.aie for t in la.tiles)
    if plan.device.memory_tile:
        chain = bfloat16_plan(edited(CHAIN, "target: vek280", f"target: {board}"))
        assert {b.tile[1] for b in chain.buffers} == {0}, "one row of memory tiles"


@pytest.mark.slow
@pytest.mark.parametrize("board", ["ve2302", "vp2802"])
def test_a_project_is_emulated_on_the_new_boards(board: str, tmp_path: Path) -> None:
    """The generated system runs on the board's own array: where its PL interfaces are, the emulator checks too."""
    folder = ROOT / "projects" / "iris"
    project = open_project(folder, target=board, build=tmp_path)
    x = load_samples(project).x[:16]
    y = aieloom.design(folder, target=board, build=tmp_path).emulate(x)
    np.testing.assert_array_equal(y, analyse(project.array, project.parameters, x).hardware)


def test_the_emulator_is_told_the_device() -> None:
    design = Emulated(
        name="x",
        architecture=Architecture.AIE_ML,
        graph=Path("graph.cpp"),
        kernels=(),
        device=load_device("ve2302"),
    )
    graph = design_steps(design, Path("build"))[0]
    assert 'AIELOOM_PART="VE2302",17,2,1,2,11,500,1,"LPDDR",500,4' in graph.unit.defines
    plain = design_steps(replace(design, device=None), Path("build"))[0]
    assert not any("AIELOOM_PART" in d for d in plain.unit.defines)


@pytest.mark.parametrize(
    ("platform", "device"),
    [
        ("xilinx_vck190_base_202420_1", "VCK190"),
        ("/opt/platforms/xilinx_vek280_base_202410_1/xilinx_vek280_base_202410_1.xpfm", "VEK280"),
        ("xilinx_u280_gen3x16_xdma_1_202211_1", ""),
    ],
)
def test_the_emulator_takes_the_board_of_the_platform_that_system_cfg_names(
    platform: str, device: str, tmp_path: Path
) -> None:
    (tmp_path / "system.cfg").write_text(f"platform={platform}\n[connectivity]\n")
    design = Emulated(
        name="x",
        architecture=Architecture.AIE,
        graph=Path("graph.cpp"),
        kernels=(),
        config=tmp_path / "system.cfg",
    )
    found = [d for d in design_steps(design, Path("build"))[0].unit.defines if "AIELOOM_PART" in d]
    assert [d.split('"')[1] for d in found] == [device] * bool(device)


def test_a_device_file_is_given_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = (DEVICES / "vck190.yaml").read_text().replace("name: vck190", "name: mine", 1)
    (tmp_path / "board.yaml").write_text(mine.replace("columns: 50", "columns: 47"))
    (tmp_path / "network.yaml").write_text(SMALL.replace("target: vck190", "target: ./board.yaml"))
    spec = load_network(tmp_path, REGISTRY)
    device = load_device(spec.target)
    assert (device.name, device.array.columns) == ("mine", 47)
    (tmp_path / "board.yaml").write_text(mine)
    assert load_device(spec.target).array.columns == 50, "read again when it has changed"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "network.yaml").write_text(SMALL)
    assert load_device(load_network(tmp_path, REGISTRY, target="board.yaml").target).name == "mine"


def test_a_device_file_that_is_wrong_or_missing_is_named(tmp_path: Path) -> None:
    text = SMALL.replace("target: vck190", "target: board.yaml")
    (tmp_path / "network.yaml").write_text(text)
    with pytest.raises(SpecError, match=rf":{line_of(text, 'target:')}: \[target\] there is no device file"):
        load_network(tmp_path, REGISTRY)
    wrong = (DEVICES / "vck190.yaml").read_text().replace("architecture: aie\n", "architecture: aie-x\n")
    (tmp_path / "board.yaml").write_text(wrong)
    with pytest.raises(SpecError) as error:
        load_network(tmp_path, REGISTRY)
    (problem,) = error.value.problems
    assert problem.file.endswith("board.yaml")
    assert problem.line == line_of(wrong, "architecture: aie-x")
    with pytest.raises(SpecError, match=r"target=: .*there is no device file nowhere\.yaml"):
        load_network(ROOT / "projects" / "xor", REGISTRY, target="nowhere.yaml")


# what uses it, the release that has it first, what is said of it
FIRST = {
    "buffer ports": (SMALL, "2022.2", "2022.1", "buffer ports (adf::input_buffer)"),
    "cascades": (
        SMALL.replace(
            "{tile: [4, 36, 20], mmul: [4, 2, 4]}", "{tile: [4, 36, 20], mmul: [4, 2, 4], cascade: 2}"
        ),
        "2023.2",
        "2023.1",
        "the types of cascade ports",
    ),
    "an outer product": (
        unmapped(SMALL, "vek280") + "mapping:\n  first: {tile: [8, 18, 12], mmul: [4, 1, 4]}\n",
        "2024.1",
        "2023.2",
        "aie::mmul<4, 1, 4, float, float>",
    ),
}


@pytest.mark.parametrize("case", FIRST)
def test_what_a_release_has_first_is_refused_for_older_ones(case: str) -> None:
    text, first, before, what = FIRST[case]
    head = "weights: weights.pt\n"
    assert plan_of(text.replace(head, head + f"vitis: {first}\n")).vitis == first
    old = text.replace(head, head + f"vitis: {before}\n")
    problems = [line for line in refusal(old).splitlines() if "[release-1]" in line]
    assert problems
    assert f"first Vitis release with {what}" in problems[0]
    assert f": {first}, at most {before}" in problems[0]
    assert f"use vitis: {first} or newer" in refusal(old)


def test_an_older_release_is_planned_without_what_it_lacks() -> None:
    """A float convolution by lines slides from 2023.2 on; before, the same strategy multiplies vectors by mmul."""
    text = ESPCN.replace("target: vck190\n", "target: vck190\nvitis: {}\n")
    text = re.sub(r"(?m)^  conv2: \{.*\}$", "  conv2: {engine: aie, strategy: direct}", text)
    kinds = {r: type(plan_of(text.replace("{}", r, 1)).aie[1].grid).__name__ for r in ("2023.1", "2023.2")}
    assert kinds == {"2023.1": "LaneGrid", "2023.2": "LineGrid"}


def test_vectors_of_more_than_1024_bits_need_a_release_that_has_them() -> None:
    """Before 2024.2 aie::vector had at most 1024 bits: 32 sums of 32 bits, which 8 x 8 results are more than."""
    table = features()
    assert vector_bits((4, 8, 8), 1) == 1024
    assert vector_bits((8, 8, 8), 1) == 2048
    assert vector_bits((4, 16, 8), 2) == 2048, "B"
    assert table.product_since("aie-ml", "int8", 1, (8, 8, 8)) == "2024.2"
    assert table.mmul_since("aie-ml", "int8", "int8", (8, 8, 8)) == "2023.1"
    assert table.product_since("aie-ml", "int8", 1, (4, 8, 8)) == table.oldest
    plan = plan_of(SMALL)
    draft = plan.aie[0].draft
    assert all("1024 bits" not in what for _, what, _ in needs(plan, draft))
    wide = replace(draft, grid=replace(draft.grid, mmul=(8, 8, 8)))
    assert ("2024.2", "use an mmul of at most 32 results") in {
        (since, instead)
        for since, what, instead in needs(plan, wide)
        if "vectors of more than 1024 bits" in what
    }


def test_a_board_needs_a_release_with_its_platform() -> None:
    text = edited(unmapped(SMALL, "vek280"), "weights: weights.pt\n", "weights: weights.pt\nvitis: 2023.1\n")
    said = refusal(text)
    assert (
        f"network.yaml:{line_of(text, 'vitis:')}: [release-1] xilinx_vek280_base: first Vitis release" in said
    )
    assert "with a platform for vek280: 2023.2, at most 2023.1" in said


def test_every_feature_has_a_source_and_a_release_of_the_table() -> None:
    table = features()
    assert all(f.source and f.release >= table.oldest for f in table.features.values())
    assert all(m.release >= table.oldest for m in table.mmul)
    shapes = {m.shape for n in ("aie", "aie-ml") for t in DataType for m in mmul_modes(Architecture(n), t, t)}
    for entry in table.mmul:
        if 0 not in entry.shape and entry.a == entry.b:
            assert entry.shape in shapes, "a shape that aieloom knows"
    assert table.mmul_since("aie-ml", "bfloat16", "bfloat16", (8, 8, 8)) == "2024.2"
    assert table.mmul_since("aie", "float", "float", (4, 2, 4)) == table.oldest


def test_plans_without_a_release_are_for_the_newest() -> None:
    plan = plan_of(SMALL)
    assert plan.vitis is None
    worst = next(c for c in plan.checks if c.rule == "release-1")
    assert worst.limit > 2026
    assert check(replace(plan, vitis="2026.1"), network_of(SMALL).spec)
    assert "vek385" in device_names()
