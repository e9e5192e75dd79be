"""The process that runs networks: it opens them as sessions and does one thing at a time.

It is a process of its own so that what takes too long can be ended: `cancel` stops what it does, and it goes on with the next.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import AieloomError, SpecError
from aieloom.runtime.ends import End
from aieloom.runtime.frames import packed_bytes
from aieloom.runtime.remote import Description
from aieloom.runtime.session import Session

OPEN, RUN, FORGET = "open", "run", "forget"
MOST_SESSIONS = 16  # that stay open; one that was not used for longest is opened again when it is
GRACE_S = 10.0  # for what is cancelled to end by itself
MOST_TEXT = 8 << 10  # bytes of what is said of a failure: a log of such fits a page


class Failed(Exception):
    """What a network or its inputs are refused for; its text is for the client."""


class TooLarge(Failed):
    """Results have more bytes than the client's buffer."""


class Cancelled(BaseException):
    """Somebody has no use for what runs."""


@dataclass(slots=True)
class _Sessions:
    """The open networks of the worker, by their models' files."""

    open: OrderedDict[str, Session]
    most_bytes: int  # of a run's results

    def get(self, path: str, target: str | None) -> Session:
        found = self.open.pop(path, None) or Session(path, target=target)
        self.open[path] = found
        while len(self.open) > MOST_SESSIONS:
            self.open.popitem(last=False)
        return found


def describe(session: Session, path: str) -> Description:
    """Return what a client has to know of a network, which is compiled then: it has run once, on zeros.

    Raises:
        SpecError: a result is none that a frame carries.
        Failed: an input is none.
    """
    zeros = {e.name: _zeros(e) for e in session.get_inputs()}
    results = session.run(None, zeros)
    packed_bytes(results)
    return {
        "name": Path(path).name,
        "places": [{"engine": p.engine, "nodes": len(p.nodes)} for p in session.places],
        "inputs": [
            {"name": e.name, "shape": e.shape, "type": zeros[e.name].dtype.name} for e in session.get_inputs()
        ],
        "outputs": [
            {"name": e.name, "shape": (None, *y.shape[1:]), "type": y.dtype.name}
            for e, y in zip(session.get_outputs(), results, strict=True)
        ],
    }


def _zeros(end: End) -> Values:
    """Return the smallest array that an input takes.

    Raises:
        Failed: it takes no array of numbers.
    """
    try:
        return np.zeros([size or 1 for size in end.shape], end.elements)
    except TypeError as e:  # NumPy has no such elements: texts
        text = f"its input '{end.name}' is no array of numbers, and frames carry nothing else"
        raise Failed(text) from e


def work(connection: Connection, most_bytes: int) -> None:
    """Do what comes through the connection until it closes: the worker's main. Results have `most_bytes` at most."""
    os.setsid()  # Ctrl-C in a terminal is the server's
    with suppress(OSError):  # where memory ends, this process goes and is replaced, not the server
        Path("/proc/self/oom_score_adj").write_text("1000")
    busy = threading.Event()

    def cancelled(_signal: int, _frame: FrameType | None) -> None:
        if busy.is_set():
            busy.clear()
            raise Cancelled

    signal.signal(signal.SIGUSR1, cancelled)
    sessions = _Sessions(OrderedDict(), most_bytes)
    while True:
        try:
            what, *rest = connection.recv()
        except (EOFError, OSError):
            return
        try:
            busy.set()
            answer = ("done", _do(sessions, what, *rest))
            busy.clear()
        except (AieloomError, Failed) as e:
            answer = ("too large" if isinstance(e, TooLarge) else "failed", said(e))
        except Cancelled:
            answer = ("failed", "cancelled")
        except Exception as e:  # a defect of aieloom ends one command, not the server
            answer = ("failed", cut(f"{type(e).__name__}: {e}"))
        busy.clear()
        connection.send(answer)


def said(error: Exception) -> str:
    """Return what an error says, its first problems where they are many."""
    texts = [str(p) for p in error.problems] if isinstance(error, SpecError) else [str(error)]
    room, shown = MOST_TEXT - 100, 0
    while shown < len(texts) and (room := room - len(texts[shown].encode()) - 1) >= 0:
        shown += 1
    shown = max(shown, 1)
    more = [f"... and {len(texts) - shown} more"] if len(texts) > shown else []
    return "\n".join([cut("\n".join(texts[:shown]), MOST_TEXT - 100), *more])


def cut(text: str, most: int = MOST_TEXT) -> str:
    """Return a text's beginning of `most` bytes at most."""
    data = text.encode()
    return text if len(data) <= most else data[: most - 4].decode(errors="ignore") + " ..."


def _do(
    sessions: _Sessions, what: str, path: str, target: str | None, tensors: Sequence[Values] = ()
) -> object:
    if what == FORGET:
        sessions.open.pop(path, None)
        return None
    session = sessions.get(path, target)
    if what == OPEN:
        return describe(session, path)
    names = [e.name for e in session.get_inputs()]
    if len(tensors) != len(names):
        raise Failed(f"{len(tensors)} tensors are in the input buffer; the network has {len(names)}: {names}")
    results = session.run(None, dict(zip(names, tensors, strict=True)))
    made = packed_bytes(results)
    if made > sessions.most_bytes:  # before the server, which others use, has them in its memory
        raise TooLarge(f"the results have {made:,} B, the buffer {sessions.most_bytes:,} B")
    return results


class Worker:
    """The worker seen from the server; used by one thread at a time, `cancel` by any."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._context = multiprocessing.get_context("spawn")
        self._begin()

    def _begin(self) -> None:
        self._connection, other = self._context.Pipe()
        self._process = self._context.Process(target=work, args=(other, self._most_bytes), daemon=True)
        try:
            self._process.start()
        finally:
            other.close()

    def ask(self, what: str, path: str, target: str | None, tensors: Sequence[Values] = ()) -> object:
        """Have something done and wait for it.

        Raises:
            Failed: it cannot be done, was cancelled, or the worker died of it; another one stands ready then.
        OSError: there is no room for another one now; the next call tries again.
        """
        try:
            self._connection.send((what, path, target, tensors))
            status, result = self._connection.recv()
        except (EOFError, OSError) as e:
            self._end()
            self._begin()
            raise Failed("the process that runs networks has ended; another one is started") from e
        if status != "done":
            raise (TooLarge if status == "too large" else Failed)(result)
        return result

    def cancel(self) -> None:
        """Stop what runs; what does not stop in time is killed with its process."""
        process = self._process
        if process.pid:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGUSR1)

    def kill(self) -> None:
        """End the process with all that it has started; who waits for it is told."""
        if self._process.pid:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()  # one that has just begun has no group of its own yet

    def _end(self) -> None:
        if self._process.pid:  # else it could not even be started
            self.kill()
            self._process.join(GRACE_S)
        self._connection.close()

    def close(self) -> None:
        """End the worker."""
        self._end()
