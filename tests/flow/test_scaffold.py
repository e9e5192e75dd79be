"""`aieloom new` from templates and by questions, `aieloom upgrade`, and what shells complete."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from aieloom import cli
from aieloom.commands import SHELLS
from aieloom.errors import SpecError
from aieloom.flow import scaffold
from aieloom.flow.ask import NoAnswerError, ask
from aieloom.flow.opening import open_project
from aieloom.flow.upgrade import upgrade


@pytest.mark.parametrize("target", ["vck190", pytest.param("vek280", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "template",
    [n if n != "espcn" else pytest.param(n, marks=pytest.mark.slow) for n in sorted(scaffold.TEMPLATES)],
)
def test_each_template_is_a_project_that_can_be_planned(tmp_path: Path, template: str, target: str) -> None:
    folder = tmp_path / "mine"
    written = scaffold.new_project(folder, template=template, target=target)
    assert sorted(written) == sorted(
        f.relative_to(folder).as_posix() for f in folder.rglob("*") if f.is_file()
    )
    project = open_project(folder, build=tmp_path / "build")
    assert (project.name, project.target) == ("mine", target)
    shapes = {f"{layer.name}.{p.name}": p.shape for layer in project.network.layers for p in layer.parameters}
    found = {f"{n}.{k}": v.shape for n, tensors in project.parameters.items() for k, v in tensors.items()}
    assert found == shapes and shapes
    assert project.array.cores >= 2


def test_editors_find_the_schema(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    scaffold.new_project(folder)
    settings = json.loads((folder / ".vscode/settings.json").read_text())
    (name,) = settings["yaml.schemas"]
    assert settings["yaml.schemas"][name] == "network.yaml"
    schema = json.loads((folder / name).read_text())
    assert "conv2d" in json.dumps(schema) and schema["$schema"].startswith("https://json-schema.org")


def test_an_unknown_template_or_board_writes_nothing(tmp_path: Path) -> None:
    for words in ({"template": "vgg"}, {"target": "vck5000"}):
        with pytest.raises(SpecError):
            scaffold.new_project(tmp_path / "mine", **words)  # type: ignore[arg-type]
        assert not (tmp_path / "mine").exists()


def answers(*lines: str) -> tuple[Iterator[str], list[str]]:
    return iter(lines), []


def test_questions_lead_to_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given, said = answers("My Net", "mynet", "3", "vek280")
    found = ask(lambda _: next(given), said.append)
    assert (str(found.folder), found.template, found.model, found.target) == (
        "mynet",
        "mnist",
        None,
        "vek280",
    )
    assert any("small letters" in line for line in said), "the wrong name was refused"
    assert any("mnist" in line for line in said) and any("VCK190" in line for line in said)
    given, said = answers("", "", "")
    found = ask(lambda _: next(given), said.append)
    assert (str(found.folder), found.template, found.target) == ("mynet", "empty", "vck190")


def test_an_onnx_file_is_asked_for_until_it_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.onnx").write_bytes(b"x")
    given, said = answers("mine", "model", "lost.onnx", "net.onnx", "1")
    found = ask(lambda _: next(given), said.append)
    assert found.model == Path("net.onnx") and "  no such file of a model" in said


def test_questions_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def ended(_: str) -> str:
        raise EOFError

    with pytest.raises(NoAnswerError, match="ended"):
        ask(ended, lambda _: None)
    with pytest.raises(NoAnswerError, match="no answer"):
        ask(lambda _: "No Name", lambda _: None)


def test_without_a_terminal_nothing_is_asked(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "aieloom.cli", "new"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "no name is given, and there is no terminal" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def made(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    scaffold.new_project(folder)
    return folder


def older(folder: Path, name: str, text: str) -> None:
    """Make a file look as an older aieloom had written it."""
    (folder / name).write_text(text)
    state = json.loads((folder / scaffold.STATE).read_text())
    state["files"][name] = scaffold.digest(text)
    (folder / scaffold.STATE).write_text(json.dumps(state))


def test_a_new_project_needs_no_upgrade(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {f: f.read_bytes() for f in made.rglob("*") if f.is_file()}
    assert cli.main(["upgrade", str(made)]) == 0
    assert "nothing to do" in capsys.readouterr().out
    assert {f: f.read_bytes() for f in made.rglob("*") if f.is_file()} == before


def test_what_was_not_edited_is_replaced_and_what_was_is_kept(made: Path) -> None:
    now = scaffold.scaffold_texts()
    older(made, "dodo.py", "old dodo\n")
    older(made, ".gitlab-ci.yml", "old gitlab\n")
    (made / ".gitlab-ci.yml").write_text("mine\n")
    (made / "aieloom.toml").write_text("# my tools\n")
    (made / ".gitignore").unlink()
    yaml = (made / "network.yaml").read_bytes()
    done = {s.file: s.what for s in upgrade(made)}
    assert done["dodo.py"] == "updated" and (made / "dodo.py").read_text() == now["dodo.py"]
    assert done[".gitlab-ci.yml"] == "kept" and (made / ".gitlab-ci.yml").read_text() == "mine\n"
    assert (made / ".gitlab-ci.yml.new").read_text() == now[".gitlab-ci.yml"]
    assert done["aieloom.toml"] == "kept" and not (made / "aieloom.toml.new").exists(), "nothing new for it"
    assert done[".gitignore"] == "left away" and not (made / ".gitignore").exists()
    assert (made / "network.yaml").read_bytes() == yaml
    again = {s.file: s.what for s in upgrade(made)}
    assert again["dodo.py"] == "up to date" and again[".gitlab-ci.yml"] == "kept"


def test_a_project_of_before_upgrades_loses_nothing(made: Path) -> None:
    (made / scaffold.STATE).unlink()
    (made / "dodo.py").write_text("who knows\n")
    (made / scaffold.SCHEMA).unlink()
    done = {s.file: s for s in upgrade(made)}
    assert done["dodo.py"].beside and (made / "dodo.py").read_text() == "who knows\n"
    assert done[scaffold.SCHEMA].what == "added" and (made / scaffold.SCHEMA).is_file()
    (made / scaffold.STATE).write_text("[1, 2]")
    assert {s.file: s.what for s in upgrade(made)}["dodo.py"] == "kept"


def test_a_dry_run_writes_nothing(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    older(made, "dodo.py", "old\n")
    assert cli.main(["upgrade", "--dry-run", str(made)]) == 0
    assert "updated" in capsys.readouterr().out
    assert (made / "dodo.py").read_text() == "old\n"
    assert cli.main(["upgrade", str(made.parent)]) == 2


def completed(line: str, folder: Path) -> set[str]:
    """Return what the command's own completion gives for a line, as shells ask for it (argcomplete)."""
    made = folder / "words"
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": " "}
    environment = {**os.environ, **asked, "_ARGCOMPLETE_STDOUT_FILENAME": str(made)}
    subprocess.run([sys.executable, "-m", "aieloom"], env=environment, check=False, cwd="/", timeout=60)
    return {word.rstrip() for word in made.read_text().replace("\\ ", "").split()}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("aieloom ex", {"explain"}),
        ("aieloom new --te", {"--template"}),
        ("aieloom new --template ", set(scaffold.TEMPLATES)),
        ("aieloom completion f", {"fish"}),
    ],
)
def test_commands_options_and_choices_are_completed(line: str, words: set[str], tmp_path: Path) -> None:
    assert completed(line, tmp_path) == words


def test_every_shell_gets_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    for shell in SHELLS:
        assert cli.main(["completion", shell]) == 0
        assert "aieloom" in capsys.readouterr().out
