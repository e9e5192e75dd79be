"""`aieloom doctor --try` with the stand-in tools: every figure that they tell stands beside the plan's; the archive tells no more."""

from __future__ import annotations

import json
import socket
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from aieloom.cli import main
from aieloom.flow.first_contact import ARCHIVE, without_paths
from aieloom.flow.opening import open_project
from tests.toolchain.install import Standin
from tests.vitis.conftest import make_project

Use = Callable[..., Standin]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one project below projects/, as the repository has."""
    make_project(tmp_path / "projects" / "small")
    (tmp_path / "dodo.py").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.integration
def test_what_the_tools_say_stands_beside_the_plan(
    use: Use, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    use("2024.2")
    code = main(["doctor", "--try", "--projects", "small", "--out", "met", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert code == 0, answer
    (small,) = answer["result"]["projects"]
    assert small["ended"] == {"aiesim": 0, "hls": 0}
    plan = open_project(place / "projects" / "small").plan
    lines = {line["what"]: line for line in small["lines"]}
    assert (lines["cores"]["plan"], lines["cores"]["tool"]) == (plan.cores, 2)
    assert lines["largest program (the plan: an estimate)"]["tool"] == 4100
    assert lines["largest stack"]["tool"] == 320
    assert lines["mm2s: lut"]["tool"] == 1500
    assert lines["mm2s: bram36"]["tool"] == 4.5 and lines["mm2s: bram36"]["plan"] == plan.movers[0].bram36
    assert lines["the array alone"]["plan"] > 0 and lines["the array alone"]["tool"] > 0
    calls = [line for what, line in lines.items() if what.endswith("cycles of a call")]
    assert {line["tool"] for line in calls} <= {None, 1000, 500} and len(calls) == len(plan.aie)


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
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert main(["doctor", "--try", "--out", "met"]) == 4
    assert "doctor --try needs " in capsys.readouterr().err
    assert not (place / "met").exists()


@pytest.mark.usefixtures("place")
def test_a_project_that_is_not_there_is_named(use: Use, capsys: pytest.CaptureFixture[str]) -> None:
    use("2024.2")
    assert main(["doctor", "--try"]) == 2
    assert "there is no projects/espcn" in capsys.readouterr().err


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
