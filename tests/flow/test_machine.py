"""What a machine does to a build: kills, full disks, read-only folders, too little memory, two at once. The next run is right."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.flow.conftest import SMALL, SMALL_SHAPES, Folder, make_project
from tools.measured_keys import unmeasured

KILLS = 20
DOIT = f"{sys.executable} -m doit"


def told(text: str, code: int) -> None:
    """Check that a run was refused or failed in words."""
    assert code in {1, 2}, text
    assert "Traceback" not in text and "error: " in text, text


def result(folder: Folder, build: str = "build") -> dict[str, Any]:
    """Return what a run gave, without what it measured on the machine."""
    summary = json.loads((folder.path / build / "small" / "vck190" / "report" / "summary.json").read_text())
    return unmeasured(summary)


def is_right(folder: Folder) -> None:
    """Run, and compare with a build from nothing."""
    shown = folder.doit("sim")
    assert shown.returncode == 0 and "PASS 16 samples" in shown.stdout, shown.stdout + shown.stderr
    shutil.rmtree(folder.path / "anew", ignore_errors=True)
    clean = folder.doit("sim", "build=anew")
    assert clean.returncode == 0, clean.stdout + clean.stderr
    assert result(folder) == result(folder, "anew")


def in_namespace(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell script that mounts file systems nobody else sees; skip where that is not allowed."""
    if (
        not shutil.which("unshare")
        or subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], check=False).returncode
    ):
        pytest.skip("this machine lets no user mount file systems")
    return subprocess.run(
        ["unshare", "-rm", "sh", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "200"},
    )


READ_ONLY = 'mount --bind "$PWD" "$PWD" && cd "$PWD" && mount -o remount,ro,bind "$PWD"'


def test_a_project_in_a_folder_that_is_read_only(small: Folder, tmp_path: Path) -> None:
    shown = in_namespace(f"{READ_ONLY} && {DOIT} gen", small.path)
    text = shown.stdout + shown.stderr
    told(text, shown.returncode)
    assert "[write] cannot write here: Read-only file system" in text and "build=FOLDER" in text
    elsewhere = in_namespace(f"{READ_ONLY} && {DOIT} gen build={tmp_path}/elsewhere", small.path)
    assert elsewhere.returncode == 0, elsewhere.stdout + elsewhere.stderr
    assert (tmp_path / "elsewhere" / "small" / "vck190" / "src" / "aie" / "graph.h").is_file()
    assert sorted(f.name for f in small.path.iterdir()) == ["dodo.py", "network.yaml", "weights.safetensors"]


@pytest.mark.slow
def test_a_full_disk_is_told_and_the_next_run_is_right(small: Folder) -> None:
    """With every size of a disk, from one that holds nothing to one that is full when the report is written."""
    is_right(small)
    used = sum(f.stat().st_size for f in small.build.rglob("*") if f.is_file()) >> 10
    (small.path / "disk").mkdir()
    sizes = " ".join(str(used * share // 100) for share in (1, 5, 12, 25, 40, 60, 80, 95))
    script = f"""
        for size in {sizes}; do
            mount -t tmpfs -o size=${{size}}k none disk || exit 9
            {DOIT} sim build=disk/build > told 2>&1
            echo "CODE $? of $size"; cat told
            mount -o remount,size=200m disk || exit 8
            {DOIT} sim build=disk/build > told 2>&1 || {{ cat told; exit 7; }}
            cp -r disk/build "build-$size"
            umount disk
        done
    """
    done = in_namespace(script, small.path)
    assert done.returncode == 0, done.stdout + done.stderr
    runs = re.split(r"^CODE (\d+) of (\d+)$", done.stdout, flags=re.MULTILINE)[1:]
    codes = [int(code) for code in runs[::3]]
    assert sum(code != 0 for code in codes) >= 6, done.stdout
    for code, size, text in zip(codes, runs[1::3], runs[2::3], strict=True):
        if code:
            told(text, code)
        assert result(small, f"build-{size}") == result(small)


@pytest.mark.slow
@pytest.mark.parametrize("kilobytes", [0, 1, 16, 64, 256])
def test_files_that_may_not_grow(small: Folder, kilobytes: int) -> None:
    """A quota looks so: every file that is larger ends in the middle."""
    shown = subprocess.run(
        ["bash", "-c", f"ulimit -f {kilobytes}; exec {DOIT} sim"],
        cwd=small.path,
        capture_output=True,
        text=True,
        check=False,
    )
    told(shown.stdout + shown.stderr, shown.returncode)
    is_right(small)


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [600, 900, 1300])
def test_too_little_memory_is_told_and_the_next_run_is_right(small: Folder, megabytes: int) -> None:
    shown = subprocess.run(
        ["bash", "-c", f"ulimit -v {megabytes << 10}; exec {DOIT} sim"],
        cwd=small.path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert shown.returncode in {0, 1, 2}, shown.stdout + shown.stderr
    assert "Traceback" not in shown.stdout + shown.stderr
    is_right(small)


@pytest.fixture
def warm(tmp_path: Path) -> Iterator[Folder]:
    """A project whose objects are known, so that a cold run takes seconds and a kill comes anywhere in it."""
    folder = make_project(tmp_path / "small", SMALL, SMALL_SHAPES)
    is_right(folder)
    yield folder


@pytest.mark.slow
def test_kills_at_any_moment(warm: Folder) -> None:
    """With all that it started; half of the times in a build folder that an earlier kill has left."""
    numbers = random.Random(5)
    began = time.monotonic()
    shutil.rmtree(warm.path / "build")
    assert warm.doit("sim").returncode == 0
    whole = time.monotonic() - began
    ended = 0
    for i in range(KILLS):
        if i % 2 == 0:
            shutil.rmtree(warm.path / "build")
        elif (warm.path / "half").is_dir():  # the kill before may have come before there was a folder
            shutil.copytree(warm.path / "half", warm.path / "build", dirs_exist_ok=True)
        with (warm.path / "log").open("w") as log:
            run = subprocess.Popen(
                [sys.executable, "-m", "doit", "sim"],
                cwd=warm.path,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        time.sleep(numbers.uniform(0.2, 1) * whole)
        killed = run.poll() is None
        ended += killed
        whole *= 1.05 if killed else 0.85  # what else the machine does comes and goes
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        if (warm.path / "build").is_dir() and i % 2 == 0:
            shutil.rmtree(warm.path / "half", ignore_errors=True)
            shutil.copytree(warm.path / "build", warm.path / "half")
        shown = warm.doit("sim")
        assert shown.returncode == 0 and "PASS 16 samples" in shown.stdout, shown.stdout + shown.stderr
        assert result(warm) == result(warm, "anew")
    assert ended >= KILLS // 2, "most runs were killed before their end"


@pytest.mark.slow
def test_two_runs_at_once_with_other_weights_give_each_its_own(warm: Folder) -> None:
    """Both in one build folder: the second waits, looks at everything again, and shows its own results."""
    other = make_project(warm.path.parent / "other", SMALL, SMALL_SHAPES, seed=4).path / "weights.safetensors"
    clean = warm.doit("sim", "build=clean", f"weights={other}")
    assert clean.returncode == 0
    for _ in range(3):
        chosen = [[], [f"weights={other}"]]
        runs = [
            subprocess.Popen(
                [sys.executable, "-m", "doit", "sim", *words],
                cwd=warm.path,
                stdout=subprocess.PIPE,
                text=True,
            )
            for words in chosen
        ]
        said = [run.communicate()[0] for run in runs]
        assert [run.returncode for run in runs] == [0, 0], said
        wanted = [
            warm.doit("sim", "build=anew").stdout,
            warm.doit("sim", "build=clean", f"weights={other}").stdout,
        ]
        for text, alone in zip(said, wanted, strict=True):
            assert _verdict(text) == _verdict(alone)


def _verdict(text: str) -> list[str]:
    return [line for line in text.splitlines() if "largest difference" in line or "PASS" in line]
