"""Operators of a folder run when its user trusts it, not before: by every door that opens a project."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import aieloom
from aieloom.cli import main
from aieloom.errors import SpecError
from aieloom.flow.opening import open_project
from aieloom.ops.plugins import load_plugins
from aieloom.trust import ENVIRONMENT, is_trusted, trust
from tests.flow.conftest import SMALL, SMALL_SHAPES, make_project

MARKER = "from pathlib import Path\n\nPath({marker!r}).write_text('it ran')\n"


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings of a user who has trusted nobody yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    return tmp_path / "settings" / "aieloom" / "trusted"


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "marker"


@pytest.fixture
def stranger(tmp_path: Path, marker: Path) -> Path:
    """A project as it comes from somebody else; its operator leaves a mark when it runs."""
    folder = make_project(tmp_path / "stranger", SMALL, SMALL_SHAPES).path
    (folder / "operators").mkdir()
    (folder / "operators" / "theirs.py").write_text(MARKER.format(marker=str(marker)))
    return folder


DOORS: dict[str, Callable[[Path], object]] = {
    "check": lambda folder: main(["check", str(folder)]),
    "plan": lambda folder: main(["plan", str(folder)]),
    "sim": lambda folder: main(["sim", str(folder)]),
    "explain": lambda folder: main(["explain", "conv1", "--project", str(folder)]),
    "dse": lambda folder: main(["dse", "--project", str(folder)]),
    "design": lambda folder: aieloom.design(folder).plan,
    "session": aieloom.Session,
    "serve": lambda folder: main(["serve", str(folder), "--socket", str(folder / "socket")]),
    "open_project": open_project,
    "load_plugins": load_plugins,
}


@pytest.mark.parametrize("door", DOORS)
def test_nothing_runs_before_the_folder_is_trusted(
    door: str, stranger: Path, marker: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = DOORS[door](stranger)
    except SpecError as e:
        code, said = e.exit_code, str(e)
    else:
        said = "".join(capsys.readouterr())
    assert code == 2
    assert not marker.exists()
    if door == "sim":  # doit's reporter has a stream of its own
        return
    assert "[trust] this would run operators/theirs.py: programs of a folder" in said
    assert f"aieloom trust {stranger} (in CI: {ENVIRONMENT}={stranger})" in said


def test_it_runs_once_the_folder_is_trusted_and_its_owner_may_edit_it(
    stranger: Path, marker: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trust", str(stranger)]) == 0
    assert f"{stranger} is trusted" in capsys.readouterr().out
    with pytest.raises(SpecError, match="registers no operator"):
        open_project(stranger)
    assert marker.read_text() == "it ran"
    marker.unlink()
    with (stranger / "operators" / "theirs.py").open("a") as f:
        f.write("# edited\n")
    with pytest.raises(SpecError, match="registers no operator"):
        open_project(stranger)
    assert marker.exists(), "a folder is trusted by its path"
    assert main(["trust", str(stranger), "--remove"]) == 0
    marker.unlink()
    with pytest.raises(SpecError, match=r"\[trust\]"):
        open_project(stranger)
    assert not marker.exists()


@pytest.mark.parametrize("name", ["{folder}", "{parent}", "/nowhere{sep}{folder}", "*"])
def test_a_variable_trusts_folders_for_ci(
    name: str, stranger: Path, marker: Path, monkeypatch: pytest.MonkeyPatch, settings: Path
) -> None:
    monkeypatch.setenv(ENVIRONMENT, name.format(folder=stranger, parent=stranger.parent, sep=os.pathsep))
    with pytest.raises(SpecError, match="registers no operator"):
        load_plugins(stranger)
    assert marker.exists()
    assert not settings.exists()


def test_what_lies_in_a_trusted_folder_is_trusted_and_what_is_called_alike_is_not(tmp_path: Path) -> None:
    for name in ("work/a", "work-of-others", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "work" / "out").symlink_to(tmp_path / "elsewhere")
    trust(tmp_path / "work")
    assert is_trusted(tmp_path / "work" / "a")
    assert not is_trusted(tmp_path / "work-of-others")
    assert not is_trusted(tmp_path / "work" / "out"), "it lies elsewhere"
    trust(tmp_path / "link")
    assert is_trusted(tmp_path / "elsewhere")


def test_a_project_without_programs_asks_for_nothing(stranger: Path, settings: Path) -> None:
    shutil.rmtree(stranger / "operators")
    (stranger / "operators").mkdir()
    (stranger / "operators" / "_notes.py").write_text("raise SystemExit\n")
    open_project(stranger)
    assert not settings.exists()


def test_what_aieloom_makes_is_trusted_and_a_copy_as_far_as_its_source_is(
    tmp_path: Path, stranger: Path, marker: Path
) -> None:
    assert main(["new", str(tmp_path / "mine")]) == 0
    assert is_trusted(tmp_path / "mine")
    assert main(["new", str(tmp_path / "copy"), "--from", str(stranger)]) == 0
    assert not is_trusted(tmp_path / "copy")
    with pytest.raises(SpecError, match=r"\[trust\]"):
        open_project(tmp_path / "copy")
    assert not marker.exists()
    trust(stranger)
    assert main(["new", str(tmp_path / "again"), "--from", str(stranger)]) == 0
    assert is_trusted(tmp_path / "again")


def test_a_list_that_cannot_be_written_is_told_and_hinders_no_new_project(
    tmp_path: Path, stranger: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    assert main(["trust", str(stranger)]) == 2
    assert "[write] cannot write here" in capsys.readouterr().err
    assert main(["new", str(tmp_path / "mine")]) == 0
    assert main(["trust", str(tmp_path / "lost")]) == 2
