"""log_softmax over the channels of each pixel, on the processor: what networks trained with NLLLoss end with.

It is not the logarithm of a softmax: where a share is too small for a float32, its logarithm is still a plain number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from aieloom.model.network import Layer, Parameters
from aieloom.ops import exact
from aieloom.ops.pl import Values
from aieloom.ops.processor import ps_step
from aieloom.ops.ps_only import PixelsOnly
from aieloom.ops.registry import operator
from aieloom.plan.processor import WHOLE, PsStep
from aieloom.spec.network import LayerSpec, NetworkSpec

if TYPE_CHECKING:
    import torch


class LogSoftmaxSpec(LayerSpec):
    """y[c, i, j] = x[c, i, j] - log(sum over all channels k of exp(x[k, i, j]))."""

    op: Literal["log_softmax"]


@operator
class LogSoftmax(PixelsOnly[LogSoftmaxSpec]):
    """See LogSoftmaxSpec."""

    name = "log_softmax"
    layer_model = LogSoftmaxSpec

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return the three passes over the channels of each pixel."""
        return ps_step(
            spec,
            at,
            kind=WHOLE,
            template="ps/log_softmax.h.j2",
            detail=self.pixels(at.x),
            why=f"log_softmax: {at.x.shape[0]} values of each pixel less the logarithm of their sum, float64, rounded once",
            operations=30 * at.x.elements,
        )

    def torch_forward(
        self,
        spec: LogSoftmaxSpec,  # noqa: ARG002
        params: dict[str, torch.Tensor],  # noqa: ARG002
        x: torch.Tensor,
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        import torch  # noqa: PLC0415 - seconds of start-up that only this reference needs

        return torch.log_softmax(x, dim=1)

    def hardware(self, plan: PsStep, params: Parameters, x: Values) -> Values:  # noqa: ARG002
        """Return the values: the largest, sums in order of channels in float64, one rounding to the precision of `x`."""
        wide = x.astype(np.float64)
        best = wide[:, :1]
        for c in range(1, x.shape[1]):
            best = np.where(wide[:, c : c + 1] > best, wide[:, c : c + 1], best)
        total = np.zeros_like(best)
        for c in range(x.shape[1]):
            total = total + exact.exp(wide[:, c : c + 1] - best)
        found: Values = ((wide - best) - exact.log(total)).astype(x.dtype)
        return found
