"""Errors as people see them: excerpt with a caret, rule, remedy, link; NO_COLOR and --quiet; and that every link leads somewhere."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from aieloom import messages
from aieloom.cli import main
from aieloom.errors import Problem, RunFailed, SpecError, ToolError
from tests.flow.conftest import SMALL, SMALL_SHAPES, make_project

ROOT = Path(__file__).resolve().parents[1]
FILE = "name: a\nlayers:\n  - {name: c, op: conv2d, stide: 2}\n"


def shown(error: SpecError | RunFailed | ToolError, *, terminal: bool = False) -> str:
    out = io.StringIO()
    where = Console(file=out, force_terminal=terminal, soft_wrap=True, highlight=False)
    messages.show(error, where=where)
    return out.getvalue()


def problem(file: Path, *, line: int, column: int = 0, rule: str = "key") -> SpecError:
    return SpecError(
        Problem(rule=rule, text="something", remedy="mend it", file=str(file), line=line, column=column)
    )


def test_the_excerpt_has_a_caret_under_the_key(tmp_path: Path) -> None:
    file = tmp_path / "network.yaml"
    file.write_text(FILE)
    assert shown(problem(file, line=3, column=FILE.splitlines()[2].index("stide") + 1)) == (
        f"error: {file}:3: [key] something\n"
        "  2 | layers:\n"
        "  3 |   - {name: c, op: conv2d, stide: 2}\n"
        "    |                           ^\n"
        "  fix: mend it\n"
        "  see: docs/errors.md#key\n"
    )


def test_without_a_column_the_caret_stands_at_the_first_word(tmp_path: Path) -> None:
    file = tmp_path / "network.yaml"
    file.write_text(FILE)
    assert "    |   ^\n" in shown(problem(file, line=3))
    assert shown(problem(file, line=1)).splitlines()[1:3] == ["  1 | name: a", "    | ^"]


def test_a_long_line_is_cut_around_the_caret(tmp_path: Path) -> None:
    file = tmp_path / "network.yaml"
    file.write_text("a: " + "x" * 400 + " here " + "y" * 400 + "\n")
    lines = shown(problem(file, line=1, column=405)).splitlines()
    assert len(lines[1]) < 130
    assert lines[1][lines[2].index("^")] == "h"


@pytest.mark.parametrize("file", ["gone.yaml", "weights.pt", "folder.yaml"])
def test_where_there_is_no_text_the_message_stands_alone(tmp_path: Path, file: str) -> None:
    (tmp_path / "weights.pt").write_bytes(b"\x00\xff" * 10)
    (tmp_path / "folder.yaml").mkdir()
    text = shown(problem(tmp_path / file, line=3))
    assert text.splitlines()[1] == "  fix: mend it"
    short = tmp_path / "short.yaml"
    short.write_text("a: 1\n")
    assert "|" not in shown(problem(short, line=7)), "the file has changed since"


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300), st.integers(-3, 40), st.integers(-3, 400))
def test_whatever_the_file_holds_there_is_an_excerpt_or_none(
    tmp_path_factory: pytest.TempPathFactory, text: str, line: int, column: int
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.yaml"
    file.write_text(text, encoding="utf-8", errors="replace")
    rows = [row.plain for row in messages.excerpt(problem(file, line=line, column=column).problems[0])]
    assert all(len(row) < 130 for row in rows)
    assert not rows or rows[-1].endswith("^")


def test_the_message_itself_is_in_it_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "network.yaml"
    file.write_text(FILE)
    error = problem(file, line=3)
    rest = [line for line in shown(error).splitlines() if not re.match(r"  +\d* \||  see: ", line)]
    assert "\n".join(rest) == f"error: {error}"


def test_other_errors_keep_their_words_and_get_their_links() -> None:
    refused = RunFailed("deadlock.cpp:3: [deadlock] nothing can go on\n  fix: give more data")
    assert shown(refused).endswith("fix: give more data\n  see: docs/errors.md#deadlock\n")
    tool = ToolError(command=["g++", "a.cpp"], first_error="a.cpp:1: error", log=None, remedy="mend a.cpp")
    assert shown(tool) == f"error: {tool}\n"


def test_colours_are_for_terminals_and_no_color_is_honoured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "network.yaml"
    file.write_text(FILE)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[1;31m" in shown(problem(file, line=3), terminal=True)
    assert "\x1b[" not in shown(problem(file, line=3))
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in shown(problem(file, line=3), terminal=True)


def test_the_command_line_shows_the_excerpt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_project(tmp_path / "p", SMALL, SMALL_SHAPES).path
    yaml = folder / "network.yaml"
    text = yaml.read_text()
    first = re.search(r"out_channels", text)
    assert first
    yaml.write_text(text.replace("out_channels", "out_chanels", 1))
    monkeypatch.chdir(tmp_path)
    assert main(["check", str(folder)]) == 2
    said = capsys.readouterr().err
    assert re.search(r"^error: p/network.yaml:\d+: \[key\]", said)
    rows = said.splitlines()
    carets = [(i, row.index("^")) for i, row in enumerate(rows) if row.strip().endswith("^")]
    assert len(carets) == 2, "the key that is unknown, and the layer that lacks the right one"
    assert any(rows[i - 1][at:].startswith("out_chanels") for i, at in carets)


def test_quiet_leaves_results_and_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(os.environ, "AIELOOM_QUIET", "")
    assert not messages.quiet()
    messages.progress().print("a note")
    assert capsys.readouterr().out == "a note\n"
    assert main(["--quiet", "check", str(tmp_path / "nothing")]) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert not messages.quiet(), "the caller's environment is as it was"
    with messages.quieted():
        assert messages.quiet()
        messages.progress().print("a note")
        messages.console().print("a result")
    assert capsys.readouterr().out == "a result\n"
