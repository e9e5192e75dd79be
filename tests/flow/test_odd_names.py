"""Folders, files and names as people have them: blanks, quotes, other scripts, Windows line ends; and as attackers would."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from safetensors.numpy import load_file, save_file

from aieloom.cli import main
from aieloom.emit.files import write_tree
from aieloom.emit.library import library_file
from aieloom.emit.names import SOURCE_FOLDERS
from aieloom.emit.project import render
from aieloom.flow.opening import open_project
from tests import designs
from tests.designs import edited, refusal
from tests.flow.conftest import SMALL, SMALL_SHAPES, Folder, make_project

ODD = "it's ünï 日本 $(touch owned); `touch owned` & x"
NAMES = [
    *(
        "../out",
        "/etc/x",
        "a b",
        "a;touch owned",
        "$(id)",
        "`id`",
        "{{ 7*7 }}",
        "{% raw %}",
        "a'b",
        'a\\"b',
        "*/",
        "-rf",
        "..",
    ),
    *(
        "ünï",
        "日本",
        "con cat",
        "x" * 65,
        "int",
        "main",
        "class",
        "adf",
        "",
        "1a",
        "a.b",
        "a/b",
        "a\\nb",
    ),
]


@pytest.fixture
def odd(tmp_path: Path) -> Folder:
    """A project in a folder of an odd name, its network.yaml with a byte order mark and Windows line ends."""
    made = make_project(tmp_path / ODD, SMALL, SMALL_SHAPES)
    yaml = made.path / "network.yaml"
    yaml.write_bytes(b"\xef\xbb\xbf" + yaml.read_text().replace("\n", "\r\n").encode())
    return made


def test_an_odd_folder_is_planned_and_generated(odd: Folder, tmp_path: Path) -> None:
    project = open_project(odd.path, build=odd.path / "build")
    write_tree(project.build, render(project.array, project.parameters), owned=SOURCE_FOLDERS)
    text = (project.build / "src" / "aie" / "graph.h").read_text()
    assert "\r" not in text and "touch owned" not in text
    assert not [*tmp_path.rglob("owned")]


@pytest.mark.slow
def test_an_odd_folder_is_simulated(odd: Folder, tmp_path: Path) -> None:
    done = odd.doit("sim")
    assert done.returncode == 0 and "PASS" in done.stdout, done.stdout + done.stderr
    assert not [*tmp_path.rglob("owned")]


@pytest.mark.parametrize("old", ["name: small", "name: act", "name: x"])
def test_names_that_become_files_and_code_are_words(old: str) -> None:
    for name in NAMES:
        quoted = "name: '" + name.replace("'", "''") + "'"
        assert "[value]" in refusal(edited(designs.SMALL, old, quoted)), name


def test_a_new_project_is_never_written_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    for name in NAMES:
        folder = Path(name)
        if folder.name and not folder.name.isidentifier():
            assert main(["new", "--", name]) == 2, name
    assert [*tmp_path.iterdir()] == [inside] and [*inside.iterdir()] == []


HOSTILE = "*/ #error {{ 7*7 }} {% for x in y %} $(touch owned) \"';\\ //.safetensors"


def test_no_text_of_a_user_reaches_the_sources(tmp_path: Path) -> None:
    """File names, tensor names and paths may be anything: they are read, never printed into code or a script."""
    made = make_project(tmp_path / "p", SMALL, SMALL_SHAPES)
    hostile = made.path / HOSTILE.replace("/", "")
    tensors = {
        k.replace("first.", "{{ 7*7 }} */."): v
        for k, v in load_file(made.path / "weights.safetensors").items()
    }
    save_file(tensors, hostile)
    escaped = hostile.name.replace("\\", "\\\\").replace('"', '\\"')
    made.edit("weights: weights.safetensors", f'weights: "{escaped}"')
    made.edit("{name: first,", '{name: first, param: "{{ 7*7 }} */",')
    project = open_project(made.path, build=tmp_path / "build")
    for name, text in render(project.array, project.parameters).items():
        if name.startswith("src/include/"):
            assert text == library_file(name.removeprefix("src/include/")).read_text(), (
                "a copy of the library"
            )
            continue
        assert not any(part in text for part in ("touch", "7*7", "#error", "{%")), name


def test_scripts_to_paste_are_quoted(tmp_path: Path) -> None:
    from aieloom.vitis.run import _quoted  # noqa: PLC0415

    folder = tmp_path / ODD
    folder.mkdir()
    script = f"cd {_quoted(str(folder))} && pwd -P"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == os.path.realpath(folder)
    assert not [*tmp_path.rglob("owned")]
