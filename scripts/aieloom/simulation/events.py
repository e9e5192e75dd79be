"""A small discrete-event simulator: processes that wait for time and for tokens, on a deterministic clock.

A process is a generator that yields a time to wait (microseconds) or a `Tokens` to take one from. Tokens given
wake waiting processes in the order they came; equal times run in the order they were scheduled.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from aieloom.errors import AieloomError

Process = Generator["float | Tokens", None, None]


class Stuck(AieloomError):
    """No process can go on although some are not done; names them and what they wait for."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Something happened in a lane from `start` for `duration` microseconds."""

    lane: str
    name: str
    start: float
    duration: float


@dataclass(frozen=True, slots=True)
class Wait:
    """A process stood still from `start` for `duration` microseconds, until another one gave the token."""

    process: str
    on: str  # the token
    giver: str  # the process that gave it
    start: float
    duration: float


@dataclass(slots=True, eq=False)
class Tokens:
    """A count of tokens: full buffers to take, or free places to fill."""

    name: str
    count: int = 0
    waiting: deque[_Running] = field(default_factory=deque)


@dataclass(frozen=True, slots=True)
class Places:
    """What stands between two processes: places that are free, and full ones."""

    free: Tokens
    full: Tokens


@dataclass(frozen=True, slots=True)
class LayerPorts:
    """Buffers of a layer: per group the input's, per core the output's."""

    inputs: list[Places]
    outputs: list[Places]


@dataclass(slots=True, eq=False)
class _Running:
    name: str
    steps: Process
    since: float = 0.0  # when it began to wait


class Simulation:
    """Runs processes to their end; collects the slices they report, and, where that is asked for, what each waited for."""

    def __init__(self, begins: float = 0.0, *, waits: bool = False) -> None:
        self.now = begins
        self.slices: list[Slice] = []
        self.waits: list[Wait] = []
        self._keeps_waits = waits
        self._running = ""
        self._queue: list[tuple[float, int, _Running]] = []
        self._order = 0
        self._alive = 0

    def start(self, name: str, steps: Process) -> None:
        """Add a process; it begins at time zero, or now."""
        self._alive += 1
        self._schedule(0.0, _Running(name, steps))

    def give(self, tokens: Tokens) -> None:
        """Add a token; the longest waiting process takes it at once."""
        if tokens.waiting:
            process = tokens.waiting.popleft()
            if self._keeps_waits and self.now > process.since:
                since = process.since
                self.waits.append(Wait(process.name, tokens.name, self._running, since, self.now - since))
            self._schedule(0.0, process)
        else:
            tokens.count += 1

    def mark(self, lane: str, name: str, start: float) -> None:
        """Report a slice that ends now."""
        self.slices.append(Slice(lane, name, start, self.now - start))

    def hand_on(
        self, sources: Sequence[Places], targets: Sequence[Places], us: float, *marks: tuple[str, str]
    ) -> Process:
        """Take what each source has, into a free place of each target, in so much time; `marks` are lanes and names for it."""
        for places in sources:
            yield places.full
        for places in targets:
            yield places.free
        began = self.now
        yield us
        for lane, name in marks:
            self.mark(lane, name, began)
        for places in sources:
            self.give(places.free)
        for places in targets:
            self.give(places.full)

    def run(self, watched: tuple[Tokens, ...] = ()) -> None:
        """Run until every process is done.

        Raises:
            Stuck: some wait for tokens that nobody will give; `watched` are named with their waiters.
        """
        while self._queue:
            self.now, _, process = heapq.heappop(self._queue)
            self._step(process)
        if self._alive:
            waits = [f"{p.name} for {t.name}" for t in watched for p in t.waiting]
            raise Stuck(f"{self._alive} processes wait for ever: {', '.join(waits) or 'not watched'}")

    def _schedule(self, delay: float, process: _Running) -> None:
        self._order += 1
        heapq.heappush(self._queue, (self.now + delay, self._order, process))

    def _step(self, process: _Running) -> None:
        """Run a process until it has to wait."""
        self._running = process.name
        for wanted in process.steps:
            if isinstance(wanted, Tokens):
                if wanted.count == 0:
                    process.since = self.now
                    wanted.waiting.append(process)
                    return
                wanted.count -= 1
            else:
                self._schedule(wanted, process)
                return
        self._alive -= 1
