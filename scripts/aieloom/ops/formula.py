"""A function of a value on the processor as a formula of ops/exact.py."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.network.layers import Layer
from aieloom.ops.processor import ps_step
from aieloom.pl.steps import ELEMENTWISE
from aieloom.plan.processor import PsStep
from aieloom.spec.network import NetworkSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """What the template prints, and the keys' values."""

    expression: str
    numbers: tuple[float, ...] = ()


def computed(name: str, spec: NetworkSpec, at: Layer) -> PsStep:
    """Return the step of a layer that the processor computes by formula `name` of ops/exact.py."""
    return ps_step(
        spec,
        at,
        kind=ELEMENTWISE,
        template="ps/pointwise.h.j2",
        detail=Formula(expression=f"exact::{name}(x)"),
        why=f"{name}, computed in float64, rounded once; no table",
        operations=at.y.elements * 20,
    )
