"""A design that runs layer by layer as the one plan. It dies when such designs are made so (issue 41, "in turn")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from aieloom.plan.adapter import adapted as spatially
from aieloom.plan.adapter import cores_of, inside, wired
from aieloom.plan.clocks import origin
from aieloom.sequential import commands as c
from aieloom.sequential import cost, row_unit
from aieloom.sequential import recurrent_unit as ru
from aieloom.sequential import vector as vu
from aieloom.sequential.array import MOVER_MHZ
from aieloom.sequential.emit_array import ISSUER_PORTS, MEMORY_PORTS, connections, counts, trained_ports
from aieloom.sequential.engine import NAME, PORTS
from aieloom.sequential.heads_cost import ROWS
from aieloom.sequential.listing import layer_commands, tensors_of
from aieloom.sequential.onchip import cost as chip
from aieloom.sequential.onchip import emit as on_rows
from aieloom.sequential.onchip.engine import MEMORY
from aieloom.sequential.plan import TAKEN, SequentialPlan
from aieloom.sequential.steps import gives, task_of
from aieloom.spec.network import INPUT
from aieloom.strategies.array_gemm.plan import NAME as ARRAY
from aieloom.units import plan as one
from aieloom.units import types as u
from aieloom.units.logic import clock_origin, tags_of

WORK = (cost.ENGINE, cost.ARRAY, cost.VECTOR, ROWS, ru.UNIT, chip.MAKE, chip.FOLD)
CAUSES = {
    **dict.fromkeys(WORK, u.Cause.COMPUTE),
    **dict.fromkeys((cost.SPATIAL, chip.SEND, chip.STORE), u.Cause.STREAM),
    **dict.fromkeys((cost.READS, chip.WEIGHTS), u.Cause.READ),
    cost.WRITES: u.Cause.WRITE,
    cost.BANK: u.Cause.BANK,
    cost.PROCESSOR: u.Cause.HOST,
    **dict.fromkeys((cost.STARTS, chip.ENDS), u.Cause.START),
}
UNITS = {
    "engine": NAME,
    "array": ARRAY,
    "array's rows": ARRAY,
    "vector unit": vu.NAME,
    "row unit": row_unit.NAME,
    "recurrent unit": ru.NAME,
    "processor": u.PROCESSOR,
}  # by what a cost is on
# Commands of no layer: the unit that does them, and what the costs call them.
OTHERS: Mapping[type, tuple[str, str]] = {
    c.Input: (u.PROCESSOR, "input"),
    c.Output: (u.PROCESSOR, "output"),
    c.Convert: (u.PROCESSOR, ""),
    c.Columns: (row_unit.NAME, ""),
    c.Bring: (MEMORY, "images to rows"),
    c.Give: (MEMORY, "results of rows"),
}


def adapted(plan: SequentialPlan) -> one.Plan:
    """Return the plan as units, tasks, links, buffers and turns; layers with cores of their own are tasks like others."""
    array = plan.array.gemm.array if plan.array and plan.array.gemm else None
    streams = spatially(plan.spatial.plan) if plan.spatial else None
    own = (
        *(replace(unit, use=unit.use + _use(plan.array)) for unit in (cores_of(array) if array else ())),
        *_kernels(plan),
        u.HOST,
    )
    ways = on_rows.connections(plan.staying) if plan.staying else ()
    if plan.array and not plan.staying:
        ways = connections(plan.array, _beside(plan))
    return one.Plan(
        project=plan.project,
        board=plan.engine.board,
        x=plan.x,
        y=plan.y,
        tasks=tuple(_tasks(plan, streams)),
        units=(*own, *(streams.units if streams else ())),
        links=(
            *wired(ways, own, array.plios if array else ()),
            *_memory(plan),
            *(inside(array) if array else ()),
            *(streams.links if streams else ()),
        ),
        buffers=(*tensors_of(plan), *(streams.buffers if streams else ())),
        schedule=u.Schedule(kind="commands", batch=plan.batch, turns=tuple(_turns(plan, streams))),
        remarks=plan.lines(),
    )


def _tasks(plan: SequentialPlan, streams: one.Plan | None) -> Iterator[u.Task]:
    on = {(row.layer, row.op): UNITS.get(row.on, u.VIEW) for row in plan.costs}
    told = {name for name, *_ in layer_commands(plan)}
    made = {
        name for step in plan.steps for name in (step.layer, gives(step))
    }  # others are brought, as of a layer alone
    for step in plan.steps:
        if streams and plan.spatial and step.layer == plan.spatial.layer:
            known = {INPUT: step.inputs[0]}
            for task in streams.tasks:
                yield replace(task, inputs=tuple(known.get(name, name) for name in task.inputs))
        else:
            unit = on.get((step.layer, step.op), u.PROCESSOR if step.layer in told else u.VIEW)
            task = task_of(step, unit, step)
            yield replace(task, inputs=tuple(name if name in made else INPUT for name in task.inputs))


def _use(of: object) -> u.Use:
    return u.Use(**{what: getattr(of, name, 0) for what, name in TAKEN.items()})


def _beside(plan: SequentialPlan) -> dict[str, int]:
    """Return the compute units of the kernels beside an array's movers."""
    found = {vu.NAME: plan.unit, row_unit.NAME: plan.row_unit}
    return {name: unit.units if unit else 0 for name, unit in found.items()}


def _ports(plan: SequentialPlan) -> dict[str, tuple[str, ...]]:
    """Return the memory ports of each kernel, in the order in which the linker is told of them."""
    if plan.staying:
        return on_rows.memory_ports(plan.staying)
    array = plan.array
    movers = {**MEMORY_PORTS, array.issuer: ISSUER_PORTS[array.sequencer]} if array else {}
    ports = {vu.NAME: vu.PORTS, row_unit.NAME: row_unit.PORTS, ru.NAME: ru.PORTS}
    there = {vu.NAME: plan.unit, row_unit.NAME: plan.row_unit, ru.NAME: plan.recurrent}
    engine = {NAME: PORTS} if plan.has_engine else {}
    return movers | engine | {name: ports[name] for name, unit in there.items() if unit}


def _instances(plan: SequentialPlan, kernel: str) -> tuple[str, ...]:
    if plan.staying:
        return on_rows.unit_names(plan.staying, kernel)
    numbers = {**counts(plan.array), **_beside(plan)} if plan.array else {}
    return tuple(f"{kernel}_{i + 1}" for i in range(numbers.get(kernel, 1)))


def _kernels(plan: SequentialPlan) -> Iterator[u.Unit]:
    board, array = plan.engine.board, plan.array
    mhz = MOVER_MHZ if array else plan.engine.clock_mhz
    clock = origin(array.device, mhz) if array else clock_origin(board)
    bodies = {NAME: plan.engine, vu.NAME: plan.unit, row_unit.NAME: plan.row_unit, ru.NAME: plan.recurrent}
    for kernel in _ports(plan):
        body = bodies.get(kernel)
        place = u.Logic(instances=_instances(plan, kernel), clock_mhz=mhz, clock_origin=clock)
        lead = "" if body else ARRAY
        yield u.Unit(name=kernel, body=body or array, place=place, use=_use(body), lead=lead)


def _memory(plan: SequentialPlan) -> Iterator[u.Link]:
    """Yield the memory ports: weights lie apart from tensors, where the board has two banks and one does not carry both."""
    tags = tags_of(plan.engine.board)
    for kernel, ports in _ports(plan).items() if tags else ():
        trained = () if plan.in_one_bank else trained_ports(kernel)
        for number, port in product(range(len(_instances(plan, kernel))), ports):
            tag = tags[-1 if port in trained else 0]
            tag = on_rows.bank_of(plan.staying, kernel, number) if plan.staying else tag
            end = u.End(unit=kernel, port=port, instance=number)
            yield u.Link(source=end, target=None, way=u.Bank(tag=tag))


def _turns(plan: SequentialPlan, streams: one.Plan | None) -> Iterator[u.Turn]:
    """Yield a turn for each command, and one for what it takes to issue them."""
    named = _named(plan)
    ops = {step.layer: step.op for step in plan.steps}
    costs = {(row.layer, row.op): row for row in plan.costs}
    rest = {row.layer: row for row in plan.costs if ops.get(row.layer) != row.op}
    for number, command in enumerate(plan.commands):
        name, (unit, what) = named.get(number), OTHERS.get(type(command), ("", ""))
        found = costs.get((name, ops[name])) if name else rest.pop(what, None)
        on = UNITS.get(found.on, u.PROCESSOR) if found else u.PROCESSOR
        units: tuple[str, ...] = (on if name else unit,)
        tasks: tuple[str, ...] = (name,) if name else ()
        if streams and isinstance(command, c.Spatial):
            (turn,) = streams.schedule.turns
            units, tasks = turn.units, turn.tasks
        times = (_time(units[0], found, plan.batch),) if found else ()
        ahead = bool(found and found.meanwhile)
        yield u.Turn(units=units, tasks=tasks, times=times, record=command, ahead=ahead)
    for found in rest.values():
        yield u.Turn(units=(u.PROCESSOR,), times=(_time(u.PROCESSOR, found, plan.batch),))


def _named(plan: SequentialPlan) -> dict[int, str]:
    """Return the layer of each command that has one; a rounding is a conversion behind what it rounds."""
    at = {name: number for name, number, _ in layer_commands(plan)}
    costed = {(row.layer, row.op) for row in plan.costs}
    seen: dict[str, int] = {}  # of what leaves values where they lie
    for step in (s for s in plan.steps if s.layer not in at):
        before = {**seen, **at}.get(step.inputs[0], 0)
        if (step.layer, step.op) in costed:
            behind = enumerate(plan.commands[before + 1 :], before + 1)
            free = (i for i, made in behind if isinstance(made, c.Convert) and i not in at.values())
            at[step.layer] = next(free)
        else:
            seen[step.layer] = before
    return {number: name for name, number in at.items()}


def _time(unit: str, found: cost.StepCost, batch: int) -> u.Time:
    us: dict[u.Cause, float] = {}
    for what, value in found.us.items():
        us[CAUSES[what]] = us.get(CAUSES[what], 0.0) + value / batch
    return u.Time(unit=unit, us=us)
