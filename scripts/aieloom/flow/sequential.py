"""Networks that run layer by layer on one engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aieloom.arrays import Values
from aieloom.emit.files import Files
from aieloom.flow.designs import Alone, Design
from aieloom.flow.in_turn import layer_in_turn
from aieloom.flow.sources import Sources
from aieloom.plan.types import ArrayPart
from aieloom.reference.evaluated import Evaluated, by_layers
from aieloom.report.shape import Performance
from aieloom.report.summary import energy_json
from aieloom.sequential.cost import MODEL
from aieloom.sequential.emit import (
    COMMANDS,
    WEIGHTS,
    graph_kernels,
    kernel_sources,
    output_names,
    render,
)
from aieloom.sequential.listing import weights_of
from aieloom.sequential.plan import engines_of
from aieloom.sequential.reference import evaluated
from aieloom.sequential.remarks import bytes_per_image, costed, energy, latency_us, leaves_out, on
from aieloom.units.plan import interval_us, time_by_cause
from aieloom.vitis.design import one_clock

AGAINST = {
    "int8": "the integers' definition in NumPy",
    "float32": "NumPy in the engine's order of accumulation, float32",
    "bfloat16": "NumPy, bfloat16 products summed in float32 in the engine's order of accumulation",
}


@dataclass(frozen=True)
class InTurnDesign(Design):
    """The project's design; see flow/designs.py."""

    counted_by = "model of the engines and movers"

    @property
    def how(self) -> str:
        """How the network runs on the board, for the user."""
        alone = engines_of(self.project.plan).spatial is None
        return "layer by layer" if alone else "with layers on cores of their own and others in turn"

    @property
    def against(self) -> str:
        """What the reference is."""
        return AGAINST[engines_of(self.project.plan).element]

    @property
    def sources(self) -> Sources:
        """The engines, what moves their tensors, and what drives them."""
        plan, design = self.project.plan, engines_of(self.project.plan)
        array, spatial, staying = design.array, design.spatial, design.staying
        return Sources(
            names=output_names(plan),
            kernels=one_clock(kernel_sources(plan), design.mhz),
            beside=(COMMANDS, WEIGHTS),
            device=spatial.plan.device if spatial else array.device if array else None,
            cores=graph_kernels(design),
            together=staying.rows if staying else 1,
            register_mhz=design.graph.needed_register_mhz if design.graph else None,
        )

    @property
    def arrays(self) -> tuple[ArrayPart, ...]:
        """The plans of the engine and of the layers with cores of their own."""
        design = engines_of(self.project.plan)
        return tuple(filter(None, (design.graph, design.spatial.plan if design.spatial else None)))

    def render(self) -> Files:
        """Print its files."""
        return render(self.project.plan, self.project.parameters)

    def evaluated(self, x: Values) -> Iterator[Evaluated]:
        """Yield each layer as engines and processor compute it."""
        found = evaluated(engines_of(self.project.plan).steps, self.project.parameters, x)
        return by_layers(found, self.project.planned)

    def performance(self) -> Performance:
        """Return the modelled figures."""
        plan = self.project.plan
        design, times = engines_of(plan), time_by_cause(plan)
        macs = {s.layer: s.products for s in design.products}
        macs |= {s.layer: s.products for s in design.recurrences}
        peak = design.array.peak_gops if design.array else 0.0
        share = 2e-3 * design.macs / interval_us(plan) / peak if peak else 0.0
        return {
            "produced_by": MODEL,
            "kind": "modelled, not measured",
            "latency_us": round(latency_us(plan), 3),
            "throughput_fps": round(1e6 / interval_us(plan), 2),
            "images_of_a_batch": plan.schedule.batch,
            "bottleneck": next(iter(times), "nothing"),
            "leaves_out": list(leaves_out(plan)),
            "us_by_cause": {what: round(us, 3) for what, us in times.items()},
            "memory_bytes_per_image": round(bytes_per_image(plan)),
            "weights_bytes": design.weights_bytes,
            "share_of_peak": round(share, 6),
            **energy_json(energy(plan)),
            "per_layer": [
                {
                    "name": turn.name,
                    "op": turn.op,
                    "on": on(turn),
                    "us_per_image": round(turn.total_us, 3),
                    "bound_by": turn.bound,
                    "bytes_per_image": round(turn.bytes),
                    "macs": macs.get(turn.name, 0) if turn.tasks else 0,
                    "weights_bytes": weights_of(turn.record),
                }
                for turn in costed(plan)
            ],
        }

    def alone(self, layer: str) -> Alone:
        """Return a layer's own system on the design's engines.

        Raises:
            SpecError: there is no such layer.
        """
        return layer_in_turn(self.project, layer)


design_of = InTurnDesign  # what flow/designs.py asks for
