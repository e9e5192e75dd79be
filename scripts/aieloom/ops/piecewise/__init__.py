"""Functions of a value that compare and choose, in float32 operations of their own, on programmable logic: relu, clip ..."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from aieloom.arrays import Values
from aieloom.network.layers import Parameters
from aieloom.network.no_ops import IN_ORDER
from aieloom.ops.pl import TINY, UNIT, Elementwise
from aieloom.ops.registry import operator
from aieloom.pl.steps import PlStep
from aieloom.pytorch import Tensor, Tensors, f, torch
from aieloom.spec.network import LayerSpec
from aieloom.spec.types import Number


class IdentitySpec(LayerSpec):
    """y = x."""

    op: Literal["identity"]


@operator
class Identity(Elementwise[IdentitySpec]):
    """See IdentitySpec."""

    lut = 0
    keeps_quantisation = True
    only_moves = True
    says = "values pass as they are"

    def renames(self, spec: IdentitySpec) -> tuple[int, int, int]:
        """Return that all values stay in their order."""
        return IN_ORDER

    def torch_forward(self, spec: IdentitySpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return x

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values."""
        return x


class ReluSpec(LayerSpec):
    """y = x where x is not below 0, else 0; element by element."""

    op: Literal["relu"]


@operator
class Relu(Elementwise[ReluSpec]):
    """See ReluSpec."""

    torch_modules = ("ReLU",)
    keeps_quantisation = True
    says = "negative values become 0"

    def torch_forward(self, spec: ReluSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return torch.relu(x)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values, 0 where they are below it."""
        return np.where(x < 0, x.dtype.type(0), x)


class LeakyReluSpec(LayerSpec):
    """y = x where x is above 0, else alpha * x; element by element."""

    op: Literal["leaky_relu"]
    alpha: Number = Field(default=0.01, description="slope below 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """What the template prints."""

    alpha: float


@operator
class LeakyRelu(Elementwise[LeakyReluSpec]):
    """See LeakyReluSpec."""

    torch_modules = ("LeakyReLU", "PReLU")
    dsp = 3  # one float multiplier

    def printed(self, spec: LeakyReluSpec) -> Slope:
        """Return the slope as a float32."""
        return Slope(alpha=float(np.float32(spec.alpha)))

    def words(self, spec: LeakyReluSpec) -> str:
        """Return what the function does."""
        return f"negative values times {self.printed(spec).alpha:.9g}"

    def torch_forward(self, spec: LeakyReluSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return f.leaky_relu(x, spec.alpha)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values, rounded products where they are not above 0."""
        return np.where(x > 0, x, x * x.dtype.type(plan.read(Slope).alpha))

    def slope(self, plan: PlStep) -> float:
        """Return the steeper of the two slopes."""
        return max(1.0, abs(float(plan.read(Slope).alpha)))

    def rounding(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return half a unit in the last place of the products."""
        return np.where(x > 0, 0, np.abs(self.hardware(plan, params, x)) * UNIT + TINY)


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
    """See ClipSpec; relu6 is one from 0 to 6."""

    torch_modules = ("ReLU6", "Hardtanh")

    def printed(self, spec: ClipSpec) -> Bounds:
        """Return the bounds as float32."""
        low, high = (() if b is None else (float(np.float32(b)),) for b in (spec.min, spec.max))
        return Bounds(low=low, high=high)

    def words(self, spec: ClipSpec) -> str:
        """Return the bounds."""
        bounds = self.printed(spec)
        lows, highs = (f"at least {b:.9g}" for b in bounds.low), (f"at most {b:.9g}" for b in bounds.high)
        return " and ".join([*lows, *highs])

    def torch_forward(self, spec: ClipSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return torch.clamp(x, spec.min, spec.max)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values, the bounds where they are beyond."""
        for low in plan.read(Bounds).low:
            x = np.where(x < low, x.dtype.type(low), x)
        for high in plan.read(Bounds).high:
            x = np.where(x > high, x.dtype.type(high), x)
        return x
