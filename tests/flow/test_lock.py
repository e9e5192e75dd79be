"""One process at a time in a build folder: who comes second waits, and never for ever."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from aieloom.errors import SpecError
from aieloom.lock import FILE, held, hold, hold_to_the_end
from tests.flow.conftest import SMALL, SMALL_SHAPES, Folder, make_project

HOLDER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from aieloom.lock import hold_to_the_end
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


@pytest.mark.slow
def test_simulations_of_other_weights_at_once_are_each_of_their_own(small: Folder) -> None:
    """Whatever one finds built when it starts, the other one may build anew before it comes to that."""
    names = {"weights.safetensors": 3, "other.safetensors": 4}
    for name, seed in names.items():
        made = make_project(small.path / "made", SMALL, SMALL_SHAPES, seed=seed).path
        (made / "weights.safetensors").replace(small.path / name)
    assert small.doit("sim").returncode == 0
    for order in (list(names), list(names)[::-1]):
        runs = []
        for name in order:
            words = [sys.executable, "-m", "doit", "sim", f"weights={name}"]
            runs.append(
                subprocess.Popen(
                    words, cwd=small.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
                )
            )
        said = [run.communicate()[0] for run in runs]
        assert [run.returncode for run in runs] == [0, 0], said
        assert all("bit for bit equal" in text for text in said), said


@pytest.mark.parametrize("forked", [True, False])
def test_threads_exclude_each_other(tmp_path: Path, forked: bool) -> None:
    """A child that is forked meanwhile has no part in it, and keeps nothing locked that its parent gives back."""
    inside: list[int] = []
    most: list[int] = []

    def work(k: int) -> None:
        with held(tmp_path / "build"), held(tmp_path / "build"):
            inside.append(k)
            most.append(len(inside))
            if forked:
                child = os.fork()
                if not child:
                    time.sleep(30)
                    os._exit(0)
                children.append(child)
            time.sleep(0.01)
            inside.remove(k)

    children: list[int] = []
    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        assert most == [1] * 8
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def test_a_forked_child_does_not_have_what_its_parent_has(tmp_path: Path) -> None:
    with held(tmp_path / "build"):
        child = os.fork()
        if not child:
            code = 9
            with suppress(BaseException):
                hold(tmp_path / "build", patience_s=0.1)
                code = 1
            os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def test_a_folder_that_is_removed_is_held_anew(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    """The lock of a folder that somebody removed counts for nobody else."""
    shutil.rmtree(tmp_path / "build")
    with held(tmp_path / "build", patience_s=0):
        assert (tmp_path / "build" / FILE).read_text() == f"{os.getpid()}\n"
    assert other.poll() is None
