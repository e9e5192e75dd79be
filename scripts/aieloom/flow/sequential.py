"""Networks that run layer by layer on one engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from aieloom.arrays import Values
from aieloom.emit.files import Files
from aieloom.flow.designs import Alone, Design
from aieloom.flow.in_turn import layer_in_turn
from aieloom.flow.project import SequentialProject
from aieloom.flow.sources import Sources
from aieloom.plan.types import Plan
from aieloom.reference.evaluated import Evaluated, by_layers
from aieloom.report.shape import Performance
from aieloom.report.summary import energy_json
from aieloom.sequential.array import MOVER_MHZ
from aieloom.sequential.cost import MODEL
from aieloom.sequential.emit import (
    COMMANDS,
    WEIGHTS,
    graph_kernels,
    kernel_sources,
    output_names,
    render,
)
from aieloom.sequential.page import files_of, write_page
from aieloom.sequential.reference import evaluated
from aieloom.vitis.design import one_clock

AGAINST = {
    "int8": "the integers' definition in NumPy",
    "float32": "NumPy in the engine's order of accumulation, float32",
    "bfloat16": "NumPy, bfloat16 products summed in float32 in the engine's order of accumulation",
}


@dataclass(frozen=True)
class InTurnDesign(Design[SequentialProject]):
    """The project's design; see flow/designs.py."""

    counted_by = "model of the engines and movers"

    @property
    def how(self) -> str:
        """How the network runs on the board, for the user."""
        alone = self.project.plan.spatial is None
        return "layer by layer" if alone else "with layers on cores of their own and others in turn"

    @property
    def against(self) -> str:
        """What the reference is."""
        return AGAINST[self.project.plan.element]

    @property
    def sources(self) -> Sources:
        """The engines, what moves their tensors, and what drives them."""
        plan = self.project.plan
        mhz = MOVER_MHZ if plan.array else plan.engine.clock_mhz
        return Sources(
            names=output_names(plan),
            kernels=one_clock(kernel_sources(plan), mhz),
            beside=(COMMANDS, WEIGHTS),
            device=plan.spatial.plan.device if plan.spatial else plan.array.device if plan.array else None,
            cores=graph_kernels(plan),
            together=plan.staying.rows if plan.staying else 1,
            register_mhz=plan.array.gemm.array.needed_register_mhz
            if plan.array and plan.array.gemm
            else None,
        )

    @property
    def arrays(self) -> tuple[Plan, ...]:
        """The plans of the engine and of the layers with cores of their own."""
        plan = self.project.plan
        engine = plan.array.gemm.array if plan.array and plan.array.gemm else None
        return tuple(filter(None, (engine, plan.spatial.plan if plan.spatial else None)))

    @property
    def page_files(self) -> tuple[str, ...]:
        """The report's files beside summary.json."""
        return files_of(self.project.plan)

    def render(self) -> Files:
        """Print its files."""
        return render(self.project.plan, self.project.parameters)

    def evaluated(self, x: Values) -> Iterator[Evaluated]:
        """Yield each layer as engines and processor compute it."""
        found = evaluated(self.project.plan.steps, self.project.parameters, x)
        return by_layers(found, self.project.planned)

    def performance(self) -> Performance:
        """Return the modelled figures."""
        plan = self.project.plan
        times = plan.time_by_cause()
        return {
            "produced_by": MODEL,
            "kind": "modelled, not measured",
            "latency_us": round(plan.latency_us, 3),
            "throughput_fps": round(1e6 / plan.interval_us, 2),
            "images_of_a_batch": plan.batch,
            "bottleneck": next(iter(times), "nothing"),
            "leaves_out": list(plan.leaves_out),
            "us_by_cause": {what: round(us, 3) for what, us in times.items()},
            "memory_bytes_per_image": round(plan.bytes_per_image),
            **energy_json(plan.energy),
            "per_layer": [
                {
                    "name": s.layer,
                    "op": s.op,
                    "on": s.on,
                    "us_per_image": round(s.total_us / plan.batch, 3),
                    "bound_by": s.bound,
                    "bytes_per_image": round(s.bytes / plan.batch),
                }
                for s in plan.costs
            ],
        }

    def alone(self, layer: str) -> Alone:
        """Return a layer's own system on the design's engines.

        Raises:
            SpecError: there is no such layer.
        """
        return layer_in_turn(self.project, layer)

    def write_pages(self, compare: Path | None) -> None:
        """Write the report's page.

        Raises:
            SpecError: another design is to stand beside it.
        """
        super().write_pages(compare)
        write_page(self.project.plan, self.project.build / "report")


design_of = InTurnDesign  # what flow/designs.py asks for
