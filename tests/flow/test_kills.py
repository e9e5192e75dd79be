"""What is killed at a random moment leaves a folder in which the next run is right."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from aieloom.emulator.scratch import PREFIX
from tests.api.together import Tiny, called, expected, given, make

KILLS = 20
CALLS = """
import sys
from pathlib import Path
from tests.api.together import Tiny, called, given
design = Tiny(Path(sys.argv[1])).design()
for seed in range(10**6):
    design.emulate(given(seed))
    print(seed, flush=True)
"""
ROOT = Path(__file__).resolve().parents[2]


def killed(tiny: Tiny, words: list[str], after: float, cache: Path) -> float:
    """Start a program, kill it and all that it started; return how long it ran."""
    env = os.environ | {"AIELOOM_CACHE": str(cache), "PYTHONPATH": f"{ROOT / 'scripts'}:{ROOT}"}
    began = time.monotonic()
    with subprocess.Popen(
        words,
        cwd=tiny.folder,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as started:
        try:
            started.wait(after)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
    return time.monotonic() - began


@pytest.mark.slow
@pytest.mark.parametrize("what", ["doit", "python"])
def test_killed_runs_leave_nothing_that_misleads(
    tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At random moments of a build with nothing in build/, every fourth time with nothing in the cache either."""
    tiny, cache = make(tmp_path / "tiny"), tmp_path / "cache"
    monkeypatch.setenv("AIELOOM_CACHE", str(cache))
    build = tiny.folder / "build"
    words = [sys.executable, "-m", "doit", "sim"]
    if what == "python":
        words = [sys.executable, "-c", CALLS, str(tiny.folder)]
    moments = random.Random(what)
    whole = killed(tiny, [sys.executable, "-m", "doit", "sim"], 600, cache)  # nothing is kept yet
    for kill in range(KILLS):
        shutil.rmtree(build, ignore_errors=True)
        if kill % 4 == 0:
            shutil.rmtree(cache, ignore_errors=True)
        killed(tiny, words, moments.uniform(0, whole if kill % 4 == 0 else whole / 4), cache)
        if what == "doit":
            done = tiny.doit("sim")
            assert done.returncode == 0, done.stdout + done.stderr
            summary = json.loads((build / "tiny" / "vck190" / "report" / "summary.json").read_text())
            assert summary["passed"] and summary["golden"]["bit_exact"]
        else:
            design = tiny.design()
            np.testing.assert_array_equal(called(design, kill), expected("a", given(kill)))
            assert not list(build.rglob(f"{PREFIX}*")), "the next run removes what the killed one left"
