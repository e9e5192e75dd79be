"""tanh in network.yaml, and its table."""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeAlias

import numpy as np
from pydantic import Field, Strict, model_validator

from aieloom.plan.types import Lut
from aieloom.spec.network import LayerSpec, MappingSpec
from aieloom.spec.types import Frozen, MHz, Number

MAX_ENTRIES = 1 << 16  # 64 block RAMs; beyond it a table is the wrong means


class TanhSpec(LayerSpec):
    """y = tanh(x), element by element."""

    op: Literal["tanh"]


Entries: TypeAlias = Annotated[int, Strict(), Field(gt=0, le=MAX_ENTRIES)]


class LutSpec(Frozen):
    """A table of `entries` values over `range`, nearest entry."""

    entries: Entries = Field(default=1024, description="values in the table")
    range: tuple[Number, Number] = Field(
        default=(-4.0, 4.0), description="[low, high); beyond it tanh is taken as -1 and 1"
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


class TanhMapping(MappingSpec):
    """How a tanh is put on programmable logic."""

    engine: Literal["pl"] = Field(default="pl", description="where the layer runs: programmable logic")
    lut: LutSpec = Field(default=LutSpec(), description="the table")
    clock_mhz: MHz | None = Field(default=None, description="clock of its PL kernel")


def table(spec: LutSpec) -> Lut:
    """Return the table: entry i is tanh at `low + i / scale`, beyond the range -1 and 1."""
    low, high = spec.range
    scale = spec.entries / (high - low)
    points = low + np.arange(spec.entries) / scale
    return Lut(
        entries=spec.entries,
        low=low,
        high=high,
        scale=scale,
        offset=round(-low * scale),
        above=1.0,
        below=-1.0,
        values=tuple(float(np.float32(math.tanh(p))) for p in points),
    )
