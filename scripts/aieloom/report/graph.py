"""The pipeline as a picture: memory, PL kernels and AIE layers with the streams between them and their modelled time."""

from __future__ import annotations

from itertools import pairwise

from aieloom.emit.text import plural
from aieloom.plan.types import Plan
from aieloom.report.svg import ARROW_HEAD, arrow, colour, document, line, rect, text

BOX_W, BOX_H, GAP, TOP = 160, 92, 74, 46
PER_ROW, ROW_GAP, LEFT = 4, 46, 12


def graph(plan: Plan) -> str:
    """Return the pipeline as SVG, in the order of the data's way, row by row."""
    boxes = _boxes(plan)
    parts = [ARROW_HEAD, text(LEFT, 24, f"{plan.project}: {plan.x} to {plan.y}", size=14)]
    for i, (title, lines, fill) in enumerate(boxes):
        x, y = _corner(i)
        slowest = title == plan.cost.bottleneck
        frame = "stroke='#b3261e' stroke-width='3'" if slowest else "stroke='#777'"
        parts.append(rect(x, y, BOX_W, BOX_H, fill=fill, more=f"fill-opacity='0.25' {frame} rx='6'"))
        parts.append(text(x + BOX_W / 2, y + 20, title, size=13, anchor="middle"))
        parts += [
            text(x + BOX_W / 2, y + 38 + 15 * n, words, size=10, anchor="middle")
            for n, words in enumerate(lines)
        ]
        if slowest:
            parts.append(text(x + BOX_W / 2, y + 84, "the slowest stage", size=10, anchor="middle"))
    for i, words in enumerate(_streams(plan)):
        parts += _arrow(i, words)
    bottom = _corner(len(boxes) - 1)[1] + BOX_H
    note = f"times per image: {plan.cost.produced_by}, not measured"
    parts.append(text(LEFT, bottom + 26, note, size=10, fill="#555"))
    columns = min(PER_ROW, len(boxes))
    width = 2 * LEFT + columns * BOX_W + (columns - 1) * GAP
    return document(max(width, 620), bottom + 40, parts, label=f"pipeline of {plan.project}")


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


def _boxes(plan: Plan) -> list[tuple[str, list[str], str]]:
    layers = {layer.name: (index, layer) for index, layer in enumerate(plan.aie)}
    boxes = []
    for stage in plan.cost.stages:
        time = f"{_us(stage.interval_us)} us at {stage.clock_mhz:g} MHz"
        if stage.name in layers:
            index, layer = layers[stage.name]
            m, k, n = layer.draft.grid.mmul
            what = [f"{plural(len(layer.kernels), 'core')}, {layer.draft.strategy}", f"mmul {m}x{k}x{n}"]
            boxes.append((stage.name, [*what, time], colour(index)))
        else:
            boxes.append(
                (stage.name, ["PL kernel" if stage.kind == "pl" else "PL data mover", time], "#bbbbbb")
            )
    return boxes


def _us(value: float) -> str:
    return f"{value:.1f}" if value >= 1 else f"{value:.3f}"


def _streams(plan: Plan) -> list[str]:
    """Return what each arrow carries: number of streams and their width."""
    layers = {layer.name for layer in plan.aie}
    names = [stage.name for stage in plan.cost.stages]
    words = []
    for before, after in pairwise(names):
        layer, is_input = (after, True) if after in layers else (before, False)
        plios = [p for p in plan.plios if p.layer == layer and p.is_input == is_input]
        bits = plios[0].bits if plios else plan.s2mm.bits
        words.append(f"{len(plios) or 1} x {bits} b")
    return words
