"""The matrix engine as a way to compute a whole network: its products there, other layers on the processor."""

from __future__ import annotations

from dataclasses import asdict
from typing import cast

from aieloom.makers import Maker
from aieloom.matrix_engine.emit_network import output_names, render
from aieloom.matrix_engine.engine import MODEL, Product, ProductCost, engine_of
from aieloom.matrix_engine.network import choices, evaluated, plan_network, products, said, why
from aieloom.report.shape import Stage
from aieloom.units.plan import Plan, interval_us


def _costs(plan: Plan) -> dict[str, ProductCost]:
    return {task.name: task.read(Product).cost for task in products(plan.tasks)}


def _bottleneck(plan: Plan) -> str:
    us = {name: cost.total_us for name, cost in _costs(plan).items()}
    us["the processor's layers"] = interval_us(plan) - sum(us.values())
    return max(us, key=lambda name: us[name])


def _stages(plan: Plan) -> list[Stage]:
    return [
        cast(Stage, {"name": name, "on": "engine", "us_per_image": cost.total_us, **asdict(cost)})
        for name, cost in _costs(plan).items()
    ]


MAKER = Maker(
    name="matrix_engine",
    how="its products on the matrix engine",
    model=MODEL,
    plan=lambda network, board, operators, _: plan_network(network, board, operators),
    render=render,
    evaluated=evaluated,
    names=output_names,
    against=lambda plan: f"NumPy in the engine's order of accumulation, {engine_of(plan).element}",
    why=why,
    bottleneck=_bottleneck,
    stages=_stages,
    choices=choices,
    said=said,
    types=("float32", "float16"),
)
