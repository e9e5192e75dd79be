"""What is told of a compiler's log: its first error, with the line of the user's source that it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from aieloom.paths import package_folder

_ERROR = re.compile(
    r"\b(?:fatal error|error|undefined reference|multiple definition|cannot find)\b", re.IGNORECASE
)
ASSERTION = re.compile(r"static(?:_assert| assertion) failed\b")
# g++, below what is being instantiated and above the error:
_FOR = re.compile(r"^(.*:\d+(?::\d+)?):\s+required (?:from here|by)")
_OF = re.compile(r"(?:In instantiation of|required from) [\u2018'](.*)[\u2019']")
# clang, below the error:
_REQUESTED = re.compile(r"^(.*:\d+:\d+): note: in instantiation of .*?'(.*)' requested here")


def first_error(log: Path, code: int) -> str:
    """Return the first error of a compiler's log: a static_assert's own words where there is one."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    for i, line in enumerate(lines):
        if ASSERTION.search(line):
            return _asserted(lines, i)
    errors = [line.strip() for line in lines if _ERROR.search(line)]
    if errors:
        # Of a function whose parameter has an unknown type g++ first says that it is "declared void".
        return next((e for e in errors if not e.endswith("declared void")), errors[0])
    return lines[-1].strip() if lines else f"exit code {code} without a word"


def _asserted(lines: Sequence[str], at: int) -> str:
    """Return a static_assert that failed; of one of our headers, with the line of the user's source that led to it."""
    error = lines[at].strip()
    header = str(package_folder() / "include")
    if not error.startswith(header):
        return error
    place, what = "", ""
    for before, line in pairwise(reversed(lines[:at])):  # g++: from the error upwards
        if not place and (found := _FOR.match(before)) and not before.startswith(header):
            place, what = found[1], named[1] if (named := _OF.search(line)) else ""
        if place or _ERROR.search(before):
            break
    for line in lines[at + 1 :]:  # clang: from the error downwards
        found = _REQUESTED.match(line)
        if found and not line.startswith(header):
            place, what = found[1], found[2]
        if place or _ERROR.search(line):
            break
    rule = error[error.index("static") :]
    return f"{place}: error: {rule} (for {what or 'what is used there'})" if place else error
