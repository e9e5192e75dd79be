"""Runs a number of inputs of a kind, each in a clean sandbox."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import FlakyFailure

from aieloom import messages
from tests.fuzz.targets import Target
from tests.fuzz.watchdog import Broken, watched


@dataclass(frozen=True)
class Tally:
    """What became of a kind's inputs. `fault` is empty when all went well."""

    inputs: int
    taken: int
    refused: int
    seconds: float
    fault: str


@contextmanager
def _within(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def fuzz(target: Target, count: int, number: int) -> Tally:
    """Run `count` inputs of a kind; `number` seeds them."""
    codes: Counter[int] = Counter()
    target.prepare()

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(target.inputs())
    def every(value: object) -> None:
        sandbox = Path(tempfile.mkdtemp(prefix="aieloom-fuzz-"))
        try:
            with _within(sandbox), watched(sandbox, programs=target.programs):
                codes[target.run(sandbox, value)] += 1
        finally:
            shutil.rmtree(sandbox, ignore_errors=True)

    began, fault = time.perf_counter(), ""
    with messages.quieted():
        try:
            every()
        except (Broken, FlakyFailure) as e:
            fault = "\n".join([str(e), *getattr(e, "__notes__", [])])
    return Tally(sum(codes.values()), codes[0], codes[1] + codes[2], time.perf_counter() - began, fault)
