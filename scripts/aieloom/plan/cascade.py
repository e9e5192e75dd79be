"""Chains of cores along the cascade: each multiplies its part of K and passes its sums on.

A cascade leads to one tile: on AIE eastwards on even rows and westwards on odd ones, from the end of a row to the row
above, on AIE-ML eastwards (UG1079, AM009; UG1603). It carries whole accumulators, so that nothing is rounded on the
way: the first core starts with the bias, each goes on with what it is given, the last one stores the result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from aieloom.layout.grid import TileGrid
from aieloom.plan.finding import Finding
from aieloom.plan.gemm import IllegalTile
from aieloom.plan.scaling_code import row_vectors
from aieloom.plan.types import AieLayerDraft, ArrayPart
from aieloom.spec.device import Device, Tile

FIRST, MIDDLE, LAST = "first", "middle", "last"


def link_kind(cascade: int, link: int) -> str:
    """Return what a chain's core is: FIRST, MIDDLE or LAST."""
    return FIRST if link == 0 else LAST if link == cascade - 1 else MIDDLE


def last_has_rows(draft: AieLayerDraft) -> bool:
    """Tell whether the last core needs what stands beside the weights: multipliers; the bias is the first one's."""
    return row_vectors(draft.requant) > 1


def link_roles(draft: AieLayerDraft, link: int) -> tuple[str, ...]:
    """Return the blocks that a chain's core has; all cores have them at the same places."""
    kind = link_kind(draft.grid.cascade, link)
    rows = kind == FIRST or (kind == LAST and last_has_rows(draft))
    return (
        "in[0]",
        "param[0]",
        "stack",
        *(["param[1]"] if rows else []),
        *(["out[0]"] if kind == LAST else []),
    )


def chain_fault(device: Device, grid: TileGrid) -> tuple[str, str] | None:
    """Return what is wrong with chains of so many cores, and what to do; None when nothing is."""
    if grid.cascade == 1:
        return None
    if grid.cascade > device.array.columns:
        text = f"a chain of {grid.cascade} cores, but a row of {device.name} has {device.array.columns}"
        return text, f"use at most {device.array.columns}"
    each = -(-grid.k // grid.cascade // grid.mmul[1]) * grid.mmul[1]
    if grid.passes > 1:
        text = f"{grid.cascade} cores of K = {grid.tile_k} hold {grid.cascade * grid.tile_k} of K = {grid.k}"
        return f"{text}: a chain takes all of K in one pass", f"use K = {each} in the tile, or a longer chain"
    if grid.tile_k * (grid.cascade - 1) >= grid.k:
        needed = -(-grid.k // grid.tile_k)
        text = f"{grid.cascade} cores of K = {grid.tile_k}, but {needed} hold all of K = {grid.k}"
        return text, f"use cascade: {needed}" + (f", or K = {each} in the tile" if each < grid.tile_k else "")
    return None


def check_chain(device: Device, grid: TileGrid) -> None:
    """Refuse a chain that does not fit a row, or whose cores do not share K in one pass.

    Raises:
        IllegalTile: with the numbers and legal values.
    """
    fault = chain_fault(device, grid)
    if fault:
        raise IllegalTile("cascade-2", "cascade", *fault)


def cascades(plan: ArrayPart) -> Iterator[Finding]:
    """cascade-1: each cascade leads to the tile that the array leads it to, and a core has one each way."""
    into: Counter[Tile] = Counter()
    for layer in plan.all_aie:
        for before, after in zip(layer.kernels, layer.kernels[1:], strict=False):
            if after.link == 0:
                continue
            target = plan.device.cascade_next(before.tile)
            into[after.tile] += 1
            yield Finding(
                rule="cascade-1",
                what=f"faults of the cascade from {before.tile} to {after.tile} (it leads to {target})",
                used=(after.tile != target) + (into[after.tile] > 1),
                limit=0,
                where=layer.name,
                at=layer.draft.at,
                remedy="report this: aieloom placed the chain",
            )
