"""graph_outputs: the record of a network's outputs, where it has several; the last layer, which names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.tensor import TensorType, tensor_of
from aieloom.ops.processor import Form, PsOnly
from aieloom.ops.registry import operator
from aieloom.plan.processor import PsStep
from aieloom.pytorch import Tensor, Tensors, torch
from aieloom.spec.network import MAX_INPUTS, LayerSpec
from aieloom.spec.types import DataType


class GraphOutputsSpec(LayerSpec):
    """The network's outputs, `inputs: [a, b]`: the values of a layer behind those of the one before; the last layer."""

    op: Literal["graph_outputs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """An output: its number among them, and its values."""

    index: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """All outputs in order."""

    parts: tuple[Part, ...]


@operator
class GraphOutputs(PsOnly[GraphOutputsSpec]):
    """See GraphOutputsSpec."""

    arity = (2, MAX_INPUTS)

    def infer_join(self, spec: GraphOutputsSpec, xs: tuple[TensorType, ...]) -> TensorType:
        """Return the record's type.

        Raises:
            ShapeError: it is of one output.
        """
        if len(xs) < 2:
            raise ShapeError("is the record of several outputs, and reads one", "write inputs: [a, b]")
        return tensor_of((sum(x.elements for x in xs),), xs[0].dtype)

    def form(self, spec: GraphOutputsSpec, at: Layer) -> Form:
        """Return the copy of each output to its place."""
        parts = tuple(Part(index=i, size=x.elements) for i, x in enumerate(at.xs))
        why = f"outputs: {', '.join(f'{name} ({x})' for name, x in zip(at.inputs, at.xs, strict=True))}"
        return Form(Parts(parts=parts), why, template="ps/concat.h")

    def torch_forward(self, spec: GraphOutputsSpec, params: Tensors, x: tuple[Tensor, ...]) -> Tensor:
        """Return the record."""
        y = torch.cat([part.flatten(1) for part in x], dim=1)
        return y.reshape(len(y), *tensor_of((y.shape[1],), DataType.FLOAT32).shape)

    def hardware(self, plan: PsStep, params: Parameters, x: tuple[Values, ...]) -> Values:
        """Return the record."""
        return np.concatenate([part.reshape(len(part), -1) for part in x], axis=1).reshape(
            len(x[0]), *plan.y.shape
        )
