"""What the command line costs before it does anything: seconds of processor of a whole process, the median of several.

    python -m benchmarks.startup

"after an edit" is a project whose answer is not kept: its tensors and what the search chose for it are, as after any edit of
network.yaml that does not open a layer. Byte code is warm.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from aieloom.cached_answers import FOLDER
from benchmarks.espcn import ROOT

RUNS = 7
AIELOOM, DOIT = (sys.executable, "-m", "aieloom"), (sys.executable, "-m", "doit")
CHECK = (*AIELOOM, "check", "projects/espcn")


def processor_seconds(words: tuple[str, ...]) -> float:
    """Run a command; return its seconds of processor, user and system."""
    before = os.times()
    subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def median(words: tuple[str, ...], *, forget: Path | None = None) -> float:
    """Return the median of several runs behind one that is not counted; `forget` is removed before each."""
    seconds = []
    for _ in range(RUNS + 1):
        if forget:
            shutil.rmtree(forget, ignore_errors=True)
        seconds.append(processor_seconds(words))
    return statistics.median(seconds[1:])


def main() -> None:
    """Measure and print."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["AIELOOM_CACHE"] = temporary
        rows = [
            ("python -c pass", median((sys.executable, "-c", "pass")), ""),
            ("aieloom --help", median((*AIELOOM, "--help")), "(< 0.3)"),
            ("aieloom check, after an edit", median(CHECK, forget=Path(temporary) / FOLDER), ""),
            ("aieloom check, nothing changed", median(CHECK), "(< 0.3)"),
            (
                "aieloom explain, nothing changed",
                median((*AIELOOM, "explain", "conv2", "--project", "espcn")),
                "(< 0.3)",
            ),
            ("aieloom plan, nothing changed", median((*AIELOOM, "plan", "projects/espcn")), "(< 0.3)"),
            ("doit list", median((*DOIT, "list")), ""),
        ]
    for what, seconds, limit in rows:
        print(f"{what:<34} {seconds:6.2f} s of processor   {limit}".rstrip())


if __name__ == "__main__":
    main()
