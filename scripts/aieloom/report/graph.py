"""The pipeline as a picture: memory, PL kernels and AIE layers with the streams between them and their modelled time.

A box stands in the row of its longest way from memory. An arrow to the next row goes straight; one that passes rows goes down a
lane to the right of all boxes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from aieloom.plan.linked import handed_on
from aieloom.plan.types import ArrayPart, StageCost
from aieloom.report.roofline import multiplies
from aieloom.report.svg import ARROW_HEAD, arrow, colour, document, line, rect, text
from aieloom.words import plural

GAP, PER_ROW = 74, 4
TITLE = 13  # points; longer names are smaller
NOTE = 10  # points
WORDS_W = 60  # of what stands beside the last lane


KINDS = {"pl": "PL kernel", "mover": "PL data mover", "ps": "layers on the processor"}


def graph(plan: ArrayPart) -> str:
    """Return the pipeline as SVG: a chain in the order of the data's way, row by row; branches side by side."""
    boxes = _boxes(plan)
    chain = is_chain(plan.cost.stages)
    at = {b[0]: _corner(i) for i, b in enumerate(boxes)} if chain else corners(plan.cost.stages)
    parts = [ARROW_HEAD, text(LEFT, 24, f"{plan.project}: {plan.x} to {plan.y}", size=14)]
    for title, lines, fill in boxes:
        x, y = at[title]
        slowest = title == plan.cost.bottleneck
        frame = "stroke='#b3261e' stroke-width='3'" if slowest else "stroke='#777'"
        parts.append(rect(x, y, BOX_W, BOX_H, fill=fill, more=f"fill-opacity='0.25' {frame} rx='6'"))
        size = min(TITLE, (BOX_W - 10) / (0.6 * len(title)))  # a letter is about 0.6 of its size wide
        parts.append(text(x + BOX_W / 2, y + 20, title, size=size, anchor="middle"))
        parts += [
            text(x + BOX_W / 2, y + 38 + 15 * n, words, size=10, anchor="middle")
            for n, words in enumerate(lines)
        ]
        if slowest:
            parts.append(text(x + BOX_W / 2, y + 84, "the slowest stage", size=10, anchor="middle"))
    if chain:
        for i, edge in enumerate(_edges(plan)):
            parts += _arrow(i, edge.words)
        columns = min(PER_ROW, len(boxes))
        right = float(LEFT + columns * BOX_W + (columns - 1) * GAP)
    else:
        lines_between, right = arrows(tuple(_edges(plan)), at)
        parts += lines_between
        right += WORDS_W
    bottom = max(y for _, y in at.values()) + BOX_H
    width = max(right + LEFT, 620)
    # A letter is about half of its size wide.
    note = wrap(
        f"times per image: {plan.cost.produced_by}, not measured", int((width - 2 * LEFT) / (0.5 * NOTE))
    )
    parts += [text(LEFT, bottom + 26 + 14 * n, words, size=NOTE, fill="#555") for n, words in enumerate(note)]
    return document(width, bottom + 26 + 14 * len(note), parts, label=f"pipeline of {plan.project}")


def _corner(index: int) -> tuple[float, float]:
    """Return the upper left corner of a box."""
    row, column = divmod(index, PER_ROW)
    return LEFT + column * (BOX_W + GAP), TOP + row * (BOX_H + ROW_GAP)


def _arrow(index: int, words: str) -> list[str]:
    """Return the arrow from a box to the next, which may stand at the start of the next row."""
    x, y = _corner(index)
    if (index + 1) % PER_ROW:
        middle = y + BOX_H / 2
        return [
            arrow(x + BOX_W + 3, middle, x + BOX_W + GAP - 3, middle),
            text(x + BOX_W + GAP / 2, middle - 7, words, size=10, anchor="middle"),
        ]
    below = y + BOX_H + ROW_GAP / 2
    left = _corner(index + 1)[0] + BOX_W / 2
    start = x + BOX_W / 2
    return [
        line((start, y + BOX_H + 2), (start, below), width=1.5),
        line((start, below), (left, below), width=1.5),
        arrow(left, below, left, y + BOX_H + ROW_GAP - 3),
        text(start - 8, below - 5, words, size=10, anchor="end"),
    ]


def _boxes(plan: ArrayPart) -> list[tuple[str, list[str], str]]:
    layers = {layer.name: (index, layer) for index, layer in enumerate(plan.aie)}
    boxes = []
    for stage in plan.cost.stages:
        us = stage.interval_us
        time = f"{us:.{1 if us >= 1 else 3}f} us at {stage.clock_mhz:g} MHz"
        if stage.name in layers:
            index, layer = layers[stage.name]
            what = [f"{plural(len(layer.kernels), 'core')}, {layer.draft.strategy}"]
            what += [f"mmul {'x'.join(map(str, layer.grid.mmul))}"] if multiplies(layer) else []
            boxes.append((stage.name, [*what, time], colour(index)))
        else:
            boxes.append(
                (stage.name, [KINDS[stage.kind], time], "#e0c060" if stage.kind == "ps" else "#bbbbbb")
            )
    return boxes


def _edges(plan: ArrayPart) -> Iterator[Edge]:
    """Yield the arrows with what each carries: number of streams and their width."""
    layers = {layer.name for layer in plan.aie}
    plain = {(g.name, o.reader): o.streams for g in plan.pl for o in g.outlets}
    plain |= {(i.producer, g.name): i.streams for g in plan.pl for i in g.inlets}
    handed = handed_on(plan.all_aie)
    ends = {s.name for s in plan.cost.stages if s.kind in ("ps", "mover")}
    memory = {(b, s.name) for s in plan.cost.stages for b in s.after if {b, s.name} <= ends}
    for stage in plan.cost.stages:
        for before in stage.after:
            shared = [b for b in plan.buffers if (b.before, b.after) == (before, stage.name)]
            if shared:
                yield Edge(before, stage.name, f"{sum(len(b.writers) for b in shared)} x 32 b")
                continue
            if (before, stage.name) in handed:
                yield Edge(before, stage.name, "memory")
                continue
            layer, is_input = (stage.name, True) if stage.name in layers else (before, False)
            if (before, stage.name) in memory:
                yield Edge(before, stage.name, "DDR")
                continue
            plios = plan.streams_of(layer, is_input=is_input)
            bits = plios[0].bits if plios else plain[before, stage.name].bits
            yield Edge(before, stage.name, f"{len(plios) or 1} x {bits} b")


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
