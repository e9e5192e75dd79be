"""`aieloom serve` is a distribution of its own, whose words the command line finds; without it, it says what to install."""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from aieloom import __version__
from aieloom.cli import main
from aieloom.commands import make_parser
from tests.designs import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOUND_BY = "importlib.metadata.entry_points"


def commands_of(parser: argparse.ArgumentParser) -> set[str]:
    return {*next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction)).choices}


def test_the_command_line_has_its_words() -> None:
    words = [sys.executable, "-m", "aieloom", "serve", "--help"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "--token-file" in done.stdout and "docs/serve.md" in done.stdout


def test_without_it_one_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(FOUND_BY, lambda **_: ())
    assert main(["serve", "net.onnx", "--tcp", "127.0.0.1:0"]) == 2
    said = capsys.readouterr()
    assert not said.out
    assert "'serve' is a command of aieloom-serve, which is not installed" in said.err
    assert "fix: pip install ./serve in a checkout" in said.err
    assert "serve" not in commands_of(make_parser())


def test_a_distribution_that_has_gone_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = EntryPoint("soar", "nowhere_at_all:add_soar", "aieloom.commands")
    monkeypatch.setattr(FOUND_BY, lambda group: (gone,) if group == gone.group else ())
    assert main(["soar"]) == 2
    said = capsys.readouterr().err
    assert "[plug-in] the entry point 'soar = nowhere_at_all:add_soar' cannot be loaded" in said


def test_commands_of_aieloom_s_own_do_not_look_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def noted(group: str) -> tuple[EntryPoint, ...]:
        asked.append(group)
        return ()

    monkeypatch.setattr(FOUND_BY, noted)
    own = commands_of(make_parser("check"))
    assert asked == []
    assert commands_of(make_parser()) == own and asked == ["aieloom.commands"]


def test_both_distributions_are_of_one_version() -> None:
    said = tomllib.loads((ROOT / "serve" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert said["version"] == core["version"] == __version__
    assert said["dependencies"] == [f"aieloom=={__version__}"]
    assert said["requires-python"] == core["requires-python"]
