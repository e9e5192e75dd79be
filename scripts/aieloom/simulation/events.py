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

    def __init__(self, begins: float = 0.0, *, waits: bool = False, slices: bool = True) -> None:
        self.now = begins
        self.shows = slices  # slices are wanted; without them names need not be made
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
        """Report a slice that ends now, where slices are wanted."""
        if self.shows:
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
        for lane, name in marks if self.shows else ():
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


SETTLED = 2  # images at the end over which the interval is taken


@dataclass(frozen=True, slots=True, kw_only=True)
class SubgraphRun:
    """When each image begins and ends in one subgraph."""

    starts_us: tuple[float, ...]
    ends_us: tuple[float, ...]

    @property
    def interval_us(self) -> float:
        """Steady time between two images; of one image alone its time."""
        settled = min(SETTLED, len(self.ends_us) - 1)
        if not settled:
            return self.ends_us[0] - self.starts_us[0]
        return (self.ends_us[-1] - self.ends_us[-1 - settled]) / settled


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedRun:
    """What a simulation showed: per image start and end, and each lane's busy time.

    The run is of one copy of the design, and of tiles where images are cut; latency and interval are an image's of so
    many tiles, shared by so many copies. Of several subgraphs all images pass one before the first passes the next. Layers
    on the processor, which are not simulated, add their modelled time, and to the latency that of what crosses between them
    and the device.
    """

    slices: tuple[Slice, ...]
    subgraphs: tuple[SubgraphRun, ...]
    tiles: int = 1
    copies: int = 1
    processor_us: float = 0.0
    crossing_us: float = 0.0
    waits: tuple[Wait, ...] = ()  # where the simulation was asked to keep them

    @property
    def starts_us(self) -> tuple[float, ...]:
        """When each image's first word is read from memory."""
        return self.subgraphs[0].starts_us

    @property
    def ends_us(self) -> tuple[float, ...]:
        """When each image's last word is written."""
        return self.subgraphs[-1].ends_us

    @property
    def latency_us(self) -> float:
        """The first image's time, in each subgraph from its first word read from memory to its last word written."""
        first = sum(s.ends_us[0] - s.starts_us[0] for s in self.subgraphs)
        return (
            first
            + (-(-self.tiles // self.copies) - 1) * self._interval_us
            + self.processor_us
            + self.crossing_us
        )

    @property
    def interval_us(self) -> float:
        """Steady time between two images."""
        return self.tiles * self._interval_us / self.copies + self.processor_us

    @property
    def _interval_us(self) -> float:
        return sum(s.interval_us for s in self.subgraphs)

    @property
    def busy(self) -> dict[str, float]:
        """Share of the device's steady interval that each lane works, from the whole run's mean per image."""
        totals: dict[str, float] = {}
        for s in self.slices:
            totals[s.lane] = totals.get(s.lane, 0.0) + s.duration
        images = len(self.ends_us)
        return {lane: total / images / self._interval_us for lane, total in totals.items()}
