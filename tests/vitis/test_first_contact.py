"""`aieloom doctor --try` with the stand-in tools: every figure that they tell stands beside the plan's; the archive tells no more."""

from __future__ import annotations

import json
import os
import socket
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aieloom.cli import main
from aieloom.emit.files import write_tree
from aieloom.emit.names import SOURCE_FOLDERS
from aieloom.emit.project import render
from aieloom.flow.designs import design_of
from aieloom.flow.first_contact import NAMES, SETTLING, _targets, _tried
from aieloom.flow.first_contact_archive import ARCHIVE, without_paths
from aieloom.flow.first_contact_lines import WORK, lines_of
from aieloom.flow.opening import open_project
from aieloom.vitis.native_host import check_host, native_headers
from aieloom.vitis.run import StageFailed
from tests.designs import ROOT
from tests.toolchain import ai_engines
from tests.toolchain.install import Standin
from tests.vitis import designs
from tests.vitis.conftest import make_project

Use = Callable[..., Standin]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one project below projects/, as the repository has."""
    make_project(tmp_path / "projects" / "small")
    (tmp_path / "dodo.py").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tried(
    capsys: pytest.CaptureFixture[str], *names: str
) -> tuple[int, dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the exit code, what became of the last project, and its lines by what they tell."""
    code = main(["doctor", "--try", "--projects", *names, "--out", "met", "--json"])
    contact = json.loads(capsys.readouterr().out)["result"]["projects"][-1]
    return code, contact, {line["what"]: line for line in contact["lines"]}


@pytest.mark.integration
def test_what_the_tools_say_stands_beside_the_plan(
    use: Use, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    use("2024.2")
    code, small, lines = tried(capsys, "small")
    assert code == 0, small
    plan = open_project(place / "projects" / "small").array
    kernels = [f"hls:{unit.name}" for unit in plan.units]
    stages = ["plan", "gen", "host", "aiecom", "aiesim", *kernels, "link", "package"]
    assert (list(small["ended"]), set(small["ended"].values())) == (stages, {0})
    assert (small["said"], small["not_run"]) == ({}, {})
    assert (lines["cores"]["plan"], lines["cores"]["tool"]) == (plan.cores, 2)
    assert lines["largest program (the plan: an estimate)"]["tool"] == 4100
    stack = lines["largest stack (the plan: room for it)"]
    assert stack["tool"] == 320 and stack["plan"] == max(la.draft.stack_bytes for la in plan.aie)
    assert lines["mm2s: lut"]["tool"] == 1500
    assert lines["mm2s: bram36"]["tool"] == 4.5 and lines["mm2s: bram36"]["plan"] == plan.movers[0].bram36
    clock = lines["mm2s: clock (the tool: its estimate)"]
    assert (clock["plan"], clock["tool"]) == (plan.movers[0].clock_mhz, 400)
    rows = lines["mm2s: II of rows, 9 deep"]
    assert (rows["plan"], rows["tool"]) == (1, 2)
    assert (lines["worst slack"]["plan"], lines["worst slack"]["tool"]) == (0, 0.05)
    assert lines["all PL kernels: lut"]["tool"] == 58504 and lines["all PL kernels: lut"]["plan"] > 0
    assert lines["the array alone"]["plan"] > 0 and lines["the array alone"]["tool"] > 0
    calls = [line for what, line in lines.items() if what.endswith("cycles of a call")]
    assert {line["tool"] for line in calls} <= {None, 1000, 500} and len(calls) == len(plan.aie)


@pytest.mark.integration
def test_kernels_that_settle_what_no_document_says_come_first(use: Use, tmp_path: Path) -> None:
    use("2024.2")
    design = _tried(ROOT, tmp_path, NAMES[0], "vck190", {})
    steps = [name for name, *_ in design.steps()]
    assert steps[:5] == [*(f"hls:{name}" for name in SETTLING), "host"]
    kernels = [name for name in steps if name.startswith("hls:")]
    assert sorted(kernels) == sorted(f"hls:{k.name}" for k in design.design.kernels), "each of them once"


def test_loops_and_spills_of_a_core_stand_beside_the_plan(tmp_path: Path) -> None:
    """By logs in the form of UG1079, of the core that the plan has the layer on."""
    project = open_project(make_project(tmp_path / "small").path, build=tmp_path / "build")
    layer = project.array.aie[0]
    core = "_".join(map(str, layer.kernels[0].tile))
    folder = project.build / WORK / "aie" / core
    (folder / "Release").mkdir(parents=True)
    (folder / f"{core}.log").write_text(ai_engines.LOOPS.format(folder="src/aie"))
    (folder / "Release" / f"{core}.lst").write_text(ai_engines.LISTING)
    lines = {line.what: line for line in lines_of(project, design_of(project).vitis_design())}
    inner = lines[f"{layer.name}: a trip of the longest pipelined loop"]
    # 8 x 72 of weights and 72 x 32 of pixels in mmul blocks: the plan's least is what two load units and the MACs take
    assert inner.tool == 9 and inner.plan == layer.draft.trip_cycles > 0
    folded = lines[f"{layer.name}: first.cc:41 folded 2 x, 8 by resources, 3 by dependences"]
    assert (folded.plan, folded.tool) == (None, 9)
    straight = lines[f"{layer.name}: first.cc:70 not folded, 12 by resources, 30 by dependences"]
    assert (straight.plan, straight.tool) == (None, 173)
    assert lines[f"{layer.name}: registers to the stack and back"].tool == 2
    other = project.array.aie[-1].name
    assert lines[f"{other}: registers to the stack and back"].tool is None, "no figure where no tool said one"


@pytest.mark.parametrize("kind", ["small", "in_turn", "gemm"])
def test_each_stage_goes_on_behind_those_that_fail(
    kind: str, use: Use, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The array's compiler wants more stack, one kernel holds what HLS does not take: all others are compiled."""
    use("2024.2")
    if kind == "in_turn":
        designs.in_turn(place / "projects" / kind)
    first = {"small": "mm2s", "in_turn": "array_load", "gemm": "load_a"}[kind]
    monkeypatch.setenv("AIELOOM_STANDIN_FAULT", f"aiecom:stack,hls.{first}:hls-construct")
    code, contact, lines = tried(capsys, kind)
    assert code == 1
    kernels = {k: v for k, v in contact["ended"].items() if k.startswith("hls:")}
    assert kernels.pop(f"hls:{first}") == 1
    assert len(kernels) > 1 and set(kernels.values()) == {0}
    assert contact["ended"]["host"] == 0 and contact["ended"]["aiecom"] == 1
    assert "[aie-stack]" in contact["said"]["aiecom"] and "`stack:`" in contact["said"]["aiecom"]
    assert "[hls-construct]" in contact["said"][f"hls:{first}"]
    assert contact["not_run"]["link"].startswith("needs vitis/")
    assert lines["cores"]["plan"] > 0
    assert all(line["tool"] is None for what, line in lines.items() if what.startswith(f"{first}: II"))


def test_a_board_whose_platform_is_here_is_taken(
    use: Use, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standin = use("2024.2")
    assert _targets(place, "small", {}) == ("vck190", "vek280")
    only = place / "platforms"
    only.mkdir()
    for folder in Path(standin.environment["PLATFORM_REPO_PATHS"]).glob("*vek280*"):
        (only / folder.name).symlink_to(folder)
    monkeypatch.setenv("PLATFORM_REPO_PATHS", str(only))
    assert _targets(place, "small", {}) == ("vek280", "vck190"), (
        "its own last: its host program needs no platform"
    )
    monkeypatch.setenv("PLATFORM_REPO_PATHS", str(place))
    assert _targets(place, "small", {}) == ("vck190",)


def test_the_archive_has_reports_and_neither_weights_nor_sources_nor_paths(use: Use, place: Path) -> None:
    use("2024.2")
    assert main(["doctor", "--try", "--projects", "small", "--out", "met"]) == 0
    with tarfile.open(place / "met" / ARCHIVE) as archive:
        files = {m.name.removeprefix("first-contact/"): m for m in archive.getmembers()}
        texts = {name: archive.extractfile(m).read().decode() for name, m in files.items()}  # type: ignore[union-attr]
        assert {(m.uname, m.uid, m.mtime) for m in files.values()} == {("", 0, 0)}
    assert {"comparison.json", "comparison.txt", "small/plan.json", "small/report/aie.json"} <= set(texts)
    assert any(name.endswith("mm2s_csynth.xml") for name in texts)
    assert any(name.endswith("report_pm.txt") for name in texts)
    assert not any(
        name.endswith((".h", ".cc", ".cpp", ".pt", ".safetensors", ".bin", ".o")) for name in texts
    )
    for name, text in texts.items():
        assert str(place) not in text and str(Path.home()) + "/" not in text, name
        assert len(socket.gethostname()) < 3 or socket.gethostname() not in text, name
    report = next(text for name, text in texts.items() if name.endswith("hls_compile.rpt"))
    assert report.startswith("report of <path>/")


def test_without_the_tools_it_stops_before_it_begins(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(place / "nothing"))
    assert main(["doctor", "--try", "--out", "met"]) == 4
    assert "doctor --try needs " in capsys.readouterr().err
    assert not (place / "met").exists()


@pytest.mark.usefixtures("place")
@pytest.mark.skipif(not native_headers(os.environ), reason="needs g++ and libxrt-dev")
def test_with_xrt_alone_the_host_program_is_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No Vitis, no licence, no sysroot: g++ reads the host program with the XRT of this machine."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("SDKTARGETSYSROOT", "PLATFORM_REPO_PATHS", "COMMON_IMAGE_VERSAL"):
        monkeypatch.delenv(name, raising=False)
    code, small, _ = tried(capsys, "small")
    assert (code, small["ended"]) == (0, {"plan": 0, "gen": 0, "host": 0})
    assert small["not_run"]["aiecom"].startswith("lacks ")
    assert small["not_run"]["link"].startswith("needs ")


def test_a_host_program_that_an_xrt_refuses_is_told_with_what_to_do(tmp_path: Path) -> None:
    """Headers that lack what the program calls, as an older XRT's might: the message says line and remedy."""
    project = open_project(make_project(tmp_path / "small").path, build=tmp_path / "build")
    design = design_of(project).vitis_design()
    write_tree(project.build, render(project.array, project.parameters), owned=SOURCE_FOLDERS)
    headers = tmp_path / "old"
    for name in ("bo", "device", "graph", "ip", "kernel", "uuid", "xclbin"):
        file = headers / "xrt" / f"xrt_{name}.h"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("namespace xrt {}\n")
    with pytest.raises(
        StageFailed, match=r"host failed: \S*aieloom/host/\w+\.h:\d+:\d+: (fatal )?error"
    ) as refused:
        check_host(design, project.build, headers)
    assert refused.value.known == "host-source" and "fix: " in str(refused.value)


@pytest.mark.usefixtures("place")
def test_a_project_that_is_not_there_is_named(use: Use, capsys: pytest.CaptureFixture[str]) -> None:
    use("2024.2")
    assert main(["doctor", "--try"]) == 2
    assert f"there is no projects/{NAMES[0]}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("INFO: reading /tools/Xilinx/Vitis/2024.2/bin/v++ now", "INFO: reading <path>/v++ now"),
        ("at ~/boards/secret/net.cpp:12: error", "at <path>/net.cpp:12: error"),
        (r"C:\\Users\\ann\\net.cpp failed", "<path>/net.cpp failed"),
        ("3/4 of the ports, 64 x 64 / 2", "3/4 of the ports, 64 x 64 / 2"),
        ("vitis/hls/mm2s/log.txt", "vitis/hls/mm2s/log.txt"),
    ],
)
def test_paths_of_a_machine_are_their_last_part(text: str, left: str) -> None:
    assert without_paths(text) == left
