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
from typing import Any

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
    """Work in a folder, with what is kept by content and which folders are trusted below it: these are no stray writes."""
    before, own = Path.cwd(), {"AIELOOM_CACHE": "cache", "XDG_CONFIG_HOME": "config"}
    kept = {name: os.environ.get(name) for name in own}
    os.chdir(folder)
    os.environ.update({name: str(folder / place) for name, place in own.items()})
    try:
        yield
    finally:
        os.chdir(before)
        for name, value in kept.items():
            del os.environ[name]
            os.environ.update({name: value} if value is not None else {})


class Inputs:
    """Runs inputs of a kind, each in a clean sandbox, and counts what became of them."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._codes: Counter[int] = Counter()

    @property
    def count(self) -> int:
        """Inputs so far."""
        return sum(self._codes.values())

    @property
    def taken(self) -> int:
        """Inputs that were taken."""
        return self._codes[0]

    @property
    def refused(self) -> int:
        """Inputs that were refused in words."""
        return self._codes[1] + self._codes[2]

    def test(self, count: int, number: int) -> Any:
        """Return a Hypothesis test of `count` inputs, seeded by `number`; it raises `Broken`."""

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
        @given(self._target.inputs())
        def every(value: object) -> None:
            self._run(value)

        return every

    def _run(self, value: object) -> None:
        sandbox = Path(tempfile.mkdtemp(prefix="aieloom-fuzz-"))
        try:
            with _within(sandbox), watched(sandbox, programs=self._target.programs):
                self._codes[self._target.run(sandbox, value)] += 1
        finally:
            shutil.rmtree(sandbox, ignore_errors=True)


def fuzz(target: Target, count: int, number: int) -> Tally:
    """Run `count` inputs of a kind; `number` seeds them."""
    if target.campaign:
        tally = target.campaign(count, number)
        assert isinstance(tally, Tally)
        return tally
    target.prepare()
    inputs = Inputs(target)
    began, fault = time.perf_counter(), ""
    with messages.quieted():
        try:
            inputs.test(count, number)()
        except (Broken, FlakyFailure) as e:
            fault = "\n".join([str(e), *getattr(e, "__notes__", [])])
    return Tally(inputs.count, inputs.taken, inputs.refused, time.perf_counter() - began, fault)
