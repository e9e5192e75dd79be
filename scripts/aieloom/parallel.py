"""How many processes this machine runs side by side: compilers, parts of an emulated batch."""

from __future__ import annotations

import os

COMPILER = 1 << 30  # bytes of memory that a compiler may take; the largest units of the emulator take 0.6 GB


def processes(memory: int) -> int:
    """Return how many processes of so many bytes the machine has cores and memory for, at least 1.

    Cores are those that this process may use: `taskset -c 0 aieloom ...` takes one.
    """
    cores = len(os.sched_getaffinity(0))
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(min(cores, whole // memory), 1)


def compilers() -> int:
    """Return how many compilers run at a time."""
    return processes(COMPILER)
