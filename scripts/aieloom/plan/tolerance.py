"""How far the results of hardware may be from the reference, by type and depth.

The emulator computes in the plan's order and equals the reference bit for bit. Hardware is promised that of integers alone,
whose arithmetic is documented to the bit. A bfloat16 product's sums are aligned and rounded by the vector unit in its own
way, so an element may be the neighbouring one: 2^-8 of a result near 1, for each layer. float32 sums of an AIE core are a
multiplication and an addition each, with denormals flushed; what an order of sums costs grows with the root of their
number. Results are taken to be about 1.
"""

from __future__ import annotations

from math import sqrt

from aieloom.plan.types import ArrayPart
from aieloom.spec.types import DataType

LEAST = 2e-5  # of float32 functions that programmable logic and processors compute in their libraries
BFLOAT16_STEP = 2.0**-8  # of values from 1 to 2
FLOAT32_STEP = 2.0**-23
MARGIN = 4.0  # times a typical error, which the root of the number of sums gives


def golden_tolerance(plan: ArrayPart) -> float:
    """Return the largest absolute difference that counts as agreement of hardware with the reference."""
    drafts = [layer.draft for layer in plan.aie]
    if all(d.dtype in (DataType.INT8, DataType.INT16) for d in drafts):
        return LEAST if plan.processor else 0.0
    rounded = sum(BFLOAT16_STEP for d in drafts if d.dtype is DataType.BFLOAT16)
    summed = sum(MARGIN * FLOAT32_STEP * sqrt(d.grid.k) for d in drafts if d.dtype is DataType.FLOAT32)
    return max(LEAST, rounded + summed)
