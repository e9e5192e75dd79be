"""What a command is doing, told while it does it: nothing is silent for two seconds.

Whoever begins something long says so with `working("searching for a mapping")`, and how far it is with `at("3 of 12 designs")`,
which costs nothing. On a terminal there is one moving line; elsewhere, where a command line asked for it with `lines()`, plain
lines on stderr: one when something else is done, a dot while it is the same. Python programs get the moving line alone, so what
they write to files stays theirs. Nothing is told with --quiet, nor with AIELOOM_PROGRESS=0.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

EVERY, LOOK = 1.2, 0.3  # seconds between two signs of life, and between looks whether one is due
SLOWER = 0.05  # lines come at least this share of the time since the beginning apart: hours do not fill a log
NAME = "aieloom-progress"
WIDEST = 100  # characters of a line, dots included


def quiet() -> bool:
    """Tell whether only results and errors are wanted: --quiet, AIELOOM_QUIET=1, or quiet=1 on doit's command line."""
    if os.environ.get("AIELOOM_QUIET", "0") not in {"", "0"}:
        return True
    if "doit" not in sys.modules:  # aieloom's other commands need none of it
        return False
    from doit import get_var  # noqa: PLC0415

    return str(get_var("quiet", "0") or "0") != "0"  # None outside doit


class Doing:
    """Something that takes its time: `what`, and how `far` it is."""

    def __init__(self, what: str) -> None:
        self.what, self.far = what, ""

    def __str__(self) -> str:
        return f"{self.what}: {self.far}" if self.far else self.what


class _Teller:
    """Tells what is going on, from the first `working` to the end of the last one."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.stack: list[Doing] = []  # the innermost last
        self.wants_lines = 0
        self._began = self._told = self._line_at = time.monotonic()  # told: when something was printed last
        self._last, self._column = "", 0
        self._out: TextIO | None = None
        self._stop: threading.Event | None = None
        self._live: Live | None = None

    @property
    def text(self) -> str:
        """What is going on: the innermost two."""
        return ", ".join(map(str, list(self.stack)[-2:]))

    def begin(self, console: Console | None) -> None:
        """Begin to tell, if somebody listens."""
        if quiet() or os.environ.get("AIELOOM_PROGRESS") == "0":
            return
        self._began = time.monotonic()
        if console.is_terminal if console else sys.stderr.isatty():
            self._show(console)
        elif self.wants_lines:
            self._last, self._column, self._out, self._line_at = "", 0, sys.__stderr__, 0.0
            self._stop = threading.Event()
            threading.Thread(target=self._run, args=(self._stop,), name=NAME, daemon=True).start()

    def _show(self, out: Console | None) -> None:
        from rich.console import Console  # noqa: PLC0415 - what needs no terminal starts without rich
        from rich.live import Live  # noqa: PLC0415
        from rich.spinner import Spinner  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        teller = self

        class _Moving(Spinner):
            def render(self, time: float) -> object:  # type: ignore[override]
                self.text = Text(f"{teller.text}  {teller.seconds:.0f} s", no_wrap=True, overflow="ellipsis")
                return super().render(time)

        # A result that goes to a file must not end on the terminal's line.
        self._live = Live(
            _Moving("dots"),
            console=out or Console(soft_wrap=True, highlight=False, stderr=True),
            transient=True,
            refresh_per_second=8,
            redirect_stdout=sys.stdout.isatty(),
        )
        self._live.start()

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return time.monotonic() - self._began

    def end(self) -> None:
        """Tell no more."""
        if self._live:
            self._live.stop()
            self._live = None
        if self._stop:
            self._stop.set()
            self.broken()
            self._stop = self._out = None

    def _run(self, stop: threading.Event) -> None:
        while not stop.wait(LOOK):
            with self.lock:
                now = time.monotonic()
                if stop.is_set() or now - self._told < EVERY:
                    continue
                text = self.text
                slow = now - self._line_at >= SLOWER * (now - self._began)
                if text != self._last and slow:
                    self.broken()
                    self._write(text)
                    self._last, self._line_at = text, now
                else:
                    if self._column >= WIDEST:
                        self.broken()
                    self._write("." if self._column else "  .")
                self._told = now

    def _write(self, text: str) -> None:
        if self._out:
            print(text, end="", file=self._out, flush=True)
            self._column += len(text)

    def broken(self) -> None:
        """End the line that dots are added to: something else is going to be printed."""
        with self.lock:
            if self._column and self._out:
                print(file=self._out, flush=True)
            self._column, self._told = 0, time.monotonic()


_TELLER = _Teller()


@contextmanager
def working(what: str, *, console: Console | None = None) -> Iterator[Doing]:
    """Tell what is being done while it is; `console` is where the moving line goes, if not stderr."""
    doing = Doing(what)
    with _TELLER.lock:
        at("")  # what is said of how far the outer one is was said before this one
        _TELLER.stack.append(doing)
        if len(_TELLER.stack) == 1:
            _TELLER.begin(console)
    try:
        yield doing
    finally:
        with _TELLER.lock:
            _TELLER.stack.remove(doing)
            if not _TELLER.stack:
                _TELLER.end()


@contextmanager
def lines() -> Iterator[None]:
    """Tell in plain lines where there is no terminal, too: what a command line does."""
    _TELLER.wants_lines += 1
    try:
        yield
    finally:
        _TELLER.wants_lines -= 1


def at(far: str) -> None:
    """Say how far what was begun last is."""
    stack = _TELLER.stack
    if stack:
        stack[-1].far = far


def broken() -> None:
    """End the line that dots are added to, before something else is printed."""
    _TELLER.broken()


def now() -> str:
    """Return what is going on; empty where nothing is."""
    return _TELLER.text
