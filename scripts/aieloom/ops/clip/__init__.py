"""clip: values kept between two bounds (relu6: 0 and 6), on programmable logic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field, model_validator

from aieloom.arrays import Values
from aieloom.network.layers import Parameters
from aieloom.ops.pl import Elementwise
from aieloom.ops.registry import operator
from aieloom.pl.steps import PlStep
from aieloom.spec.network import LayerSpec
from aieloom.spec.types import Number

if TYPE_CHECKING:
    import torch


class ClipSpec(LayerSpec):
    """y = min where x is below min, max where it is above max, else x; element by element."""

    op: Literal["clip"]
    min: Number | None = Field(default=None, description="lower bound; none when left out")
    max: Number | None = Field(default=None, description="upper bound; none when left out")

    @model_validator(mode="after")
    def _check(self) -> ClipSpec:
        if self.min is None and self.max is None:
            raise ValueError("clip has neither min nor max: give one of them, or use op: identity")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min:g} is above max {self.max:g}")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What the template prints: each bound as a tuple of none or one."""

    low: tuple[float, ...]
    high: tuple[float, ...]


@operator
class Clip(Elementwise[ClipSpec]):
    """See ClipSpec."""

    name = "clip"
    torch_modules = ("ReLU6", "Hardtanh")
    layer_model = ClipSpec

    def printed(self, spec: LayerSpec) -> Bounds:
        """Return the bounds as float32."""
        assert isinstance(spec, ClipSpec)
        return Bounds(low=_bound(spec.min), high=_bound(spec.max))

    def words(self, spec: LayerSpec) -> str:
        """Return the bounds."""
        bounds = self.printed(spec)
        lows, highs = (f"at least {b:.9g}" for b in bounds.low), (f"at most {b:.9g}" for b in bounds.high)
        return " and ".join([*lows, *highs])

    def torch_forward(self, spec: ClipSpec, params: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch  # noqa: PLC0415 - seconds of start-up that only this reference needs

        return torch.clamp(x, spec.min, spec.max)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values, the bounds where they are beyond."""
        for low in plan.read(Bounds).low:
            x = np.where(x < low, x.dtype.type(low), x)
        for high in plan.read(Bounds).high:
            x = np.where(x > high, x.dtype.type(high), x)
        return x


def _bound(value: float | None) -> tuple[float, ...]:
    return () if value is None else (float(np.float32(value)),)
