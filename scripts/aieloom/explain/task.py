"""`aieloom explain` of a layer of a design on a unit of one kind."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.errors import Problem, SpecError
from aieloom.flow.project import Project
from aieloom.makers import maker_of


def explain_task(project: Project, name: str) -> Iterator[str]:
    """Yield why a layer's task is as it is.

    Raises:
        SpecError: there is no such layer.
    """
    tasks = {task.name: task for task in project.plan.tasks}
    if name not in tasks:
        text = f"there is no layer '{name}' in {project.name}"
        raise SpecError(Problem(rule="key", text=text, remedy=f"use one of: {', '.join(tasks)}"))
    yield from maker_of(project.home).why(project.plan, tasks[name])
