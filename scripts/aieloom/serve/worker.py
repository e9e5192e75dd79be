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
from aieloom.errors import AieloomError
from aieloom.runtime.remote import Description
from aieloom.runtime.session import Session

OPEN, RUN, FORGET = "open", "run", "forget"
MOST_SESSIONS = 16  # that stay open; one that was not used for longest is opened again when it is
GRACE_S = 10.0  # for what is cancelled to end by itself


class Failed(Exception):
    """What a network or its inputs are refused for; its text is for the client."""


class Cancelled(BaseException):
    """Somebody has no use for what runs."""


@dataclass(slots=True)
class _Sessions:
    """The open networks of the worker, by their models' files."""

    open: OrderedDict[str, Session]

    def get(self, path: str, target: str | None) -> Session:
        found = self.open.pop(path, None) or Session(path, target=target)
        self.open[path] = found
        while len(self.open) > MOST_SESSIONS:
            self.open.popitem(last=False)
        return found


def describe(session: Session, path: str) -> Description:
    """Return what a client has to know of a network, which is compiled then: it has run once, on zeros."""
    zeros = {e.name: np.zeros([size or 1 for size in e.shape], np.float32) for e in session.get_inputs()}
    results = session.run(None, zeros)
    return {
        "name": Path(path).name,
        "places": [{"engine": p.engine, "nodes": len(p.nodes)} for p in session.places],
        "inputs": [{"name": e.name, "shape": e.shape} for e in session.get_inputs()],
        "outputs": [
            {"name": e.name, "shape": (None, *y.shape[1:])}
            for e, y in zip(session.get_outputs(), results, strict=True)
        ],
    }


def work(connection: Connection) -> None:
    """Do what comes through the connection until it closes: the worker's main."""
    os.setsid()  # Ctrl-C in a terminal is the server's
    busy = threading.Event()

    def cancelled(_signal: int, _frame: FrameType | None) -> None:
        if busy.is_set():
            busy.clear()
            raise Cancelled

    signal.signal(signal.SIGUSR1, cancelled)
    sessions = _Sessions(OrderedDict())
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
            answer = ("failed", str(e))
        except Cancelled:
            answer = ("failed", "cancelled")
        except Exception as e:  # a defect of aieloom ends one command, not the server
            answer = ("failed", f"{type(e).__name__}: {e}")
        busy.clear()
        connection.send(answer)


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
    return session.run(None, dict(zip(names, tensors, strict=True)))


class Worker:
    """The worker seen from the server; used by one thread at a time, `cancel` by any."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._begin()

    def _begin(self) -> None:
        self._connection, other = self._context.Pipe()
        self._process = self._context.Process(target=work, args=(other,), daemon=True)
        self._process.start()
        other.close()

    def ask(self, what: str, path: str, target: str | None, tensors: Sequence[Values] = ()) -> object:
        """Have something done and wait for it.

        Raises:
            Failed: it cannot be done, was cancelled, or the worker died of it; another one stands ready then.
        """
        try:
            self._connection.send((what, path, target, tensors))
            status, result = self._connection.recv()
        except (EOFError, OSError) as e:
            self._end()
            self._begin()
            raise Failed("the process that runs networks has ended; another one is started") from e
        if status == "failed":
            raise Failed(result)
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

    def _end(self) -> None:
        self.kill()
        self._process.join(GRACE_S)
        self._connection.close()

    def close(self) -> None:
        """End the worker."""
        self._end()
