"""affine: trained factors and offsets, one for each value or each channel, on the processor; constants of a model.

`execution: sequential` has it in integers on the row unit (integer.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.scaled import MOST_ELEMENTS
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops.affine.integer import IntegerAffine, trained_integers
from aieloom.ops.processor import Form, PsOnly
from aieloom.ops.registry import operator
from aieloom.plan.processor import PsStep
from aieloom.pytorch import Tensor, Tensors
from aieloom.spec.network import ParametricLayerSpec
from aieloom.spec.types import Flag


class AffineSpec(ParametricLayerSpec):
    """y = x * weight + bias, place by place, such as the place of each token in a row is added."""

    op: Literal["affine"]
    over: Literal["all", "channels"] = Field(
        default="all", description="whether each value has its own weight and bias, or each channel"
    )
    scale: Flag = Field(default=True, description="whether values are multiplied by a trained weight")
    bias: Flag = Field(default=True, description="whether a trained bias is added")

    @model_validator(mode="after")
    def _check(self) -> AffineSpec:
        if not (self.scale or self.bias):
            raise ValueError("without weight and bias nothing is computed: leave scale: or bias: out")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """What the host program is told: value i has weight and bias i / repeats."""

    size: int
    repeats: int
    scales: bool


@operator
class Affine(PsOnly[AffineSpec]):
    """See AffineSpec."""

    def parameters(self, spec: AffineSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return weight and bias, as far as there are, of the input's shape or its channels'."""
        shape = x.shape if spec.over == "all" and x.pixels > 1 else x.shape[:1]
        wanted = (("weight", spec.scale), ("bias", spec.bias))
        return tuple(ParameterType(name, shape) for name, there in wanted if there)

    def form(self, spec: AffineSpec, at: Layer) -> Form:
        """Return an operation for each value and tensor."""
        names = tuple(p.name for p in at.parameters)
        repeats = at.x.pixels if spec.over == "channels" else 1
        detail = Places(size=at.x.elements, repeats=repeats, scales=spec.scale)
        why = f"affine: {' and '.join(names)} of {'each value' if repeats == 1 else 'each channel'}, each operation rounded"
        return Form(detail, why, len(names) * at.x.elements)

    def torch_forward(self, spec: AffineSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        shaped = {n: p if p.ndim == 3 else p.reshape(-1, 1, 1) for n, p in params.items()}
        y = x * shaped["weight"] if "weight" in shaped else x
        return y + shaped["bias"] if "bias" in shaped else y

    def hardware(self, plan: PsStep, params: Parameters, x: Values) -> Values:
        """Return the values, each operation rounded."""
        y = x
        for name in plan.weights:
            value = params[name].astype(x.dtype)
            value = value if value.ndim == 3 else value.reshape(-1, 1, 1)
            y = np.multiply(y, value) if name == "weight" else np.add(y, value)
        return y

    def takes_turns(self, layer: Layer) -> bool:
        """Tell whether integers have the layer: rows that the row unit takes."""
        return layer.x.shape[0] <= MOST_ELEMENTS

    def integers(self, layer: Layer, trained: Parameters) -> Parameters | None:
        """Return what the integers' form multiplies by; None where it has no room."""
        return trained_integers(layer, trained)

    def turn(self, layer: Layer) -> IntegerAffine:
        """Return the layer in integers."""
        assert isinstance(layer.spec, AffineSpec)
        each = layer.spec.over == "all" and layer.x.pixels > 1
        return IntegerAffine(each=each, zero_x=layer.x.zero, zero=layer.y.zero)
