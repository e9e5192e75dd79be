"""The designs of a front that no other one beats: as CSV, and as a drawing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from aieloom.cost.parameters import model_name
from aieloom.report import svg
from aieloom.search.choose import Outcome
from aieloom.search.figures import BRAM, CORES, INTERVAL, LATENCY, PLIO, TILES, URAM
from aieloom.search.mapped import Mapped
from aieloom.search.scope import Choice

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 760, 460, 90, 60, 50, 30
_TICKS = 5


def table(outcome: Outcome) -> str:
    """Return the front as CSV: every design that no other one beats, and what became of those that were tried."""
    front = outcome.front
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(
        ["images_per_s", "interval_us", "latency_us", "cores", "tiles", "plio", "bram36", "uram288"]
        + ["copies", "tried", "simulated_interval_us", "simulated_latency_us"]
        + ["memory_images_per_s", "end_to_end_images_per_s"]
        + [layer.name for layer in front.layers]
        + ["modelled_by"]
    )
    order = sorted(range(len(front.figures)), key=lambda row: front.figures[row].tolist())
    for row in order:
        f = front.figures[row]
        simulated = [f"{us:.4f}" for us in outcome.times[row][:2]]
        counts = [f"{f[m]:g}" for m in (CORES, TILES, PLIO, BRAM, URAM)]
        out.writerow(
            [f"{1e6 / f[INTERVAL]:.1f}", f"{f[INTERVAL]:.4f}", f"{f[LATENCY]:.4f}", *counts]
            + [f"{front.copies[row]}", outcome.fates.get(row, ""), *simulated]
            + _limited(outcome, row)
            + [_choice_text(c) for c in front.choices(row).values()]
            + [model_name()]
        )
    return text.getvalue()


def _limited(outcome: Outcome, row: int) -> list[str]:
    """Return a design's rates with movers and memory, and end to end; "" where it was not planned."""
    rates = next((d.rates for d in outcome.designs if d.row == row), None)
    return [f"{r.images_per_s:.1f}" for r in (rates.memory, rates.system)] if rates else ["", ""]


def _choice_text(c: Choice) -> str:
    tile = "x".join(map(str, c.tile))
    how = f"mmul {'x'.join(map(str, c.mmul))}" if c.mmul else c.strategy
    out = f" out {c.plio_out}" if c.plio_out else ""
    chain = f" cascade {c.cascade}" if c.cascade else ""
    return f"tile {tile} {how} groups {c.groups} {c.buffers.value} plio {c.plio}{out}{chain}"


def plot(outcome: Outcome) -> str:
    """Return the front as a drawing: images per second over cores."""
    front, best = outcome.front.figures, outcome.winner
    dots = [(float(f[CORES]), 1e6 / interval) for f, (interval, *_) in zip(front, outcome.times, strict=True)]
    simulated = [_dot(d) for d in outcome.designs]
    right = 1.1 * max(x for x, _ in [*dots, *simulated])
    top = 1.1 * max(y for _, y in [*dots, *simulated])

    def at(dot: tuple[float, float]) -> tuple[float, float]:
        x = _LEFT + dot[0] / right * (_WIDTH - _LEFT - _RIGHT)
        return x, _HEIGHT - _BOTTOM - dot[1] / top * (_HEIGHT - _BOTTOM - _TOP)

    parts = [*_axes(right, top)]
    parts += [_circle(at(dot), 3, "#bbb", "on the front") for dot in dots]
    parts += [_circle(at(_dot(d)), 4, svg.PALETTE[0], _label(d)) for d in outcome.designs]
    parts += [_circle(at(_dot(outcome.written)), 5, svg.PALETTE[1], _label(outcome.written))]
    parts += [_circle(at(_dot(best)), 6, svg.PALETTE[5], _label(best))]
    parts += _legend()
    parts.append(
        svg.text(_LEFT, 18, f"{best.plan.project} on {best.plan.device.name}: {outcome.goal.text}", size=13)
    )
    return svg.document(
        _WIDTH, _HEIGHT, parts, label="designs that no other one beats: images per second over cores"
    )


def _dot(d: Mapped) -> tuple[float, float]:
    return float(d.plan.cores), d.rates.system.images_per_s


def _label(d: Mapped) -> str:
    what = "as written" if d.written else "planned"
    return f"{what}: {d.rates.system.images_per_s:,.0f} images/s, {d.latency_us:.2f} us, {d.plan.cores} cores"


def _circle(at: tuple[float, float], radius: float, fill: str, title: str) -> str:
    return f"<circle cx='{at[0]:.1f}' cy='{at[1]:.1f}' r='{radius:g}' fill='{fill}'><title>{title}</title></circle>"


def _axes(right: float, top: float) -> Iterator[str]:
    floor, width = _HEIGHT - _BOTTOM, _WIDTH - _LEFT - _RIGHT
    for i in range(_TICKS + 1):
        share = i / _TICKS
        y, x = floor - share * (floor - _TOP), _LEFT + share * width
        yield svg.line((_LEFT, y), (_LEFT + width, y), stroke="#ddd")
        yield svg.text(_LEFT - 8, y + 4, f"{share * top:,.0f}", anchor="end")
        yield svg.text(x, floor + 16, f"{share * right:.0f}", anchor="middle")
    yield svg.text(_LEFT + width / 2, floor + 34, f"cores (modelled: {model_name()})", anchor="middle")
    yield svg.text(12, _TOP - 12, "images/s")


def _legend() -> Iterator[str]:
    entries = (
        ("#bbb", "front"),
        (svg.PALETTE[0], "simulated"),
        (svg.PALETTE[1], "written"),
        (svg.PALETTE[5], "winner"),
    )
    for i, (fill, words) in enumerate(entries):
        x = _LEFT + 110 * i
        yield _circle((x + 5, _HEIGHT - 12), 5, fill, words)
        yield svg.text(x + 16, _HEIGHT - 8, words)
