"""Comparing what a graph wrote with what its author says it should write, number by number."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from pathlib import Path

_REMARK = re.compile(r"/\*.*?\*/", re.DOTALL)
_STAMP = re.compile(r"^T\s+[\d.]+\s*\w*s$|^TLAST$")


def numbers(path: Path) -> list[float]:
    """Return a PLIO file's numbers, without the time stamps and ends of packets that simulators write among them."""
    found: list[float] = []
    text = _REMARK.sub(" ", path.read_text(encoding="utf-8", errors="replace"))
    for line in text.splitlines():
        if _STAMP.match(line.strip()) is None:
            found += [float(word) for word in line.replace(",", " ").split() if word != "TLAST"]
    return found


def differs(got: Path, wanted: Path, tolerance: float = 0, steps: int = 0) -> str:
    """Return in words how two files differ, or nothing.

    The shorter of the two decides how much is compared (people keep one iteration's results, or several), but there
    must be something.
    """
    if not got.is_file():
        return f"{got.name} was not written"
    return _difference(numbers(got), numbers(wanted), got.name, tolerance, steps)


def _difference(ours: list[float], theirs: list[float], name: str, tolerance: float, steps: int) -> str:
    count = min(len(ours), len(theirs))
    if count == 0:
        return f"{name} has {len(ours)} numbers, the expected {len(theirs)}"
    wrong = [
        i
        for i in range(count)
        if not (
            math.isclose(ours[i], theirs[i], rel_tol=tolerance, abs_tol=tolerance * 1e-2)
            or abs(ours[i] - theirs[i]) <= steps
        )
    ]
    if not wrong:
        return ""
    first = wrong[0]
    return (
        f"{name}: {len(wrong)} of {count} numbers differ, the first is number {first}: {ours[first]}, "
        f"expected {theirs[first]}"
    )


def differs_by_shape(
    out: Path, golden: Path, tolerance: float, without: Collection[str] = (), steps: int = 0
) -> tuple[int, str]:
    """Compare every output NAME_shapeAxB_KERNEL.txt with NAME_shapeAxB.txt; return how many, and a difference.

    Rows of the last dimension may be padded in either file, to whole words of a stream.
    """
    compared = 0
    for got in sorted(out.rglob("*.txt")):
        match = re.match(r"(.*_shape(\d+(?:x\d+)*))", got.stem)
        wanted = golden / f"{match[1]}.txt" if match else None
        if match is None or wanted is None or not wanted.is_file() or got.name in without:
            continue
        sizes = [int(n) for n in match[2].split("x")]
        rows, row = math.prod(sizes[:-1]), sizes[-1]
        theirs = numbers(wanted)
        if len(theirs) - rows * row < row:  # filled up at the end alone
            theirs = theirs[: rows * row]
        ours, theirs = _rows(numbers(got), rows, row), _rows(theirs, rows, row)
        compared += 1
        text = _difference(ours, theirs, got.name, tolerance, steps)
        if text:
            return compared, text
    return compared, ""


def _rows(values: list[float], rows: int, row: int) -> list[float]:
    """Return the values without the padding of each row."""
    width = len(values) // rows
    return [v for r in range(rows) for v in values[r * width : r * width + row]]
