"""sigmoid and tanh in single float32 operations beside the functions in float64."""

from __future__ import annotations

import numpy as np
import pytest

from aieloom.ops import gates

VALUES = np.concatenate(
    [
        np.linspace(-100, 100, 200_001),
        np.geomspace(1e-38, 1, 4_000),
        -np.geomspace(1e-38, 1, 4_000),
        [0.0, -0.0, np.inf, -np.inf],
    ]
).astype(np.float32)


@pytest.mark.parametrize(
    ("ours", "function"), [(gates.sigmoid, lambda x: 1 / (1 + np.exp(-x))), (gates.tanh, np.tanh)]
)
def test_within_what_is_said(ours, function) -> None:  # type: ignore[no-untyped-def]
    with np.errstate(over="ignore"):
        wanted = function(VALUES.astype(np.float64))
    found = ours(VALUES)
    assert found.dtype == np.float32
    assert np.abs(found - wanted).max() < 2e-7


@pytest.mark.parametrize("ours", [gates.sigmoid, gates.tanh])
def test_nan_stays(ours) -> None:  # type: ignore[no-untyped-def]
    assert np.isnan(ours(np.array([np.nan], np.float32))).all()
