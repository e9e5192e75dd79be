"""prelu: a trained slope for each channel below 0, on the processor.

One slope for all channels is a leaky_relu, which programmable logic has too; readers of models make one of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from aieloom.model.network import Layer, Parameters
from aieloom.model.tensor import ParameterType, TensorType
from aieloom.ops.pl import Values
from aieloom.ops.processor import ps_step
from aieloom.ops.ps_only import PixelsOnly
from aieloom.ops.registry import operator
from aieloom.plan.processor import WHOLE, PsStep
from aieloom.spec.network import NetworkSpec, ParametricLayerSpec

if TYPE_CHECKING:
    import torch


class PReluSpec(ParametricLayerSpec):
    """y[c] = x[c] where x[c] is above 0, else weight[c] * x[c]."""

    op: Literal["prelu"]


@operator
class PRelu(PixelsOnly[PReluSpec]):
    """See PReluSpec."""

    name = "prelu"
    layer_model = PReluSpec

    def parameters(self, spec: PReluSpec, x: TensorType) -> tuple[ParameterType, ...]:  # noqa: ARG002
        """Return the slopes, one for each channel."""
        return (ParameterType("weight", (x.shape[0],)),)

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return one product for each value below 0."""
        return ps_step(
            spec,
            at,
            kind=WHOLE,
            template="ps/prelu.h.j2",
            detail=self.pixels(at.x),
            why=f"prelu: {at.x.shape[0]} slopes below 0, each product rounded once",
            operations=2 * at.x.elements,
            weights=tuple(p.name for p in at.parameters),
        )

    def torch_forward(
        self,
        spec: PReluSpec,  # noqa: ARG002
        params: dict[str, torch.Tensor],
        x: torch.Tensor,
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

        return f.prelu(x, params["weight"])

    def hardware(self, plan: PsStep, params: Parameters, x: Values) -> Values:  # noqa: ARG002
        """Return the values, rounded products where they are not above 0; `x` is `(batch, channels, height, width)`."""
        slopes = params["weight"].astype(x.dtype)[None, :, None, None]
        return np.where(x > 0, x, x * slopes)
