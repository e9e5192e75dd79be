"""The command line: what it prints, its exit codes, and that no message is a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from aieloom import __version__
from aieloom.cli import GROUPS, _parser, main
from aieloom.completion import commands_of
from tests.flow.conftest import SMALL, SMALL_SHAPES, make_project

ESPCN = Path(__file__).resolve().parents[1] / "projects" / "espcn"


def test_check_shows_every_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(ESPCN)]) == 0
    shown = capsys.readouterr().out
    assert "160 cores, 288 tiles" in shown
    assert "mem-2" in shown


def test_plan_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(ESPCN)]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert len(plan["aie"][1]["kernels"]) == 128


def test_schema_knows_the_operators(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    text = capsys.readouterr().out
    assert json.loads(text)["title"]
    for name in ("conv2d", "pixel_shuffle", "out_channels", "upscale"):
        assert name in text


def test_wrong_projects_are_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "nothing")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert "fix:" in said


def test_report_without_a_run_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_project(tmp_path / "p", SMALL, SMALL_SHAPES).path
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(folder)]) == 2
    assert "doit sim" in capsys.readouterr().err


def test_a_version_needs_no_numpy() -> None:
    code = "import sys, aieloom; print(aieloom.__version__); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_usage_errors_are_argparse_s(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "--nonsense"])
    assert ended.value.code == 2
    assert "unrecognized arguments: --nonsense" in capsys.readouterr().err


def test_python_runs_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "aieloom", "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"aieloom {__version__}\n")


def test_a_command_imports_its_own_modules_alone() -> None:
    code = (
        "import sys, aieloom.cli\n"
        "try: aieloom.cli.main(['--version'])\n"
        "except SystemExit: pass\n"
        "sys.exit(sum(name in sys.modules for name in ('numpy', 'pydantic', 'rich', 'jinja2')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_table_of_commands_is_the_parser_s() -> None:
    shown = [c.name for c in commands_of(_parser())]
    assert shown == [*(name for names, _, _ in GROUPS for name in names), "schema", "completion"]
    for name in shown:
        assert [c for c in commands_of(_parser((name,))) if c.name == name] == [
            c for c in commands_of(_parser()) if c.name == name
        ]
