"""report/summary.json: what a run showed, as numbers that other programs read. Its shape is a stable interface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, cast

from aieloom.cost.power import Energy
from aieloom.pl.use import logic_use
from aieloom.plan.energy import plan_energy
from aieloom.plan.rates import Rate, Rates, rate_lines
from aieloom.plan.types import Plan
from aieloom.report.published import published_lines
from aieloom.report.shape import (
    ArrayFigures,
    FurtherFigures,
    HostFigures,
    LogicFigures,
    Performance,
    RateFigures,
    RateTable,
    Resources,
    Tiles,
)
from aieloom.simulation.of_plan import modelled_rates, simulate_plan

# The keys of summary.json that were measured on a machine: two runs of one design differ in these and in nothing else.
MEASURED = frozenset({"processor_baseline", "timing_s", "peak_memory_bytes"})
MEASURED_OF_RUN = frozenset({"emulated_s_per_image", "emulated_peak_mb"})  # below `performance`


def unmeasured(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return a summary without what was measured on a machine."""
    kept = {key: value for key, value in summary.items() if key not in MEASURED}
    modelled = {k: v for k, v in kept["performance"].items() if k not in MEASURED_OF_RUN}
    return {**kept, "performance": modelled}


def array_use(*plans: Plan) -> ArrayFigures:
    """Return what a design's parts on the array take of it together; zeros where it has none."""
    return {
        "aie_cores": sum(plan.cores for plan in plans),
        "aie_tiles": sum(plan.tiles_in_use for plan in plans),
        "memory_bytes": sum(
            n.total_bytes
            for plan in plans
            for layer in plan.all_aie
            for n in layer.draft.needs
            for _ in layer.kernels
        ),
        "plio_in": sum(p.is_input for plan in plans for p in plan.plios),
        "plio_out": sum(not p.is_input for plan in plans for p in plan.plios),
        "mem_tiles": sum(len({b.tile for b in plan.buffers}) for plan in plans),
    }


def logic_figures(produced_by: str, use: Mapping[str, int]) -> LogicFigures:
    """Return what a design takes of the logic; nothing of what its model does not name."""
    kinds = ("dsp", "lut", "ff", "bram36", "uram288")
    return cast(LogicFigures, {"produced_by": produced_by, **dict.fromkeys(kinds, 0), **use})


def resources(plan: Plan) -> Resources:
    """Return what the design takes of the device; PL figures are estimates of the plan."""
    taken = asdict(logic_use(plan.pl, plan.movers, plan.copies))
    return {**array_use(plan), "pl": logic_figures("aieloom's estimate", taken)}


def rates_json(plan: Plan, rates: Rates) -> RateTable:
    """Return the three rates, each with what sets it and what it leaves out, and the host program's count."""
    host = asdict(rates.host)
    return {
        "array": _rate(rates.array),
        "memory": _rate(rates.memory),
        "system": _rate(rates.system),
        "host": cast(HostFigures, {k: round(v, 4) if isinstance(v, float) else v for k, v in host.items()}),
        "lines": list(rate_lines(rates)),
        "published": list(published_lines(plan)),
    }


def _rate(rate: Rate) -> RateFigures:
    return {
        "what": rate.what,
        "images_per_s": round(rate.images_per_s, 1),
        "interval_us": round(rate.interval_us, 4),
        "bottleneck": rate.bottleneck,
        "leaves_out": rate.leaves_out,
    }


def energy_json(energy: Energy | None) -> FurtherFigures:
    """Return the modelled energy; nothing where there is none."""
    return {"energy": energy.as_json()} if energy else {}


def performance(plan: Plan) -> Performance:
    """Return the modelled performance: the simulated run's times, the pipeline's stages."""
    cost, run = plan.cost, simulate_plan(plan)
    frame, rates = plan.frame, modelled_rates(plan, run)
    tiles: Tiles | None = (
        {"of_an_image": frame.tiles, "halo_share": round(frame.halo_share, 4)} if frame else None
    )
    cut: FurtherFigures = {"tiles": tiles} if tiles else {}
    return {
        "produced_by": f"{cost.produced_by}; event simulation of {len(run.ends_us)} images",
        "kind": "modelled, not measured",
        "latency_us": round(run.latency_us, 3),
        "throughput_fps": round(rates.memory.images_per_s, 1),
        "rates": rates_json(plan, rates),
        "without_contention": {
            "produced_by": cost.produced_by,
            "latency_us": round(cost.latency_us, 3),
            "throughput_fps": round(cost.throughput_fps, 1),
        },
        "bottleneck": rates.memory.bottleneck,
        **energy_json(plan_energy(plan, rates.memory.interval_us)),
        **cut,
        "per_layer": [
            {
                "name": s.name,
                "kind": s.kind,
                "cycles": s.cycles,
                "clock_mhz": s.clock_mhz,
                "interval_us": round(s.interval_us, 3),
                "utilisation": round(s.interval_us * plan.tiles / plan.copies / cost.interval_us, 4),
                "latency_us": round(s.latency_us, 3),
            }
            for s in cost.stages
        ],
    }
