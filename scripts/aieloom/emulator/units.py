"""Compute units of one PL kernel: each has static variables of its own, so its object is linked once for each unit.

Streams and tasks that are `hls_thread_local`, and any other static variable, are registers and memories of a compute
unit. Copies of the object keep its functions and variables to themselves: their strong symbols are made local.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from aieloom.emulator.build import Step
from aieloom.emulator.compiler import run_tool
from aieloom.emulator.symbols import read_symbols
from aieloom.emulator.system_cfg import config_text

_NK = re.compile(r"^\s*nk\s*=\s*(\w+)\s*:\s*(\d+)", re.MULTILINE)
MAX_UNITS = 64  # more are refused by the linker that reads system.cfg, or share their variables


def unit_counts(config: Path) -> dict[str, int]:
    """Return how many compute units system.cfg asks for, by kernel."""
    found = _NK.findall(config_text(config))
    return {name: min(int(count), MAX_UNITS) for name, count in found}


def unit_objects(steps: Sequence[Step], config: Path | None, folder: Path) -> list[Path]:
    """Return the objects of a design in order, that of each PL source once for each compute unit.

    Raises:
        ToolError: binutils cannot copy an object.
    """
    counts = unit_counts(config) if config else {}
    objects: list[Path] = []
    for step in steps:
        objects.append(_alone(step, steps, folder) if step.wraps else step.target)
        if step.wraps and any(count > 1 for count in counts.values()):
            objects += _copies(step.target, _most(step.wraps, counts), folder)
    return objects


def _most(source: Path, counts: dict[str, int]) -> int:
    """Return the units of that kernel of a source which has most."""
    text = source.read_text(encoding="utf-8", errors="replace")
    return max((n for name, n in counts.items() if re.search(rf"\b{name}\s*\(", text)), default=1)


def _alone(step: Step, steps: Sequence[Step], folder: Path) -> Path:
    """Return a PL source's object; names that another source defines too are its own, as v++ compiles each kernel by itself."""
    others = frozenset().union(*(read_symbols(s.target).strong for s in steps if s is not step))
    twice = sorted(read_symbols(step.target).strong & others)
    if not twice:
        return step.target
    return with_local_names(step.target, twice, folder / f"{step.target.stem}.alone.o")


def _copies(target: Path, units: int, folder: Path) -> Iterable[Path]:
    for unit in range(2, units + 1):
        copy = folder / f"{target.stem}.unit{unit}.o"
        yield with_local_names(target, read_symbols(target).strong, copy)


def with_local_names(obj: Path, names: Iterable[str], target: Path) -> Path:
    """Write a copy of an object file in which these names are its own; return it.

    Raises:
        ToolError: binutils cannot copy it.
    """
    listed = target.with_suffix(".names")
    listed.write_text("".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")
    command = ["objcopy", f"--localize-symbols={listed}", str(obj), str(target)]
    run_tool(command, target.with_suffix(".log"), remedy="install binutils: objcopy belongs to every g++")
    return target
