"""The pipeline as a picture: memory, PL kernels and AIE layers with the streams between them and their modelled time."""

from __future__ import annotations

from itertools import pairwise

from aieloom.plan.types import Plan
from aieloom.report.svg import ARROW_HEAD, arrow, colour, document, rect, text

BOX_W, BOX_H, GAP, TOP = 150, 92, 62, 46


def graph(plan: Plan) -> str:
    """Return the pipeline as SVG, in the order of the data's way."""
    boxes = _boxes(plan)
    parts = [ARROW_HEAD, text(12, 24, f"{plan.project}: {plan.x} to {plan.y}", size=14)]
    for i, (title, lines, fill) in enumerate(boxes):
        x = 12 + i * (BOX_W + GAP)
        parts.append(rect(x, TOP, BOX_W, BOX_H, fill=fill, more="fill-opacity='0.25' stroke='#777' rx='6'"))
        parts.append(text(x + BOX_W / 2, TOP + 20, title, size=13, anchor="middle"))
        parts += [
            text(x + BOX_W / 2, TOP + 38 + 15 * n, line, size=10, anchor="middle")
            for n, line in enumerate(lines)
        ]
    for i, words in enumerate(_streams(plan)):
        x = 12 + i * (BOX_W + GAP) + BOX_W
        parts += [
            arrow(x + 3, TOP + BOX_H / 2, x + GAP - 3, TOP + BOX_H / 2),
            text(x + GAP / 2, TOP + BOX_H / 2 - 6, words, size=9, anchor="middle"),
        ]
    note = f"times per image: {plan.cost.produced_by}, not measured; slowest stage: {plan.cost.bottleneck}"
    parts.append(text(12, TOP + BOX_H + 24, note, size=10, fill="#666"))
    return document(
        12 + len(boxes) * (BOX_W + GAP), TOP + BOX_H + 40, parts, label=f"pipeline of {plan.project}"
    )


def _boxes(plan: Plan) -> list[tuple[str, list[str], str]]:
    layers = {layer.name: (index, layer) for index, layer in enumerate(plan.aie)}
    boxes = []
    for stage in plan.cost.stages:
        time = f"{stage.interval_us:.1f} us at {stage.clock_mhz:g} MHz"
        if stage.name in layers:
            index, layer = layers[stage.name]
            m, k, n = layer.draft.grid.mmul
            what = [f"{len(layer.kernels)} cores, {layer.draft.strategy}", f"mmul {m}x{k}x{n}"]
            boxes.append((stage.name, [*what, time], colour(index)))
        else:
            boxes.append(
                (stage.name, ["PL kernel" if stage.kind == "pl" else "PL data mover", time], "#bbbbbb")
            )
    return boxes


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
