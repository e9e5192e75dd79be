"""The array over time, by the event simulation: what each stage does for which image, and what it waits for.

As a picture, and as report/trace.json, a Chrome trace, which Perfetto and chrome://tracing open. Format: "Trace Event Format"
(complete events `X` with `ts` and `dur` in microseconds, metadata events `M` that name processes and threads). One thread is
one lane: a group of cores, a PL kernel, a stream.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aieloom.plan.types import ArrayPart
from aieloom.report.svg import colour, document, line, rect, text
from aieloom.simulation.events import SETTLED, SimulatedRun, Slice, Wait
from aieloom.simulation.of_plan import lanes

WIDTH, LEFT, RIGHT, TOP, ROW, FOOT = 940.0, 190.0, 24.0, 44.0, 24.0, 62.0
STEPS = 600  # of the time that is drawn: what lies nearer together is one bar
TICKS = 8  # at most, about
NAMED = 2  # stages that another one waits for, by name
LEAST = 0.005  # of the time: shorter waits are not told
Span = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class StageTime:
    """A stage in the steady state: the share of the time in which it works, and what it waits for otherwise."""

    name: str
    busy: float
    waits: tuple[tuple[str, float], ...]  # stage that it waits for, share of the time; the longest first

    @property
    def text(self) -> str:
        """What it waits for, in words."""
        told = [(who, share) for who, share in self.waits if share >= LEAST]
        return "; ".join(f"for {who} {share:.0%}" for who, share in told[:NAMED])


def round_step(span: float, most: int = TICKS) -> float:
    """Return the distance of ticks over a span: 1, 2 or 5 of a power of ten, so that there are at most so many."""
    rough = span / most
    power = 10.0 ** math.floor(math.log10(rough))
    return next(f * power for f in (1, 2, 5, 10) if f * power >= rough * (1 - 1e-9))


def stage_times(plan: ArrayPart, run: SimulatedRun) -> tuple[StageTime, ...]:
    """Return what each simulated stage does in the steady state; its shares are all of one base, the time between images.

    A stage of several processes that work side by side has their mean. `run` has kept its waits.
    """
    names = [s.name for s in plan.cost.stages]
    slices: dict[str, list[Slice]] = defaultdict(list)
    for s in run.slices:
        slices[_stage_of_lane(s.lane, names)].append(s)
    waits: dict[str, list[Wait]] = defaultdict(list)
    for w in run.waits:
        waits[_stage(w.process, names)].append(w)
    images = len(run.ends_us)
    return tuple(_time(name, slices[name], waits[name], names, images) for name in names if slices[name])


def _time(
    name: str, slices: Sequence[Slice], waits: Sequence[Wait], names: Sequence[str], images: int
) -> StageTime:
    begin, end = _steady(slices, images)
    spans = union([(s.start, s.start + s.duration) for s in slices])
    processes = {w.process for w in waits}
    stood: dict[str, float] = defaultdict(float)
    for w in waits:
        who = _stage(w.giver, names)
        share = _inside((w.start, w.start + w.duration), begin, end) / len(processes) / (end - begin)
        stood["its other half" if who == name else who] += share
    return StageTime(
        name=name,
        busy=sum(_inside(s, begin, end) for s in spans) / (end - begin),
        waits=tuple(sorted(stood.items(), key=lambda item: (-item[1], item[0]))),
    )


def timeline(plan: ArrayPart, run: SimulatedRun) -> str:
    """Return the timeline as SVG: a row for each stage, a colour for each image."""
    rows = [t.name for t in stage_times(plan, run)]
    stages = [s.name for s in plan.cost.stages]
    end = run.ends_us[-1]
    scale = (WIDTH - LEFT - RIGHT) / end
    bottom = TOP + ROW * len(rows)
    parts = [text(LEFT, 22, f"{plan.project}: what each stage works on, image by image", size=14)]
    parts += _ticks(end, scale, bottom)
    for number, name in enumerate(rows):
        y = TOP + ROW * number
        parts.append(text(LEFT - 8, y + 16, name, size=12, anchor="end"))
        parts.append(line((LEFT, y + ROW / 2), (WIDTH - RIGHT, y + ROW / 2), stroke="#e4e4e4"))
        parts += _bars(
            [s for s in run.slices if _stage_of_lane(s.lane, stages) == name], y, scale=scale, end=end
        )
    parts += _legend(run, bottom)
    return document(WIDTH, bottom + FOOT, parts, label=f"timeline of {plan.project}")


def _ticks(end: float, scale: float, bottom: float) -> Iterator[str]:
    step = round_step(end)
    for number in range(int(end / step) + 1):
        x = LEFT + number * step * scale
        yield line((x, TOP), (x, bottom), stroke="#ddd")
        yield text(x, bottom + 16, f"{number * step:,.6g}", anchor="middle")
    yield text((LEFT + WIDTH - RIGHT) / 2, bottom + 32, "microseconds, modelled", size=12, anchor="middle")


def _bars(slices: Sequence[Slice], y: float, *, scale: float, end: float) -> Iterator[str]:
    of: dict[int, list[Span]] = defaultdict(list)
    for s in slices:
        of[_image(s.name)].append((s.start, s.start + s.duration))
    for image, spans in sorted(of.items()):
        for start, stop in union(spans, apart=end / STEPS):
            title = f"image {image}: {start:,.4g} to {stop:,.4g} us"
            width = max(1.0, (stop - start) * scale)
            yield rect(LEFT + start * scale, y + 4, width, ROW - 8, fill=colour(image), title=title)


def _legend(run: SimulatedRun, bottom: float) -> Iterator[str]:
    for image in range(len(run.ends_us)):
        x = LEFT + 92 * image
        yield rect(x, bottom + 42, 11, 11, fill=colour(image))
        yield text(x + 16, bottom + 52, f"image {image}", size=12)


def union(spans: Sequence[Span], *, apart: float = 0.0) -> list[Span]:
    """Return spans without overlaps; those that are not farther than `apart` from each other are one."""
    found: list[Span] = []
    for start, stop in sorted(spans):
        if found and start <= found[-1][1] + apart:
            found[-1] = found[-1][0], max(found[-1][1], stop)
        else:
            found.append((start, stop))
    return found


def _steady(slices: Sequence[Slice], images: int) -> Span:
    """Return the time from one of a stage's last images to another, the same share of each; of one image all of it."""
    settled = min(SETTLED, images - 1)
    if not settled:
        return min(s.start for s in slices), max(s.start + s.duration for s in slices)
    begins = [min(s.start for s in slices if _image(s.name) == n) for n in (images - 1 - settled, images - 1)]
    return begins[0], begins[1]


def _inside(span: Span, begin: float, end: float) -> float:
    return max(0.0, min(span[1], end) - max(span[0], begin))


def _stage_of_lane(lane: str, names: Sequence[str]) -> str:
    """Return the stage whose work a lane shows; '' of the streams between stages."""
    kind, _, rest = lane.partition("/")
    return "" if kind == "stream" else _stage(rest, names, "")


def _stage(process: str, names: Sequence[str], default: str | None = None) -> str:
    """Return the stage that a process belongs to: processes are called by it, and by what they are in it."""
    found = [n for n in names if process == n or process.startswith((f"{n} ", f"{n}."))]
    return max(found, key=len, default=process if default is None else default)


def _image(name: str) -> int:
    """Return the number of the image that a slice is of."""
    words = name.split()
    return int(words[1]) if len(words) > 1 and words[1].isdecimal() else 0


PROCESSES = {"aie": "AI Engine groups", "pl": "PL kernels", "stream": "streams"}
DIGITS = 4  # of a microsecond: tenths of a nanosecond


def trace(run: SimulatedRun, project: str, produced_by: str) -> str:
    """Return the trace's text, with what produced its times; the same run gives the same bytes."""
    threads: dict[str, tuple[int, int]] = {}
    events: list[dict[str, object]] = []
    for number, (kind, title) in enumerate(PROCESSES.items(), 1):
        events.append(_named("process_name", number, 0, title))
        found = [lane for lane in lanes(run.slices) if lane.startswith(f"{kind}/")]
        for thread, lane in enumerate(found, 1):
            threads[lane] = number, thread
            events.append(_named("thread_name", number, thread, lane.partition("/")[2]))
    for s in sorted(run.slices, key=lambda s: (s.start, threads[s.lane], s.name)):
        process, thread = threads[s.lane]
        events.append(
            {
                "name": s.name,
                "cat": s.lane.partition("/")[0],
                "ph": "X",
                "pid": process,
                "tid": thread,
                "ts": round(s.start, DIGITS),
                "dur": round(s.duration, DIGITS),
            }
        )
    about = {
        "project": project,
        "produced_by": f"{produced_by}; event simulation",
        "kind": "modelled, not measured",
        "images": len(run.ends_us),
    }
    document = {"displayTimeUnit": "ns", "otherData": about, "traceEvents": events}
    return json.dumps(document, separators=(",", ":")) + "\n"


def _named(what: str, process: int, thread: int, name: str) -> dict[str, object]:
    return {"name": what, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}
