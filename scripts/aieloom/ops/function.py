"""Functions of a value: each says itself once, by NumPy and in C++, and the device's ways to compute it follow from that.

The processor computes the formula in float64; of integers programmable logic has a table of all elements (plan/integer.py);
of floats `ByTable` looks it up. What is cheap in float32 operations of its own, as a relu, is a row of ops/piecewise.
Formulas are made of operations that round alike everywhere (ops/exact.py), and the result is rounded to float32 once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from aieloom.arrays import Values
from aieloom.errors import CannotFit
from aieloom.network.layers import Layer, Parameters
from aieloom.ops.lut import LutSpec, index_of, look_up, lut_form, table_of
from aieloom.ops.pl import Elementwise, PlMapping, no_form
from aieloom.ops.registry import layer_model
from aieloom.pl.steps import ELEMENTWISE, Lut, PlStep
from aieloom.plan.processor import PsStep
from aieloom.pytorch import Tensor, Tensors, f, torch
from aieloom.spec.network import LayerSpec, NetworkSpec
from aieloom.spec.types import DataType, Number

SpecT = TypeVar("SpecT", bound=LayerSpec)
TABULATED = (DataType.INT8, DataType.INT16)  # elements for which programmable logic has a table


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function of `x` and its keys: in words, by NumPy, in C++ ({0}, {1} stand for the keys), by PyTorch.

    `torch` may be the name of PyTorch's function; `onnx` is the operator of ONNX that is it, if any, its attributes the keys.
    """

    says: str
    values: Callable[..., Values]
    code: str
    torch: str | Callable[..., Tensor]
    keys: Mapping[str, tuple[float, str]] = field(default_factory=dict)  # default and meaning
    onnx: str = ""
    modules: tuple[str, ...] = ()  # classes of torch.nn

    def layer_model(self, name: str, means: str) -> type[LayerSpec]:
        """Return the model of its layers, which `means` explains."""
        rows = self.keys.items()
        return layer_model(
            name, means, **{k: (Number, Field(default=v, description=d)) for k, (v, d) in rows}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """What the template prints, and the keys' values."""

    expression: str
    numbers: tuple[float, ...]


class OfFunction(Elementwise[SpecT], Generic[SpecT]):
    """Base of operators that are functions said by NumPy and by PyTorch."""

    function: Function

    def numbers(self, spec: LayerSpec) -> tuple[float, ...]:
        """Return the values of its keys."""
        return tuple(float(getattr(spec, key)) for key in self.function.keys)

    def torch_forward(self, spec: SpecT, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        call: Any = self.function.torch
        if isinstance(call, str):
            call = getattr(torch, call, None) or getattr(f, call)
        y: Tensor = call(x, *self.numbers(spec))
        return y


class ByFormula(OfFunction[SpecT], Generic[SpecT]):
    """Base of functions that are said by a formula."""

    def processor_reason(self, dtype: DataType) -> str:
        """Return why it is not on programmable logic: there is a table of integers alone."""
        return "" if dtype in TABULATED else no_form(self.name, dtype)

    def words(self, spec: LayerSpec) -> str:
        """Return the formula."""
        return self.function.says

    def printed(self, spec: LayerSpec) -> Formula:
        """Return the function with its keys."""
        numbers = self.numbers(spec)
        return Formula(expression=self.function.code.format(*numbers), numbers=numbers)

    def plan_ps(self, spec: NetworkSpec, at: Layer) -> PsStep:
        """Return the function on the processor."""
        from aieloom.plan.on_processor import ps_step  # noqa: PLC0415 - where the processor has a layer

        return ps_step(
            spec,
            at,
            kind=ELEMENTWISE,
            template="ps/pointwise.h.j2",
            detail=self.printed(at.spec),
            why=f"{self.name}: {self.function.says}, computed in float64, rounded once",
            operations=at.y.elements * 20,
        )

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the function of elements, which becomes a table.

        Raises:
            CannotFit: the values are floats.
        """
        if at.x.dtype not in TABULATED:
            text = f"layer '{at.name}': {no_form(self.name, at.x.dtype)}"
            remedy = "use engine: ps, or quantize: {activations: int8} or int16, of which a table is made"
            raise CannotFit(spec.source.problem("ps-2", spec.at_mapping(at.name, "engine"), text, remedy))
        return super().plan_pl(spec, at, mapping)

    def processor(self, plan: PsStep | PlStep, params: Parameters, x: Values) -> Values:
        """Return the function's values, computed in float64, in the precision of `x`."""
        with np.errstate(all="ignore"):
            found: Values = self.function.values(x.astype(np.float64), *plan.read(Formula).numbers).astype(
                x.dtype
            )
        return found

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the same: what elements are tabulated from."""
        return self.processor(plan, params, x)


class LutMapping(PlMapping):
    """How a function by table is put on programmable logic."""

    lut: LutSpec = Field(default=LutSpec(), description="the table")


class ByTable(ByFormula[SpecT], Generic[SpecT]):
    """Base of functions without keys that programmable logic looks up where the values are floats."""

    limits: ClassVar[tuple[float, float]]  # below and above the table's range

    def processor_reason(self, dtype: DataType) -> str:
        """Return that it need not be on the processor."""
        return ""

    def table(self, spec: LutSpec) -> Lut:
        """Return the table: entry i is the function at `low + i / scale`, beyond the range its limits."""
        below, above = self.limits
        return table_of(self.exact, spec, below=below, above=above)

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the function as a table look-up."""
        assert isinstance(mapping, LutMapping)
        return self.step(spec, at, mapping, lut_form(self.name, self.table(mapping.lut)))

    def exact(self, x: Values) -> Values:
        """Return the function itself: what tables are filled with."""
        return self.function.values(x)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the table's values."""
        return look_up(plan.read(Lut), x)

    def table_index(self, plan: PlStep, x: Values) -> NDArray[np.int64]:
        """Return each value's entry in the table."""
        return index_of(plan.read(Lut), x)


def read_as_rows(rows: Mapping[str, Function]) -> None:
    """Read ONNX's nodes whose attributes are a function's keys, and PyTorch's calls of its name, as the operators of rows."""
    # Imported here, for this is called when the first model is read.
    from aieloom.network.readers.onnx_graph import Node  # noqa: PLC0415
    from aieloom.network.readers.onnx_nodes import Piece, Pieces, Translator, number  # noqa: PLC0415
    from aieloom.network.readers.registry import from_onnx, from_torch  # noqa: PLC0415
    from aieloom.network.readers.torch_ops import TRANSLATORS, function  # noqa: PLC0415

    def reader(op: str, row: Function) -> Translator:
        """Return what takes a node; the schema has the attributes that it leaves out."""

        def take(node: Node, pieces: Pieces) -> Pieces:
            keys = {key: number(node.get(key, value)) for key, (value, _) in row.keys.items()}
            return [*pieces, Piece(op, keys)]

        return take

    for op, row in rows.items():
        if row.onnx:
            from_onnx(row.onnx, rows=True)(reader(op, row))
            if isinstance(row.torch, str) and row.torch not in TRANSLATORS:  # which have more arguments
                from_torch(row.torch)(function(row.onnx))
