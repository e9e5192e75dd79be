"""Images in tiles: whole emulated systems give the bits of the network on the whole image, with no seams."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.plan.types import array_of
from tests.ops.system import project
from tests.tiles.networks import ESPCN, NARROW, POOLED, RESIDUAL


@pytest.mark.slow
@pytest.mark.parametrize("text", [ESPCN, POOLED, RESIDUAL], ids=["enlarger", "pooled", "residual"])
def test_systems_give_the_bits_of_the_whole_image(text: str, tmp_path: Path) -> None:
    design = aieloom.design(project(tmp_path, text))
    frame = array_of(design.plan).frame
    assert frame is not None
    assert frame.tiles > 2
    x = np.random.default_rng(1).normal(size=(2, *design.plan.x.shape)).astype(np.float32)
    y = design.emulate(x)
    assert y.shape == (2, *design.plan.y.shape)
    assert np.array_equal(y.view(np.int32), design.reference(x).view(np.int32))
    assert np.abs(y - design.torch(x)).max() < 0.02  # tables of 1024 entries


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "types"),
    [
        ("vck190", "activations: int8, weights: int8, calibration: c.npz"),
        ("vek280", "activations: bfloat16, weights: bfloat16"),
    ],
    ids=["int8", "bfloat16"],
)
def test_narrow_types_are_cut_too(target: str, types: str, tmp_path: Path) -> None:
    """Nine tiles for two copies; places are odd multiples of a value, so that memory words are short."""
    rng = np.random.default_rng(1)
    np.savez(tmp_path / "c.npz", x=rng.normal(size=(8, 3, 26, 38)).astype(np.float32))
    design = aieloom.design(project(tmp_path, NARROW % (target, types)))
    assert array_of(design.plan).tiles == 9
    x = rng.normal(size=(2, *design.plan.x.shape)).astype(np.float32)
    assert np.array_equal(design.emulate(x), design.reference(x))
