"""A circuit as a way to compute a whole network."""

from __future__ import annotations

from aieloom.circuit.emit import HEADERS, render
from aieloom.circuit.fold import MODEL, NAME, Circuit, folds
from aieloom.circuit.plan import choices, plan_circuit, said
from aieloom.circuit.told import bottleneck, why
from aieloom.makers import Maker
from aieloom.report.shape import Stage
from aieloom.sequential.reference import evaluated
from aieloom.units.plan import Plan


def _stages(plan: Plan) -> list[Stage]:
    mhz = plan.in_logic[NAME].clock_mhz
    return [
        {
            "name": task.name,
            "op": task.op,
            "on": NAME,
            "us_per_image": round(fold.cycles / mhz, 4),
            "macs": fold.product.products if fold.product else 0,
            "cycles": fold.cycles,
            "lanes": fold.lanes,
            "depth": fold.depth,
        }
        for task, fold in zip(plan.tasks, folds(plan), strict=True)
    ]


MAKER = Maker(
    name=NAME,
    how="as one circuit in the logic",
    model=MODEL,
    plan=plan_circuit,
    render=render,
    headers=HEADERS,
    evaluated=lambda plan, parameters, x: evaluated([f.step for f in folds(plan)], parameters, x),
    why=why,
    latency_us=lambda plan: plan.units[0].read(Circuit).latency / plan.in_logic[NAME].clock_mhz,
    bottleneck=bottleneck,
    stages=_stages,
    choices=choices,
    said=said,
    types=("int8",),
    further=lambda plan: {"circuit_fps": round(1e6 / plan.schedule.turns[0].total_us, 1)},
)
