"""A timed run as one HTML page that needs no other file: kernels over time, streams' fill, and the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from math import ceil

from aieloom.emulator.timed.result import Cycles
from aieloom.emulator.timed.text import as_text
from aieloom.emulator.timed.times import StreamFill, Times, TimeSlice
from aieloom.report.svg import colour, document, line, rect, text
from aieloom.report.timeline import STEPS, round_step, union

WIDTH, LEFT, RIGHT, TOP, ROW, HEAD, FOOT = 1000.0, 220.0, 44.0, 44.0, 20.0, 34.0, 62.0
SHADES = 10  # of a stream's fill
MOST_ROWS = 60  # cores that are drawn: those that work most
MOST_STREAMS = 40  # streams: the fullest
CHARS = 34  # of a row's name
COLOURS = {"runs": colour(0), "waits for a lock": colour(1), "waits for a stream or cascade": colour(5)}
FULL = colour(3)
STYLE = (
    "body{font-family:system-ui,sans-serif;margin:clamp(.8rem,3vw,2rem)}pre,.wide{overflow-x:auto}"
    ".wide>svg{max-width:100%;height:auto;min-width:46rem}"
)


def page(cycles: Cycles, title: str) -> str:
    """Return the page; the same run gives the same bytes."""
    tables = escape(as_text(cycles))
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
        f"</head><body><h1>{escape(title)}</h1><p>Modelled, not measured; docs/evidence/timed.md says how and how well.</p>\n"
        f"<div class='wide'>{timeline(cycles.times)}</div><pre>{tables}</pre></body></html>\n"
    )


@dataclass(frozen=True, slots=True)
class _Axis:
    """The time that is drawn: from the first word that moved to the end."""

    begin: float
    end: float

    def x(self, cycle: float) -> float:
        """Return a cycle's place."""
        share = (min(max(cycle, self.begin), self.end) - self.begin) / (self.end - self.begin)
        return LEFT + share * (WIDTH - LEFT - RIGHT)


def timeline(times: Times) -> str:
    """Return the picture as SVG: compute units and kernels with what they do, below them streams with how full they are."""
    cores = sorted(times.cores, key=lambda c: -c.busy)[:MOST_ROWS]
    names = [u.name for u in times.units if u.calls] + [c.name for c in times.cores if c in cores]
    fills = sorted(times.fills, key=lambda f: -sum(f.shares) * f.cycles)[:MOST_STREAMS]
    begin = min((p.first for p in times.ports if p.bytes), default=0)
    axis = _Axis(float(begin), float(max(times.end, begin + 1)))
    streams = TOP + ROW * len(names)
    bottom = streams + (HEAD + ROW * len(fills) if fills else 0)
    more = f"; {len(times.cores) - len(cores)} more that work less" if len(times.cores) > len(cores) else ""
    parts = [text(LEFT, 22, f"what each kernel does when{more}", size=14), *_ticks(times, axis, bottom)]
    for number, name in enumerate(names):
        y = TOP + ROW * number
        parts.append(_name(name, y))
        parts += _bars([s for s in times.slices if s.core == name], y, axis)
    if fills:
        fewer = len(times.fills) - len(fills)
        more = f"; {fewer} more that are emptier" if fewer else ""
        parts.append(text(LEFT, streams + 20, f"how full each stream is{more}", size=14))
    for number, fill in enumerate(fills):
        y = streams + HEAD + ROW * number
        parts.append(_name(fill.stream.removeprefix("stream from "), y))
        parts += _shades(fill, y, axis)
    for number, (what, paint) in enumerate([*COLOURS.items(), ("a stream that is full", FULL)]):
        parts.append(rect(60 + 235 * number, bottom + 42, 11, 11, fill=paint))
        parts.append(text(60 + 235 * number + 16, bottom + 52, what, size=12))
    return document(WIDTH, bottom + FOOT, parts, label="timeline of kernels and streams")


def _name(name: str, y: float) -> str:
    short = name if len(name) <= CHARS else f"...{name[-CHARS:]}"
    return text(LEFT - 8, y + 14, short, size=11, anchor="end")


def _shades(fill: StreamFill, y: float, axis: _Axis) -> Iterator[str]:
    """Yield a stream's spans, as dark as they are full; neighbours of one shade are one rectangle."""
    shades = [round(share * SHADES) for share in fill.shares]
    for shade, group in groupby(range(len(shades)), key=lambda i: shades[i]):
        spans = list(group)
        first, last = (fill.begin + n * fill.cycles for n in (spans[0], spans[-1] + 1))
        width = axis.x(last) - axis.x(first)
        if shade and width > 0:
            words = f"{shade / SHADES:.0%} of {fill.words} words on the way to {fill.reader}"
            title = f"{words}, cycles {first:,.0f} to {last:,.0f}"
            more = f"fill-opacity='{shade / SHADES:g}'"
            yield rect(axis.x(first), y + 3, width, ROW - 6, fill=FULL, title=title, more=more)


def _ticks(times: Times, axis: _Axis, bottom: float) -> Iterator[str]:
    step = round_step(axis.end - axis.begin)
    for number in range(ceil(axis.begin / step), int(axis.end / step) + 1):
        x = axis.x(number * step)
        yield line((x, TOP), (x, bottom), stroke="#ddd")
        yield text(x, bottom + 16, f"{number * step:,.10g}", anchor="middle")
    yield text(
        (LEFT + WIDTH - RIGHT) / 2, bottom + 32, f"cycles at {times.mhz:g} MHz", size=12, anchor="middle"
    )


def _bars(slices: Sequence[TimeSlice], y: float, axis: _Axis) -> Iterator[str]:
    """Yield a core's calls, and over them what it waits for in them."""
    kinds: dict[str, list[TimeSlice]] = {what: [] for what in COLOURS}
    for s in slices:
        runs, locks, others = COLOURS
        kinds[runs if s.what.startswith("call ") else locks if "lock of" in s.what else others].append(s)
    for what, found in kinds.items():
        apart = (axis.end - axis.begin) / STEPS if what == "runs" else 0.0
        for begin, stop in union([(s.begin, s.end) for s in found], apart=apart):
            if stop < axis.begin:
                continue
            # A call can always be seen; waits of a few cycles each tint it by as much as they take.
            width = max(0.6 if what == "runs" else 0.0, axis.x(stop) - axis.x(begin))
            title = f"{what}: cycles {begin:,.0f} to {stop:,.0f}"
            yield rect(axis.x(begin), y + 3, width, ROW - 6, fill=COLOURS[what], title=title)
