"""What a command takes: seconds of processor and of the clock, and its largest memory."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.ledger.designs import TOP


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Of a process and those that it started and waited for."""

    processor_s: float
    clock_s: float
    megabytes: float

    def __str__(self) -> str:
        return f"{self.processor_s:6.1f} s of processor, {self.clock_s:6.1f} s, {self.megabytes:5.0f} MB"


def run_measured(words: Sequence[str], folder: Path) -> Cost:
    """Run a command in a folder; return what it took.

    Raises:
        RuntimeError: it failed; the message has its last words.
    """
    begin = time.monotonic()
    environment = os.environ | {"PYTHONPATH": f"{TOP}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    with subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with {process.returncode}:\n{said[-2000:]}")
    return Cost(
        processor_s=used.ru_utime + used.ru_stime,
        clock_s=time.monotonic() - begin,
        megabytes=used.ru_maxrss / 1024,
    )


def table(costs: Mapping[str, Cost]) -> str:
    """Return rows of design, seconds of processor, seconds of the clock, megabytes."""
    return "".join(
        f"{n}\t{c.processor_s:.1f}\t{c.clock_s:.1f}\t{c.megabytes:.0f}\n" for n, c in costs.items()
    )
