"""What design().emulate() takes and gives back: ranks, and what it refuses before anything is compiled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aieloom
from aieloom.errors import SpecError
from tests.ops.system import project

FEATURES = """\
name: features
target: vck190
weights: w.safetensors
input: {name: x, shape: [16]}
layers:
  - {name: first, op: dense, out_features: 8}
  - {name: act, op: relu}
  - {name: second, op: dense, out_features: 4}
  - {name: shares, op: softmax}
"""


@pytest.mark.slow
def test_features_come_and_go_as_pytorch_has_them(tmp_path: Path) -> None:
    design = aieloom.design(project(tmp_path, FEATURES))
    x = np.random.default_rng(1).normal(size=(5, 16))
    with pytest.raises(SpecError, match="has 1 of 80 values that are NaN or infinite"):
        design.emulate(np.where(np.arange(80).reshape(5, 16) == 7, np.nan, x))
    with pytest.raises(SpecError, match=r"give \(n, 16\) or \(n, 16, 1, 1\)"):
        design.emulate(x[:, :8])
    for refused in (x + 1j, x * 1e300, np.ma.masked_array(x), x.astype(str), x.astype(object)):
        with pytest.raises(SpecError):
            design.emulate(refused)
    assert not (tmp_path / "build" / "features" / "vck190" / "emu").exists()  # nothing was compiled
    y = design.emulate(x)
    assert y.shape == (5, 4)
    image = design.emulate(x[:, :, None, None])
    assert image.shape == (5, 4, 1, 1)
    np.testing.assert_array_equal(y, image[:, :, 0, 0])
    np.testing.assert_array_equal(y, design.reference(x))
    np.testing.assert_allclose(y, design.torch(x), atol=1e-6)
