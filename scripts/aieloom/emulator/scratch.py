"""A folder of its own for each run: what it reads and writes is nobody else's, and what it runs cannot change under it.

Programs are replaced by renaming, so a hard link keeps the program that was there when the run began, while others build
in the same folder. A build folder is therefore locked while something is built and linked here, and not while it runs.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aieloom.errors import SpecError

PREFIX = "run-"


@contextmanager
def scratch_folder(folder: Path, files: Iterable[Path]) -> Iterator[Path]:
    """Give a new folder below `folder` that has `files`, and remove it at the end.

    The folder is locked by the caller when it enters, and need not be when it leaves. What runs that were killed have
    left there is removed.

    Raises:
        SpecError: the folder cannot be written.
        FileNotFoundError: one of the files is not there.
    """
    for old in folder.glob(f"{PREFIX}*"):
        if not in_use(old):
            shutil.rmtree(old, ignore_errors=True)
    mine, handle = _made(folder)
    try:
        for file in files:
            _link(file, mine / file.name)
        yield mine
    finally:
        shutil.rmtree(mine, ignore_errors=True)
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)  # a child that was forked meanwhile has it open too
        os.close(handle)


def in_use(scratch: Path) -> bool:
    """Tell whether a run has this folder: its process keeps it locked."""
    try:
        handle = os.open(scratch, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _made(folder: Path) -> tuple[Path, int]:
    """Return a new folder and the handle by which it is locked."""
    try:
        mine = Path(tempfile.mkdtemp(dir=folder, prefix=PREFIX))
        handle = os.open(mine, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as e:
        text = f"cannot write here: {e.strerror or e}"
        remedy = "make the folder writable, free some space, or build elsewhere: build=FOLDER"
        raise SpecError(rule="write", file=str(folder), text=text, remedy=remedy) from e
    with suppress(OSError):  # a file system without locks: what is killed there is left
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return mine, handle


def _link(file: Path, to: Path) -> None:
    try:
        os.link(file, to)
    except FileNotFoundError:
        raise
    except OSError:  # a file system without links, or a file of somebody else
        shutil.copy2(file, to)
