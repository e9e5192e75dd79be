"""One long tool run: whole output to a log, a progress line now and then, a time limit, and nothing left behind."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO

GRACE_SECONDS = 5.0  # between asking a tool to end and ending it
_running: set[int] = set()  # process groups of tools that run now
_guard = threading.Lock()
_guarded = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a run ended. `code` is negative for signals; `timed_out` when it was ended for taking too long."""

    code: int
    timed_out: bool
    seconds: float


Progress = Callable[[float, str], None]  # seconds so far, last line of output


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    log: Path,
    environment: Mapping[str, str],
    limit_seconds: float,
    keep_open: int | None = None,
    progress: Progress | None = None,
    every: float = 30.0,
) -> Ended:
    """Run a program in a process group of its own and wait.

    `keep_open` is a file descriptor that the program inherits (a lock that lasts as long as it does).

    Raises:
        OSError: the program cannot be started, or the log cannot be written.
    """
    _guard_exit()
    began = time.monotonic()
    with log.open("wb") as out:
        process = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=() if keep_open is None else (keep_open,),
        )
        with _guard:
            _running.add(process.pid)
        tail = _Tail(process, out)
        try:
            timed_out = _wait(process, tail, began=began, limit=limit_seconds, progress=progress, every=every)
            tail.join(1.0)  # longer only when something that the tool left behind holds its output
        finally:
            _end_group(process)
            tail.join(GRACE_SECONDS)
            with _guard:
                _running.discard(process.pid)
    if tail.problem:
        raise tail.problem
    return Ended(code=process.returncode, timed_out=timed_out, seconds=time.monotonic() - began)


class _Tail(threading.Thread):
    """Copies a program's output into its log and remembers the last line."""

    def __init__(self, process: subprocess.Popen[bytes], out: object) -> None:
        super().__init__(daemon=True)
        self.process = process
        self.out = out
        self.last = ""
        self.problem: OSError | None = None
        self.start()

    def run(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        with stream:
            self._copy(stream)

    def _copy(self, stream: IO[bytes]) -> None:
        for line in stream:
            text = line.decode("utf-8", errors="replace").strip()
            self.last = text or self.last
            if self.problem is None:
                self._write(line)

    def _write(self, line: bytes) -> None:
        try:
            self.out.write(line)  # type: ignore[attr-defined]
            self.out.flush()  # type: ignore[attr-defined]
        except OSError as e:
            self.problem = e


def _wait(
    process: subprocess.Popen[bytes],
    tail: _Tail,
    *,
    began: float,
    limit: float,
    progress: Progress | None,
    every: float,
) -> bool:
    """Wait for the end; return whether the limit was passed."""
    told = began
    while True:
        now = time.monotonic()
        left = began + limit - now
        if left <= 0:
            _end_group(process)
            return True
        if progress and now - told >= every:
            progress(now - began, tail.last)
            told = now
        try:
            process.wait(timeout=min(left, every, 1.0))
        except subprocess.TimeoutExpired:
            continue
        return False


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End what is left of a program's group: what it started in the background goes with it."""
    _signal(process.pid, signal.SIGTERM)
    if process.poll() is None:
        try:
            process.wait(timeout=GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            _signal(process.pid, signal.SIGKILL)
            process.wait()


def _signal(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return  # nothing is left of it


def _end_all() -> None:
    with _guard:
        groups = list(_running)
    for group in groups:
        _signal(group, signal.SIGTERM)


def _guard_exit() -> None:
    """End the tools when aieloom itself is ended; doit would leave them running."""
    global _guarded  # noqa: PLW0603 - handlers belong to the process
    with _guard:
        if _guarded:
            return
        _guarded = True
    atexit.register(_end_all)
    if threading.current_thread() is threading.main_thread():
        earlier = signal.getsignal(signal.SIGTERM)

        def stop(number: int, frame: FrameType | None) -> None:
            _end_all()
            if callable(earlier):
                earlier(number, frame)
            else:
                raise SystemExit(128 + number)

        signal.signal(signal.SIGTERM, stop)
