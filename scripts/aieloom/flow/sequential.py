"""Networks that run layer by layer on one engine."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from aieloom.arrays import Values
from aieloom.flow.designs import Design
from aieloom.flow.layer_alone import LayerAlone, unknown_layer
from aieloom.flow.sources import Sources
from aieloom.plan.types import ArrayPart
from aieloom.sequential.alone import alone, reference_alone, types_of
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

    def alone(self, layer: str) -> LayerAlone:
        """Return a layer's own system on the design's engines.

        Raises:
            SpecError: there is no such layer.
        """
        project, plan, design = self.project, self.project.plan, engines_of(self.project.plan)
        steps = {s.layer: s for s in design.steps}
        if layer not in steps:
            within = {s.gives: s.layer for s in design.steps}
            within |= dict.fromkeys(design.spatial.layers, design.spatial.layer) if design.spatial else {}
            raise unknown_layer(project, layer, [*steps], f"'{within[layer]}'" if layer in within else "")
        step = steps[layer]
        shapes = {(la.name, p.name): p.shape for la in project.planned.layers for p in la.parameters}
        own = replace(project, plan=alone(plan, layer, shapes))

        def laid(values: list[Values]) -> Values:
            """Return all of a sample's inputs one behind the other."""
            behind = np.concatenate([v.reshape(len(v), -1) for v in values], axis=1)
            return behind.reshape(len(behind), *own.plan.x.shape)

        return LayerAlone(
            name=layer,
            xs=types_of(step),
            inputs=step.inputs,
            y=step.y,
            project=own,
            told=f"{layer} ({step.op}) in its turn, to {step.y}",
            laid=laid,
            computed=lambda values: reference_alone(step, own.parameters, values),
        )


design_of = InTurnDesign  # what flow/designs.py asks for
