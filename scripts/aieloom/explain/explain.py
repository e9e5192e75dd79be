"""`aieloom explain NAME`: why a layer, or what else a design consists of, is as it is."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.flow.designs import design_of
from aieloom.flow.layer_alone import unknown_layer
from aieloom.flow.project import Project
from aieloom.spec.network import INPUT
from aieloom.units.types import HOST, Task, Unit

HOST_PROGRAM = "host"  # a name beside those of layers and kernels


def explain(project: Project, name: str) -> Iterator[str]:
    """Yield the lines that explain a layer, or what else a rate names as the slowest: a kernel, a mover, `host`.

    Raises:
        SpecError: there is no such thing.
    """
    if name in project.dissolved.sources:
        yield dissolved_line(project, name)
    else:
        yield from design_of(project).why(*asked_about(project, name))


def asked_about(project: Project, name: str) -> tuple[str, Unit, tuple[Task, ...]]:
    """Return what a name stands for: a unit and of its tasks one, all or none; and its name in the plan.

    Raises:
        SpecError: there is no such thing.
    """
    plan = project.plan
    shown = {other: layer for layer, other in project.shown_layers.items()}
    # the layer that gives another one's output, as a product of integers with its relu
    name = shown.get(name, name)
    if name == HOST_PROGRAM:
        return name, HOST, ()
    units = {unit.name: unit for unit in plan.units}
    tasks = {layer: task for task in plan.tasks for layer in (*task.layers, task.name)}
    if name in tasks:
        return name, units.get(tasks[name].unit, HOST), (tasks[name],)
    if name in units:
        doing = {name, units[name].lead or name}  # a copy, or a mover, is for what its lead does
        return name, units[name], tuple(task for task in plan.tasks if task.unit in doing)
    known = [layer.name for layer in project.network.layers if layer.name in {*tasks, *shown}]
    folded = any(layer.name == name for layer in project.written.layers)
    raise unknown_layer(project, name, known, "another layer" if folded else "")


def dissolved_line(project: Project, name: str) -> str:
    """Return what became of a layer that only renames values."""
    source = project.dissolved.sources[name]
    op = next(la.op for la in project.written.layers if la.name == name)
    whose = "the network's input" if source == INPUT else f"the result of '{source}'"
    return f"{name} ({op}) costs nothing: what reads it reads {whose} as it lies"
