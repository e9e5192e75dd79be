"""projects/espcn-fast: what it must reach by the model, and the system emulated to the bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.cost.of_plan import modelled_rates, simulate_plan
from tests.espcn.conftest import ESPCN, images

FAST = ESPCN.parent / "espcn-fast"


def test_it_keeps_to_the_cores_and_reaches_rate_and_latency() -> None:
    plan, published = aieloom.design(FAST).plan, aieloom.design(ESPCN).plan
    assert plan.cores <= published.cores == 160
    run = simulate_plan(plan)
    assert 1e6 / run.interval_us >= 120_000
    assert run.latency_us <= 60
    assert all(r.used <= r.limit for r in plan.checks)


def test_the_readme_says_what_the_model_says() -> None:
    readme = (ESPCN.parents[1] / "README.md").read_text(encoding="utf-8")
    for name in ("espcn", "espcn-fast", "mnist_float", "mnist", "mnist_wide"):
        plan = aieloom.design(ESPCN.parent / name).plan
        run = simulate_plan(plan)
        rates = " | ".join(f"{rate.images_per_s:,.0f}" for rate in modelled_rates(plan, run).all)
        row = next(line for line in readme.splitlines() if line.startswith(f"| `{name}`"))
        assert f"| {rates} | {run.latency_us:.0f} us |" in row


@pytest.mark.slow
def test_the_whole_system_gives_the_references_bits(tmp_path: Path) -> None:
    design = aieloom.design(FAST, build=tmp_path)
    x = images(3)
    y = design.emulate(x)
    assert np.array_equal(y.view(np.int32), design.reference(x).view(np.int32))
    assert np.abs(y - design.torch(x)).max() < 0.02  # tables of 1024 entries
