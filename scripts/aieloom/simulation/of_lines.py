"""A PL kernel that keeps lines in the event simulation: its parts, and the tasks that move rows between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from aieloom.pl.kernel import PlKernel
from aieloom.pl.line_store import BRING, FORK, MERGE, LinePart, LineStore, Move
from aieloom.pl.streams import by_row
from aieloom.simulation.events import Places, Process, Simulation, Tokens

StartPart = Callable[[LinePart, str, Places | None, Places | None], None]


IN_FLIGHT = 2  # rows of a short queue: one is written while the other is read, as beats are


def row_queue(tokens: Callable[..., Tokens], name: str, rows: int = IN_FLIGHT) -> Places:
    """Return an empty queue of so many rows."""
    return Places(tokens(f"room for a row of {name}", rows), tokens(f"a row of {name}"))


@dataclass(slots=True, kw_only=True)
class LineKernel:
    """One kernel in a simulation of `images` images.

    `start_part` starts a part, under a name, between queues of rows; `ports` are the rows' queues at ports to other PL kernels.
    """

    sim: Simulation
    images: int
    kernel: PlKernel
    store: LineStore
    tokens: Callable[..., Tokens]
    start_part: StartPart
    ports: Mapping[str, Places | None]

    def start(self) -> None:
        """Start the kernel's parts and tasks."""
        name = self.kernel.name
        if part := self.store.only:
            self.start_part(part, name, self.ports[part.inlet.port], self.ports[part.outlet.port])
            return
        rows = dict(self._rows())
        queues = {
            q.name: row_queue(self.tokens, f"{q.name} of {name}", rows.get(q.name, IN_FLIGHT))
            for q in self.store.queues
        }
        places = {**self.ports, **queues}
        read = {p.inlet.port for p in self.store.parts}
        for move in self.store.moves:
            if move.kind == BRING and move.gives[0] in read:  # one with the part behind it
                places[move.gives[0]] = places[move.takes[0]]
        for part in self.store.parts:
            self.start_part(part, f"{name} {part.name}", places[part.inlet.port], places[part.outlet.port])
        for move in self.store.moves:
            sources, to = ([places[q] for q in ends] for ends in (move.takes, move.gives))
            if move.kind != BRING or move.gives[0] not in read:
                self._move(move, [p for p in sources if p], [p for p in to if p])

    def _rows(self) -> Iterator[tuple[str, int]]:
        """Yield the queues of images with their rows."""
        images = {q.name: q.images for q in self.store.queues}
        for move in self.store.moves:
            if move.kind == MERGE:
                for queue, inlet in zip(move.takes, self.kernel.inlets, strict=True):
                    yield queue, images[queue] * inlet.x.shape[1]
            elif move.kind == FORK:
                yield from ((queue, images[queue] * self.kernel.y.shape[1]) for queue in move.gives)

    def _move(self, move: Move, sources: Sequence[Places], to: Sequence[Places]) -> None:
        """Start a task that takes a row of each source and gives rows of what it moves, one tensor after another."""
        name, height = move.name.replace("_", " "), move.tensors[0].shape[1]
        cycles = sum(by_row(t).words for t in move.tensors) / height
        self.sim.start(f"{self.kernel.name} {name}", self._moving(name, sources, to, height, cycles))

    def _moving(
        self, name: str, sources: Sequence[Places], to: Sequence[Places], height: int, cycles: float
    ) -> Process:
        us, lane = cycles / self.kernel.clock_mhz, f"pl/{self.kernel.name} {name}"
        for image in range(self.images):
            for row in range(height):
                yield from self.sim.hand_on(sources, to, us, (lane, f"image {image} row {row}"))
