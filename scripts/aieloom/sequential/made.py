"""The end of planning layers in turn: their engines, commands and costs as units, tasks, links, buffers and turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aieloom.network.tensor import TensorType
from aieloom.plan.whole import whole
from aieloom.sequential import commands as c
from aieloom.sequential import row_unit
from aieloom.sequential.kernels import links_of, units_of
from aieloom.sequential.listing import tensors_of
from aieloom.sequential.onchip.engine import MEMORY
from aieloom.sequential.plan import InTurn, engines_of
from aieloom.sequential.remarks import lines
from aieloom.sequential.steps import task_of
from aieloom.spec.network import INPUT
from aieloom.units.plan import Plan
from aieloom.units.types import HOST, PROCESSOR, VIEW, Schedule, Task, Time, Turn

# Who executes commands that have no cost of their own; what is not here is the processor's.
UNITS = {c.Columns: row_unit.NAME, c.Bring: MEMORY, c.Give: MEMORY}


def plan_of(
    design: InTurn,
    project: str,
    xy: tuple[TensorType, TensorType],
    *,
    batch: int,
    turns: Sequence[Turn],
    costs: Sequence[Turn],
) -> Plan:
    """Return the plan of the network from `xy[0]` to `xy[1]`.

    `turns` are the commands with what they do, without times; `costs` have the times of a batch of `batch` images by name.
    """
    streams = whole(design.spatial.plan) if design.spatial else None
    own = units_of(design)
    done = tuple(_timed(turns, costs, batch, streams))
    made = Plan(
        project=project,
        board=design.engine.board,
        x=xy[0],
        y=xy[1],
        tasks=tuple(_tasks(design, done, streams)),
        units=(*own, HOST, *(streams.units if streams else ())),
        links=(*links_of(design, own, costs), *(streams.links if streams else ())),
        buffers=(*tensors_of(done, batch), *(streams.buffers if streams else ())),
        schedule=Schedule(kind="commands", batch=batch, turns=done),
        body=design,
    )
    return replace(made, remarks=lines(made))


def with_reason(plan: Plan, reason: str) -> Plan:
    """Return a plan with another reason why it is as it is."""
    made = replace(plan, body=replace(engines_of(plan), reason=reason))
    return replace(made, remarks=lines(made))


def _timed(turns: Sequence[Turn], costs: Sequence[Turn], batch: int, streams: Plan | None) -> Iterator[Turn]:
    """Yield the turns with the times of an image, then those of no command: what it takes to issue them."""
    left = {(cost.name, cost.op): cost for cost in costs}
    for turn in turns:
        found = left.pop((turn.name, turn.op), None)
        unit = UNITS.get(type(turn.record), PROCESSOR)
        made = replace(turn, units=found.units if found else (unit,))
        if found:
            made = replace(made, times=_of_image(found, batch), ahead=found.ahead)
        if streams and isinstance(turn.record, c.Spatial):
            (inner,) = streams.schedule.turns
            times = tuple(replace(t, unit=inner.units[0]) for t in made.times)
            made = replace(made, units=inner.units, tasks=inner.tasks, times=times)
        yield made
    yield from (replace(cost, times=_of_image(cost, batch)) for cost in left.values())


def _of_image(cost: Turn, batch: int) -> tuple[Time, ...]:
    return tuple(
        replace(t, us={what: us / batch for what, us in t.us.items()}, bytes=t.bytes / batch)
        for t in cost.times
    )


def _tasks(design: InTurn, turns: Sequence[Turn], streams: Plan | None) -> Iterator[Task]:
    on = {name: turn.units[0] for turn in turns for name in turn.tasks}
    # What none of them makes is brought, as of a layer alone.
    made = {name for s in design.steps for name in (s.layer, s.gives)}
    for step in design.steps:
        if streams and step is design.spatial:
            known = {INPUT: step.inputs[0]}
            for task in streams.tasks:
                yield replace(task, inputs=tuple(known.get(name, name) for name in task.inputs))
        else:
            task = task_of(step, on.get(step.layer, VIEW), step)
            yield replace(task, inputs=tuple(name if name in made else INPUT for name in task.inputs))
