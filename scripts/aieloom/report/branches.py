"""Where the boxes of a pipeline with branches stand, and the arrows between them.

A box stands in the row of its longest way from memory. An arrow to the next row goes straight; one that passes rows
goes down a lane to the right of all boxes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aieloom.plan.types import StageCost
from aieloom.report.svg import arrow, line, text

BOX_W, BOX_H, BETWEEN, TOP, ROW_GAP, LEFT, LANE = 160, 92, 30, 46, 46, 12, 14


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow from one stage to another, and what it carries."""

    before: str
    after: str
    words: str


def is_chain(stages: Sequence[StageCost]) -> bool:
    """Tell whether each stage needs exactly the one before it."""
    names = [s.name for s in stages]
    return all(s.after == (names[i],) for i, s in enumerate(stages[1:]))


def corners(stages: Sequence[StageCost]) -> dict[str, tuple[float, float]]:
    """Return the upper left corner of each stage's box."""
    rows: dict[str, int] = {}
    taken: dict[int, int] = {}
    found = {}
    for s in stages:
        row = rows[s.name] = max((rows[a] + 1 for a in s.after), default=0)
        column = taken.get(row, 0)
        taken[row] = column + 1
        found[s.name] = (LEFT + float(column * (BOX_W + BETWEEN)), TOP + float(row * (BOX_H + ROW_GAP)))
    return found


def _words(start: float, end: float, below: float, y1: float, words: str) -> str:
    """Return what stands at an arrow to the next row: beside it, at its head where it slants."""
    if start == end:
        return text(end + 6, (below + y1) / 2 + 4, words, size=10)
    return (
        text(end + 9, y1 - 12, words, size=10)
        if end > start
        else text(end - 9, y1 - 12, words, size=10, anchor="end")
    )


def arrows(edges: Sequence[Edge], at: Mapping[str, tuple[float, float]]) -> tuple[list[str], float]:
    """Return the arrows, and the x beyond the last lane."""
    right = max(x for x, _ in at.values()) + BOX_W
    parts: list[str] = []
    lanes: list[float] = []  # the y at which each lane is free again
    for edge in edges:
        (x0, y0), (x1, y1) = at[edge.before], at[edge.after]
        start, end = x0 + BOX_W / 2, x1 + BOX_W / 2
        below, above = y0 + BOX_H, y1 - 3
        if y1 - y0 <= BOX_H + ROW_GAP:
            parts.append(arrow(start, below + 2, end, above))
            parts.append(_words(start, end, below, y1, edge.words))
            continue
        lane = next((i for i, free in enumerate(lanes) if free <= y0), len(lanes))
        lanes[lane : lane + 1] = [y1]
        x = right + LANE * (lane + 1)
        out, into = below + 10, y1 - 14
        start, end = start + 30, end + 30
        parts += [
            line((start, below + 2), (start, out), width=1.5),
            line((start, out), (x, out), width=1.5),
            line((x, out), (x, into), width=1.5),
            line((x, into), (end, into), width=1.5),
            arrow(end, into, end, above),
            text(x + 4, (out + into) / 2, edge.words, size=10),
        ]
    return parts, right + LANE * (len(lanes) + 1)
