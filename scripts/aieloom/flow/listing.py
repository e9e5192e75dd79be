"""What `doit list` shows: the tasks that people type, in groups; the steps between them with `doit list --all`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from doit.loader import generate_tasks

GROUPS: Mapping[str, tuple[str, ...]] = {
    "run": ("sim", "report", "show"),
    "look": ("plan", "gen"),
    "improve": ("dse", "train"),
    "Vitis": ("build", "board", "emulate", "ci"),
}
STEP = "a step"  # of other tasks: what doit calls a subtask, which it lists on demand
Creator = Callable[[], object]


def arranged(creators: Mapping[str, Creator]) -> dict[str, Creator]:
    """Return the creators by the names that a dodo.py has them by, each task's text led by its group; the others make steps.

    doit takes a dodo.py's names in their order, so the groups' order stands in them; a task is called what it calls itself.
    """
    group_of = {name: group for group, names in GROUPS.items() for name in names}
    order = [*group_of, *(name for name in creators if name not in group_of)]
    found = {name: creators[name] for name in order if name in creators}
    return {
        f"task_{number:02}_{name}": _arranged(name, make, group_of.get(name, ""))
        for number, (name, make) in enumerate(found.items())
    }


def _arranged(name: str, make: Creator, group: str) -> Creator:
    def create() -> Iterator[object]:
        for task in generate_tasks(name, make()):
            if not group:
                task.subtask_of = task.subtask_of or STEP
            elif not task.subtask_of:
                task.doc = f"{group:<8} {task.doc}"
            yield task

    return create
