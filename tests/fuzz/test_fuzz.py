"""A small share of `python -m tests.fuzz`, and that its watchdog would bark."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import strategies as st

from tests.fuzz.runner import fuzz
from tests.fuzz.targets import targets
from tests.fuzz.watchdog import Broken, judge, watched

INPUTS = {"yaml": 12, "safetensors": 6, "torch": 5, "onnx": 6, "npz": 6, "arrays": 12}
MANY = {"edits": 60}  # seven seconds each; 300 of the others
TARGETS = targets()


@pytest.mark.parametrize("kind", INPUTS)
def test_whatever_a_file_holds_it_is_taken_or_refused_in_words(kind: str) -> None:
    tally = fuzz(TARGETS[kind], INPUTS[kind], 1)
    assert tally.fault == ""
    assert tally.inputs >= INPUTS[kind] and tally.refused


@pytest.mark.slow
@pytest.mark.parametrize("kind", TARGETS)
def test_many_inputs(kind: str) -> None:
    tally = fuzz(TARGETS[kind], MANY.get(kind, 300), 2)
    assert tally.fault == ""
    assert tally.taken
    assert tally.refused or kind == "quantised"  # which draws operators that are all known


def write_outside() -> int:
    Path("../stray").write_text("x")
    Path("../stray").unlink()
    return 0


def start_a_program() -> int:
    return subprocess.run([sys.executable, "-c", ""], check=False).returncode


def hang() -> int:
    time.sleep(30)
    return 0


def fail() -> int:
    raise KeyError("name")


def exit_strangely() -> int:
    return 97


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (write_outside, "stray"),
        (start_a_program, "subprocess.Popen"),
        (fail, "KeyError: 'name'"),
        (exit_strangely, "exit code 97"),
        (lambda: 2, "not in words"),
    ],
)
def test_the_watchdog_sees_it(
    act: Callable[[], int], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox = tmp_path / "sandbox"
    sandbox.mkdir()
    monkeypatch.chdir(sandbox)
    with pytest.raises(Broken, match=words), watched(sandbox):
        judge(act, lambda: "it failed")


def test_the_watchdog_ends_what_hangs(tmp_path: Path) -> None:
    with pytest.raises(Broken, match="has not ended"), watched(tmp_path, limit_s=0.2):
        hang()


def test_a_fault_is_told_with_the_input_that_caused_it() -> None:
    def run(_sandbox: Path, value: object) -> int:
        return judge(fail if value == 7 else lambda: 0, str)

    tally = fuzz(replace(TARGETS["npz"], inputs=lambda: st.integers(0, 9), run=run), 200, 0)
    assert "KeyError" in tally.fault and "value=7" in tally.fault


def test_what_lies_in_the_sandbox_may_be_written(tmp_path: Path) -> None:
    with watched(tmp_path):
        (tmp_path / "a").write_text("x")
        (tmp_path / "a").rename(tmp_path / "b")
    assert (tmp_path / "b").exists()
