"""Interval and latency of the array, from the times that aiesimulator puts before the words of its output files.

Each output word of a PLIO has a line `T <time> <unit>` before it [UG1076]. The words of a stream are cut into images;
successive first words tell the interval, the last word of the first image the latency from the start of the simulation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """When the words of one output stream came; `words` of them are one image. A `subgraph` runs as a pipeline."""

    stream: str
    layer: str
    words: int
    times_ns: NDArray[np.float64]
    subgraph: str = ""

    @property
    def images(self) -> int:
        """Whole images that arrived."""
        return len(self.times_ns) // self.words if self.words else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerTiming:
    """A layer's outputs in time: its slowest stream."""

    layer: str
    stream: str
    interval_us: float | None  # between images; None when only one came
    first_us: float  # first and last word of the first image
    last_us: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The array in time. Layers are simulated beside each other, each with its own input files."""

    interval_us: (
        float | None
    )  # of the slowest layer: what the array as a pipeline cannot beat; a sum over subgraphs
    slowest_layer: str
    slowest_of_subgraphs: tuple[str, ...]  # which run one after another
    latency_us: float  # the layers' first images one after another, each with the start-up of cores and graph: a bound
    end_us: float  # last word of all
    layers: tuple[LayerTiming, ...]

    @property
    def throughput_fps(self) -> float | None:
        """Images a second at that interval."""
        return 1e6 / self.interval_us if self.interval_us else None


def timing_of(arrivals: Iterable[Arrivals]) -> Timing | None:
    """Return what the arrival times tell; None when there are none (x86simulator knows no time)."""
    told = [a for a in arrivals if a.images]
    if not told:
        return None
    streams = [_stream(a) for a in told]
    layers = tuple(
        max((s for s in streams if s.layer == name), key=_slowness)
        for name in dict.fromkeys(s.layer for s in streams)
    )
    of = {a.layer: a.subgraph for a in told}
    slowest = [
        max((la for la in layers if of[la.layer] == name), key=_slowness)
        for name in dict.fromkeys(of.values())
    ]
    intervals = [la.interval_us for la in slowest if la.interval_us is not None]
    return Timing(
        interval_us=round(sum(intervals), 4) if len(intervals) == len(slowest) else None,
        slowest_layer=max(slowest, key=_slowness).layer,
        slowest_of_subgraphs=tuple(la.layer for la in slowest),
        latency_us=round(sum(max(s.last_us for s in streams if s.layer == la.layer) for la in layers), 4),
        end_us=round(max(float(a.times_ns[-1]) for a in told) / 1e3, 4),
        layers=layers,
    )


def _slowness(timing: LayerTiming) -> tuple[float, float]:
    return timing.interval_us or 0.0, timing.last_us


def _stream(a: Arrivals) -> LayerTiming:
    firsts = a.times_ns[: a.images * a.words : a.words]
    gaps = [later - earlier for earlier, later in pairwise(firsts.tolist())]
    # The first gap still has the pipeline filling up: leave it out where there are others.
    steady = gaps[1:] or gaps
    return LayerTiming(
        layer=a.layer,
        stream=a.stream,
        interval_us=round(float(np.mean(steady)) / 1e3, 4) if steady else None,
        first_us=round(float(firsts[0]) / 1e3, 4),
        last_us=round(float(a.times_ns[a.words - 1]) / 1e3, 4),
    )
