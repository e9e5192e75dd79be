"""Designs on the array: each layer has cores or a kernel of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from aieloom.arrays import Values
from aieloom.flow.designs import Checked, Design
from aieloom.flow.dse_words import ARRAY, Options
from aieloom.flow.sources import Sources
from aieloom.plan.tolerance import golden_tolerance
from aieloom.plan.types import ArrayPart
from aieloom.spec.types import DataType
from aieloom.units.types import Task, Unit

if TYPE_CHECKING:
    from aieloom.emit.files import Files
    from aieloom.flow.layer_alone import LayerAlone
    from aieloom.reference.evaluated import Evaluated
    from aieloom.reference.results import Analysis
    from aieloom.report.shape import Performance
    from aieloom.search.candidates import Evaluator
    from aieloom.search.design import Found
    from aieloom.search.goal import Goal, Tell
    from aieloom.search.mapped import Mapped
    from aieloom.search.suggestions import Suggestions
    from aieloom.vitis.design import VitisDesign

AGAINST = {
    "float32": "hardware reference, float32 in the plan's order of accumulation",
    "bfloat16": "hardware reference, bfloat16 products summed in float32 in the plan's order of accumulation",
    "int8": "hardware reference, exact integers",
    "int16": "hardware reference, exact integers",
}

# What computes, prints, builds and draws takes time to import, and most commands do without: it is imported where it is used.


@dataclass(frozen=True)
class ArrayDesign(Design):
    """The project's design; see flow/designs.py."""

    how = "on the array"
    counted_by = "aieloom's estimate"
    emulated_tolerance = 2e-5  # 0 is what we expect

    @property
    def against(self) -> str:
        """What the reference is."""
        return AGAINST[self.project.array.elements.value]

    @property
    def tolerance(self) -> float:
        """The largest absolute difference of hardware that counts as agreement."""
        return golden_tolerance(self.project.array)

    @property
    def arrays(self) -> tuple[ArrayPart, ...]:
        """The plan."""
        return (self.project.array,)

    @property
    def sources(self) -> Sources:
        """Kernels, graph and movers, and what drives them."""
        from aieloom.emit.names import output_names  # noqa: PLC0415
        from aieloom.vitis.design import CompiledKernel  # noqa: PLC0415

        plan = self.project.array
        return Sources(
            names=output_names(plan),
            kernels=tuple(
                CompiledKernel(name=u.name, source=u.output, hz=round(u.clock_mhz * 1e6)) for u in plan.units
            ),
            device=plan.device,
            cores=tuple(file for layer in plan.aie for file in layer.draft.sources),
            register_mhz=plan.needed_register_mhz,
        )

    @property
    def streams(self) -> ArrayPart:
        """The plan: all layers work at the same time."""
        return self.project.array

    @property
    def lines(self) -> tuple[str, ...]:
        """What is said of the plan when it is made."""
        from aieloom.plan.whole import partition_lines  # noqa: PLC0415

        return (*partition_lines(self.project.array), *self.remarks)

    def render(self) -> Files:
        """Print its files."""
        from aieloom.emit.project import render  # noqa: PLC0415

        return render(self.project.array, self.project.parameters)

    def reference(self, x: Values, /) -> Values:
        """Return what the hardware computes by definition: float32 in the plan's order of accumulation."""
        from aieloom.reference.results import hardware_reference  # noqa: PLC0415

        return hardware_reference(self.project.array, self.project.parameters, x)

    def evaluated(self, x: Values) -> Iterator[Evaluated]:
        """Yield each layer as the array computes it; where images are cut, `x` may be tiles."""
        from aieloom.network.elements import to_elements  # noqa: PLC0415
        from aieloom.reference.evaluated import by_layers, of_steps  # noqa: PLC0415

        plan = self.project.array
        elements = to_elements(np.asarray(x, np.float32), plan.x)
        tiles = plan.frame is not None and elements.shape[1:] == plan.frame.tile_x.shape
        steps = plan.tile_steps if tiles else plan.steps
        return by_layers(of_steps(steps, self.project.parameters, elements), self.project.planned)

    def analysis(self, x: Values) -> Analysis | None:
        """Return the results beside those of float64, of floats and of images in tiles, whose layers are looked at in tiles."""
        plan = self.project.array
        if plan.elements is not DataType.FLOAT32 and not plan.frame:
            return None
        from aieloom.reference.results import analyse  # noqa: PLC0415

        return analyse(plan, self.project.parameters, x)

    def why(self, name: str, unit: Unit, tasks: Sequence[Task]) -> Iterator[str]:
        """Yield where `name` stands in network.yaml, and why what it asks about is as it is."""
        from aieloom.report.told import why  # noqa: PLC0415

        spec = self.project.network.spec
        line = spec.source.line(spec.at_mapping(name))
        yield f"{name} of {self.project.name} on {self.project.target} ({spec.source.name}:{line})"
        yield from why(self.project.array, unit, tasks)

    def performance(self) -> Performance:
        """Return the modelled figures."""
        from aieloom.report.summary import performance  # noqa: PLC0415

        return performance(self.project.array)

    def alone(self, layer: str) -> LayerAlone:
        """Return a layer's own system, cut as in the design.

        Raises:
            SpecError: there is no such layer, or it has no system of its own.
        """
        from aieloom.flow.alone import layer_alone  # noqa: PLC0415

        return layer_alone(self.project, layer)

    words = ARRAY
    types = ("float32", "bfloat16", "int16", "int8")

    def searched(self, goal: Goal, options: Options, workers: int | Evaluator, tell: Tell) -> Found[Mapped]:
        """Search for another mapping of its layers."""
        from aieloom.flow.dse_mapping import search_mapping  # noqa: PLC0415

        return search_mapping(self.project, goal, options, workers, tell)

    def suggestions(self, name: str, unit: Unit, tasks: Sequence[Task]) -> Suggestions:
        """Return what is near the mapping of a layer and is better.

        Raises:
            SpecError: what is asked for is no layer.
        """
        from aieloom.search.near_mapping import suggest_mapping  # noqa: PLC0415

        if not tasks:
            from aieloom.flow.layer_alone import unknown_layer  # noqa: PLC0415

            raise unknown_layer(self.project, name, [la.name for la in self.project.network.layers])
        return suggest_mapping(self.project.planned, self.project.array, tasks[0].name, unit.name)

    def drawing(self) -> str:
        """Return the floor plan."""
        from aieloom.report.floorplan import floorplan  # noqa: PLC0415

        return floorplan(self.project.array)

    def vitis_design(self) -> VitisDesign:
        """Return what the vendor's tools take: they simulate the array alone too."""
        from aieloom.vitis.design import cycle_limit  # noqa: PLC0415

        latency_us = self.project.array.cost.latency_us
        return replace(
            super().vitis_design(),
            cycle_limit=cycle_limit(latency_us, self.project.array.device.clocks.aie_mhz),
        )

    def checked(self) -> Checked:
        """Return its rates, and every design rule with its numbers."""
        from aieloom.plan.energy import plan_energy  # noqa: PLC0415
        from aieloom.plan.rates import rate_lines  # noqa: PLC0415
        from aieloom.plan.whole import partition_lines  # noqa: PLC0415
        from aieloom.simulation.of_plan import modelled_rates  # noqa: PLC0415

        project, plan = self.project, self.project.array
        modelled, rates = self.performance(), modelled_rates(plan)
        rate = f"{modelled['throughput_fps']:,.0f} images/s end to end"
        head = f"{project.name} on {project.target}: {project.given} to {plan.y}"
        lines = (
            f"{head}, {plan.cores} cores, {plan.tiles_in_use} tiles",
            f"  latency {modelled['latency_us']:,.1f} us, throughput {rate} (modelled)",
            *(f"  modelled: {line}" for line in rate_lines(rates)),
            *(f"  energy: {e.text}" for e in [plan_energy(plan, rates.system.interval_us)] if e),
            *(f"  {line}" for line in (*partition_lines(plan), *(plan.frame.why if plan.frame else ()))),
            *(f"  {c.rule:<10} {c.what}: {c.used:g} of {c.limit:g} ({c.where})" for c in plan.checks),
        )
        values = {
            "cores": plan.cores,
            "tiles": plan.tiles_in_use,
            "performance": modelled,
            "resources": self.resources(),
            "processor": list(partition_lines(plan)),
            "checks": list(plan.checks),
        }
        return Checked(values=values, lines=lines)


design_of = ArrayDesign  # what flow/designs.py asks for
