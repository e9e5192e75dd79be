"""report/trace.json: the simulated run as a Chrome trace, which Perfetto and chrome://tracing open.

Format: "Trace Event Format" (complete events `X` with `ts` and `dur` in microseconds, metadata events `M` that
name processes and threads). One thread is one lane: a group of cores, a PL kernel, a stream.
"""

from __future__ import annotations

import json

from aieloom.simulation.of_plan import lanes
from aieloom.simulation.runs import SimulatedRun

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
