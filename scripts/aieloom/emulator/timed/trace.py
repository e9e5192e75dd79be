"""A timed run as a Chrome trace, which Perfetto and chrome://tracing open: a thread for each core and compute unit."""

from __future__ import annotations

import json

from aieloom.emulator.timed.times import Times

DIGITS = 4  # of a microsecond


def trace(times: Times) -> str:
    """Return the trace's text; the same run gives the same bytes."""
    names = [*(core.name for core in times.cores), *(unit.name for unit in times.units)]
    threads = {name: n for n, name in enumerate(names, 1)}
    events: list[dict[str, object]] = [
        {"name": "thread_name", "ph": "M", "pid": 1, "tid": n, "args": {"name": name}}
        for name, n in threads.items()
    ]
    ordered = sorted(times.slices, key=lambda s: (s.begin, threads[s.core], s.begin - s.end))
    events += [
        {
            "name": s.what,
            "cat": "wait" if s.what.startswith("waits") else "call",
            "ph": "X",
            "pid": 1,
            "tid": threads[s.core],
            "ts": round(s.begin / times.mhz, DIGITS),
            "dur": round((s.end - s.begin) / times.mhz, DIGITS),
        }
        for s in ordered
    ]
    about = {
        "produced_by": "aieloom emulate --timed",
        "kind": "modelled, not measured",
        "array_mhz": times.mhz,
    }
    document = {"displayTimeUnit": "ns", "otherData": about, "traceEvents": events}
    return json.dumps(document, separators=(",", ":")) + "\n"
