"""embedding: the trained row of each token's number, on the processor: ONNX's Gather of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.tensor import ParameterType, TensorType
from aieloom.ops.processor import Form, PsOnly
from aieloom.ops.registry import operator
from aieloom.plan.processor import PsStep
from aieloom.pytorch import Tensor, Tensors
from aieloom.spec.network import ParametricLayerSpec
from aieloom.spec.types import Positive


class EmbeddingSpec(ParametricLayerSpec):
    """y[t] = weight[x[t]]: a row of features for each token's number; one beyond the table is held at its end."""

    op: Literal["embedding"]
    tokens: Positive = Field(description="rows of the table: how many tokens there are")
    features: Positive = Field(description="of a row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What the template prints."""

    count: int
    last: int
    features: int


@operator
class Embedding(PsOnly[EmbeddingSpec]):
    """See EmbeddingSpec."""

    def infer(self, spec: EmbeddingSpec, x: TensorType) -> TensorType:
        """Return a row of features for each value."""
        return TensorType((spec.features, x.elements, 1), x.dtype, rows=True)

    def parameters(self, spec: EmbeddingSpec, x: TensorType) -> tuple[ParameterType, ...]:
        """Return the table."""
        return (ParameterType("weight", (spec.tokens, spec.features)),)

    def form(self, spec: EmbeddingSpec, at: Layer) -> Form:
        """Return a copy of a row for each value."""
        detail = Table(count=at.x.elements, last=spec.tokens - 1, features=spec.features)
        why = f"embedding: {detail.count} rows of a table of {spec.tokens} x {detail.features}"
        return Form(detail, why, at.y.elements)

    def torch_forward(self, spec: EmbeddingSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        held = x.flatten(1).nan_to_num(0.0).clamp(0, spec.tokens - 1).long()
        return params["weight"][held].transpose(1, 2).unsqueeze(-1).contiguous()

    def hardware(self, plan: PsStep, params: Parameters, x: Values) -> Values:
        """Return the rows; NaN has the first one."""
        flat = x.reshape(len(x), -1)
        held = np.where(flat > 0, np.minimum(flat, plan.read(Table).last), 0).astype(np.int64)
        rows = params["weight"].astype(x.dtype)[held]
        return np.ascontiguousarray(rows.swapaxes(1, 2))[..., None]
