"""report/summary.json: what a run showed, as numbers that other programs read. Its shape is a stable interface."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import cast

from aieloom.cost.parameters import load_parameters
from aieloom.cost.power import Energy
from aieloom.cost.published import LAYERS, PUBLISHED_FPS, published_pl_kernels, published_times
from aieloom.pl.kernel import PlKernel
from aieloom.plan.energy import plan_energy
from aieloom.plan.rates import Rate, Rates, rate_lines
from aieloom.plan.types import ArrayPart
from aieloom.report.shape import (
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
from aieloom.units import plan as units
from aieloom.units.plan import Plan

LOGIC = ("dsp", "lut", "lutram", "ff", "bram36", "uram288")


def resources(plan: Plan, produced_by: str = "aieloom's estimate") -> Resources:
    """Return what a design takes of the device; figures of the logic are those of a model, which `produced_by` names."""
    use = units.resources(plan)
    return {
        "aie_cores": use.cores,
        "aie_tiles": use.tiles,
        "memory_bytes": use.memory_bytes,
        "plio_in": use.plio_in,
        "plio_out": use.plio_out,
        "mem_tiles": use.memory_tiles,
        "pl": cast(LogicFigures, {"produced_by": produced_by} | {kind: getattr(use, kind) for kind in LOGIC}),
    }


def rates_json(plan: ArrayPart, rates: Rates) -> RateTable:
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


def performance(plan: ArrayPart) -> Performance:
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
        "throughput_fps": round(rates.system.images_per_s, 1),
        "rates": rates_json(plan, rates),
        "without_contention": {
            "produced_by": cost.produced_by,
            "latency_us": round(cost.latency_us, 3),
            "throughput_fps": round(cost.throughput_fps, 1),
        },
        "bottleneck": rates.system.bottleneck,
        **energy_json(plan_energy(plan, rates.system.interval_us)),
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


def published_lines(plan: ArrayPart) -> Iterator[str]:
    """Yield the published design's modelled rate, and why ours differs; nothing for a plan of another mapping."""
    cut = [(d.op, d.grid.m, d.grid.tile_m, d.grid.k, d.grid.tile_n) for d in (la.draft for la in plan.aie)]
    theirs = [("conv2d", la.outputs, la.core[0], la.taps, la.core[2]) for la in LAYERS]
    if cut != theirs or plan.device.name != "vck190":
        return
    _, interval = published_times(load_parameters())
    yield (
        f"the published mapping with the published kernels: {1e6 / interval:,.0f} images/s modelled, "
        f"{PUBLISHED_FPS:,.0f} measured by its author (thesis by A. Tzomaka, 2022)"
    )
    slow = max(published_pl_kernels(), key=lambda k: k.interval_us)
    cycles = sum(loop.cycles for loop in slow.loops)
    loops = ", ".join(f"{loop.name} {loop.cycles:,}" for loop in slow.loops)
    yield (
        f"  its slowest is {slow.name}, whose loops follow one another, one element a cycle: {loops}: "
        f"{cycles:,} cycles at {slow.clock_mhz:g} MHz = {slow.interval_us:,.0f} us an image"
    )
    ours = max(plan.pl, key=lambda g: g.cycles / g.clock_mhz)
    yield from _ours(ours, cycles)


def _ours(ours: PlKernel, cycles: int) -> Iterator[str]:
    how = "keeps lines and overlaps its tasks" if ours.lines else "overlaps its processes"
    yield (
        f"  ours is {ours.name}, which {how} and gathers a word of {ours.outlets[0].lanes} values a cycle: "
        f"{ours.cycles:,} cycles at {ours.clock_mhz:g} MHz = {ours.cycles / ours.clock_mhz:,.0f} us, "
        f"{cycles / ours.cycles:.1f} times fewer cycles"
    )
