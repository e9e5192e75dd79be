"""Designs without an array: products on the matrix engine in the logic, other layers on the processor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import cast

from aieloom.arrays import Values
from aieloom.emit.files import Files
from aieloom.flow.designs import Design
from aieloom.flow.project import PlannedProject
from aieloom.flow.sources import Sources
from aieloom.matrix_engine.emit import SOURCE
from aieloom.matrix_engine.emit_network import output_names, render
from aieloom.matrix_engine.engine import MODEL, Product, engine_of
from aieloom.matrix_engine.network import evaluated, products
from aieloom.plan.energy import energy_in_logic
from aieloom.reference.evaluated import Evaluated
from aieloom.report.shape import Performance, Stage
from aieloom.report.summary import energy_json
from aieloom.units.plan import interval_us
from aieloom.vitis.design import one_clock


@dataclass(frozen=True)
class ProductDesign(Design[PlannedProject]):
    """The project's design; see flow/designs.py."""

    how = "its products on the matrix engine"
    counted_by = "the solved block"

    @property
    def against(self) -> str:
        """What the reference is."""
        return f"NumPy in the engine's order of accumulation, {engine_of(self.project.plan).element}"

    @property
    def sources(self) -> Sources:
        """The engine and what drives it."""
        plan = self.project.plan
        kernels = one_clock((SOURCE,), engine_of(plan).clock_mhz)
        return Sources(names=output_names(plan), kernels=kernels)

    def render(self) -> Files:
        """Print its files."""
        return render(self.project.plan, self.project.parameters)

    def evaluated(self, x: Values) -> Iterator[Evaluated]:
        """Yield each layer as engine and processor compute it."""
        return evaluated(self.project.plan, self.project.parameters, x)

    def performance(self) -> Performance:
        """Return the modelled figures."""
        plan = self.project.plan
        costs = {task.name: task.read(Product).cost for task in products(plan.tasks)}
        us = interval_us(plan)
        stages = {name: cost.total_us for name, cost in costs.items()}
        stages["the processor's layers"] = us - sum(stages.values())
        return {
            "produced_by": MODEL,
            "kind": "modelled, not measured",
            "latency_us": round(us, 3),
            "throughput_fps": round(1e6 / us, 1),
            "bottleneck": max(stages, key=lambda name: stages[name]),
            **energy_json(energy_in_logic(plan)),
            "per_layer": [
                cast(Stage, {"name": name, "on": "engine", "us_per_image": cost.total_us, **asdict(cost)})
                for name, cost in costs.items()
            ],
        }


design_of = ProductDesign  # what flow/designs.py asks for
