"""affine: layers for the tests of all operators on the processor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from aieloom.network.tensor import TensorType
from aieloom.ops.affine import AffineSpec


def layer(random: np.random.Generator, _x: TensorType) -> dict[str, Any]:
    """Return the keys of a layer."""
    scale = bool(random.random() < 0.5)
    return {
        "over": str(random.choice(["all", "channels"])),
        "scale": scale,
        "bias": not scale or bool(random.random() < 0.5),
    }


def test_a_layer_that_computes_nothing_is_refused() -> None:
    with pytest.raises(ValidationError, match="without weight and bias nothing is computed"):
        AffineSpec(name="l", op="affine", scale=False, bias=False)
