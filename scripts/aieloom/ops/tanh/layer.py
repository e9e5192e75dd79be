"""tanh in network.yaml, and its table."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field

from aieloom.ops.lut import LutSpec, table_of
from aieloom.ops.pl import PlMapping
from aieloom.pl.steps import Lut
from aieloom.spec.network import LayerSpec

__all__ = ["LutSpec", "TanhMapping", "TanhSpec", "table"]


class TanhSpec(LayerSpec):
    """y = tanh(x), element by element."""

    op: Literal["tanh"]


class TanhMapping(PlMapping):
    """How a tanh is put on programmable logic."""

    lut: LutSpec = Field(default=LutSpec(), description="the table")


def table(spec: LutSpec) -> Lut:
    """Return the table: entry i is tanh at `low + i / scale`, beyond the range -1 and 1."""
    return table_of(math.tanh, spec, below=-1.0, above=1.0)
