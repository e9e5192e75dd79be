"""The end of planning layers with cores of their own: units, tasks, links, buffers and turns of what is on the array.

Cores, ways within the array and streams by their names are told here for the engine on the array and for products over it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from aieloom.pl.kernel import PlKernel
from aieloom.pl.movers import MoverPlan
from aieloom.plan.clocks import origin
from aieloom.plan.linked import handed_on
from aieloom.plan.rates import banks, batch_images
from aieloom.plan.step import Step
from aieloom.plan.types import ArrayPart, Connection, PlioPlan
from aieloom.plan.wire import AIE
from aieloom.spec.device import Device
from aieloom.units import plan as one
from aieloom.units import types as u
from aieloom.units.types import logic_use

WORK = u.Cause.COMPUTE
CAUSES = {"aie": WORK, "pl": WORK, "mover": u.Cause.STREAM, "ps": u.Cause.HOST}  # by kind of stage


def whole(plan: ArrayPart) -> one.Plan:
    """Return the plan of a design that is this part alone."""
    segments = plan.processor.segments if plan.processor else ()
    host = (u.Unit(name=s.stage, body=s, place=None) for s in segments if s.steps)
    units = (*cores_of(plan), *(_in_logic(plan, unit) for unit in plan.units), *host)
    owners = {step.name: kernel.name for kernel in plan.pl for step in kernel.steps}
    owners |= {step.name: segment.stage for segment in segments for step in segment.steps}
    tasks = tuple(task_of(step, owners.get(step.name, step.name)) for step in plan.tile_steps)
    held = (
        u.Buffer(name=b.name, where="memory_tile", offset=b.offset, bytes=b.copies * b.bytes, tile=b.tile)
        for b in plan.buffers
    )
    return one.Plan(
        project=plan.project,
        board=plan.device,
        x=plan.x,
        y=plan.y,
        tasks=tasks,
        units=units,
        links=(*wired(plan.connections, units, plan.plios), *_memory(plan), *inside(plan)),
        buffers=tuple(held),
        schedule=u.Schedule(
            kind="stream", batch=batch_images(plan), turns=tuple(_turns(plan, tasks)), copies=plan.copies
        ),
        remarks=plan.remarks,
        body=plan,
    )


def task_of(step: Step, unit: str) -> u.Task:
    """Return a step as what a unit does, which has it as its body or among its steps."""
    return u.Task(
        name=step.name,
        layers=(step.name, *step.fused),
        op=step.op,
        xs=(step.x, *step.others),
        y=step.y,
        inputs=step.inputs,
        unit=unit,
    )


def cores_of(plan: ArrayPart) -> Iterator[u.Unit]:
    """Yield the layers on cores as units; those of further copies share the bodies of the first's."""
    for i, layer in enumerate(plan.all_aie):
        needs = sum(need.total_bytes for need in layer.draft.needs)
        yield u.Unit(
            name=layer.name,
            body=layer.draft,
            place=u.Cores(kernels=layer.kernels),
            use=u.Use(cores=len(layer.kernels) + len(layer.feeders), memory_bytes=len(layer.kernels) * needs),
            lead="" if i < len(plan.aie) else plan.aie[i % len(plan.aie)].name,
        )


def _in_logic(plan: ArrayPart, unit: MoverPlan | PlKernel) -> u.Unit:
    kernels, movers = [g for g in plan.pl if g is unit], [m for m in plan.movers if m is unit]
    names = tuple(f"{unit.name}_{i + 1}" for i in range(plan.copies))
    return placed(plan.device, unit, names, logic_use((*kernels, *movers), plan.copies))


def placed(device: Device, body: MoverPlan | PlKernel, names: tuple[str, ...], use: u.Use) -> u.Unit:
    """Return a kernel in the logic with its compute units."""
    mhz = body.clock_mhz
    place = u.Logic(instances=names, clock_mhz=mhz, clock_origin=origin(device, mhz))
    return u.Unit(name=body.name, body=body, place=place, use=use)


def wired(
    connections: Iterable[Connection], units: Iterable[u.Unit], plios: Sequence[PlioPlan]
) -> Iterator[u.Link]:
    """Yield the streams of system.cfg as links between units."""
    places = ((unit.name, unit.place) for unit in units if isinstance(unit.place, u.Logic))
    at = {name: (unit, i) for unit, place in places for i, name in enumerate(place.instances)}
    at |= {f"{AIE}.{p.name}": (p.layer, (*p.kernels, 0)[0]) for p in plios}
    ways = {f"{AIE}.{p.name}": u.Plio(name=p.name, is_input=p.is_input) for p in plios}

    def end(text: str) -> u.End:
        instance, _, port = text.partition(".")
        unit, number = at[text if text in ways else instance]
        return u.End(unit=unit, port=port, instance=number)

    for c in connections:
        way = ways.get(c.source) or ways.get(c.target) or u.Fifo(depth=c.depth)
        yield u.Link(source=end(c.source), target=end(c.target), way=way, bits=c.bits)


def _memory(plan: ArrayPart) -> Iterator[u.Link]:
    tags = banks(plan)
    for number in range(plan.copies):
        for m in plan.movers:
            end = u.End(unit=m.name, port="memory", instance=number)
            yield u.Link(source=end, target=None, way=u.Bank(tag=tags[m.name]), bits=m.memory_bits)


def inside(plan: ArrayPart) -> Iterator[u.Link]:
    """Yield the ways within the array: along cascades, between neighbours that share memory, through memory tiles."""
    chained = ((la.name, i) for la in plan.all_aie for i, kernel in enumerate(la.kernels) if kernel.link)
    for name, i in chained:
        before, after = (u.End(unit=name, port="cascade", instance=n) for n in (i - 1, i))
        yield u.Link(source=before, target=after, way=u.Inside(by="cascade"))
    for first, second in handed_on(plan.all_aie):
        before, after = u.End(unit=first, port="out[0]"), u.End(unit=second, port="in[0]")
        yield u.Link(source=before, target=after, way=u.Inside(by="neighbour"))
    for b in plan.buffers:
        way = u.Inside(by="memory_tile", buffer=b.name)
        for side, a in (*(("out", a) for a in b.writers), *(("in", a) for a in b.readers)):
            ends = (u.End(unit=a.layer, port=f"{side}[{a.port}]", instance=k) for k in a.kernels)
            yield from (u.Link(source=end, target=None, way=way) for end in ends)


def _turns(plan: ArrayPart, tasks: Sequence[u.Task]) -> Iterator[u.Turn]:
    """Yield the turns of a batch: layers on the processor, a subgraph of the device, and so on; times are of whole images."""
    streams = [(s.mm2s.name, *s.kernels, *s.layers, s.s2mm.name) for s in plan.subgraphs]
    stages = [(s.stage,) for s in plan.processor.segments] if plan.processor else [()] * (len(streams) + 1)
    for group in (g for pair in zip(stages, (*streams, ()), strict=True) for g in pair):
        found = [s for s in plan.cost.stages if s.name in group]
        names = tuple(s.name for s in found)
        share = {s.name: 1 if s.kind == "ps" else plan.tiles / plan.copies for s in found}
        times = (u.Time(unit=s.name, us={CAUSES[s.kind]: share[s.name] * s.interval_us}) for s in found)
        own = tuple(t.name for t in tasks if t.unit in names)
        if found:
            yield u.Turn(units=names, tasks=own, times=tuple(times))


def partition_lines(plan: ArrayPart) -> Iterator[str]:
    """Yield a line for each layer on the processor, with the reason, and for each of several subgraphs."""
    for step in plan.processor.steps if plan.processor else ():
        yield f"{step.name} (op {step.op}) runs on the processor: {step.reason}"
    for subgraph in plan.subgraphs:
        yield from subgraph_lines(plan, subgraph.name)


def subgraph_lines(plan: ArrayPart, layer: str) -> Iterator[str]:
    """Yield a line about the subgraph of a layer; none where the device has one subgraph, or the layer is not on it."""
    for number, s in enumerate(plan.subgraphs, 1):
        if len(plan.subgraphs) > 1 and layer in s.layers:
            layers = f"'{s.name}'" if s.name == s.receives else f"'{s.name}' to '{s.receives}'"
            yield (
                f"subgraph {number} of the device is {layers}: '{s.sends}' comes from memory by {s.mm2s.name}, "
                f"the result goes back by {s.s2mm.name}"
            )
