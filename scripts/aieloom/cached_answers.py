"""What a command printed, cached by all that it follows from: asked again, it is printed again, and nothing is planned.

Opening a project imports NumPy, pydantic and the planner, the best part of a second, whatever the project. A command that
only tells what follows from files says which (`follows_from`), and what it printed is kept with their digests: of the
project's files, of aieloom's own, of the packages that are installed. The next call with the same words reads those files,
and where all are as they were it prints the same. Content decides, as everywhere (digests.py); a file that is not there
counts too. Nothing is kept of a command that fails, nor of a project with operators of its own, which are programs and may
read anything.

The standard library alone, for what is asked before anything else is imported.
"""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import TextIO

from aieloom.cache import load, store
from aieloom.digests import code_digest, file_digest, is_still, text_digest
from aieloom.paths import cache_folder

COMMANDS = frozenset({"check", "plan", "explain", "suggest"})
FOLDER = "answers"
HEEDED = ("COLORTERM", "COLUMNS", "FORCE_COLOR", "NO_COLOR", "TERM")  # by what prints; and all of AIELOOM_*
ABSENT, FOLDER_THERE = "absent", "folder"  # states of a path that is no file
ANOTHER = "another"  # a pipe, or what cannot be read: nobody knows what it will give


class _Recording:
    """What a command follows from, while it runs."""

    def __init__(self) -> None:
        self.paths: dict[str, Path] = {}
        self.told = False


_recordings: list[_Recording] = []


def follows_from(paths: Iterable[Path]) -> None:
    """Say which files, there or not, what is printed follows from, beside aieloom's own."""
    if _recordings:
        _recordings[-1].told = True
        _recordings[-1].paths |= {str(p): p for p in map(Path.absolute, paths)}


class _Copying(io.TextIOBase):
    """A stream that passes on what is written, and keeps it."""

    def __init__(self, out: TextIO) -> None:
        self.out, self.text = out, io.StringIO()

    def write(self, text: str) -> int:
        self.text.write(text)
        return self.out.write(text)

    def flush(self) -> None:
        self.out.flush()

    def isatty(self) -> bool:
        return self.out.isatty()

    def fileno(self) -> int:
        return self.out.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a property of TextIOBase's, too
        return self.out.encoding


def answered(words: Sequence[str], command: Callable[[Sequence[str]], int]) -> int:
    """Print what a command printed before, where that is what it would print; else run it; return its exit code."""
    named = next((w for w in words if not w.startswith("-")), "")
    if named not in COMMANDS:
        return command(words)
    file = cache_folder() / FOLDER / _key(words)
    known = _known(file)
    if known is not None:
        sys.stdout.write(known)
        return 0
    return _recorded(words, command, file)


def _recorded(words: Sequence[str], command: Callable[[Sequence[str]], int], file: Path) -> int:
    began, out, recording = time.time_ns(), _Copying(sys.stdout), _Recording()
    _recordings.append(recording)
    try:
        with redirect_stdout(out):
            code = command(words)
    finally:
        _recordings.remove(recording)
    states = {name: _state(path) for name, path in recording.paths.items()}
    still = all(_was_still(path, began) for path in recording.paths.values())
    if code == 0 and recording.told and still and ANOTHER not in states.values():
        entry = {"answers": file.name, "states": states, "text": out.text.getvalue()}
        store(file, json.dumps(entry).encode())
    return code


def _known(file: Path) -> str | None:
    """Return what was printed, if the entry is this question's and nothing that it follows from has changed."""
    data = load(file)
    with suppress(ValueError, KeyError, TypeError, AttributeError):
        entry = json.loads(data or b"")
        if entry["answers"] != file.name:
            sys.stderr.write(
                f"note: {file} holds the answer to another question; this one is computed again\n"
            )
            return None
        if all(_state(Path(name)) == state for name, state in entry["states"].items()):
            return str(entry["text"])
    return None


def _state(path: Path) -> str:
    """Return a file's digest, or what is there instead of a file."""
    if not os.path.lexists(path):
        return ABSENT
    if path.is_dir():
        return FOLDER_THERE
    try:
        return file_digest(path) if path.is_file() else ANOTHER
    except OSError:
        return ANOTHER


def _was_still(path: Path, since_ns: int) -> bool:
    """Tell whether what was found at a path is what was read since: a file that changes meanwhile, or comes or goes, is not."""
    while not os.path.lexists(path) and path != path.parent:
        path = path.parent
    try:
        return is_still(path.stat(), since_ns)
    except OSError:
        return False


def _key(words: Sequence[str]) -> str:
    """Return a digest of all but files that what is printed depends on."""
    heeded = (f"{k}={v}" for k, v in sorted(os.environ.items()) if k in HEEDED or k.startswith("AIELOOM_"))
    out = (str(sys.stdout.isatty()), str(sys.stdout.encoding))
    # A terminal's width, where COLUMNS does not say it.
    size = str(os.get_terminal_size(sys.stdout.fileno())) if sys.stdout.isatty() else ""
    place = (str(Path.cwd()), *out, size, *heeded)
    return text_digest(code_digest(), sys.version, *_installed(), "", *place, "", *words)


def _installed() -> Iterator[str]:
    """Yield where Python finds packages, and each one's name with its version: the folder that pip keeps about it."""
    for place in sys.path:
        yield place
        with suppress(OSError), os.scandir(place or ".") as found:
            yield from sorted(f.name for f in found if f.name.endswith((".dist-info", ".egg-info")))
