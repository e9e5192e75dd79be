"""One at a time in a build folder: two `doit sim` at once, or two threads that build, would write over each other's files.

The lock is the kernel's (flock) on a file that each thread opens for itself, so that it keeps threads apart as it does
processes. It ends with the process that holds it, however that ends, so that none is ever stale.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from aieloom import messages
from aieloom.errors import SpecError

FILE = ".lock"
PATIENCE_S = 600.0  # what compiles is done by then; a bitstream takes hours
_SILENT_S = 0.2  # before a wait is told
_POLL_S = 0.005, 0.2  # first, longest


@dataclass
class _Hold:
    handle: int  # the open file
    count: int
    thread: int | None  # None: all threads of this process have it


class _State:
    """What this process holds."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin with nothing, and with locks that no thread has."""
        self.held: dict[Path, _Hold] = {}
        self.guard = threading.Lock()
        self.to_the_end = threading.Lock()


_state = _State()


def _forked() -> None:
    """Forget in a forked child what its parent holds: the parent has it still, and its threads are not here."""
    before = dict(_state.held)
    _state.forget()
    for hold_ in before.values():
        with suppress(OSError):
            os.close(hold_.handle)


os.register_at_fork(after_in_child=_forked)


@contextmanager
def held(folder: Path, *, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """Hold a folder for this thread; waits for another one that works in it, and says so of another process.

    A thread may hold a folder again that it, or its whole process, already has.

    Raises:
        SpecError: the other one is still there after `patience_s`, or the folder cannot be written.
    """
    hold(folder, patience_s=patience_s)
    try:
        yield
    finally:
        release(folder)


def hold(folder: Path, *, patience_s: float = PATIENCE_S) -> None:
    """Hold a folder until `release` or the end of the process; see `held`.

    Raises:
        SpecError: as `held`.
    """
    folder = folder.absolute()
    began, wait, told = time.monotonic(), _POLL_S[0], False
    while not (_mine_already(folder) or _taken(folder)):
        owner, waited = _owner(folder), time.monotonic() - began
        if not told and owner != str(os.getpid()) and waited >= min(_SILENT_S, patience_s):
            messages.progress().print(f"waiting for process {owner}, which works in {folder}", markup=False)
            told = True
        if waited >= patience_s:
            text = f"process {owner} has been working in this folder for more than {patience_s:g} s"
            remedy = "wait for it or end it; build=FOLDER keeps two builds apart"
            raise SpecError(rule="locked", file=str(folder), text=text, remedy=remedy)
        time.sleep(wait)
        wait = min(2 * wait, _POLL_S[1])


def release(folder: Path) -> None:
    """Undo one `hold`."""
    folder = folder.absolute()
    with _state.guard:
        mine = _state.held[folder]
        mine.count -= 1
        if not mine.count:
            del _state.held[folder]
            fcntl.flock(mine.handle, fcntl.LOCK_UN)  # a child that was forked meanwhile has the file open too
            os.close(mine.handle)


def hold_to_the_end(folder: Path) -> None:
    """Hold a folder once for all threads, however often this is called, until the process ends.

    A thread that has it already keeps it as long as it would have.

    Raises:
        SpecError: as `held`.
    """
    folder = folder.absolute()
    with _state.to_the_end:
        mine = _state.held.get(folder)
        if mine is None or mine.thread not in {None, threading.get_ident()}:
            hold(folder)
            _state.held[folder].thread = None


def _mine_already(folder: Path) -> bool:
    """Tell whether this thread or the whole process has the folder, and count one hold more."""
    with _state.guard:
        mine = _state.held.get(folder)
        if mine is None or mine.thread not in {None, threading.get_ident()}:
            return False
        mine.count += 1
        return True


def _taken(folder: Path) -> bool:
    """Lock the folder's file unless somebody has it; return whether it is ours now.

    Raises:
        SpecError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as e:
        raise _unwritable(folder, e) from e
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _is_there(handle, folder):  # somebody removed the folder: it is another file that counts
            os.close(handle)
            return False
        with suppress(OSError):  # the name of the owner is for messages only
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        with _state.guard:
            _state.held[folder] = _Hold(handle, 1, threading.get_ident())
    except BlockingIOError:
        os.close(handle)
        return False
    except OSError as e:
        os.close(handle)
        raise _unwritable(folder, e) from e
    except BaseException:
        os.close(handle)
        raise
    return True


def _is_there(handle: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), (folder / FILE).stat())
    except FileNotFoundError:
        return False


def _owner(folder: Path) -> str:
    try:
        return (folder / FILE).read_text(encoding="utf-8", errors="replace").strip() or "unknown"
    except OSError:
        return "unknown"


def _unwritable(folder: Path, e: OSError) -> SpecError:
    text = f"cannot write here: {e.strerror or e}"
    remedy = "make the folder writable, or build elsewhere: build=FOLDER"
    return SpecError(rule="write", file=str(folder), text=text, remedy=remedy)
