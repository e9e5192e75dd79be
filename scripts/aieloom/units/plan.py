"""The one plan: what every kind of design is turned into, and what is asked of all of them by the same function."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

from pydantic import BaseModel

from aieloom.network.tensor import TensorType
from aieloom.spec.board import Board
from aieloom.spec.network import INPUT
from aieloom.units.types import (
    Buffer,
    Cause,
    Cores,
    Inside,
    KindT,
    Link,
    Logic,
    Plio,
    Schedule,
    Task,
    Unit,
    Use,
)

LAYING = "waiting for the processor, which lays out the next images"
EXACT = 1e-9  # microseconds: less is rounding of sums


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A design as units, tasks, links, buffers and a schedule; plan.json is this, printed."""

    project: str
    board: Board
    x: TensorType
    y: TensorType
    tasks: tuple[Task, ...]  # in order of evaluation
    units: tuple[Unit, ...]  # in the order in which tools are told of them
    links: tuple[Link, ...]
    buffers: tuple[Buffer, ...] = ()
    schedule: Schedule
    remarks: tuple[str, ...] = ()  # what there is to say of it as a whole, for people
    body: object = None  # what who planned it must know of it as a whole

    def read(self, kind: type[KindT]) -> KindT:
        """Return the body, which was made as a `kind`."""
        assert isinstance(self.body, kind)
        return self.body

    def unit(self, name: str) -> Unit:
        """Return a unit by its name."""
        return next(u for u in self.units if u.name == name)

    @property
    def tensor_bytes(self) -> int:
        """Bytes of device memory in which tensors lie."""
        return max((b.offset + b.bytes for b in self.buffers if b.where == "device"), default=0)

    @property
    def in_logic(self) -> dict[str, Logic]:
        """The places of the kernels in the logic."""
        return {u.name: u.place for u in self.units if isinstance(u.place, Logic)}

    @property
    def on_cores(self) -> dict[str, Cores]:
        """The places of the groups of cores."""
        return {u.name: u.place for u in self.units if isinstance(u.place, Cores)}


def resources(plan: Plan) -> Use:
    """Return what the design takes of the device: of units, of links into and out of the array, of memory tiles."""
    ways = [link.way for link in plan.links if isinstance(link.way, Plio)]
    tiles = {t for place in plan.on_cores.values() for kernel in place.kernels for t in kernel.memory_tiles}
    whole = Use(
        tiles=len(tiles),  # units may use the memory of one tile
        memory_tiles=len({b.tile for b in plan.buffers if b.tile}),
        plio_in=sum(way.is_input for way in ways),
        plio_out=sum(not way.is_input for way in ways),
    )
    return reduce(Use.__add__, (u.use for u in plan.units), whole)


def ahead_us(plan: Plan) -> float:
    """Return the modelled time of an image of what is done ahead, for the next batch."""
    return sum(turn.total_us for turn in plan.schedule.turns if turn.ahead)


def interval_us(plan: Plan) -> float:
    """Return the modelled time between two images, of a whole batch's.

    Turns follow one another, the slowest unit of a turn sets its time. What is done ahead goes on beside all of it, on the
    processor, whose cores share it with what the processor has to do in the turns.
    """
    beside = sum(turn.total_us for turn in plan.schedule.turns if not turn.ahead)
    shared = sum(
        t.us.get(Cause.HOST, 0.0) for turn in plan.schedule.turns if not turn.ahead for t in turn.times
    )
    return max(beside, ahead_us(plan) + shared / plan.board.processor.cores)


def time_by_cause(plan: Plan) -> dict[str, float]:
    """Return the modelled microseconds of an image by what they go to, the most first; they add up to its interval."""
    found: dict[str, float] = {}
    for turn in plan.schedule.turns:
        for what, us in turn.us.items() if not turn.ahead else ():
            found[what] = found.get(what, 0.0) + us
    waits = interval_us(plan) - sum(found.values())
    if waits > EXACT:
        found[LAYING] = waits
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def faults(plan: Plan) -> Iterator[str]:
    """Yield what of a plan does not hang together; nothing of a sound one."""
    names = [u.name for u in plan.units]
    yield from (f"{names.count(name)} units are called {name}" for name in {*names} if names.count(name) > 1)
    turns = plan.schedule.turns
    told = [(f"task {t.name}", t.unit) for t in plan.tasks] + [(f"unit {u.name}", u.lead) for u in plan.units]
    told += [("a turn", name) for turn in turns for name in (*turn.units, *(t.unit for t in turn.times))]
    yield from (f"{who} names {unit}, which is no unit" for who, unit in told if unit and unit not in names)
    yield from _order_faults(plan)
    yield from _link_faults(plan)


def _order_faults(plan: Plan) -> Iterator[str]:
    """Yield the tasks that are not in exactly one turn, and those that read what is not made before them."""
    turns = plan.schedule.turns
    done = [name for turn in turns for name in turn.tasks]
    at = {name: number for number, turn in enumerate(turns) for name in turn.tasks}
    made = {INPUT: 0}
    units = {task.name: task.unit for task in plan.tasks}
    for name in (n for turn in turns for n in turn.tasks if units.get(n) not in turn.units):
        yield f"a turn has {name}, which is no task of its units"
    for task in plan.tasks:
        if task.unit and done.count(task.name) != 1:
            yield f"task {task.name} is in {done.count(task.name)} turns"
        unknown = [name for name in task.inputs if name not in made]
        yield from (f"task {task.name} reads {name}, which nothing before it makes" for name in unknown)
        ready = max((made[name] for name in task.inputs if name in made), default=0)
        now = at.get(task.name, ready)
        if now < ready:
            yield f"task {task.name} is in turn {now}, what it reads is made in turn {ready}"
        made |= dict.fromkeys((task.name, *task.layers), now)


def _link_faults(plan: Plan) -> Iterator[str]:
    """Yield the ends of links that are at no compute unit or core, and the buffers and lives that are none."""
    counts = {name: len(place.instances) for name, place in plan.in_logic.items()}
    counts |= {name: len(place.kernels) for name, place in plan.on_cores.items()}
    ends = [end for link in plan.links for end in (link.source, link.target) if end]
    yield from (f"{end} is nowhere" for end in ends if not 0 <= end.instance < counts.get(end.unit, 0))
    named = {link.way.buffer for link in plan.links if isinstance(link.way, Inside)} - {""}
    yield from (f"{name} is no buffer" for name in named - {b.name for b in plan.buffers})
    for b in plan.buffers:
        if not 0 <= b.life[0] <= b.life[1] < len(plan.schedule.turns):
            yield f"buffer {b.name} lives from turn {b.life[0]} to {b.life[1]}"


Settings: TypeAlias = Mapping[str, Any]  # keys of network.yaml with their values
# Settings one after another, each answered with the plan that it makes, or None where it has none.
Choices: TypeAlias = Generator[Settings, Plan | None, None]


def as_json(value: object) -> object:
    """Return a plan (or a part) as what JSON can hold: dataclasses as objects, enums by value, no functions."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        printed = (f.name for f in dataclasses.fields(value) if f.metadata.get("printed", True))
        return {name: as_json(getattr(value, name)) for name in printed}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, dict):
        return {str(k): as_json(v) for k, v in value.items()}
    if isinstance(value, list | tuple | frozenset):
        items = [as_json(v) for v in value]
        return sorted(items, key=str) if isinstance(value, frozenset) else items  # hashing says no order
    return value
