"""What reshape and flatten share: the same values in order under another shape, by addressing alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from aieloom.arrays import Values
from aieloom.network.layers import Layer, Parameters
from aieloom.network.no_ops import IN_ORDER
from aieloom.ops.pl import PlMapping, Reorder, pl_step
from aieloom.pl.steps import REORDER, PlStep
from aieloom.spec.network import LayerSpec, NetworkSpec

SpecT = TypeVar("SpecT", bound=LayerSpec)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """What the template prints."""

    features: int
    height: int
    width: int
    from_height: int
    from_width: int


class Reshaping(Reorder[SpecT], Generic[SpecT]):
    """Base of operators that show `at.x` as `at.y`."""

    reads_outside = True
    any_shape = True

    def renames(self, spec: SpecT) -> tuple[int, int, int]:
        """Return that all values stay in their order."""
        return IN_ORDER

    def plan_pl(self, spec: NetworkSpec, at: Layer, mapping: PlMapping) -> PlStep:
        """Return the reordering."""
        (features, from_height, from_width), (_, height, width) = at.x.shape, at.y.shape
        return pl_step(
            spec,
            at,
            kind=REORDER,
            template="ops/reshape_rows.h.j2" if at.x.rows else "ops/reshape.h.j2",
            detail=Shapes(
                features=features, height=height, width=width, from_height=from_height, from_width=from_width
            ),
            clock_mhz=mapping.clock_mhz,
            why=(f"{at.x} read as {at.y}",),
        )

    def hardware(self, plan: PlStep, params: Parameters, x: Values) -> Values:
        """Return the values, of a matrix row after row, under the step's output shape."""
        return plan.x.to_outside(x).reshape(len(x), *plan.y.shape)
