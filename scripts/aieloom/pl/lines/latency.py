"""How long an image is under way in a streaming kernel: when each task has what it waits for, task after task."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aieloom.pl.frames import PIPELINE_CYCLES
from aieloom.pl.line_store import LineTasks
from aieloom.pl.lines.schedule import SETTLE_CYCLES

Arrival = Callable[[int], float]  # cycles until so many beats have come


def latency(plan: LineTasks, reads: int) -> int:
    """Return cycles from the first word in to the last word out when the readers, `reads` cycles long, never wait."""
    read = sum(plan.read_bands)
    arrival: Arrival = lambda taken: reads * taken / read  # noqa: E731
    for s in plan.stages:
        begins = _followed(arrival, s.needs, s.round_beats, s.take_cycles, s.delay or SETTLE_CYCLES)
        arrival = _arrival_of(begins, s.round_beats)
    return round(_followed(arrival, plan.needs, plan.round_words, 1)[-1] + plan.round_words) + PIPELINE_CYCLES


def _followed(
    arrival: Arrival, needs: Sequence[int], count: int, take: int, settle: int = SETTLE_CYCLES
) -> list[float]:
    """Return when each round, of `count` beats or words, begins to be sent where every beat finds its place."""
    now, found = 0.0, []
    for need in needs:
        now = max(now, max(arrival(need), need * take) + settle)
        found.append(now)
        now += count
    return found


def _arrival_of(begins: Sequence[float], count: int) -> Arrival:
    """Return when so many beats have come that a task sends in rounds of `count`."""

    def arrival(taken: int) -> float:
        number = min((taken - 1) // count, len(begins) - 1)
        return begins[number] + taken - number * count

    return arrival
