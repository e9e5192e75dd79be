"""graph_outputs: the record of a network's outputs, where it has several; the last layer, which names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.tensor import TensorType, tensor_of
from aieloom.ops.processor import PsOnly, ps_step
from aieloom.ops.registry import operator
from aieloom.plan.processor import WHOLE, PsStep
from aieloom.spec.network import MAX_INPUTS, LayerSpec, NetworkSpec
from aieloom.spec.types import DataType

if TYPE_CHECKING:
    import torch


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

    name = "graph_outputs"
    layer_model = GraphOutputsSpec
    arity = (2, MAX_INPUTS)

    def infer(self, spec: GraphOutputsSpec, x: TensorType) -> TensorType:
        """Return the record of a single output.

        Raises:
            ShapeError: there are several.
        """
        return self.infer_join(spec, (x,))

    def infer_join(self, spec: GraphOutputsSpec, xs: tuple[TensorType, ...]) -> TensorType:
        """Return the record's type.

        Raises:
            ShapeError: it is of one output.
        """
        if len(xs) < 2:
            raise ShapeError("is the record of several outputs, and reads one", "write inputs: [a, b]")
        return tensor_of((sum(x.elements for x in xs),), xs[0].dtype)

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return the copy of each output to its place."""
        parts = tuple(Part(index=i, size=x.elements) for i, x in enumerate(at.xs))
        why = f"outputs: {', '.join(f'{name} ({x})' for name, x in zip(at.inputs, at.xs, strict=True))}"
        return ps_step(spec, at, kind=WHOLE, template="ps/concat.h.j2", detail=Parts(parts=parts), why=why)

    def torch_forward(
        self, spec: GraphOutputsSpec, params: dict[str, torch.Tensor], x: tuple[torch.Tensor, ...]
    ) -> torch.Tensor:
        """Return the record."""
        import torch  # noqa: PLC0415 - only references need it

        y = torch.cat([part.flatten(1) for part in x], dim=1)
        return y.reshape(len(y), *tensor_of((y.shape[1],), DataType.FLOAT32).shape)

    def hardware(self, plan: PsStep, params: Parameters, x: tuple[Values, ...]) -> Values:
        """Return the record."""
        return np.concatenate([part.reshape(len(part), -1) for part in x], axis=1).reshape(
            len(x[0]), *plan.y.shape
        )
