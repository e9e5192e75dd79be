"""Functions of a value that are said by a formula alone: exp, gelu, tanh ...; each is one row of FUNCTIONS or TABULATED."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from aieloom.arrays import Values
from aieloom.network.quantisation import shares
from aieloom.network.tensor import Quantisation
from aieloom.ops import exact
from aieloom.ops.function import ByFormula, ByTable, Function, LutMapping
from aieloom.ops.lut import LutSpec
from aieloom.ops.registry import register_rows
from aieloom.pytorch import f
from aieloom.spec.network import LayerSpec

SQRT_TWO_OVER_PI = 0.7978845608028654


def _held(x: Values) -> Values:
    """Return `x` between 0 and 1."""
    return np.where(x < 0.0, 0.0, np.where(x > 1.0, 1.0, x))


FUNCTIONS: dict[str, Function] = {
    "abs": Function(says="y = |x|", values=np.abs, code="std::fabs(x)", torch="abs", onnx="Abs"),
    "elu": Function(
        says="y = x where x is above 0, else alpha * (exp(x) - 1)",
        values=lambda x, alpha: np.where(x > 0, x, alpha * exact.expm1(x)),
        code="x > 0.0 ? x : {0} * exact::expm1(x)",
        torch="elu",
        keys={"alpha": (1.0, "factor of exp(x) - 1")},
        onnx="Elu",
    ),
    "erf": Function(
        says="y = the error function of x", values=exact.erf, code="exact::erf(x)", torch="erf", onnx="Erf"
    ),
    "exp": Function(
        says="y = e to the power x", values=exact.exp, code="exact::exp(x)", torch="exp", onnx="Exp"
    ),
    "gelu": Function(
        says="y = x / 2 * (1 + erf(x / sqrt(2)))",
        values=lambda x: 0.5 * x * (1.0 + exact.erf(x * exact.SQRT_HALF)),
        code=f"0.5 * x * (1.0 + exact::erf(x * {exact.SQRT_HALF}))",
        torch="gelu",
    ),
    "gelu_tanh": Function(
        says="y = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), gelu's approximation",
        values=lambda x: 0.5 * x * (1.0 + exact.tanh(SQRT_TWO_OVER_PI * (x + 0.044715 * x * x * x))),
        code=f"0.5 * x * (1.0 + exact::tanh({SQRT_TWO_OVER_PI} * (x + 0.044715 * x * x * x)))",
        torch=lambda x: f.gelu(x, approximate="tanh"),
    ),
    "hard_sigmoid": Function(
        says="y = alpha * x + beta, kept between 0 and 1",
        values=lambda x, alpha, beta: _held(alpha * x + beta),
        code="exact::unit({0} * x + {1})",
        torch=lambda x, alpha, beta: (alpha * x + beta).clamp(0, 1),
        keys={"alpha": (1 / 6, "slope; ONNX's default is 0.2"), "beta": (0.5, "value at 0")},
        onnx="HardSigmoid",
    ),
    "log": Function(
        says="y = the natural logarithm of x", values=exact.log, code="exact::log(x)", torch="log", onnx="Log"
    ),
    "mish": Function(
        says="y = x * tanh(log(1 + exp(x)))",
        values=lambda x: x * exact.tanh(exact.softplus(x)),
        code="x * exact::tanh(exact::softplus(x))",
        torch="mish",
        onnx="Mish",
    ),
    "reciprocal": Function(
        says="y = 1 / x", values=lambda x: 1.0 / x, code="1.0 / x", torch="reciprocal", onnx="Reciprocal"
    ),
    "scale": Function(
        says="y = factor * x + offset",
        values=lambda x, factor, offset: factor * x + offset,
        code="{0} * x + {1}",
        torch=lambda x, factor, offset: factor * x + offset,
        keys={"factor": (1.0, "of every value"), "offset": (0.0, "added to every value")},
    ),
    "sign": Function(
        says="y = 1 where x is above 0, -1 where it is below, else 0",
        values=lambda x: (x > 0.0).astype(x.dtype) - (x < 0.0),  # of NaN 0
        code="static_cast<double>(x > 0.0) - static_cast<double>(x < 0.0)",
        torch="sign",
        onnx="Sign",
    ),
    "silu": Function(
        says="y = x / (1 + exp(-x)), also called swish",
        values=lambda x: x * exact.sigmoid(x),
        code="x * exact::sigmoid(x)",
        torch="silu",
    ),
    "softplus": Function(
        says="y = log(1 + exp(x))",
        values=exact.softplus,
        code="exact::softplus(x)",
        torch="softplus",
        onnx="Softplus",
    ),
    "square": Function(says="y = x * x", values=lambda x: x * x, code="x * x", torch="square"),
    "sqrt": Function(
        says="y = the square root of x", values=np.sqrt, code="std::sqrt(x)", torch="sqrt", onnx="Sqrt"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tabulated(Function):
    """One that programmable logic looks up where values are floats: its limits, what elements mean, its table by default."""

    limits: tuple[float, float]
    means: Callable[..., Quantisation]
    mapping: type[LutMapping] = LutMapping


class SigmoidMapping(LutMapping):
    """How a sigmoid is put on programmable logic."""

    lut: LutSpec = Field(
        default=LutSpec(entries=2048, range=(-8.0, 8.0)), description="the table; beyond it 0 and 1 are taken"
    )


TABULATED: dict[str, Tabulated] = {
    "sigmoid": Tabulated(
        says="y = 1 / (1 + exp(-x))",
        values=exact.sigmoid,
        code="exact::sigmoid(x)",
        torch="sigmoid",
        onnx="Sigmoid",
        modules=("Sigmoid",),
        limits=(0.0, 1.0),
        means=shares,
        mapping=SigmoidMapping,
    ),
    "tanh": Tabulated(
        says="y = tanh(x)",
        values=exact.tanh,
        code="exact::tanh(x)",
        torch="tanh",
        onnx="Tanh",
        modules=("Tanh",),
        limits=(-1.0, 1.0),
        means=lambda **_: Quantisation(scale=2.0**-7, zero_point=0),  # -1 to 1 in steps of 1/128
    ),
}


class Pointwise(ByFormula[LayerSpec]):
    """A function of FUNCTIONS as an operator."""

    def __init__(self, name: str, function: Function) -> None:
        self.name = name  # type: ignore[misc]  # one class for all rows of the table
        self.function = function
        self.torch_modules = function.modules  # type: ignore[misc]
        self.layer_model = function.layer_model(name, f"{function.says}, element by element.")


class Lookup(Pointwise, ByTable[LayerSpec]):
    """A function of TABULATED as an operator."""

    function: Tabulated

    def __init__(self, name: str, function: Tabulated) -> None:
        super().__init__(name, function)
        self.limits = function.limits  # type: ignore[misc]
        self.mapping_model = function.mapping

    def own_quantisation(self, *, symmetric: bool) -> Quantisation:
        """Return what elements of the result mean."""
        return self.function.means(symmetric=symmetric)


register_rows([Pointwise(name, function) for name, function in FUNCTIONS.items()], globals())
register_rows([Lookup(name, function) for name, function in TABULATED.items()], globals())
