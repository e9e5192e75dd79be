"""relu: max(x, 0), on programmable logic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Parameters
from aieloom.ops.pl import Elementwise
from aieloom.ops.registry import operator
from aieloom.pl.steps import PlStep
from aieloom.spec.network import LayerSpec

if TYPE_CHECKING:
    import torch


class ReluSpec(LayerSpec):
    """y = x where x is not below 0, else 0; element by element."""

    op: Literal["relu"]


@operator
class Relu(Elementwise[ReluSpec]):
    """See ReluSpec."""

    name = "relu"
    torch_modules = ("ReLU",)
    layer_model = ReluSpec
    keeps_quantisation = True

    def words(self, spec: LayerSpec) -> str:
        """Return what the function does."""
        return "negative values become 0"

    def torch_forward(self, spec: ReluSpec, params: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch  # noqa: PLC0415 - seconds of start-up that only this reference needs

        return torch.relu(x)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values, 0 where they are below it."""
        return np.where(x < 0, x.dtype.type(0), x)
