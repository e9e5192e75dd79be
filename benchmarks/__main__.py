"""Runs the benchmarks one after another, all or those that are named; docs/evidence/benchmarks.md has what they print.

    python -m benchmarks [NAME ...]

Takes some minutes on a quiet machine; on a busy one the times say little. The sections of the others stay as they are.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

import aieloom
from aieloom.paths import PUBLIC, write_whole

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "evidence" / "benchmarks.md"
PARTS = {
    "espcn": "`doit sim` of ESPCN: cold, again, retiled; the emulated system beside PyTorch",
    "emulator": "The emulator: building and running graphs of 8, 400 and 336 kernels",
    "startup": "What the command line costs before it does anything (ESPCN)",
    "watch": "`aieloom watch` of ESPCN: the first run, and after a tile was edited",
    "journeys": "Three journeys of somebody new, each in an empty home",
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


def machine() -> str:
    """Return what a section's figures were measured with, and when."""
    compiler = subprocess.run(
        [os.environ.get("CXX", "g++"), "--version"], check=True, capture_output=True, text=True
    ).stdout.splitlines()[0]
    return (
        f"aieloom {aieloom.__version__}, {datetime.datetime.now(tz=datetime.timezone.utc).date():%-d %B %Y}, "
        f"{os.cpu_count()} cores ({processor()}), Python {platform.python_version()}, NumPy {np.__version__}, {compiler}."
    )


def sections(page: str) -> dict[str, str]:
    """Return the page's sections by their titles, each from its title to the next."""
    found = re.findall(r"^## (.*)\n((?:(?!^## ).*\n)*)", page, re.MULTILINE)
    return {title: f"## {title}\n{text.rstrip()}\n" for title, text in found}


def main() -> None:
    """Run all that is asked for, write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PARTS)}; all without")
    names = parser.parse_args().names
    if unknown := sorted(set(names) - set(PARTS)):
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(PARTS)}")
    kept = sections(PAGE.read_text(encoding="utf-8"))
    for name in names or PARTS:
        kept[PARTS[name]] = (
            f"## {PARTS[name]}\n\n{machine()}\n\n    python -m benchmarks.{name}\n\n```text\n{printed(name)}\n```\n"
        )
    head = (
        "# Benchmarks\n\n<!-- Written by `python -m benchmarks`. -->\n\n"
        "Limits in brackets are this project's own aims. Figures of boards are modelled ([cost model](../cost-model.md)).\n"
    )
    write_whole(
        PAGE,
        "\n".join([head, *(kept[title] for title in PARTS.values() if title in kept)]).encode(),
        mode=PUBLIC,
    )
    print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
