"""One process at a time in a build folder: two `doit sim` at once would write over each other's files.

The lock is the kernel's (flock): it ends with the process that holds it, however that ends, so that none is ever stale.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aieloom import messages
from aieloom.errors import Problem, SpecError

FILE = ".lock"
PATIENCE_S = 600.0  # what compiles is done by then; a bitstream takes hours
_POLL_S = 0.2

_mine: dict[Path, tuple[int, int]] = {}  # folder -> file descriptor, how often it is held in this process
_guard = threading.Lock()


@contextmanager
def held(folder: Path, *, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """Hold a build folder; waits for another process that works in it, and says so.

    Raises:
        SpecError: the other one is still there after `patience_s`, or the folder cannot be written.
    """
    hold(folder, patience_s=patience_s)
    try:
        yield
    finally:
        release(folder)


def hold(folder: Path, *, patience_s: float = PATIENCE_S) -> None:
    """Hold a build folder until `release` or the end of the process; see `held`.

    Raises:
        SpecError: as `held`.
    """
    with _guard:
        handle, count = _mine.get(folder, (-1, 0))
        if not count:
            handle = _locked(folder, patience_s)
        _mine[folder] = handle, count + 1


def release(folder: Path) -> None:
    """Undo one `hold`."""
    with _guard:
        handle, count = _mine.pop(folder)
        if count > 1:
            _mine[folder] = handle, count - 1
        else:
            os.close(handle)


def hold_to_the_end(folder: Path) -> None:
    """Hold a build folder once, however often this is called, until the process ends.

    Raises:
        SpecError: as `held`.
    """
    if folder not in _mine:
        hold(folder)


def _locked(folder: Path, patience_s: float) -> int:
    """Return a file descriptor whose lock is ours."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as e:
        text = f"cannot write here: {e.strerror or e}"
        remedy = "make the folder writable, or build elsewhere: build=FOLDER"
        raise SpecError(Problem(rule="write", file=str(folder), text=text, remedy=remedy)) from e
    try:
        _wait(handle, folder, patience_s)
    except BaseException:
        os.close(handle)
        raise
    with suppress(OSError):  # the name of the owner is for messages only
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    return handle


def _wait(handle: int, folder: Path, patience_s: float) -> None:
    until, told = time.monotonic() + patience_s, False
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(handle, 64, 0).decode(errors="replace").strip() or "unknown"
        else:
            return
        if time.monotonic() >= until:
            text = f"process {owner} has been working in this folder for more than {patience_s:g} s"
            remedy = "wait for it or end it; build=FOLDER keeps two builds apart"
            raise SpecError(Problem(rule="locked", file=str(folder), text=text, remedy=remedy))
        if not told:
            messages.progress().print(f"waiting for process {owner}, which works in {folder}", markup=False)
            told = True
        time.sleep(_POLL_S)
