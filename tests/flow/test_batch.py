"""A batch is shared among processes: the same bits, every failure told, nobody left behind."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aieloom
from aieloom.arrays import Floats
from aieloom.errors import RunFailed
from aieloom.flow import batch
from aieloom.network.tensor import TensorType
from aieloom.spec.types import DataType
from tests.flow.conftest import Folder

CORES = 3
NAMES = ("program", "design.xclbin")
DOUBLES = """\
values = array.array("f", open(sys.argv[2], "rb").read())
open(sys.argv[4], "wb").write(array.array("f", [2 * v for v in values]).tobytes())
"""


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of three cores on which a process is worth its start for an input of any size."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(CORES)))
    monkeypatch.setattr(batch, "ENOUGH", 1)
    monkeypatch.setattr(batch, "MEMORY", 1)


def host(folder: Path, text: str) -> None:
    """Write a host program: words after its name are the xclbin, the input, --output and the output."""
    file = folder / NAMES[0]
    file.write_text(f"#!{sys.executable}\nimport array, os, sys, time\n{text}")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def run(folder: Path, x: Floats) -> batch.Run:
    return batch.run_program(
        folder, NAMES, x, TensorType(x.shape[1:], DataType.FLOAT32), log=folder / "run.log"
    )


@given(st.integers(0, 70), st.integers(1, 9), st.integers(1, 40))
def test_shares_are_the_batch_in_its_order(inputs: int, elements: int, enough: int) -> None:
    x = np.arange(inputs * elements, dtype=np.float32).reshape(inputs, elements, 1, 1)
    with pytest.MonkeyPatch.context() as machine:
        machine.setattr(os, "sched_getaffinity", lambda _: set(range(CORES)))
        machine.setattr(batch, "ENOUGH", enough)
        parts = batch.shares(x)
    assert np.array_equal(np.concatenate(parts), x)
    assert 1 <= len(parts) <= CORES
    lengths = [len(part) for part in parts]
    assert max(lengths) - min(lengths) <= 1
    assert len(parts) == 1 or x.size >= enough * len(parts)


@pytest.mark.usefixtures("cores")
def test_results_stand_in_the_order_of_the_inputs(tmp_path: Path) -> None:
    host(tmp_path, DOUBLES)
    x = np.arange(7 * 4, dtype=np.float32).reshape(7, 4, 1, 1)
    done = run(tmp_path, x)
    assert np.array_equal(done.y, 2 * x)
    assert len(list(tmp_path.glob("output*.bin"))) == CORES


@pytest.mark.usefixtures("cores")
def test_the_share_that_fails_says_why(tmp_path: Path) -> None:
    host(tmp_path, 'if "1" in sys.argv[2]: sys.exit("the second share is wrong")\n' + DOUBLES)
    with pytest.raises(RunFailed, match=r"exit code 1:\nthe second share is wrong\n  log: .*run\.log"):
        run(tmp_path, np.ones((6, 2, 1, 1), np.float32))
    assert "the second share" in (tmp_path / "run.log").read_text()


@pytest.mark.usefixtures("cores")
def test_a_share_that_is_too_short_is_told(tmp_path: Path) -> None:
    host(tmp_path, 'open(sys.argv[4], "wb").write(bytes(4))\n')
    with pytest.raises(RunFailed, match="wrote 1 values, not 2 x 2"):
        run(tmp_path, np.ones((6, 2, 1, 1), np.float32))


@pytest.mark.usefixtures("cores")
def test_who_is_interrupted_leaves_no_process_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host(tmp_path, 'open(f"pid{os.getpid()}", "w").close()\ntime.sleep(600)\n')
    wait = subprocess.Popen.wait

    def interrupted(_: subprocess.Popen[bytes]) -> int:
        while len(list(tmp_path.glob("pid*"))) < CORES:
            time.sleep(0.01)
        monkeypatch.setattr(subprocess.Popen, "wait", wait)
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, np.ones((3, 2, 1, 1), np.float32))
    for file in tmp_path.glob("pid*"):
        with pytest.raises(ProcessLookupError):
            os.kill(int(file.name.removeprefix("pid")), 0)


@pytest.mark.slow
@pytest.mark.usefixtures("cores")
def test_an_emulated_design_gives_the_same_bits_in_shares(
    small: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = aieloom.design(small.path, build=small.path / "build")
    x = np.random.default_rng(3).uniform(-1, 1, (8, *design.plan.x.shape)).astype(np.float32)
    y = design.emulate(x)
    assert y.tobytes() == design.reference(x).tobytes()
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    assert len(batch.shares(x)) == 1
    assert design.emulate(x).tobytes() == y.tobytes()
