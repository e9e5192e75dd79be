"""`aieloom explain` of a layer of a design on a unit of one kind."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.errors import Problem, SpecError
from aieloom.explain.layer import HOST
from aieloom.flow.designs import design_of
from aieloom.flow.project import Project
from aieloom.makers import maker_of
from aieloom.units.plan import ahead_us, time_by_cause


def explain_task(project: Project, name: str) -> Iterator[str]:
    """Yield why a layer's task is as it is, or what is known of the host program's part in a design's time.

    Raises:
        SpecError: there is no such layer.
    """
    plan = project.plan
    tasks = {name: task for task in plan.tasks for name in (*task.layers, task.name)}
    if name == HOST:
        yield f"host of {design_of(project)}"
        yield from (f"  {us:,.3f} us of an image: {what}" for what, us in time_by_cause(plan).items())
        ahead = ahead_us(plan)
        yield from [f"  {ahead:,.3f} us meanwhile: the next images are laid out"] if ahead else []
        return
    if name not in tasks:
        text = f"there is no layer '{name}' in {project.name}"
        raise SpecError(Problem(rule="key", text=text, remedy=f"use one of: {', '.join(tasks)}"))
    yield from maker_of(project.home).why(plan, tasks[name])
