"""report/summary.json of a matrix product, in the shape that all designs have."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aieloom.emit.files import write_text
from aieloom.flow.gemm import engine
from aieloom.flow.gemm.adapter import adapted
from aieloom.flow.gemm.files import command_of
from aieloom.flow.gemm.run import Checked
from aieloom.flow.reproduce import versions
from aieloom.flow.timing import stage_times
from aieloom.matrix_engine.engine import MODEL
from aieloom.report.shape import Performance, Resources, Summary
from aieloom.report.site import SUMMARY
from aieloom.report.summary import resources
from aieloom.strategies.array_gemm.types import GemmPlan
from aieloom.units.plan import Plan as OnePlan
from aieloom.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A planned product as the summary tells it: a sample is a product."""

    size: tuple[int, int, int]  # M, K, N
    target: str
    command: str
    against: str
    resources: Resources
    performance: Performance


def on_array(plan: GemmPlan) -> Product:
    """Return a product over the array."""
    cost = plan.cost
    return Product(
        size=plan.request.size,
        target=plan.device.name,
        command=command_of(plan),
        against="NumPy in the array's order of accumulation",
        resources=resources(adapted(plan), "model of the movers"),
        performance={
            "produced_by": cost.produced_by,
            "kind": "modelled, not measured",
            "latency_us": round(cost.system.interval_us, 3),
            "throughput_fps": round(1e6 / cost.system.interval_us, 2),
            "bottleneck": cost.system.bottleneck,
            "per_layer": [
                {"name": "product", "on": "array", "cycles": cost.pass_cycles, "interval_us": cost.array.interval_us}
            ],
        },
    )  # fmt: skip


def on_engine(plan: OnePlan) -> Product:
    """Return a product on the matrix engine in the logic."""
    asked = engine.asked(plan)
    r, cost = asked.request, asked.cost
    return Product(
        size=(r.m, r.k, r.n),
        target=plan.board.name,
        command=engine.command_of(plan),
        against=f"NumPy in the engine's order of accumulation, {r.element}",
        resources=resources(plan, "the solved block"),
        performance={
            "produced_by": MODEL,
            "kind": "modelled, not measured",
            "latency_us": round(cost.total_us, 3),
            "throughput_fps": round(1e6 / cost.total_us, 2),
            "bottleneck": cost.bottleneck,
            "per_layer": [
                {
                    "name": "product",
                    "on": "matrix engine",
                    "engine_us": cost.engine_us,
                    "host_us": cost.host_us,
                    "processor_us": cost.processor_us,
                }
            ],
        },
    )


def summarised(product: Product, checked: Checked, remarks: Sequence[str], folder: Path) -> Checked:
    """Write what a run on seeded matrices showed; return that."""
    exact = checked.different == 0
    summary: Summary = {
        "project": "gemm_" + "x".join(map(str, product.size)),
        "target": product.target,
        "mode": "emu",
        "produced_by": f"aieloom {__version__}, its own emulator",
        "passed": exact,
        "faults": [] if exact else [f"{checked.different} of {checked.c.size} elements differ from the reference"],
        "golden": {
            "against": product.against,
            "max_abs_err": checked.largest,
            "tolerance": 0.0,
            "bit_exact": exact,
            "samples": 1,
        },
        "quality": {},
        "samples": [{"name": "seeded matrices", "max_abs_err": checked.largest}],
        "resources": product.resources,
        "performance": product.performance,
        "remarks": list(remarks),
        "reproduce": {"commands": [product.command], "versions": versions(), "inputs": {}, "samples": 1},
        "timing_s": stage_times(folder),
    }  # fmt: skip
    write_text(folder / "report" / SUMMARY, json.dumps(summary, indent=1) + "\n")
    return checked
