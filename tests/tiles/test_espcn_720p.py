"""projects/espcn-720p: what it must reach by the model, and its design emulated on a strip of an image."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.plan.types import array_of
from aieloom.simulation.of_plan import modelled_rates, simulate_plan
from tests.designs import ROOT

FOLDER = ROOT / "projects" / "espcn-720p"


@pytest.mark.integration
def test_it_reaches_fifty_images_a_second_within_the_device() -> None:
    plan = array_of(aieloom.design(FOLDER).plan)
    assert (plan.x.shape, plan.y.shape) == ((1, 720, 1280), (1, 1440, 2560))
    assert plan.cores <= 400
    assert plan.cost.throughput_fps >= 50
    assert 1e6 / simulate_plan(plan).interval_us >= 50
    assert all(r.used <= r.limit for r in plan.checks)
    page = (ROOT / "docs" / "large-images.md").read_text(encoding="utf-8")
    assert f"| cores | {plan.cores} of 400 |" in page
    array, memory, system = (f"{rate.images_per_s:.0f}" for rate in modelled_rates(plan).all)
    assert f"| {array} the array, {memory} with movers and memory, {system} end to end |" in page


@pytest.mark.slow
def test_a_strip_of_an_image_is_emulated_to_the_bit(tmp_path: Path) -> None:
    """Three tiles of twelve rows, a turn for three of the four copies; the fourth repeats the last."""
    text = (FOLDER / "network.yaml").read_text(encoding="utf-8")
    for old, new in (("720, 1280", "12, 216"), ("[720, 80]", "[12, 80]"), ("data: ", "# ")):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "network.yaml").write_text(text)
    design = aieloom.design(tmp_path, weights=ROOT / "projects" / "espcn" / "weights.pt")
    x = np.random.default_rng(1).uniform(size=(1, *design.plan.x.shape)).astype(np.float32)
    y = design.emulate(x)
    assert np.array_equal(y.view(np.int32), design.reference(x).view(np.int32))
    assert np.abs(y - design.torch(x)).max() < 0.02  # tables of 1024 entries
