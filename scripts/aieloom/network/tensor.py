"""Tensors as the network sees them: channels, height, width; the batch is the run's affair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from aieloom.arrays import Values
from aieloom.spec.types import DataType


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantisation:
    """What integers mean: real value = scale * (integer - zero_point); `scale` is a float32."""

    scale: float
    zero_point: int


@dataclass(frozen=True, slots=True)
class TensorType:
    """Shape `(channels, height, width)` and element type of an activation; integers have a quantisation.

    `rows`: it is a matrix to its user, (rows, features); a feature is a channel, a row a place of the height.
    """

    shape: tuple[int, int, int]
    dtype: DataType
    quant: Quantisation | None = None
    rows: bool = False
    # What its user calls the shape, where layers that only rename are left out
    outer: tuple[int, int, int] | None = None

    @property
    def elements(self) -> int:
        """Number of elements of one sample."""
        return prod(self.shape)

    @property
    def bytes(self) -> int:
        """Size of one sample."""
        return self.elements * self.dtype.bytes

    @property
    def zero(self) -> int:
        """The element that means 0."""
        return self.quant.zero_point if self.quant else 0

    @property
    def pixels(self) -> int:
        """Height times width."""
        return self.shape[1] * self.shape[2]

    @property
    def means(self) -> Quantisation:
        """What its elements mean, of integers."""
        assert self.quant
        return self.quant

    @property
    def sizes(self) -> dict[str, Any]:
        """Its lengths, by the names that plans have for them."""
        return dict(zip(("channels", "height", "width"), self.shape, strict=True))

    @property
    def steps(self) -> dict[str, Any]:
        """Elements from a channel, row or column to the next; 0 along an axis of length 1, whose value is all others'."""
        c, h, w = self.shape
        return {"step_channel": h * w * (c > 1), "step_y": w * (h > 1), "step_x": int(w > 1)}

    @property
    def outside(self) -> tuple[int, ...]:
        """The shape that its user knows: (rows, features), or (channels, height, width)."""
        return (self.pixels, self.shape[0]) if self.rows else (self.outer or self.shape)

    def to_inside(self, values: Values) -> Values:
        """Return samples `(n, *outside)` as `(n, channels, height, width)`."""
        ordered = values.reshape(len(values), *self.outside)
        ordered = ordered.transpose(0, 2, 1) if self.rows else ordered
        return np.ascontiguousarray(ordered).reshape(len(values), *self.shape)

    def to_outside(self, values: Values) -> Values:
        """Return samples `(n, channels, height, width)` as `(n, *outside)`."""
        if not self.rows:
            return values.reshape(len(values), *self.outside)
        flat = values.reshape(len(values), self.shape[0], self.pixels)
        return np.ascontiguousarray(flat.transpose(0, 2, 1))

    def __str__(self) -> str:
        return f"{'x'.join(map(str, self.outside))} {self.dtype.value}"


def tensor_of(shape: Sequence[int], dtype: DataType) -> TensorType:
    """Return the type of what a user calls [channels, height, width], [features] or [rows, features]."""
    if len(shape) == 2:
        rows, features = shape
        return TensorType((features, rows, 1), dtype, rows=True)
    channels, height, width = (*shape, 1, 1)[:3]
    return TensorType((channels, height, width), dtype)


@dataclass(frozen=True, slots=True)
class ParameterType:
    """One trained tensor that a layer needs, e.g. `weight (64, 1, 5, 5)`; a file may hold it transposed."""

    name: str
    shape: tuple[int, ...]
    transposed: bool = False

    @property
    def stored(self) -> tuple[int, ...]:
        """The shape that it has in a file."""
        return self.shape[::-1] if self.transposed else self.shape

    def __str__(self) -> str:
        return f"{self.name} {self.stored}"


def as_float(tensor: TensorType) -> TensorType:
    """Return a tensor's type on the processor."""
    return replace(tensor, dtype=DataType.FLOAT32, quant=None)
