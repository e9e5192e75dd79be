"""What a run of the event simulation showed: when images begin and end in each subgraph, and what every lane did."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.simulation.events import Slice, Wait

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
