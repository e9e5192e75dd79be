"""Sweeps and new projects."""

from __future__ import annotations

import csv
import os
import signal
import threading
import time
from pathlib import Path

import pytest
import yaml

from aieloom import cli
from aieloom.errors import SpecError
from aieloom.flow import scaffold, sweep
from aieloom.flow.opening import open_project
from tests.vitis.conftest import Folder

CLOCKS = (150, 175, 200, 225, 250, 260)
ENTRIES = (128, 256)


def sweep_file(small: Folder, text: str = "") -> Path:
    """Write a sweep of 12 designs: six clocks of the PL kernel, two sizes of its table."""
    mappings = {
        f"clock{mhz}_lut{entries}": {
            "squash": {"clock_mhz": mhz, "lut": {"entries": entries, "range": [-4, 4]}}
        }
        for mhz in CLOCKS
        for entries in ENTRIES
    }
    file = small.path.parent / "sweep.yaml"
    file.write_text(text or yaml.safe_dump({"projects": ["small"], "task": "gen", "mappings": mappings}))
    return file


def expected(small: Folder, build: sweep.Build) -> tuple[float, int]:
    """Return what planning the design in this process gives."""
    folder = small.path.parent / "expected" / build.name
    sweep.prepare(
        sweep.Build(
            name=build.name, project=small.path, target=build.target, folder=folder, edits=build.edits
        )
    )
    plan = open_project(folder, build=folder / "build").array
    return plan.cost.throughput_fps, plan.cores


@pytest.mark.slow
def test_twelve_designs_on_two_workers_lose_nothing_when_one_is_killed(
    small: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    root = Path(__file__).resolve().parents[2]
    monkeypatch.setenv("PYTHONPATH", f"{root / 'scripts'}{os.pathsep}{root}")
    wanted = sweep.read_sweep(sweep_file(small), small.path.parent / "out")
    assert len(wanted.builds) == 12
    rows: list[sweep.Row] = []
    victim = threading.Thread(target=_kill_a_worker, args=(rows,))
    victim.start()
    result = sweep.run_sweep(wanted, workers=2, tell=rows.append)
    victim.join()
    assert [row["name"] for row in result] == [b.name for b in wanted.builds]
    assert len(rows) == 12
    for row, build in zip(result, wanted.builds, strict=True):
        assert row["ok"], row["message"]
        assert (row["modelled_fps"], row["cores"]) == expected(small, build)
    assert len({row["sources"] for row in result}) == 12
    alone = sweep.run_sweep(sweep.Sweep(builds=wanted.builds[:2], task=wanted.task), workers=0)
    for row, before in zip(alone, result, strict=False):
        assert {k: v for k, v in row.items() if k != "seconds"} == {
            k: v for k, v in before.items() if k != "seconds"
        }


def _kill_a_worker(rows: list[sweep.Row]) -> None:
    """Kill one process of the cluster as soon as a first build is done."""
    end = time.monotonic() + 120
    while not rows and time.monotonic() < end:
        time.sleep(0.02)
    for child in _descendants(os.getpid()):
        command = Path(f"/proc/{child}/cmdline").read_bytes()
        if b"spawn_main" in command:
            os.kill(child, signal.SIGKILL)
            return


def _descendants(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        children = (task / "children").read_text().split()
        for child in map(int, children):
            found += [child, *_descendants(child)]
    return found


def test_a_build_that_is_refused_is_a_row_of_the_table(
    small: Folder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(__file__).resolve().parents[2]
    monkeypatch.setenv("PYTHONPATH", f"{root / 'scripts'}{os.pathsep}{root}")
    mappings = {"right": {}, "wrong": {"squash": {"clock_mhz": 9999}}}
    file = sweep_file(small, yaml.safe_dump({"projects": ["small"], "task": "plan", "mappings": mappings}))
    out = small.path.parent / "out"
    assert cli.main(["sweep", str(file), "--out", str(out), "--workers", "0"]) == 1
    assert "FAILED small-vck190-wrong" in capsys.readouterr().out
    with (out / "table.csv").open() as f:
        rows = list(csv.DictReader(f))
    assert [row["ok"] for row in rows] == ["True", "False"]
    assert "clock_mhz" in rows[1]["message"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("projects: [nowhere]\n", "names nowhere, which has no network.yaml"),
        ("projects: [small]\nboards: [vck190]\n", "unknown key 'boards'"),
        ("targets: [vck190]\n", "names no projects"),
        ("projects: [\n", "cannot be read"),
    ],
)
def test_a_wrong_sweep_is_refused(small: Folder, text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said.replace("[", r"\[")):
        sweep.read_sweep(sweep_file(small, text), small.path.parent / "out")


def test_a_scheduler_that_is_not_there_is_told(small: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(sweep, "CONNECT_SECONDS", 0.5)
    wanted = sweep.read_sweep(sweep_file(small), small.path.parent / "out")
    with pytest.raises(SpecError, match="no scheduler at tcp://127"):
        sweep.run_sweep(wanted, scheduler="tcp://127.0.0.1:9")


def test_a_new_project_is_ready_to_be_planned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "mine"
    assert cli.main(["new", str(folder)]) == 0
    assert "doit sim" in capsys.readouterr().out
    assert Folder(folder).doit("run", "gen").code == 0
    github = yaml.safe_load((folder / ".github/workflows/aieloom.yml").read_text())
    assert {
        j["runs-on"] if isinstance(j["runs-on"], str) else tuple(j["runs-on"])
        for j in github["jobs"].values()
    } == {
        "ubuntu-latest",
        ("self-hosted", "vitis"),
    }
    gitlab = yaml.safe_load((folder / ".gitlab-ci.yml").read_text())
    for job in (gitlab["emulator"], gitlab["vitis"]):
        assert job["script"][-1].endswith("doit ci")
    assert all(any("doit ci" in step.get("run", "") for step in j["steps"]) for j in github["jobs"].values())
    assert cli.main(["new", str(folder)]) == 2  # never over what is there


def test_a_project_is_copied_under_a_new_name(small: Folder, tmp_path: Path) -> None:
    scaffold.new_project(tmp_path / "copy", source=small.path)
    project = open_project(tmp_path / "copy", build=tmp_path / "build")
    assert project.name == "copy" and project.weights.is_file()


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("Mine", {}, "no project name"),
        ("9lives", {}, "no project name"),
        ("mine", {"source": "lost"}, "has no network.yaml"),
        ("mine", {"model": "lost.onnx"}, "is not there"),
        ("mine", {"model": "w.pt"}, "it was not loaded"),
    ],
)
def test_a_new_project_is_refused(tmp_path: Path, name: str, words: dict[str, str], said: str) -> None:
    (tmp_path / "w.pt").write_bytes(b"x")
    paths = {key: tmp_path / value for key, value in words.items()}
    with pytest.raises(SpecError, match=said):
        scaffold.new_project(tmp_path / name, **paths)  # type: ignore[arg-type]
    assert not (tmp_path / name).exists()


def test_the_doctor_is_a_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert cli.main(["doctor", "--target", "vek280"]) == 0
    assert "for vek280:" in capsys.readouterr().out
