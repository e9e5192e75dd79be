"""Each kind of design is judged, watched and summed up alike: what one knows of a run, all know."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from aieloom.cli import main
from aieloom.flow.batch import Run
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_any
from aieloom.flow.sim import simulate
from aieloom.flow.watch import Watch

XOR = Path(__file__).parents[2] / "projects" / "xor"  # the same network three times
KINDS = {"spatial": "copies: 1\n", "circuit": "engine: pl\n", "in_turn": "execution: sequential\n"}
OTHERS = ("circuit", "in_turn")


def written(folder: Path, kind: str, more: str = "") -> Path:
    """Write xor as a project of a kind, with further lines."""
    shutil.copytree(XOR, folder, ignore=shutil.ignore_patterns("build"))
    text = re.sub(r"(?m)^copies: .*\n", "", (XOR / "network.yaml").read_text())
    (folder / "network.yaml").write_text(f"{text}{KINDS[kind]}{more}")
    return folder


def summary_of(folder: Path, kind: str, more: str = "") -> dict[str, Any]:
    """Return the summary of a run that gives what the reference gives, of labelled samples."""
    project = open_any(written(folder, kind, more), build=folder / "build")
    design = design_of(project)
    simulate(design, lambda x: Run(y=design.reference(x), seconds=0.5, peak_bytes=1 << 20))
    found: dict[str, Any] = json.loads((project.build / "report" / "summary.json").read_text())
    return found


@pytest.mark.parametrize("kind", ["spatial", *OTHERS])
def test_a_bound_that_no_integers_reach_fails_the_run(kind: str, tmp_path: Path) -> None:
    summary = summary_of(tmp_path / "net", kind, "quality: {min_sqnr_db: 200}\n")
    assert not summary["passed"]
    assert any("min_sqnr_db" in fault for fault in summary["faults"])


@pytest.mark.parametrize("kind", OTHERS)
def test_a_summary_says_what_the_array_s_says(kind: str, tmp_path: Path) -> None:
    known = set(summary_of(tmp_path / "spatial", "spatial"))
    assert known - set(summary_of(tmp_path / "other", kind)) == set()


@pytest.mark.parametrize("kind", ["spatial", *OTHERS])
def test_a_watched_project_is_opened(kind: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "net", kind)
    watch = Watch(folder=folder, root=folder, target=None, say=print)
    assert watch._project() is not None


@pytest.mark.parametrize("kind", ["spatial", *OTHERS])
def test_energy_is_told_of_a_board_whose_power_is_known(kind: str, tmp_path: Path) -> None:
    told = summary_of(tmp_path / "net", kind)["performance"]
    energy = told["energy"]
    assert energy["mj_per_image"] == pytest.approx(sum(energy["mj_by_share"].values()), rel=1e-3)
    assert energy["watts"] == pytest.approx(energy["mj_per_image"] * told["throughput_fps"] / 1e3, rel=1e-3)


@pytest.mark.parametrize("kind", OTHERS)
def test_the_host_program_can_be_asked_for(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What its part and the others' are, of the interval from which the rate follows."""
    folder = written(tmp_path / "net", kind)
    assert main(["explain", "host", "--project", str(folder)]) == 0
    said = capsys.readouterr().out
    (rate,) = re.findall(r"([\d,.]+) images/s end to end", said)
    parts = {what: float(us) for us, what in re.findall(r"([\d,.]+) us of an image: (.+)", said)}
    assert parts["the processor"] > 0
    assert sum(parts.values()) == pytest.approx(1e6 / float(rate.replace(",", "")), rel=0.02)
    assert (" us meanwhile: the next images are laid out" in said) == (kind == "in_turn")
