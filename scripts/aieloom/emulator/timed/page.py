"""A timed run as one HTML page that needs no other file: kernels as rows over time, running and waiting, and the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from aieloom.emulator.timed.result import Cycles
from aieloom.emulator.timed.text import as_text
from aieloom.emulator.timed.times import Times, TimeSlice
from aieloom.report.svg import colour, document, line, rect, text
from aieloom.report.timeline import STEPS, round_step, union

WIDTH, LEFT, RIGHT, TOP, ROW, FOOT = 1000.0, 220.0, 24.0, 44.0, 20.0, 62.0
MOST_ROWS = 60  # cores that are drawn: those that work most
COLOURS = {"runs": colour(0), "waits for a lock": colour(1), "waits for a stream or cascade": colour(5)}


def page(cycles: Cycles, title: str) -> str:
    """Return the page; the same run gives the same bytes."""
    tables = escape(as_text(cycles))
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<title>{escape(title)}</title>"
        "<style>body{font-family:system-ui,sans-serif;margin:2em}pre{overflow-x:auto}svg{max-width:100%;height:auto}</style>"
        f"</head><body><h1>{escape(title)}</h1><p>Modelled, not measured; docs/timed.md says how and how well.</p>\n"
        f"{timeline(cycles.times)}<pre>{tables}</pre></body></html>\n"
    )


def timeline(times: Times) -> str:
    """Return the picture as SVG."""
    cores = sorted(times.cores, key=lambda c: -c.busy)[:MOST_ROWS]
    shown = [c for c in times.cores if c in cores]
    end = max(times.end, 1)
    scale = (WIDTH - LEFT - RIGHT) / end
    bottom = TOP + ROW * len(shown)
    more = f"; {len(times.cores) - len(shown)} more that work less" if len(times.cores) > len(shown) else ""
    parts = [text(LEFT, 22, f"what each kernel does when{more}", size=14), *_ticks(times, scale, bottom)]
    for number, core in enumerate(shown):
        y = TOP + ROW * number
        parts.append(text(LEFT - 8, y + 14, core.name, size=11, anchor="end"))
        own = [s for s in times.slices if s.core == core.name]
        parts += _bars(own, y, scale, end)
    for number, (what, fill) in enumerate(COLOURS.items()):
        parts.append(rect(LEFT + 200 * number, bottom + 42, 11, 11, fill=fill))
        parts.append(text(LEFT + 200 * number + 16, bottom + 52, what, size=12))
    return document(WIDTH, bottom + FOOT, parts, label="timeline of the kernels")


def _ticks(times: Times, scale: float, bottom: float) -> Iterator[str]:
    step = round_step(max(times.end, 1))
    for number in range(int(times.end / step) + 1):
        x = LEFT + number * step * scale
        yield line((x, TOP), (x, bottom), stroke="#ddd")
        yield text(x, bottom + 16, f"{number * step:,.6g}", anchor="middle")
    yield text(
        (LEFT + WIDTH - RIGHT) / 2, bottom + 32, f"cycles at {times.mhz:g} MHz", size=12, anchor="middle"
    )


def _bars(slices: Sequence[TimeSlice], y: float, scale: float, end: int) -> Iterator[str]:
    """Yield a core's calls, and over them what it waits for in them."""
    kinds: dict[str, list[TimeSlice]] = {what: [] for what in COLOURS}
    for s in slices:
        runs, locks, others = COLOURS
        kinds[runs if s.what.startswith("call ") else locks if "lock of" in s.what else others].append(s)
    for what, found in kinds.items():
        apart = end / STEPS if what == "runs" else 0.0
        for begin, stop in union([(s.begin, s.end) for s in found], apart=apart):
            width = max(0.6, (stop - begin) * scale)
            title = f"{what}: cycles {begin:,.0f} to {stop:,.0f}"
            yield rect(LEFT + begin * scale, y + 3, width, ROW - 6, fill=COLOURS[what], title=title)
