"""A streaming PL kernel of several inlets or outlets in the event simulation: its parts, and tasks that move rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from aieloom.model.tensor import TensorType
from aieloom.pl.kernel import LineJunction, PlKernel
from aieloom.pl.lines.junction import JOINED, WORKED
from aieloom.pl.streams import by_row
from aieloom.simulation.events import Places, Process, Simulation, Tokens

StartPart = Callable[[PlKernel, Places | None, Places | None], None]


IN_FLIGHT = 2  # rows of a short queue: one is written while the other is read, as beats are


def row_queue(tokens: Callable[..., Tokens], name: str, rows: int = IN_FLIGHT) -> Places:
    """Return an empty queue of so many rows."""
    return Places(tokens(f"room for a row of {name}", rows), tokens(f"a row of {name}"))


@dataclass(slots=True, kw_only=True)
class JunctionKernel:
    """One junction in a simulation of `images` images.

    `start_part` starts a part between queues of rows; `ports` are the rows' queues at ports to other PL kernels.
    """

    sim: Simulation
    images: int
    gap: PlKernel
    made: LineJunction
    tokens: Callable[..., Tokens]
    start_part: StartPart
    ins: Sequence[Places | None]
    outs: Sequence[Places | None]

    def start(self) -> None:
        """Start the kernel's parts and tasks."""
        joined = self._queue(JOINED)
        self._entries(joined)
        last = joined
        if self.made.middle:
            last = self._queue(WORKED)
            self._part(self.made.middle, joined, last)
        self._exits(last)

    def _entries(self, joined: Places) -> None:
        """Start what brings rows to `joined`: parts of inlets, and the join."""
        made, gap, kept = self.made, self.gap, list[Places]()
        for number, (part, port) in enumerate(zip(made.entries, self.ins, strict=True)):
            to = joined
            if made.kept:
                height = gap.inlets[number].x.shape[1]
                to = self._queue(f"kept_{number}", made.kept[number].images * height)
                kept.append(to)
            if part:
                self._part(part, port, to)
            elif port:
                self._move(f"bring {number}", [port], [to], [gap.inlets[number].x])
        if made.kept:
            xs = [i.x for i in gap.inlets]
            same = xs[0].shape == made.joined.shape
            self._move("join", kept, [joined], xs[:1] if same else xs)

    def _exits(self, last: Places) -> None:
        """Start what takes the results' rows from `last`."""
        made, gap, given = self.made, self.gap, [last]
        if made.given:
            height = gap.y.shape[1]
            given = [self._queue(f"given_{n}", height) for n in range(len(made.given))]
            self._move("fork", [last], given, [gap.y])
        for number, (part, port, queue) in enumerate(zip(made.exits, self.outs, given, strict=True)):
            if part:
                self._part(part, queue, None)
            elif port:
                self._move(f"send {number}", [queue], [port], [gap.y])

    def _queue(self, name: str, rows: int = IN_FLIGHT) -> Places:
        return row_queue(self.tokens, f"{name} of {self.gap.name}", rows)

    def _part(self, part: PlKernel, source: Places | None, to: Places | None) -> None:
        self.start_part(replace(part, name=f"{self.gap.name} {part.name}"), source, to)

    def _move(
        self, name: str, sources: Sequence[Places], to: Sequence[Places], moves: Sequence[TensorType]
    ) -> None:
        """Start a task that takes a row of each source and gives rows of what it moves, one tensor after another."""
        height = moves[0].shape[1]
        cycles = sum(by_row(t).words for t in moves) / height
        self.sim.start(f"{self.gap.name} {name}", self._moving(name, sources, to, height, cycles))

    def _moving(
        self, name: str, sources: Sequence[Places], to: Sequence[Places], height: int, cycles: float
    ) -> Process:
        for image in range(self.images):
            for row in range(height):
                for queue in sources:
                    yield queue.full
                for queue in to:
                    yield queue.free
                began = self.sim.now
                yield cycles / self.gap.clock_mhz
                self.sim.mark(f"pl/{self.gap.name} {name}", f"image {image} row {row}", began)
                for queue in sources:
                    self.sim.give(queue.free)
                for queue in to:
                    self.sim.give(queue.full)
