"""Networks that are one circuit in the logic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aieloom.arrays import Values
from aieloom.circuit.emit import SOURCE, output_names, render
from aieloom.circuit.fold import MODEL, NAME, Circuit, folds
from aieloom.circuit.told import bottleneck
from aieloom.emit.files import Files
from aieloom.flow.designs import Design
from aieloom.flow.project import PlannedProject
from aieloom.flow.sources import Sources
from aieloom.plan.energy import energy_in_logic
from aieloom.reference.evaluated import Evaluated, by_layers
from aieloom.report.shape import Performance
from aieloom.report.summary import energy_json
from aieloom.sequential.reference import evaluated
from aieloom.sequential.steps import ConvStep
from aieloom.units.plan import interval_us
from aieloom.vitis.design import one_clock


@dataclass(frozen=True)
class CircuitDesign(Design[PlannedProject]):
    """The project's design; see flow/designs.py."""

    how = "as one circuit in the logic"
    counted_by = MODEL
    against = "the integers' definition in NumPy"

    @property
    def sources(self) -> Sources:
        """The circuit and what drives it."""
        plan = self.project.plan
        kernels = one_clock((SOURCE,), plan.in_logic[NAME].clock_mhz)
        return Sources(names=output_names(plan), kernels=kernels)

    def render(self) -> Files:
        """Print its files."""
        return render(self.project.plan, self.project.parameters)

    def evaluated(self, x: Values) -> Iterator[Evaluated]:
        """Yield each layer as the circuit computes it."""
        steps = [fold.step for fold in folds(self.project.plan)]
        found = evaluated(steps, self.project.parameters, x)
        return by_layers(found, self.project.planned)

    def performance(self) -> Performance:
        """Return the modelled figures."""
        plan = self.project.plan
        latency, mhz = plan.units[0].read(Circuit).latency, plan.in_logic[NAME].clock_mhz
        return {
            "produced_by": MODEL,
            "kind": "modelled, not measured",
            "latency_us": round(latency / mhz, 3),
            "throughput_fps": round(1e6 / interval_us(plan), 1),
            "circuit_fps": round(mhz * 1e6 / latency, 1),
            "bottleneck": bottleneck(plan),
            **energy_json(energy_in_logic(plan)),
            "per_layer": [
                {
                    "name": t.name,
                    "op": t.op,
                    "on": "circuit",
                    "us_per_image": round(f.cycles / mhz, 4),
                    "macs": f.step.products if isinstance(f.step, ConvStep) else 0,
                    "cycles": f.cycles,
                    "lanes": f.lanes,
                    "depth": f.depth,
                }
                for t, f in zip(plan.tasks, folds(plan), strict=True)
            ],
        }


design_of = CircuitDesign  # what flow/designs.py asks for
