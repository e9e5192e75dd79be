"""Functions of a value that are said by a formula alone: exp, gelu, mish ...; each is one row of FUNCTIONS."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from pydantic import Field, create_model

from aieloom.arrays import Values
from aieloom.ops import exact
from aieloom.ops.function import ByFormula, Function
from aieloom.ops.registry import REGISTRY
from aieloom.spec.network import LayerSpec
from aieloom.spec.types import Number

if TYPE_CHECKING:
    import torch

SQRT_TWO_OVER_PI = 0.7978845608028654


def _held(x: Values) -> Values:
    """Return `x` between 0 and 1."""
    return np.where(x < 0.0, 0.0, np.where(x > 1.0, 1.0, x))


def _functional(name: str, **fixed: object) -> Callable[..., torch.Tensor]:
    """Return torch.nn.functional's function, imported when it is called."""

    def call(x: torch.Tensor) -> torch.Tensor:
        import torch.nn.functional as f  # noqa: PLC0415 - seconds of start-up that only this reference needs

        made: torch.Tensor = getattr(f, name)(x, **fixed)
        return made

    return call


def _elu(x: torch.Tensor, alpha: float) -> torch.Tensor:
    return _functional("elu", alpha=alpha)(x)


FUNCTIONS: dict[str, Function] = {
    "abs": Function(says="y = |x|", values=np.abs, code="std::fabs(x)", torch=lambda x: x.abs()),
    "elu": Function(
        says="y = x where x is above 0, else alpha * (exp(x) - 1)",
        values=lambda x, alpha: np.where(x > 0, x, alpha * exact.expm1(x)),
        code="x > 0.0 ? x : {0} * exact::expm1(x)",
        torch=_elu,
        keys={"alpha": (1.0, "factor of exp(x) - 1")},
    ),
    "erf": Function(
        says="y = the error function of x", values=exact.erf, code="exact::erf(x)", torch=lambda x: x.erf()
    ),
    "exp": Function(
        says="y = e to the power x", values=exact.exp, code="exact::exp(x)", torch=lambda x: x.exp()
    ),
    "gelu": Function(
        says="y = x / 2 * (1 + erf(x / sqrt(2)))",
        values=lambda x: 0.5 * x * (1.0 + exact.erf(x * exact.SQRT_HALF)),
        code=f"0.5 * x * (1.0 + exact::erf(x * {exact.SQRT_HALF}))",
        torch=_functional("gelu"),
    ),
    "gelu_tanh": Function(
        says="y = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), gelu's approximation",
        values=lambda x: 0.5 * x * (1.0 + exact.tanh(SQRT_TWO_OVER_PI * (x + 0.044715 * x * x * x))),
        code=f"0.5 * x * (1.0 + exact::tanh({SQRT_TWO_OVER_PI} * (x + 0.044715 * x * x * x)))",
        torch=_functional("gelu", approximate="tanh"),
    ),
    "hard_sigmoid": Function(
        says="y = alpha * x + beta, kept between 0 and 1",
        values=lambda x, alpha, beta: _held(alpha * x + beta),
        code="exact::unit({0} * x + {1})",
        torch=lambda x, alpha, beta: (alpha * x + beta).clamp(0, 1),
        keys={"alpha": (1 / 6, "slope; ONNX's default is 0.2"), "beta": (0.5, "value at 0")},
    ),
    "log": Function(
        says="y = the natural logarithm of x", values=exact.log, code="exact::log(x)", torch=lambda x: x.log()
    ),
    "mish": Function(
        says="y = x * tanh(log(1 + exp(x)))",
        values=lambda x: x * exact.tanh(exact.softplus(x)),
        code="x * exact::tanh(exact::softplus(x))",
        torch=_functional("mish"),
    ),
    "reciprocal": Function(
        says="y = 1 / x", values=lambda x: 1.0 / x, code="1.0 / x", torch=lambda x: x.reciprocal()
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
        torch=lambda x: x.sign(),
    ),
    "silu": Function(
        says="y = x / (1 + exp(-x)), also called swish",
        values=lambda x: x * exact.sigmoid(x),
        code="x * exact::sigmoid(x)",
        torch=_functional("silu"),
    ),
    "softplus": Function(
        says="y = log(1 + exp(x))",
        values=exact.softplus,
        code="exact::softplus(x)",
        torch=_functional("softplus"),
    ),
    "square": Function(says="y = x * x", values=lambda x: x * x, code="x * x", torch=lambda x: x * x),
    "sqrt": Function(
        says="y = the square root of x", values=np.sqrt, code="std::sqrt(x)", torch=lambda x: x.sqrt()
    ),
}


class Pointwise(ByFormula[LayerSpec]):
    """A function of FUNCTIONS as an operator."""

    def __init__(self, name: str) -> None:
        self.name = name  # type: ignore[misc]  # one class for all rows of the table
        self.function = FUNCTIONS[name]
        self.layer_model = _layer_model(name, self.function)


def _layer_model(name: str, function: Function) -> type[LayerSpec]:
    keys: dict[str, Any] = {
        key: (Number, Field(default=default, description=meaning))
        for key, (default, meaning) in function.keys.items()
    }
    made: type[LayerSpec] = create_model(
        f"{name.title().replace('_', '')}Spec",
        __base__=LayerSpec,
        op=(cast(Any, Literal[name]), ...),
        **keys,
    )
    made.__doc__ = f"{function.says}, element by element."
    return made


for _name in FUNCTIONS:
    _made = Pointwise(_name)
    REGISTRY.add(_made)
    globals()[_made.layer_model.__name__] = _made.layer_model  # the search's processes find it by this name
