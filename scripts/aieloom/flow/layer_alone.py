"""One layer of a project by itself: what its system is given, and what the hardware computes of it by definition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.errors import SpecError
from aieloom.flow.project import Project
from aieloom.network.inputs import taken_of_layer
from aieloom.network.tensor import TensorType
from aieloom.spec.validation import closest


@dataclass(frozen=True, kw_only=True)
class LayerAlone:
    """A layer as the network has it, and the project of a system of that layer; `str` says what it is."""

    name: str
    xs: tuple[TensorType, ...]
    inputs: tuple[str, ...]  # who gives them
    y: TensorType
    project: Project  # the system's
    told: str
    laid: Callable[[list[Values]], Values]  # the inputs, as the system's one input
    computed: Callable[[list[Values]], Values]  # what the hardware makes of the inputs

    def __str__(self) -> str:
        return self.told

    def system_input(self, xs: Sequence[NDArray[Any]]) -> Values:
        """Return the system's input of the layer's inputs `(n, channels, height, width)`.

        Raises:
            SpecError: they are not as many as the layer has, or one is no array of numbers in its shape.
        """
        return self.laid(taken_of_layer(xs, self.xs, self.inputs, self.name))

    def reference(self, xs: Sequence[NDArray[Any]]) -> Values:
        """Return what the hardware computes of the layer's inputs by definition; raises as `system_input`."""
        return self.computed(taken_of_layer(xs, self.xs, self.inputs, self.name))


def unknown_layer(project: Project, name: str, known: Sequence[str], within: str = "") -> SpecError:
    """Return the refusal of a layer that is none of those `known`; network.yaml may have it, as a part of another one."""
    ops = {layer.name: f" (op {layer.op})" for layer in project.written.layers}
    text = f"there is no layer '{name}'{closest(name, list(known))}"
    if within:
        text = f"layer '{name}'{ops.get(name, '')} is computed as a part of {within}"
    elif name in ops:
        text = f"layer '{name}' computes nothing: its elements lie in place for what reads them"
    source, remedy = project.network.spec.source.name, f"use one of: {', '.join(known)}"
    return SpecError(rule="layer", text=text, remedy=remedy, file=source)
