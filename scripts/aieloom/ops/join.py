"""Operators of several inputs on programmable logic: what add and concat share.

A join reads a frame buffer for each input, each in order of channel, row and column, and gives its results in that
order. Its `hardware`, `integer`, `spread` and `torch_forward` are given a tuple: one value for each input.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from aieloom.arrays import Values
from aieloom.network.layers import Layer, ShapeError
from aieloom.network.operator import POINT
from aieloom.network.tensor import TensorType
from aieloom.ops.pl import OnLogic
from aieloom.pl.steps import JOIN, PlStep
from aieloom.spec.network import LayerSpec

SpecT = TypeVar("SpecT", bound=LayerSpec)
# types of the library of two floats, by the sign between them
FLOAT_PAIRS = {"+": "functions/Plus", "-": "functions/Minus", "*": "functions/Times", "/": "functions/Over"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Which values are joined: the first input's shape, and the second's steps, 0 along an axis of length 1."""

    channels: int
    height: int
    width: int
    size0: int
    size1: int
    step_channel: int
    step_y: int
    step_x: int


def places_of(at: Layer) -> Places:
    """Return which values of its two inputs a layer joins."""
    other = at.others[0]
    return Places(**at.x.sizes, size0=at.x.elements, size1=other.elements, **other.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatPair:
    """Which values of two inputs of floats are joined, and the sign between them."""

    places: Places
    sign: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementPair:
    """Which values of two inputs of integers are joined; `of` is the definition by which their elements are joined."""

    value: ClassVar[str]  # the type of the library that is that definition
    places: Places
    zero_a: int
    zero_b: int
    zero: int

    def of(self, first: Values, second: Values) -> Values:
        """Return what the elements of two inputs give together."""
        raise NotImplementedError


class Join(OnLogic[SpecT], Generic[SpecT]):
    """Base of operators of several inputs."""

    kind = JOIN
    sees = POINT

    def integer(self, plan: PlStep, x: tuple[Values, ...]) -> Values:
        """Return what the elements of both inputs give."""
        return plan.read(ElementPair).of(*x)


def alike(xs: tuple[TensorType, ...], first_axis: int, what: str) -> None:
    """Refuse inputs that differ in an axis from `first_axis` on.

    Raises:
        ShapeError: they do.
    """
    if any(x.shape[first_axis:] != xs[0].shape[first_axis:] for x in xs):
        shapes = " and ".join("x".join(map(str, x.shape)) for x in xs)
        raise ShapeError(
            f"{what} differ: {shapes} (channels x height x width)",
            "give the layers before it the same padding, stride and channels",
        )
