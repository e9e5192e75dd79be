"""What an image takes of a design whose layers have cores of their own, as the power model counts it."""

from __future__ import annotations

from dataclasses import asdict

from aieloom.cost.power import Energy, Work, energy_of
from aieloom.plan.gemm import IllegalTile, find_mode
from aieloom.plan.shared_buffers import LinkedGrid
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.units.plan import Plan, interval_us
from aieloom.units.types import logic_use


def peak_macs(plan: ArrayPart, layer: AieLayerPlan) -> float:
    """Return the MACs a cycle that a core can issue with the layer's mmul."""
    m, k, n = layer.grid.mmul
    try:
        mode = find_mode(plan.device, layer.draft.dtype, layer.grid.mmul)
    except IllegalTile:  # an operator of a project's own, with a kernel of another kind
        return float(m * k * n)
    return m * k * n / mode.issue_cycles


def plan_energy(plan: ArrayPart, interval_us: float) -> Energy | None:
    """Return what an image takes, images `interval_us` apart; None where nothing public says what the board draws."""
    return energy_of(plan.device, plan_work(plan, interval_us))


def energy_in_logic(plan: Plan) -> Energy | None:
    """Return what an image takes of a design without an array; None where nothing public says what the board draws."""
    use = {unit.name: asdict(unit.use) for unit in plan.units}
    logic = tuple((place.clock_mhz, use[name]) for name, place in plan.in_logic.items())
    return energy_of(plan.board, Work(interval_us=interval_us(plan), logic=logic))


def plan_work(plan: ArrayPart, interval_us: float) -> Work:
    """Return what a design takes and an image asks of it, images `interval_us` apart."""
    cycles = sum(macs / peak_macs(plan, layer) for layer in plan.aie if (macs := _macs(layer)))
    kernels = [(g.clock_mhz, logic_use([g], plan.copies)) for g in plan.pl]
    kernels += [(m.clock_mhz, logic_use([m], plan.copies)) for m in plan.movers]
    return Work(
        interval_us=interval_us,
        busy_us=plan.tiles * cycles / plan.device.clocks.aie_mhz,
        tiles=plan.tiles_in_use,
        logic=tuple((mhz, asdict(use)) for mhz, use in kernels),
        bytes=plan.tiles * sum(s.x.bytes + s.y.bytes for s in plan.subgraphs),
    )


def _macs(layer: AieLayerPlan) -> int:
    """Return the products that a layer's cores execute for one input of the design."""
    grid = layer.grid
    return grid.executed_macs if isinstance(grid, LinkedGrid) else grid.m * grid.k * grid.n
