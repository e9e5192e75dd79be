"""concat: the channels of several tensors one after another, on programmable logic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.quantisation import dequantise, quantise
from aieloom.network.tensor import TensorType
from aieloom.ops.join import Join, alike
from aieloom.ops.pl import Form
from aieloom.ops.registry import operator
from aieloom.pl.steps import ElementTable, LineTable, PlStep
from aieloom.plan.element_tables import looked_up, table_bram36, table_of_elements
from aieloom.pytorch import Tensor, Tensors, torch
from aieloom.spec.network import MAX_INPUTS, LayerSpec


class ConcatSpec(LayerSpec):
    """y = the channels of all `inputs: [a, b, ...]`, in that order; height and width are the same."""

    op: Literal["concat"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One input: of elements whose scale is another than the result's, a table of what they become."""

    index: int
    size: int
    tables: tuple[ElementTable, ...]  # one where 8-bit elements do not
    lines: tuple[LineTable, ...]  # one where 16-bit elements do not

    @property
    def scaling(self) -> tuple[ElementTable | LineTable, ...]:
        """The table, if there is one."""
        return (*self.tables, *self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """All inputs."""

    parts: tuple[Part, ...]


@operator
class Concat(Join[ConcatSpec]):
    """See ConcatSpec."""

    template = "maps/join_channels"
    processor_template = "ps/concat.h"
    arity = (2, MAX_INPUTS)

    def infer_join(self, spec: ConcatSpec, xs: tuple[TensorType, ...]) -> TensorType:
        """Return the type with all channels.

        Raises:
            ShapeError: heights or widths differ.
        """
        alike(xs, 1, "heights or widths of the inputs")
        channels = sum(x.shape[0] for x in xs)
        return TensorType((channels, *xs[0].shape[1:]), xs[0].dtype, rows=all(x.rows for x in xs))

    def form(self, spec: ConcatSpec, at: Layer) -> Form:
        """Return the process that passes one input after another."""
        detail = Parts(parts=tuple(_part(i, x, at.y) for i, x in enumerate(at.xs)))
        tables = [t for p in detail.parts for t in p.scaling]
        scaled = len(tables)
        why = f"concat: {len(at.xs)} inputs one after another" + (
            f", {scaled} scaled by tables" if scaled else ""
        )
        lut = 200 + 100 * scaled  # 256 bytes in LUTs each (estimate)
        rams, beats = sum(map(table_bram36, tables)), "functions/Unchanged"
        return Form(detail, why, lut=lut, cycles=at.y.elements, bram36=rams, beats=beats)

    def torch_forward(self, spec: ConcatSpec, params: Tensors, x: tuple[Tensor, ...]) -> Tensor:
        """Return PyTorch's result."""
        return torch.cat(x, dim=1)

    def hardware(self, plan: PlStep, params: Parameters, x: tuple[Values, ...]) -> Values:
        """Return all channels."""
        return np.concatenate(x, axis=1)

    def integer(self, plan: PlStep, x: tuple[Values, ...]) -> Values:
        """Return all channels' elements at the result's scale."""
        return np.concatenate([_scaled(p, v) for p, v in zip(plan.read(Parts).parts, x, strict=True)], axis=1)

    def spread(self, plan: PlStep, params: Parameters, deviation: tuple[Values, ...]) -> Values:
        """Return the deviations, each where its value goes."""
        return np.concatenate(deviation, axis=1)

    def rounding(self, plan: PlStep, params: Parameters, x: tuple[Values, ...]) -> Values:
        """Return zeros: moving values rounds nothing."""
        return np.zeros_like(np.concatenate(x, axis=1), np.float64)


def _part(index: int, x: TensorType, y: TensorType) -> Part:
    if x.quant is None or y.quant is None or x.quant == y.quant:
        return Part(index=index, size=x.elements, tables=(), lines=())
    before, after = x.quant, y.quant
    table = table_of_elements(x.dtype, lambda e: quantise(dequantise(e, before), after, y.dtype))
    narrow = (table,) if isinstance(table, ElementTable) else ()
    wide = (table,) if isinstance(table, LineTable) else ()
    return Part(index=index, size=x.elements, tables=narrow, lines=wide)


def _scaled(part: Part, x: Values) -> Values:
    for table in part.scaling:
        return looked_up(table, x)
    return x
