"""Images with NaN, infinities and the ends of float32."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]
ENDS = (np.nan, np.inf, -np.inf, 0.0, -0.0, 4.0, -4.0, 8.0, -8.0, 1e30, -1e30, 1e-45, 0.3, -1.7, 2.5)


def ends_image(seed: int, shape: tuple[int, ...]) -> Values:
    """Return an image of few special values among ordinary ones, so that folds meet one, several or none."""
    random = np.random.default_rng(seed)
    usual = random.normal(0, 3, shape)
    return np.where(random.random(shape) < 0.3, random.choice(ENDS, shape), usual).astype(np.float32)
