"""Operators of several inputs on programmable logic: what add and concat share.

A join reads a frame buffer for each input, each in order of channel, row and column, and gives its results in that
order. Its `hardware`, `integer`, `spread` and `torch_forward` are given a tuple: one value for each input.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Generic, TypeVar

from aieloom.arrays import Values
from aieloom.network.layers import Layer, ShapeError
from aieloom.network.operator import POINT, Reach
from aieloom.network.tensor import TensorType
from aieloom.ops.pl import PlMapping, pl_step
from aieloom.ops.registry import Operator
from aieloom.pl.steps import JOIN, PlStep
from aieloom.spec.network import LayerSpec, NetworkSpec

SpecT = TypeVar("SpecT", bound=LayerSpec)
FLOAT_PAIR = "ops/arithmetic_value.h.j2"  # the template of two floats and the operator between them


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
    (c, h, w), other = at.x.shape, at.others[0]
    _, oh, ow = other.shape
    return Places(
        channels=c,
        height=h,
        width=w,
        size0=at.x.elements,
        size1=other.elements,
        step_channel=oh * ow if other.shape[0] > 1 else 0,
        step_y=ow if oh > 1 else 0,
        step_x=1 if ow > 1 else 0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatPair:
    """What templates print of two inputs of floats, and the sign between their values."""

    places: Places
    sign: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementPair:
    """What templates print of two inputs of integers; `of` is the definition by which their elements are joined."""

    value: ClassVar[str]  # the template of that definition
    places: Places
    zero_a: int
    zero_b: int
    zero: int

    def of(self, first: Values, second: Values) -> Values:
        """Return what the elements of two inputs give together."""
        raise NotImplementedError


class Join(Operator[SpecT, PlMapping], Generic[SpecT]):
    """Base of operators of several inputs."""

    def infer_join(self, spec: SpecT, xs: tuple[TensorType, ...]) -> TensorType:
        """Return the output's type, or raise ShapeError."""
        raise NotImplementedError

    def integer(self, plan: PlStep, x: tuple[Values, ...]) -> Values:
        """Return what the elements of both inputs give."""
        return plan.read(ElementPair).of(*x)

    def reach(self, spec: SpecT) -> Reach:
        """Return that each value sees its own place."""
        return POINT


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


def join_step(
    spec: NetworkSpec,
    at: Layer,
    mapping: PlMapping,
    *,
    template: str,
    value: str,
    detail: object,
    dsp: int,
    lut: int,
    why: str,
) -> PlStep:
    """Return the step of a join: one result a cycle.

    `template` prints its process; `value` the C++ function `<function>_of` of the values of a place, or of the
    channels' joins `<function>_of<input>` of a value.
    """
    step = pl_step(
        spec,
        at,
        kind=JOIN,
        template=template,
        detail=detail,
        dsp=dsp,
        lut=lut,
        cycles=at.y.elements,
        clock_mhz=mapping.clock_mhz,
        why=(why,),
    )
    return replace(step, beats=value)


def join_elements(
    spec: NetworkSpec, at: Layer, mapping: PlMapping, template: str, detail: ElementPair, *, why: str
) -> PlStep:
    """Return the step of a join of two inputs' elements."""
    return join_step(
        spec, at, mapping, template=template, value=detail.value, detail=detail, dsp=12, lut=900, why=why
    )
