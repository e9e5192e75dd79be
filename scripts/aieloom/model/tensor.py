"""Tensors as the network sees them: channels, height, width; the batch is the run's affair."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from aieloom.spec.types import DataType


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantisation:
    """What integers mean: real value = scale * (integer - zero_point); `scale` is a float32."""

    scale: float
    zero_point: int


@dataclass(frozen=True, slots=True)
class TensorType:
    """Shape `(channels, height, width)` and element type of an activation; integers have a quantisation."""

    shape: tuple[int, int, int]
    dtype: DataType
    quant: Quantisation | None = None

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

    def __str__(self) -> str:
        return f"{'x'.join(map(str, self.shape))} {self.dtype.value}"


@dataclass(frozen=True, slots=True)
class ParameterType:
    """One trained tensor that a layer needs, e.g. `weight (64, 1, 5, 5)`."""

    name: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.shape}"
