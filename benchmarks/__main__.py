"""Runs the benchmarks one after another and writes what they print to docs/benchmarks.md.

    python -m benchmarks

Takes some minutes on a quiet machine; on a busy one the times say little.
"""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np

import aieloom
from aieloom.paths import write_whole

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
PARTS = {
    "espcn": "`doit sim` of ESPCN: cold, again, retiled; the emulated system beside PyTorch",
    "emulator": "The emulator: building and running graphs of 8 and 336 kernels",
    "startup": "What the command line costs before it does anything (ESPCN)",
    "user": "What a user waits for",
    "gemm": "Matrix products on the whole array: modelled throughput, and how long planning takes",
}


def processor() -> str:
    """Return the processor's name."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def printed(name: str) -> str:
    """Run a benchmark; return what it prints."""
    print(f"benchmarks.{name} ...", flush=True)
    words = [sys.executable, "-W", "ignore", "-m", f"benchmarks.{name}"]
    said = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return said.strip()


def main() -> None:
    """Run all, write the page."""
    compiler = subprocess.run(
        [os.environ.get("CXX", "g++"), "--version"], check=True, capture_output=True, text=True
    ).stdout.splitlines()[0]
    parts = [
        "# Benchmarks\n",
        "<!-- Written by `python -m benchmarks`. -->\n",
        f"aieloom {aieloom.__version__}, {datetime.datetime.now(tz=datetime.timezone.utc).date():%-d %B %Y}, "
        f"{os.cpu_count()} cores ({processor()}), Python {platform.python_version()}, NumPy {np.__version__}, {compiler}. "
        "Limits in brackets are this project's own aims. Figures of boards are modelled ([cost model](cost-model.md)).\n",
    ]
    for name, title in PARTS.items():
        parts += [f"## {title}\n", f"    python -m benchmarks.{name}\n", f"```text\n{printed(name)}\n```\n"]
    write_whole(PAGE, "\n".join(parts).encode(), mode=0o644)
    print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
