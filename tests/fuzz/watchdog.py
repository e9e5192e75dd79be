"""What an input may not do: raise what is none of our errors, take long, start programs, write outside of its sandbox."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

LIMIT_S = 20.0  # of processor time: an input that takes longer hangs
BUSY = 10  # so many times that on the clock, where other programs have their share; who waits hangs too
GOOD_CODES = frozenset({0, 1, 2})
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
}
_PROGRAMS = {
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.fork",
    "socket.connect",
}
_FREE = (re.compile(r"/dev/(null|tty|shm/.*)"), re.compile(r".*\.pyc(\.\d+)?"), re.compile(r".*/__pycache__"))


class Broken(AssertionError):
    """An input did what none may."""


class _Watch:
    """The audit hook's state: Python calls the hook for as long as the process lives, so that there is one."""

    def __init__(self) -> None:
        self.sandbox: str | None = None
        self.seen: list[str] = []
        self.programs = False
        self.installed = False

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.sandbox is None:
            return
        if event in _PROGRAMS and not self.programs:
            self.seen.append(f"{event}{arguments[:2]}")
        elif event == "open":
            path, mode, flags = arguments
            writes = isinstance(flags, int) and flags & _WRITES
            if (writes or (isinstance(mode, str) and set(mode) & set("wax+"))) and not isinstance(path, int):
                self._writes(event, path)
        elif event in _CHANGES and arguments:
            self._writes(event, arguments[0])

    def _writes(self, event: str, path: Any) -> None:
        name = (  # resolve() would open files, which would call this hook
            os.path.abspath(os.fsdecode(path))  # noqa: PTH100
            if isinstance(path, str | bytes | os.PathLike)
            else repr(path)
        )
        if not (name == self.sandbox or name.startswith(f"{self.sandbox}/")) and not any(
            p.fullmatch(name) for p in _FREE
        ):
            self.seen.append(f"{event} {name}")


_WATCH = _Watch()


@contextmanager
def watched(sandbox: Path, *, limit_s: float = LIMIT_S, programs: bool = False) -> Iterator[None]:
    """Run an input's code; whatever it may not do becomes `Broken`. `programs` may be started where they are the point.

    Raises:
        Broken: it took too long, wrote outside of `sandbox`, or started a program.
    """
    if not _WATCH.installed:
        sys.addaudithook(_WATCH.hook)
        _WATCH.installed = True
    before = {number: signal.signal(number, _too_long) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, limit_s)
    signal.setitimer(signal.ITIMER_REAL, limit_s * BUSY)
    _WATCH.seen, _WATCH.programs, _WATCH.sandbox = [], programs, str(sandbox.resolve())
    try:
        yield
    finally:
        _WATCH.sandbox = None
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
    if _WATCH.seen:
        raise Broken(f"it did what no input may: {'; '.join(_WATCH.seen[:5])}")


def _too_long(_signal: int, _frame: FrameType | None) -> None:
    raise Broken(f"it has not ended after {LIMIT_S:g} s of processor time, or ten times that on the clock")


def judge(run: Callable[[], int], said: Callable[[], str]) -> int:
    """Run a command; return its exit code.

    Raises:
        Broken: it raised, or was refused without one clear message.
    """
    try:
        code = run()
    except Broken:
        raise
    except Exception as e:
        raise Broken(f"{type(e).__name__}: {e}") from e
    text = said()
    if code not in GOOD_CODES:
        raise Broken(f"exit code {code}: {text[:500]}")
    if code == 2 and not re.search(r"error: .*\[[a-z]+(-[a-z0-9]+)*\] .*\n(.*\n)*  fix: \S", text):
        raise Broken(f"refused, but not in words: {text[:500]!r}")
    if "Traceback" in text:
        raise Broken(f"a traceback: {text[-500:]}")
    return code
