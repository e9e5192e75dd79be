"""`aieloom explain` of a layer of a design that is planned as the one plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aieloom.errors import Problem, SpecError
from aieloom.flow.project import PlannedProject
from aieloom.units.plan import Plan
from aieloom.units.types import Task


def explain_task(
    why: Callable[[Plan, Task], Iterator[str]], kind: str, project: PlannedProject, name: str
) -> Iterator[str]:
    """Yield why a layer's task is as it is, as its `kind` of design says it.

    Raises:
        SpecError: there is no such layer.
    """
    tasks = {task.name: task for task in project.plan.tasks}
    if name not in tasks:
        text = f"there is no layer '{name}' in the {kind} of {project.name}"
        raise SpecError(Problem(rule="key", text=text, remedy=f"use one of: {', '.join(tasks)}"))
    yield from why(project.plan, tasks[name])
