"""Layers of networks that run one after another, each by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.errors import SpecError
from aieloom.flow.project import Project
from aieloom.network.inputs import taken_of_layer
from aieloom.network.tensor import TensorType
from aieloom.sequential.alone import alone, reference_alone, types_of
from aieloom.sequential.plan import engines_of
from aieloom.sequential.steps import Step
from aieloom.spec.validation import closest


@dataclass(frozen=True, kw_only=True)
class LayerInTurn:
    """A layer as the network has it, and the project of its system."""

    step: Step
    names: tuple[str, ...]  # of its inputs
    project: Project

    @property
    def y(self) -> TensorType:
        """What the layer gives."""
        return self.step.y

    def __str__(self) -> str:
        return f"{self.step.layer} ({self.step.op}) in its turn, to {self.step.y}"

    def inputs(self, xs: Sequence[NDArray[Any]]) -> list[Values]:
        """Return the layer's inputs `(n, channels, height, width)`.

        Raises:
            SpecError: they are not as many as the layer has, or one is no array of numbers in its shape.
        """
        return taken_of_layer(xs, types_of(self.step), self.names, self.step.layer)

    def system_input(self, xs: Sequence[NDArray[Any]]) -> Values:
        """Return the system's input: all of a sample's inputs one behind the other."""
        values = self.inputs(xs)
        behind = np.concatenate([v.reshape(len(v), -1) for v in values], axis=1)
        return behind.reshape(len(behind), *self.project.plan.x.shape)

    def reference(self, xs: Sequence[NDArray[Any]]) -> Values:
        """Return what the hardware computes of the layer's inputs by definition."""
        return reference_alone(self.step, self.project.parameters, self.inputs(xs))


def layer_in_turn(project: Project, name: str) -> LayerInTurn:
    """Return the system of one layer.

    Raises:
        SpecError: there is no such layer.
    """
    plan = project.plan
    steps = {s.layer: s for s in engines_of(plan).steps}
    if name not in steps:
        spatial = engines_of(plan).spatial
        within = next((s.layer for s in steps.values() if s.gives == name), None)
        within = within or (spatial.layer if spatial and name in spatial.layers else None)
        text = f"there is no layer '{name}'{closest(name, list(steps))}"
        if within:
            text = f"layer '{name}' is computed as a part of '{within}'"
        elif name in {la.name for la in project.network.spec.layers}:
            text = f"layer '{name}' computes nothing: its elements lie in place for what reads them"
        raise SpecError(rule="layer", text=text, remedy=f"use one of: {', '.join(steps)}")
    network = project.quantised.network if project.quantised else project.network
    shapes = {(la.name, p.name): p.shape for la in network.layers for p in la.parameters}
    own = replace(project, plan=alone(plan, name, shapes))
    return LayerInTurn(step=steps[name], names=steps[name].inputs, project=own)
