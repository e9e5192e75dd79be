"""report/summary.json of a matrix product, in the shape that all designs have."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from aieloom.emit.files import write_text
from aieloom.flow.gemm.engine import EngineProduct
from aieloom.flow.gemm.files import command_of
from aieloom.flow.gemm.run import Checked
from aieloom.flow.reproduce import versions
from aieloom.flow.timing import stage_times
from aieloom.matrix_engine.engine import MODEL
from aieloom.pl.use import logic_use
from aieloom.report.shape import LogicFigures, Performance, Resources, Summary
from aieloom.report.site import SUMMARY
from aieloom.report.summary import array_use
from aieloom.strategies.array_gemm.types import GemmPlan
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
    use = logic_use((), [u.mover for u in plan.units], 1)
    return Product(
        size=plan.request.size,
        target=plan.device.name,
        command=command_of(plan),
        against="NumPy in the array's order of accumulation",
        resources={
            **array_use(plan.array),
            "pl": cast(LogicFigures, {"produced_by": "model of the movers", **asdict(use)}),
        },
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


def on_engine(plan: EngineProduct) -> Product:
    """Return a product on the matrix engine in the logic."""
    r, cost, block = plan.request, plan.cost, plan.engine.block
    return Product(
        size=(r.m, r.k, r.n),
        target=plan.engine.board.name,
        command=plan.command,
        against=f"NumPy in the engine's order of accumulation, {r.element}",
        resources={
            **array_use(),
            "pl": {
                "produced_by": "the solved block",
                "dsp": block.dsp,
                "lut": block.lut,
                "ff": block.ff,
                "bram36": block.bram,
                "uram288": 0,
            },
        },
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
