"""The processor's own time: PyTorch's, measured on this machine, which is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aieloom.flow.opening import open_project
from aieloom.flow.pytorch import (
    BATCHES,
    CALLS,
    WARM_UP,
    Times,
    _forward,
    machine,
    measured,
    timed,
)
from aieloom.reference.results import torch_reference
from tests.heavy import torch

IRIS = Path(__file__).resolve().parents[2] / "projects" / "iris"


def test_what_is_timed_is_the_network() -> None:
    project = open_project(IRIS)
    network, parameters = project.network, project.float_parameters
    x = np.random.default_rng(2).normal(size=(7, *network.x.shape)).astype(np.float32)
    with torch.no_grad():
        y = _forward(network, parameters)(torch.from_numpy(x)).numpy()
    np.testing.assert_allclose(y.reshape(7, -1), torch_reference(network, parameters, x).reshape(7, -1))
    threads = torch.get_num_threads()
    times = measured(network, parameters, x)
    assert list(times.seconds) == list(BATCHES[: len(times.seconds)])
    assert bool(times.seconds) != bool(times.noise), "on a busy machine there may be none, and it is said"
    assert torch.get_num_threads() == threads


class Clock:
    """A clock that goes on by what calls are said to take, by size; the first calls of each take longer."""

    def __init__(self, seconds: Callable[[int, int], float]) -> None:
        self.now, self.calls = 0.0, Counter[int]()
        self.seconds = seconds

    def call(self, size: int) -> Callable[[], None]:
        def run() -> None:
            self.now += self.seconds(size, self.calls[size]) * (5 if self.calls[size] < WARM_UP else 1)
            self.calls[size] += 1

        return run

    def times(self) -> Times:
        return timed(self.call, lambda: self.now)


def test_the_median_of_twenty_calls_behind_those_that_warm_up() -> None:
    clock = Clock(lambda size, n: size * 1e-4 * (1.1 if n % 2 else 0.9))
    times = clock.times()
    assert times.seconds == pytest.approx({1: 1e-4, 10: 1e-3, 100: 1e-2}) and not times.noise
    assert CALLS >= 20 and clock.calls == dict.fromkeys((1, 10, 100), WARM_UP + CALLS)


def test_noise_is_no_time() -> None:
    """Calls that differ by more than 30 %, more images that take less, one that takes too long."""
    assert Clock(lambda size, n: size * 1e-5 * (1 + 0.1 * (n % 5))).times() == Times(
        seconds={}, noise="calls of 1 images took 0.01 to 0.014 ms"
    )
    assert Clock(lambda size, _: 1e-3 / size).times().noise == "10 images took 0.1 ms, 1 of them 1"
    assert Clock(lambda *_: 0.1).times().noise == "23 calls of one image take more than 2 s"


def test_the_machine_has_a_name() -> None:
    assert len(machine()) > 3
