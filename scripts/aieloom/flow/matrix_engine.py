"""Designs without an array: products on the matrix engine in the logic, other layers on the processor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import cast

from aieloom.arrays import Values
from aieloom.emit.files import Files
from aieloom.flow.designs import Design
from aieloom.flow.project import LogicProject
from aieloom.flow.sources import Sources
from aieloom.matrix_engine.emit import SOURCE
from aieloom.matrix_engine.emit_network import output_names, program_name, render
from aieloom.matrix_engine.engine import MODEL
from aieloom.matrix_engine.network import evaluated
from aieloom.reference.evaluated import Evaluated
from aieloom.report.shape import Performance, Stage
from aieloom.spec.board import Board
from aieloom.vitis.design import one_clock


@dataclass(frozen=True)
class ProductDesign(Design[LogicProject]):
    """The project's design; see flow/designs.py."""

    how = "its products on the matrix engine"
    counted_by = "the solved block"

    @property
    def board(self) -> Board:
        """What it is planned for."""
        return self.project.plan.engine.board

    @property
    def against(self) -> str:
        """What the reference is."""
        return f"NumPy in the engine's order of accumulation, {self.project.plan.engine.element}"

    @property
    def sources(self) -> Sources:
        """The engine and what drives it."""
        plan = self.project.plan
        kernels = one_clock((SOURCE,), plan.engine.clock_mhz)
        return Sources(names=output_names(plan), kernels=kernels, program=program_name(plan))

    def render(self) -> Files:
        """Print its files."""
        return render(self.project.plan, self.project.parameters)

    def evaluated(self, x: Values) -> Iterator[Evaluated]:
        """Yield each layer as engine and processor compute it."""
        return evaluated(self.project.plan, self.project.parameters, x)

    def performance(self) -> Performance:
        """Return the modelled figures."""
        plan = self.project.plan
        stages = {s.layer: s.cost.total_us for s in plan.products} | {
            "the processor's layers": plan.processor_us
        }
        return {
            "produced_by": MODEL,
            "kind": "modelled, not measured",
            "latency_us": round(plan.interval_us, 3),
            "throughput_fps": round(1e6 / plan.interval_us, 1),
            "bottleneck": max(stages, key=lambda name: stages[name]),
            "per_layer": [cast(Stage, {"name": s.layer, **asdict(s.cost)}) for s in plan.products],
        }


def design_of(project: LogicProject) -> ProductDesign:
    """Return the project's design."""
    return ProductDesign(project)
