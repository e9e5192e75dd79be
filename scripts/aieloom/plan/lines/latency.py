"""How long an image is under way in a streaming kernel: when each task has what it waits for, task after task."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aieloom.plan.gap import PIPELINE_CYCLES
from aieloom.plan.logic import ROUND_CYCLES, StreamingPlan

Arrival = Callable[[int], float]  # cycles until so many beats have come


def latency(plan: StreamingPlan, reads: int) -> int:
    """Return cycles from the first word in to the last word out when the readers, `reads` cycles long, never wait."""
    read = sum(plan.read_bands)
    arrival: Arrival = lambda taken: reads * taken / read  # noqa: E731
    depth = 0
    for s in plan.stages:
        sent = _followed(arrival, s.before, s.during, s.sends, s.take_cycles)
        arrival, depth = _arrival_of(sent, s.sends), depth + PIPELINE_CYCLES // 2
    words = [plan.round_words] * len(plan.before)
    return round(_followed(arrival, plan.before, plan.during, words, 1)[-1][1]) + PIPELINE_CYCLES + depth


def _followed(
    arrival: Arrival, before: Sequence[int], during: Sequence[int], sends: Sequence[int], take: int
) -> list[tuple[float, float]]:
    """Return when each round begins to send and when the task goes on from it."""
    now, taken, found = 0.0, 0, []
    for first, meanwhile, count in zip(before, during, sends, strict=True):
        taken += first
        begins = max(now + first * take, arrival(taken))
        taken += meanwhile
        now = max(begins + count + ROUND_CYCLES, arrival(taken))
        found.append((begins, now))
    return found


def _arrival_of(rounds: Sequence[tuple[float, float]], sends: Sequence[int]) -> Arrival:
    """Return when so many of the beats have come that a task sends in these rounds."""

    def arrival(taken: int) -> float:
        come = 0
        for (begins, _), count in zip(rounds, sends, strict=True):
            if taken <= come + count:
                return begins + taken - come
            come += count
        return rounds[-1][1]

    return arrival
