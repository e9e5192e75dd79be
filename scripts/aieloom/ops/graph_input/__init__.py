"""graph_input: one of a network's inputs, where it has several; its values lie in the record that the design takes."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, Strict

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.tensor import TensorType, tensor_of
from aieloom.ops.processor import Form, PsOnly
from aieloom.ops.registry import operator
from aieloom.pl.steps import REORDER
from aieloom.plan.processor import PsStep
from aieloom.pytorch import Tensor, Tensors
from aieloom.spec.network import LayerSpec
from aieloom.spec.types import MAX_ELEMENTS, DataType, Positive


class GraphInputSpec(LayerSpec):
    """The values of one input; network.yaml's `inputs:` make these layers, nobody writes them."""

    op: Literal["graph_input"]
    shape: Annotated[tuple[Positive, ...], Field(min_length=1, max_length=3)] = Field(
        description="[channels, height, width], [features], or [rows, features] of a matrix"
    )
    offset: Annotated[int, Strict(), Field(ge=0, le=MAX_ELEMENTS)] = Field(
        description="values of the inputs before it"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What of the record it is, and what the template prints: values in order of channel, row and column."""

    offset: int
    height: int
    width: int
    record_height: int  # one, as of a row of values
    record_width: int


@operator
class GraphInput(PsOnly[GraphInputSpec]):
    """See GraphInputSpec."""

    kind = REORDER

    def infer(self, spec: GraphInputSpec, x: TensorType) -> TensorType:
        """Return the input's type.

        Raises:
            ShapeError: the record has not so many values.
        """
        end = spec.offset + prod(spec.shape)
        if end > x.elements:
            text = f"is values {spec.offset} to {end - 1} of {x.elements}"
            raise ShapeError(text, "write inputs:, which make these layers")
        return tensor_of(spec.shape, x.dtype)

    def form(self, spec: GraphInputSpec, at: Layer) -> Form:
        """Return the copy of a part of the record."""
        _, height, width = at.y.shape
        why = f"input '{at.name}': {at.y}, from value {spec.offset} of all inputs on"
        record = at.x.shape[1:]
        detail = Part(
            offset=spec.offset,
            height=height,
            width=width,
            record_height=record[0],
            record_width=record[1],
        )
        return Form(detail, why, template="ps/graph_input.h.j2")

    def torch_forward(self, spec: GraphInputSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return the input."""
        y = tensor_of(spec.shape, DataType.FLOAT32)
        return x.flatten(1)[:, spec.offset : spec.offset + y.elements].reshape(len(x), *y.shape)

    def hardware(self, plan: PsStep, params: Parameters, x: Values) -> Values:
        """Return the input's values."""
        at = plan.read(Part).offset
        return np.ascontiguousarray(x.reshape(len(x), -1)[:, at : at + plan.y.elements]).reshape(
            len(x), *plan.y.shape
        )
