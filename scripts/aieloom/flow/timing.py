"""How long each stage took: remembered between runs, because a stage that has nothing to do keeps its last time."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aieloom.emit.files import write_text
from aieloom.paths import json_object
from aieloom.report.shape import StageTimes

_FILE = "timing.json"
_lock = threading.Lock()


def timings(build: Path) -> dict[str, float]:
    """Return seconds by stage of the last time that each ran."""
    found = json_object(build / _FILE)
    return {k: v for k, v in found.items() if isinstance(v, float) and 0 <= v < math.inf}


def record(build: Path, stage: str, seconds: float) -> None:
    """Remember how long a stage took."""
    with _lock:
        write_text(
            build / _FILE, json.dumps(timings(build) | {stage: float(round(seconds, 4))}, indent=1) + "\n"
        )


def stage_times(build: Path) -> StageTimes:
    """Return seconds by stage as the report has them; `compile` adds up what ran in parallel."""
    times = timings(build)
    compiled = sum(v for k, v in times.items() if k.startswith("compile:")) + times.get("link", 0.0)
    return {
        "plan": times.get("plan", 0.0),
        "emit": times.get("emit", 0.0),
        "compile": round(compiled, 3),
        "run": times.get("run", 0.0),
    }


@contextmanager
def timed(build: Path, stage: str) -> Iterator[None]:
    """Measure the body as `stage`."""
    began = time.perf_counter()
    yield
    record(build, stage, time.perf_counter() - began)
