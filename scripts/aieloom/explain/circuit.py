"""`aieloom explain` of a layer of a circuit."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.circuit.told import why
from aieloom.errors import Problem, SpecError
from aieloom.flow.project import PlannedProject


def explain_task(project: PlannedProject, name: str) -> Iterator[str]:
    """Yield why a layer's process is as it is.

    Raises:
        SpecError: there is no such layer.
    """
    tasks = {task.name: task for task in project.plan.tasks}
    if name not in tasks:
        text = f"there is no layer '{name}' in the circuit of {project.name}"
        raise SpecError(Problem(rule="key", text=text, remedy=f"use one of: {', '.join(tasks)}"))
    yield from why(project.plan, tasks[name])
