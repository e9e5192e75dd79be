"""Operators of several inputs on programmable logic: what add and concat share.

A join reads a frame buffer for each input, each in order of channel, row and column, and gives its results in that
order. Its `hardware`, `integer`, `spread` and `torch_forward` are given a tuple: one value for each input.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Generic, TypeVar

from aieloom.network.layers import Layer, ShapeError
from aieloom.network.reach import POINT, Reach
from aieloom.network.tensor import TensorType
from aieloom.ops.pl import PlMapping, pl_step
from aieloom.ops.registry import Operator
from aieloom.pl.steps import JOIN, PlStep
from aieloom.spec.network import LayerSpec, NetworkSpec

SpecT = TypeVar("SpecT", bound=LayerSpec)


class Join(Operator[SpecT, PlMapping], Generic[SpecT]):
    """Base of operators of several inputs."""

    mapping_model = PlMapping

    def infer(self, spec: SpecT, x: TensorType) -> TensorType:
        """Return the output's type for a single input.

        Raises:
            ShapeError: the operator takes more than one.
        """
        return self.infer_join(spec, (x,))

    def infer_join(self, spec: SpecT, xs: tuple[TensorType, ...]) -> TensorType:
        """Return the output's type, or raise ShapeError."""
        raise NotImplementedError

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
    detail: object,
    dsp: int,
    lut: int,
    why: str,
) -> PlStep:
    """Return the step of a join: one result a cycle.

    `NAME.h.j2` prints its process; `NAME_value.h.j2` the C++ function `<function>_of` of the values of a place, or of the
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
    return replace(step, beats=template.replace(".h.j2", "_value.h.j2"))
