"""Tables of floats on programmable logic: how they are made, looked up, and what a step by one takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, Strict, model_validator

from aieloom.arrays import Values
from aieloom.ops.pl import Form
from aieloom.pl.steps import Lut
from aieloom.spec.types import Frozen, Number

MAX_ENTRIES = 1 << 16  # 64 block RAMs; beyond it a table is the wrong means
BRAM36_WORDS = 1024  # 32-bit words of one block RAM

Entries: TypeAlias = Annotated[int, Strict(), Field(gt=0, le=MAX_ENTRIES)]


class LutSpec(Frozen):
    """A table of `entries` values over `range`, nearest entry."""

    entries: Entries = Field(default=1024, description="values in the table")
    range: tuple[Number, Number] = Field(
        default=(-4.0, 4.0), description="[low, high); beyond it the function's limits are taken"
    )

    @model_validator(mode="after")
    def _check(self) -> LutSpec:
        low, high = self.range
        if not low < 0 < high:
            raise ValueError(f"range [{low:g}, {high:g}] must go from below 0 to above 0")
        offset = -low * self.entries / (high - low)
        if offset != round(offset):
            raise ValueError(
                f"0 falls between two entries (at entry {offset:g}): choose a symmetric range, even entries"
            )
        return self


def table_of(function: Callable[[Values], Values], spec: LutSpec, *, below: float, above: float) -> Lut:
    """Return the table: entry i is the function at `low + i / scale`, beyond the range `below` and `above`."""
    low, high = spec.range
    scale = spec.entries / (high - low)
    points = low + np.arange(spec.entries) / scale
    return Lut(
        entries=spec.entries,
        low=low,
        high=high,
        scale=scale,
        offset=round(-low * scale),
        above=above,
        below=below,
        values=tuple(function(points).astype(np.float32).tolist()),
    )


def lut_form(op: str, lut: Lut) -> Form:
    """Return a function as a table look-up: one float multiplier and one subtractor."""
    said = f"{op} by {lut.entries} entries over [{lut.low:g}, {lut.high:g}), one every {1 / lut.scale:g}"
    rams = -(-lut.entries // BRAM36_WORDS)
    return Form(lut, said, template=lut.template, bram36=rams, dsp=4, lut=600)


def index_of(lut: Lut, x: Values) -> NDArray[np.int64]:
    """Return each value's entry: min(entries-1, round(x * scale) + offset), halves away from zero.

    The product is rounded to the precision of `x`, as a multiplier of that precision does. Beyond the range, and of NaN, no
    entry is read: the index means nothing there.
    """
    held = np.clip(x, x.dtype.type(lut.low), x.dtype.type(lut.high))
    inside = np.where(np.isnan(x), x.dtype.type(0), held)
    scaled = (inside * x.dtype.type(lut.scale)).astype(np.float64)
    whole = np.trunc(scaled)
    rest = scaled - whole  # exact, which scaled + 0.5 would not be
    nearest = whole + (rest >= 0.5) - (rest <= -0.5)
    index: NDArray[np.int64] = np.clip(nearest + lut.offset, 0, lut.entries - 1).astype(np.int64)
    return index


def look_up(lut: Lut, x: Values) -> Values:
    """Return the table's value for each `x`, `above` from `high` on and `below` under `low`; NaN stays NaN."""
    values = np.asarray(lut.values, x.dtype)[index_of(lut, x)]
    values = np.where(x >= lut.high, x.dtype.type(lut.above), values)
    values = np.where(x < lut.low, x.dtype.type(lut.below), values)
    return np.where(np.isnan(x), x, values)
