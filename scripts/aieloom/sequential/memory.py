"""Where tensors lie in device memory: two share a place when no command needs both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aieloom.sequential.commands import ALIGNMENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifetime:
    """A tensor from the step that makes it to the last one that reads it."""

    name: str
    bytes: int
    first: int
    last: int


def allocated(lifetimes: Sequence[Lifetime]) -> tuple[dict[str, int], int]:
    """Return each tensor's offset and the bytes of all.

    The largest is placed first, each at the lowest place that is free while it lives.
    """
    places: dict[str, int] = {}
    done: list[Lifetime] = []
    for tensor in sorted(lifetimes, key=lambda t: (-t.bytes, t.first, t.name)):
        beside = sorted(
            (places[t.name], t.bytes) for t in done if t.first <= tensor.last and tensor.first <= t.last
        )
        at = 0
        for begin, size in beside:
            if at + tensor.bytes <= begin:
                break
            at = max(at, aligned(begin + size))
        places[tensor.name] = at
        done.append(tensor)
    return places, max((aligned(places[t.name] + t.bytes) for t in done), default=0)


def aligned(value: int) -> int:
    """Return a size filled up to where the next tensor may begin."""
    return -(-value // ALIGNMENT) * ALIGNMENT
