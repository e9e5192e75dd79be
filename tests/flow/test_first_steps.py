"""What people type first: a folder with a network.yaml alone, a mistyped command, a folder that is not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import aieloom
from aieloom.cli import main
from aieloom.errors import SpecError
from aieloom.flow.opening import open_any
from aieloom.flow.project import find_project, home_of
from aieloom.flow.reproduce import reproduce
from aieloom.flow.scaffold import scaffold_texts
from tests.designs import ROOT
from tests.flow.conftest import SMALL, SMALL_SHAPES, make_project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a project without a dodo.py."""
    path = make_project(tmp_path / "plain", SMALL, SMALL_SHAPES).path
    (path / "dodo.py").unlink(missing_ok=True)
    return path


def aieloom_says(cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "aieloom", *words]
    env = os.environ | {"COLUMNS": "200"}
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=env)


@pytest.mark.integration
def test_a_network_yaml_alone_runs_from_inside_and_from_beside(folder: Path) -> None:
    done = aieloom_says(folder, "sim")
    assert done.returncode == 0, done.stderr + done.stdout
    assert "PASS" in done.stdout
    assert (folder / "build" / "small" / "vck190" / "report" / "index.html").is_file()
    again = aieloom_says(folder.parent, "sim", "plain")
    assert again.returncode == 0 and "PASS" in again.stdout
    assert not (folder.parent / "build").exists()
    assert aieloom_says(folder.parent, "report", "plain").stdout.strip().startswith(str(folder / "build"))


def test_a_folder_without_a_project_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sim", str(tmp_path)]) == 2
    assert "[project]" in capsys.readouterr().err.replace("\n", " ")
    for path in (tmp_path, tmp_path / "nope"):
        with pytest.raises(SpecError, match=r"\[project\]"):
            aieloom.design(path)


def test_a_mistyped_command_is_told_which_is_meant(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chekc", "."]) == 2
    said = capsys.readouterr().err
    assert "there is no command 'chekc' (did you mean 'check'?)" in said and "Traceback" not in said


def test_a_project_of_the_repository_builds_in_the_repository(tmp_path: Path) -> None:
    assert home_of(ROOT / "projects" / "espcn") == ROOT
    assert home_of(tmp_path) == tmp_path


def test_the_scaffold_s_ci_installs_what_can_be_installed() -> None:
    """aieloom is on no package index: a wheel beside the project, or what the variable AIELOOM says."""
    texts = scaffold_texts()
    for name in (".github/workflows/aieloom.yml", ".gitlab-ci.yml"):
        assert yaml.safe_load(texts[name])
        installs = [line for line in texts[name].splitlines() if "pip install" in line]
        assert len(installs) == 2
        assert all(
            line.endswith('pip install "${AIELOOM:-$(echo wheels/aieloom-*.whl)}"') for line in installs
        )


def test_what_is_built_lies_and_is_made_again_by_the_name_that_project_takes(tmp_path: Path) -> None:
    """projects/xor has another name in network.yaml, as xor is a word of C++."""
    project = open_any(ROOT / "projects" / "xor", build=tmp_path)
    assert project.name == "xor_net" and project.build == tmp_path / "xor" / "vck190"
    assert reproduce(project)["commands"][0] == "doit sim project=xor target=vck190"
    assert find_project("xor", ROOT) == ROOT / "projects" / "xor"
