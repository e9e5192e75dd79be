"""Convolutions in groups as one matrix: what an output channel does not see has the weight 0.

A depthwise convolution is the extreme: as many groups as channels. The cores then multiply by zeros as well, K stays the
channels times the kernel's area; that is the price of having one kernel for all.
"""

from __future__ import annotations

import numpy as np

from aieloom.arrays import Values


def weight_matrix(weight: Values, taps: int) -> Values:
    """Return weights `(out, in / groups, ...)` as `(out, taps)`: channel after channel, zeros between the groups."""
    outputs = len(weight)
    flat = weight.reshape(outputs, -1)
    groups = taps // flat.shape[1]
    if groups == 1:
        return flat
    whole = np.zeros((outputs, taps), weight.dtype)
    rows, width = outputs // groups, flat.shape[1]
    for g in range(groups):
        block = slice(g * rows, (g + 1) * rows)
        whole[block, g * width : (g + 1) * width] = flat[block]
    return whole
