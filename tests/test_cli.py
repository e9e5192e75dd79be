"""The command line: what it prints, its exit codes, and that no message is a traceback."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from aieloom import __version__, commands
from aieloom.cli import _function, main
from aieloom.commands import make_parser
from aieloom.flow import scaffold
from aieloom.network import guess
from aieloom.spec.architecture import Architecture, architecture_names
from aieloom.spec.network import BudgetSpec, Objective
from aieloom.spec.types import DataType
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
    assert len(plan["units"][1]["place"]["kernels"]) == 128


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


@pytest.mark.parametrize(
    "code",
    [
        "aieloom.design; aieloom.Session; aieloom.emulate; aieloom.compare; aieloom.kernel",
        "import aieloom.emulator.command",
        "import aieloom.cli; aieloom.cli.main(['check', 'projects/xor'])",
        "import aieloom.cli; aieloom.cli.main(['check', 'projects/iris'])",  # its model is ONNX
    ],
)
def test_nothing_is_imported_that_nobody_asked_for(code: str) -> None:
    """Readers of other formats, test benches of HLS, clusters, the server, and what they need from elsewhere."""
    unasked = (
        r"aieloom\.network\.readers\.(keras_|tflite_|torch_archive)|aieloom\.emulator\.hls|aieloom\.search\.cluster"
        r"|aieloom\.flow\.sweep|(aieloom_serve|h5py|keras|tflite|torch|dask|distributed|onnxruntime)$"
    )
    whole = f"import re, sys, aieloom\n{code}\nprint(*filter(re.compile({unasked!r}).match, sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", whole],
        cwd=ESPCN.parents[1],
        env=os.environ | {"AIELOOM_QUIET": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stderr.strip(), done.stderr


def test_every_command_has_its_function() -> None:
    parser = make_parser()
    found = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    for name, sub in found.choices.items():
        assert callable(_function(sub.get_default("command"))), name


def test_help_needs_none_of_what_commands_work_with() -> None:
    heavy = "('numpy', 'pydantic', 'rich', 'jinja2', 'yaml', 'doit', 'torch')"
    for words in (["--help"], ["check", "--help"], ["dse", "--help"], ["completion", "bash"]):
        code = (
            "import sys, aieloom.cli\n"
            f"try: aieloom.cli.main({words})\n"
            "except SystemExit: pass\n"
            f"sys.exit(' '.join(name for name in {heavy} if name in sys.modules) or 0)"
        )
        done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
        assert done.returncode == 0, f"{words} imports {done.stderr}"


def test_words_of_the_command_line_are_those_that_are_meant() -> None:
    """The parser imports nothing that says them; so they stand in two places, and here they are compared."""
    assert get_args(get_args(Objective)[0]) == commands.OBJECTIVES
    assert set(commands.BUDGETS) == set(BudgetSpec.model_fields)
    assert set(commands.ELEMENTS) == {t.value for t in DataType}
    assert commands.ACTIVATIONS == guess.ACTIVATIONS
    assert set(commands.TEMPLATES) == set(scaffold.TEMPLATES)
    assert set(commands.ARRAYS) == {n for n in architecture_names() if Architecture(n).facts.emulated}


def answer_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    code = main(words)
    said = capsys.readouterr().out
    answer: dict[str, Any] = json.loads(said)
    assert (answer["command"], answer["exit_code"]) == (words[0], code)
    return code, answer


@pytest.mark.integration
def test_json_is_the_whole_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_project(tmp_path / "p", SMALL, SMALL_SHAPES).path
    monkeypatch.chdir(tmp_path)
    code, checked = answer_of(["check", str(folder), "--json"], capsys)
    assert code == 0 and checked["result"]["performance"]["throughput_fps"] > 0
    assert {"rule", "used", "limit"} <= set(checked["result"]["checks"][0])
    _, planned = answer_of(["plan", "--json", str(folder)], capsys)
    assert len(planned["result"]["plan"]["body"]["checks"]) == len(checked["result"]["checks"])
    layer = planned["result"]["plan"]["units"][0]["name"]
    for command in ("explain", "suggest"):
        _, said = answer_of([command, layer, "--project", str(folder), "--json"], capsys)
        assert said["result"]
    _, found = answer_of(["dse", "--project", str(folder), "--json", "--workers", "1"], capsys)
    best, written = found["result"]["designs"][0], found["result"]["written"]
    assert best["images_per_s"]["memory"] >= written["images_per_s"]["memory"]
    _, lacks = answer_of(["doctor", "--json"], capsys)
    assert set(lacks["result"]["stages"]) >= {"aiecom", "hls", "package"}
    _, made = answer_of(["new", "net", "--json"], capsys)
    assert "network.yaml" in made["result"]["files"]
    _, steps = answer_of(["upgrade", "net", "--dry-run", "--json"], capsys)
    assert {s["what"] for s in steps["result"]["steps"]} == {"up to date"}
    _, product = answer_of(["gemm", "64", "64", "64", "--json"], capsys)
    assert product["result"]["cores"] >= 1
    _, schema = answer_of(["schema", "--json"], capsys)
    assert schema["result"]["schema"]["title"]
    _, words = answer_of(["completion", "bash", "--json"], capsys)
    assert "aieloom" in words["result"]["script"]


def test_a_refusal_in_json_has_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_project(tmp_path / "p", SMALL, SMALL_SHAPES).path
    file = folder / "network.yaml"
    file.write_text(file.read_text().replace("out_channels", "out_chanels", 1))
    monkeypatch.chdir(tmp_path)
    code, said = answer_of(["check", str(folder), "--json"], capsys)
    wrong = next(e for e in said["errors"] if "out_chanels" in e["text"])
    assert (code, wrong["rule"], wrong["line"] > 0) == (2, "key", True) and "out_channels" in wrong["text"]
    code, said = answer_of(["emulate", "nothing.cpp", "--json"], capsys)
    assert code == 2 and "no such file" in said["errors"][0]["text"]
    code, said = answer_of(["chekc", "--json"], capsys)
    assert code == 2 and "did you mean 'check'" in said["errors"][0]["text"]
