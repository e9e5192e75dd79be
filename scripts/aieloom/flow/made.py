"""Networks on a unit of one kind: a circuit, the matrix engine, a unit of the project's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aieloom.arrays import Values
from aieloom.emit.files import Files
from aieloom.flow.designs import Design
from aieloom.flow.sources import Sources
from aieloom.makers import Maker, maker_of
from aieloom.plan.energy import energy_in_logic
from aieloom.reference.evaluated import Evaluated, by_layers
from aieloom.report.shape import Performance
from aieloom.report.summary import energy_json
from aieloom.units.plan import interval_us
from aieloom.vitis.design import CompiledKernel


@dataclass(frozen=True)
class MadeDesign(Design):
    """The project's design; see flow/designs.py."""

    @property
    def maker(self) -> Maker:
        """The way in which it computes."""
        return maker_of(self.project.home)

    @property
    def how(self) -> str:
        """How the network runs on the board, for the user."""
        return self.maker.how

    @property
    def counted_by(self) -> str:
        """What says how much of the logic it takes."""
        return self.maker.model

    @property
    def against(self) -> str:
        """What the reference is."""
        return self.maker.against(self.project.plan)

    @property
    def sources(self) -> Sources:
        """The kernels and what drives them."""
        plan = self.project.plan
        kernels = (
            CompiledKernel(name=name, source=f"src/pl/{name}.cpp", hz=round(place.clock_mhz * 1e6))
            for name, place in plan.in_logic.items()
        )
        return Sources(names=self.maker.names(plan), kernels=tuple(kernels))

    def render(self) -> Files:
        """Print its files."""
        return self.maker.render(self.project.plan, self.project.parameters)

    def evaluated(self, x: Values) -> Iterator[Evaluated]:
        """Yield each layer as the unit computes it."""
        found = self.maker.evaluated(self.project.plan, self.project.parameters, x)
        return by_layers(found, self.project.planned)

    def performance(self) -> Performance:
        """Return the modelled figures."""
        plan, unit = self.project.plan, self.maker
        latency_us = unit.latency_us(plan)
        return {
            "produced_by": unit.model,
            "kind": "modelled, not measured",
            "latency_us": round(latency_us, 3),
            "throughput_fps": round(1e6 / interval_us(plan), 1),
            "bottleneck": unit.bottleneck(plan),
            **unit.further(plan),
            **energy_json(energy_in_logic(plan)),
            "per_layer": unit.stages(plan),
        }


design_of = MadeDesign  # what flow/designs.py asks for
