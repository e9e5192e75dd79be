"""projects/espcn-fast: what it must reach by the model, and the system emulated to the bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.plan.types import array_of
from aieloom.simulation.of_plan import simulate_plan
from tests.espcn.conftest import ESPCN, images

FAST = ESPCN.parent / "espcn-fast"


def test_it_keeps_to_the_cores_and_reaches_rate_and_latency() -> None:
    plan, published = (array_of(aieloom.design(folder).plan) for folder in (FAST, ESPCN))
    assert plan.cores <= published.cores == 160
    run = simulate_plan(plan)
    assert 1e6 / run.interval_us >= 120_000
    assert run.latency_us <= 60
    assert all(r.used <= r.limit for r in plan.checks)


@pytest.mark.slow
def test_the_whole_system_gives_the_references_bits(tmp_path: Path) -> None:
    design = aieloom.design(FAST, build=tmp_path)
    x = images(3)
    y = design.emulate(x)
    assert np.array_equal(y.view(np.int32), design.reference(x).view(np.int32))
    assert np.abs(y - design.torch(x)).max() < 0.02  # tables of 1024 entries
