"""leaky_relu: a smaller slope below 0, on programmable logic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Parameters
from aieloom.ops.pl import TINY, UNIT, Elementwise
from aieloom.ops.registry import operator
from aieloom.pl.steps import PlStep
from aieloom.spec.network import LayerSpec
from aieloom.spec.types import Number

if TYPE_CHECKING:
    import torch


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

    name = "leaky_relu"
    torch_modules = ("LeakyReLU", "PReLU")
    layer_model = LeakyReluSpec
    dsp = 3  # one float multiplier

    def printed(self, spec: LayerSpec) -> Slope:
        """Return the slope as a float32."""
        assert isinstance(spec, LeakyReluSpec)
        return Slope(alpha=float(np.float32(spec.alpha)))

    def words(self, spec: LayerSpec) -> str:
        """Return what the function does."""
        return f"negative values times {self.printed(spec).alpha:.9g}"

    def torch_forward(
        self, spec: LeakyReluSpec, params: dict[str, torch.Tensor], x: torch.Tensor
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

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
