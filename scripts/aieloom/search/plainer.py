"""A design that is found, with layers multiplied by other mmuls where that leaves less to the compiler and takes nothing.

Candidates that are slower alone are not on a layer's front, so that no design of the search has them; beside a slower layer
they may do as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aieloom.hardware.mmul import Shape
from aieloom.network.layers import Network
from aieloom.network.operator import Operators
from aieloom.plan.build import cut
from aieloom.plan.operators import ProductOperator
from aieloom.plan.strategy import own_keys
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.search.candidates import modes_of
from aieloom.search.figures import present
from aieloom.search.goal import Goal
from aieloom.search.mapped import Mapped, flattened_loops, left_to_compiler, planned, with_choices

WAYS = 2  # mmuls that are tried for a layer, those that leave least first


def plainer(best: Mapped, operators: Operators, names: Sequence[str], goal: Goal) -> Iterator[Mapped]:
    """Yield designs, each better than the last and than `best`: of layers of `names` one after another by other mmuls."""
    for name in names:
        layer = next((la for la in best.plan.aie if la.name == name), None)
        if layer is None or layer.draft.strategy not in own_keys() or not left_to_compiler([layer]):
            continue  # layers of a chain are cut together
        for mmul in _ways(best.network, best.plan, layer, operators)[:WAYS]:
            choice = present(best.plan, layer)[0]._replace(mmul=mmul)
            design = planned(with_choices(best.network, {name: choice}), best.plan.device, operators)
            if design and design.order(goal) < best.order(goal):
                best = design
                yield best
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
