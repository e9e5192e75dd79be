"""Functions of a value in float32 operations of their own, on programmable logic: relu, hard_swish ..., rows; and clip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.no_ops import IN_ORDER
from aieloom.ops.function import Function, OfFunction
from aieloom.ops.pl import TINY, UNIT, Elementwise, Form
from aieloom.ops.registry import operator, register_rows
from aieloom.pl.steps import PlStep
from aieloom.pytorch import Tensor, Tensors, torch
from aieloom.spec.network import LayerSpec
from aieloom.spec.types import Number

SIXTH = float(np.float32(1 / 6))  # a product where a division would take 28 cycles and some 800 LUTs


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """The key of a function that has one."""

    alpha: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct(Function):
    """A function as a type of the library and as `values` of the key as a float32: the same operations, each rounded once."""

    does: str  # for the plan's reasons; {0} is the key
    template: str
    code: str = ""  # of the processor: it has the type of the logic
    dsp: int = 0
    lut: int = 100
    steepest: Callable[..., float] = lambda *_: 1.0  # of the key: how far y moves at most when x moves by one
    rounding: Callable[[Values, Values], Values] = lambda x, _y: np.zeros(x.shape)  # how far it may move y
    exact: Callable[[Values], Values] | None = None  # where `values` are an approximation
    keeps: bool = False  # results mean what the input's elements mean


def _hard_swish(x: Values) -> Values:
    number = x.dtype.type
    gate = np.clip(x + number(3), number(0), number(6))
    y: Values = x * (gate * number(SIXTH))
    return y


FUNCTIONS = {
    "identity": Direct(
        says="y = x",
        does="values pass as they are",
        template="functions/Unchanged",
        values=lambda x: x,
        torch=lambda x: x,
        lut=0,
        keeps=True,
    ),
    "relu": Direct(
        says="y = x where x is not below 0, else 0; element by element",
        does="negative values become 0",
        template="functions/Relu",
        values=lambda x: np.where(x < 0, x.dtype.type(0), x),
        torch="relu",
        modules=("ReLU",),
        keeps=True,
    ),
    "leaky_relu": Direct(
        says="y = x where x is above 0, else alpha * x; element by element",
        does="negative values times {0:.9g}",
        template="functions/LeakyRelu",
        values=lambda x, alpha: np.where(x > 0, x, x * x.dtype.type(alpha)),
        torch="leaky_relu",
        keys={"alpha": (0.01, "slope below 0")},
        modules=("LeakyReLU", "PReLU"),
        dsp=3,  # one float multiplier
        steepest=lambda alpha: max(1.0, abs(alpha)),
        rounding=lambda x, y: np.where(x > 0, 0, np.abs(y) * UNIT + TINY),
    ),
    "hard_swish": Direct(  # MobileNetV3's
        says="y = x * (x + 3, kept between 0 and 6) / 6, element by element",
        does="a sum, two comparisons, two products",
        template="functions/HardSwish",
        values=_hard_swish,
        torch="hardswish",
        onnx="HardSwish",
        modules=("Hardswish",),
        dsp=8,  # a float adder and two multipliers
        lut=300,
        steepest=lambda: 1.5,  # at x = 3
        # The sum's rounding, of at most 6, and half a unit of each product; one more for what is second order.
        rounding=lambda x, _y: np.abs(x.astype(np.float64)) * 4 * UNIT + TINY,
        exact=lambda x: x * np.clip(x + 3, 0, 6) / 6,
    ),
}


class Piecewise(OfFunction[LayerSpec]):
    """A function of FUNCTIONS as an operator."""

    function: Direct

    def __init__(self, name: str, function: Direct) -> None:
        self.name = name  # type: ignore[misc]  # one class for all rows of the table
        self.function = function
        self.torch_modules = function.modules  # type: ignore[misc]
        self.keeps_quantisation = function.keeps  # type: ignore[misc]
        self.dsp, self.lut = function.dsp, function.lut  # type: ignore[misc]
        self.template = function.template  # type: ignore[misc]
        self.layer_model = function.layer_model(name, f"{function.says}.")
        if function.exact:
            self.exact = function.exact  # else the planner takes it for an approximation

    def printed(self, spec: LayerSpec) -> Slope | None:
        """Return the key as a float32."""
        return next((Slope(alpha=float(np.float32(n))) for n in self.numbers(spec)), None)

    def words(self, spec: LayerSpec) -> str:
        """Return what the function does."""
        return self.function.does.format(*_keys(self.printed(spec)))

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values."""
        return self.function.values(x, *_keys(plan.detail))

    def slope(self, plan: PlStep) -> float:
        """Return the steepest slope."""
        return self.function.steepest(*_keys(plan.detail))

    def rounding(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return how far rounding may move each result."""
        return self.function.rounding(x, self.hardware(plan, params, x))


def _keys(detail: object) -> tuple[float, ...]:
    return astuple(detail) if isinstance(detail, Slope) else ()


class Identity(Piecewise):
    """The function that only renames its input."""

    only_moves = True

    def renames(self, spec: LayerSpec) -> tuple[int, int, int]:
        """Return that all values stay in their order."""
        return IN_ORDER


register_rows(
    [(Identity if name == "identity" else Piecewise)(name, row) for name, row in FUNCTIONS.items()], globals()
)


class ClipSpec(LayerSpec):
    """y = min where x is below min, max where it is above max, else x; element by element."""

    op: Literal["clip"]
    min: Number | None = Field(default=None, description="lower bound; none when left out")
    max: Number | None = Field(default=None, description="upper bound; none when left out")

    @model_validator(mode="after")
    def _check(self) -> ClipSpec:
        if self.min is None and self.max is None:
            raise ValueError("clip has neither min nor max: give one of them, or use op: identity")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min:g} is above max {self.max:g}")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Each bound; None where there is none."""

    low: float | None
    high: float | None

    @property
    def template(self) -> str:
        """The type of the library that holds values between them."""
        kind = "AtMost" if self.low is None else "AtLeast" if self.high is None else "Between"
        return f"functions/{kind}"


@operator
class Clip(Elementwise[ClipSpec]):
    """See ClipSpec; relu6 is one from 0 to 6."""

    torch_modules = ("ReLU6", "Hardtanh")

    def printed(self, spec: ClipSpec) -> Bounds:
        """Return the bounds as float32."""
        low, high = (None if b is None else float(np.float32(b)) for b in (spec.min, spec.max))
        return Bounds(low=low, high=high)

    def form(self, spec: ClipSpec, at: Layer) -> Form:
        """Return the bounds that there are."""
        return replace(super().form(spec, at), template=self.printed(spec).template)

    def words(self, spec: ClipSpec) -> str:
        """Return the bounds."""
        bounds = self.printed(spec)
        said = (("at least", bounds.low), ("at most", bounds.high))
        return " and ".join(f"{word} {bound:.9g}" for word, bound in said if bound is not None)

    def torch_forward(self, spec: ClipSpec, params: Tensors, x: Tensor) -> Tensor:
        """Return PyTorch's result."""
        return torch.clamp(x, spec.min, spec.max)

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values, the bounds where they are beyond."""
        bounds = plan.read(Bounds)
        if bounds.low is not None:
            x = np.where(x < bounds.low, x.dtype.type(bounds.low), x)
        if bounds.high is not None:
            x = np.where(x > bounds.high, x.dtype.type(bounds.high), x)
        return x
