"""report/summary.json of a matrix product, in the shape that all designs have."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from aieloom.emit.files import write_text
from aieloom.flow.gemm import engine
from aieloom.flow.gemm.files import command_of
from aieloom.flow.gemm.run import Checked
from aieloom.flow.reproduce import versions
from aieloom.flow.timing import stage_times
from aieloom.matrix_engine.engine import MODEL
from aieloom.plan.types import ArrayPart
from aieloom.report.files import SUMMARY, Shown
from aieloom.report.shape import Stage, Summary
from aieloom.report.site import write_page
from aieloom.report.summary import resources
from aieloom.strategies.array_gemm.whole import product_of
from aieloom.units.plan import Plan, interval_us
from aieloom.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the summary says of a product as its kind has it."""

    size: tuple[int, int, int]  # M, K, N
    command: str
    against: str
    counted_by: str  # what says how much of the logic it takes
    modelled_by: str
    bottleneck: str
    figures: Stage
    arrays: tuple[ArrayPart, ...] = ()  # the part on an array


def on_array(plan: Plan) -> Told:
    """Return what is said of a product over the array."""
    product = product_of(plan)
    cost = product.cost
    return Told(
        size=product.request.size,
        command=command_of(plan),
        against="NumPy in the array's order of accumulation",
        counted_by="model of the movers",
        modelled_by=cost.produced_by,
        bottleneck=cost.system.bottleneck,
        figures={
            "name": "product",
            "on": "array",
            "us_per_image": cost.array.interval_us,
            "cycles": cost.pass_cycles,
            "interval_us": cost.array.interval_us,
        },
        arrays=(product.array,),
    )  # fmt: skip


def on_engine(plan: Plan) -> Told:
    """Return what is said of a product on the matrix engine in the logic."""
    asked = engine.asked(plan)
    r, cost = asked.request, asked.cost
    return Told(
        size=(r.m, r.k, r.n),
        command=engine.command_of(plan),
        against=f"NumPy in the engine's order of accumulation, {r.element}",
        counted_by="the solved block",
        modelled_by=MODEL,
        bottleneck=cost.bottleneck,
        figures={
            "name": "product",
            "on": "matrix engine",
            "us_per_image": cost.engine_us,
            "engine_us": cost.engine_us,
            "host_us": cost.host_us,
            "processor_us": cost.processor_us,
        },
    )


def summarised(plan: Plan, told: Told, checked: Checked, folder: Path) -> Checked:
    """Write what a run on seeded matrices showed, where a sample is a product; return that."""
    exact, us = checked.different == 0, interval_us(plan)
    summary: Summary = {
        "project": "gemm_" + "x".join(map(str, told.size)),
        "target": plan.board.name,
        "mode": "emu",
        "produced_by": f"aieloom {__version__}, its own emulator",
        "passed": exact,
        "faults": [] if exact else [f"{checked.different} of {checked.c.size} elements differ from the reference"],
        "golden": {
            "against": told.against,
            "max_abs_err": checked.largest,
            "tolerance": 0.0,
            "bit_exact": exact,
            "samples": 1,
        },
        "quality": {},
        "samples": [{"name": "seeded matrices", "max_abs_err": checked.largest}],
        "resources": resources(plan, told.counted_by),
        "performance": {
            "produced_by": told.modelled_by,
            "kind": "modelled, not measured",
            "latency_us": round(us, 3),
            "throughput_fps": round(1e6 / us, 2),
            "bottleneck": told.bottleneck,
            "per_layer": [told.figures],
        },
        "remarks": list(plan.remarks),
        "reproduce": {"commands": [told.command], "versions": versions(), "inputs": {}, "samples": 1},
        "timing_s": stage_times(folder),
    }  # fmt: skip
    write_text(folder / "report" / SUMMARY, json.dumps(summary, indent=1) + "\n")
    write_page(Shown(plan=plan, how="as one matrix product", arrays=told.arrays), folder / "report")
    return checked
