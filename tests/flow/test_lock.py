"""One process at a time in a build folder: who comes second waits, and never for ever."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from aieloom.errors import SpecError
from aieloom.flow.lock import FILE, held, hold, hold_to_the_end
from tests.flow.conftest import Folder

HOLDER = """
import sys
from pathlib import Path
from aieloom.flow.lock import hold_to_the_end
hold_to_the_end(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the build folder."""
    words = [sys.executable, "-c", HOLDER, str(tmp_path / "build")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_folder_in_use_is_refused_in_words_when_patience_ends(
    tmp_path: Path, other: subprocess.Popen[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SpecError) as caught:
        hold(tmp_path / "build", patience_s=0.3)
    assert f"[locked] process {other.pid} has been working in this folder" in str(caught.value)
    assert "build=FOLDER" in str(caught.value)
    assert f"waiting for process {other.pid}" in capsys.readouterr().out.replace("\n", " ")


def test_a_process_that_dies_leaves_no_lock(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    other.kill()
    other.wait()
    with held(tmp_path / "build", patience_s=0):
        assert (tmp_path / "build" / FILE).read_text() == f"{os.getpid()}\n"


def test_the_same_process_may_hold_it_again(tmp_path: Path) -> None:
    folder = tmp_path / "build"
    with held(folder), held(folder, patience_s=0):
        hold_to_the_end(folder)
    done = subprocess.run(
        [sys.executable, "-c", HOLDER, str(folder)], input="", capture_output=True, check=False
    )
    assert done.returncode == 0, "nobody holds it now"


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "build").write_text("a file")
    with pytest.raises(SpecError, match=r"\[write\] cannot write here"):
        hold(tmp_path / "build" / "small")


@pytest.mark.slow
def test_two_doits_at_once_both_succeed(small: Folder) -> None:
    words = [sys.executable, "-m", "doit", "gen"]
    both = [
        subprocess.Popen(words, cwd=small.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(2)
    ]
    said = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert (small.build / "src" / "aie" / "graph.h").is_file()


@pytest.mark.slow
def test_three_simulations_at_once_all_pass(small: Folder) -> None:
    words = [sys.executable, "-m", "doit", "sim"]
    runs = [
        subprocess.Popen(words, cwd=small.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(3)
    ]
    said = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0], said
    assert all("PASS" in text for text in said)
