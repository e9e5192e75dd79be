"""add, mul, sub, div: two tensors place by place; but for add the second may have the length 1 where the first has more.

On programmable logic; div of integers on the processor. In integers sub is TensorFlow Lite's SUB and mul its MUL
[kernels/internal/reference/sub.h, integer_ops/mul.h], whose multiplier must be below 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from aieloom.arrays import Values
from aieloom.errors import CannotFit
from aieloom.network.layers import Layer, Parameters, ShapeError
from aieloom.network.tensor import TensorType
from aieloom.ops.integer_pairs import EXACT, OfSums, exact_product, exact_sum, integer_product, integer_sum
from aieloom.ops.join import FLOAT_PAIRS, ElementPair, FloatPair, Join, alike, places_of
from aieloom.ops.pl import Form, PlMapping, no_form
from aieloom.ops.registry import layer_model, register_rows
from aieloom.pl.steps import PlStep
from aieloom.plan.processor import Function
from aieloom.pytorch import Tensor
from aieloom.spec.network import LayerSpec, NetworkSpec
from aieloom.spec.quantize import Scales
from aieloom.spec.types import DataType

INTEGERS = (DataType.INT8, DataType.INT16)


@dataclass(frozen=True, slots=True)
class _Sign:
    """An operation in C++ and in Python, with its price on programmable logic (estimates)."""

    says: str
    sign: str
    values: Callable[[Any, Any], Any]  # of arrays or of tensors
    dsp: int
    lut: int
    results: str = "results"
    takes: str = "; b may have the length 1 where a has more"  # `inputs: [a, b]`


SIGNS = {
    "add": _Sign(
        "y = a + b",
        "+",
        lambda a, b: a + b,
        2,
        400,
        "sums",
        " of one shape; a relu or a clip from 0 behind it costs nothing in integers",
    ),
    "sub": _Sign("y = a - b", "-", lambda a, b: a - b, 2, 400),
    "mul": _Sign("y = a * b", "*", lambda a, b: a * b, 3, 300),
    "div": _Sign("y = a / b", "/", lambda a, b: a / b, 0, 1200),
}


class Arithmetic(Join[LayerSpec]):
    """An operation of SIGNS."""

    arity = (2, 2)
    template = "maps/join_maps"
    processor_template = "ps/arithmetic.h"

    def __init__(self, name: str) -> None:
        self.name = name  # type: ignore[misc]  # one class for all rows of the table
        self.sign = SIGNS[name]
        self.layer_model = layer_model(name, f"{self.sign.says} for `inputs: [a, b]`{self.sign.takes}.")

    def infer_join(self, spec: LayerSpec, xs: tuple[TensorType, ...]) -> TensorType:
        """Return the first input's type.

        Raises:
            ShapeError: the second does not fit to it.
        """
        first = xs[0]
        if self.name == "add":
            alike(xs, 0, "the shapes of the two inputs")
        for other in xs[1:]:
            if any(b not in (1, a) for a, b in zip(first.shape, other.shape, strict=True)):
                raise ShapeError(
                    f"the second input has neither the first's lengths nor 1: {other} beside {first}",
                    "give inputs of one shape, or the larger one first",
                )
        return first

    def processor_reason(self, dtype: DataType) -> str:
        """Return why it is not on programmable logic: a quotient of integers is not."""
        return no_form(self.name, dtype) if self.name == "div" and dtype in INTEGERS else ""

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the process that joins.

        Raises:
            CannotFit: integers' scales lie too far apart, or they are to be divided.
        """
        cycles = at.y.elements
        if at.x.quant:
            pair, why = self._elements(spec, at)
            form = Form(pair, why, dsp=12, lut=900, cycles=cycles, beats=pair.value)
        else:
            floats = FloatPair(places=places_of(at), sign=self.sign.sign)
            why = f"{self.name}: {cycles} {self.sign.results} in float32, one a cycle"
            dsp, lut = self.sign.dsp, self.sign.lut
            form = Form(floats, why, dsp=dsp, lut=lut, cycles=cycles, beats=FLOAT_PAIRS[self.sign.sign])
        return self.step(spec, at, mapping, form)

    def _elements(self, spec: NetworkSpec, at: Layer) -> tuple[ElementPair, str]:
        """Return how elements are joined, by ONNX's definition or TensorFlow Lite's, and in words.

        Raises:
            CannotFit: scales lie too far apart; or it is a quotient, which programmable logic does not have.
        """
        if self.name == "div":
            text = f"layer '{at.name}': {self.processor_reason(at.x.dtype)}"
            path = spec.at_mapping(at.name, "engine")
            raise CannotFit(spec.source.problem("ps-2", path, text, "use engine: ps"))
        if spec.scaling is Scales.ONNX:
            sign = -1 if self.name == "sub" else 1
            exact = exact_product(spec, at) if self.name == "mul" else exact_sum(spec, at, sign=sign)
            return exact, EXACT.format(at=at)
        if self.name == "add":
            return integer_sum(spec, at), "add: TensorFlow Lite's: both scaled to 1/2^20 of the larger scale"
        pair = integer_product(spec, at) if self.name == "mul" else integer_sum(spec, at, self.sign.sign)
        return pair, f"{self.name}: TensorFlow Lite's, {at.y.elements} results, one a cycle"

    def torch_forward(self, spec: LayerSpec, params: Parameters, x: tuple[Tensor, Tensor]) -> Tensor:
        """Return PyTorch's result."""
        made: Tensor = self.sign.values(*x)
        return made

    def hardware(self, plan: Function, params: Parameters, x: tuple[Values, Values]) -> Values:
        """Return the results, rounded once in the precision of `x`."""
        with np.errstate(all="ignore"):
            found: Values = self.sign.values(*x)
        return found


class Sum(Arithmetic, OfSums):
    """add and sub, of which the analysis of rounding knows how far they move."""


register_rows([(Sum if name in ("add", "sub") else Arithmetic)(name) for name in SIGNS], globals())
