"""A design that is found, with layers multiplied by other mmuls where that leaves less to the compiler and takes nothing.

Candidates that are slower alone are not on a layer's front, so that no design of the search has them; beside a slower layer
they may do as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aieloom.errors import CannotFit
from aieloom.hardware.mmul import Shape
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.plan.build import make_plan
from aieloom.plan.frames.cutting import cut
from aieloom.plan.operators import ProductOperator
from aieloom.plan.strategy import own_keys
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.search.candidates import modes_of
from aieloom.search.figures import present
from aieloom.search.goal import Goal
from aieloom.search.mapped import Mapped, as_whole, flattened_loops, left_to_compiler, with_choices

WAYS = 2  # mmuls that are tried for a layer, those that leave least first


def plainer(
    network: Network, plan: ArrayPart, operators: Operators, names: Sequence[str], goal: Goal
) -> Iterator[Mapped]:
    """Yield designs, each better than the last and than `plan`: of layers of `names` one after another by other mmuls."""
    best = as_whole(network, plan).order(goal)
    for name in names:
        layer = next((la for la in plan.aie if la.name == name), None)
        if layer is None or layer.draft.strategy not in own_keys() or not left_to_compiler([layer]):
            continue  # layers of a chain are cut together
        for mmul in _ways(network, plan, layer, operators)[:WAYS]:
            choice = present(plan, layer)[0]._replace(mmul=mmul)
            changed = with_choices(network, {name: choice})
            try:
                made = make_plan(changed, plan.device, operators)
            except CannotFit:
                continue
            design = as_whole(changed, made)
            found = design.order(goal)
            if found < best:
                network, plan, best = changed, made, found
                yield design
                break


def _ways(network: Network, plan: ArrayPart, layer: AieLayerPlan, operators: Operators) -> list[Shape]:
    """Return the mmuls by which a layer in its tile leaves less to the compiler, the least first."""
    grid, name = layer.grid, layer.name
    at = next(la for la in cut(network, operators).network.layers if la.name == name)
    operator = operators[at.op]
    if not isinstance(operator, ProductOperator):
        return []
    own, found = left_to_compiler([layer]), list[tuple[int, Shape]]()
    for gemm, mode in modes_of(network, plan, operator, at, layer.draft.strategy):
        fills = all(t % s == 0 for t, s in zip(grid.tile, gemm.step(mode), strict=True))
        if gemm.by_mmul and fills:
            other = gemm.grid(mode, grid.tile, grid.groups, grid.cascade)
            found.append((flattened_loops(gemm.loops(mode, other)), mode.shape))
    found.sort(key=lambda way: way[0])
    return [shape for left, shape in found if left < own]
