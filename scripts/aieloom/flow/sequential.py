"""Networks that run layer by layer on one engine."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.flow.designs import Alone, Design
from aieloom.flow.in_turn import layer_in_turn
from aieloom.flow.sources import Sources
from aieloom.plan.types import ArrayPart
from aieloom.sequential.emit import COMMANDS, WEIGHTS, graph_kernels, kernel_sources, output_names
from aieloom.sequential.plan import engines_of
from aieloom.vitis.design import one_clock


@dataclass(frozen=True)
class InTurnDesign(Design):
    """The project's design; see flow/designs.py."""

    @property
    def how(self) -> str:
        """How the network runs on the board, for the user."""
        alone = engines_of(self.project.plan).spatial is None
        return "layer by layer" if alone else "with layers on cores of their own and others in turn"

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

    def alone(self, layer: str) -> Alone:
        """Return a layer's own system on the design's engines.

        Raises:
            SpecError: there is no such layer.
        """
        return layer_in_turn(self.project, layer)


design_of = InTurnDesign  # what flow/designs.py asks for
