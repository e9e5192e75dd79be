"""add: the sum of two tensors, place by place, on programmable logic: the end of a residual connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.tensor import TensorType
from aieloom.ops.integer_pairs import EXACT, OfSums, exact_sum, integer_sum
from aieloom.ops.join import FLOAT_PAIR, FloatPair, Join, alike, join_elements, join_step, places_of
from aieloom.ops.pl import PlMapping
from aieloom.ops.registry import operator
from aieloom.pl.steps import PlStep
from aieloom.spec.network import LayerSpec, NetworkSpec
from aieloom.spec.quantize import Scales

if TYPE_CHECKING:
    import torch


class AddSpec(LayerSpec):
    """y = a + b for `inputs: [a, b]` of one shape; a relu or a clip from 0 behind it costs nothing in integers."""

    op: Literal["add"]


@operator
class Add(Join[AddSpec], OfSums):
    """See AddSpec."""

    name = "add"
    processor_template = "ps/arithmetic.h.j2"
    layer_model = AddSpec
    arity = (2, 2)

    def infer_join(self, spec: AddSpec, xs: tuple[TensorType, ...]) -> TensorType:
        """Return the inputs' common type.

        Raises:
            ShapeError: they have none.
        """
        alike(xs, 0, "the shapes of the two inputs")
        return xs[0]

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the process that adds.

        Raises:
            CannotFit: integers' scales lie too far apart.
        """
        template = "ops/add.h.j2"
        if at.x.quant and spec.scaling is Scales.ONNX:
            return join_elements(spec, at, mapping, template, exact_sum(spec, at), why=EXACT.format(at=at))
        if at.x.quant:
            why = "add: TensorFlow Lite's: both scaled to 1/2^20 of the larger scale"
            return join_elements(spec, at, mapping, template, integer_sum(spec, at), why=why)
        plain = FloatPair(places=places_of(at), sign="+")
        why = f"add: {at.y.elements} sums in float32, one a cycle"
        return join_step(
            spec, at, mapping, template=template, value=FLOAT_PAIR, detail=plain, dsp=2, lut=400, why=why
        )

    def torch_forward(
        self, spec: AddSpec, params: dict[str, torch.Tensor], x: tuple[torch.Tensor, torch.Tensor]
    ) -> torch.Tensor:
        """Return PyTorch's result."""
        return x[0] + x[1]

    def hardware(self, plan: PlStep, params: Parameters, x: tuple[Values, Values]) -> Values:
        """Return the sums, rounded once in the precision of `x`."""
        return x[0] + x[1]
