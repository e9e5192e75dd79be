"""What is said of a design that runs layer by layer: its engines, what takes longest, what the model leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

from aieloom.cost.power import Energy, Work, energy_of
from aieloom.plan.energy import plan_work
from aieloom.sequential import recurrent_unit, row_unit, vector
from aieloom.sequential.cost import ISSUES, MODEL
from aieloom.sequential.engine import NAME
from aieloom.sequential.onchip.engine import MEMORY
from aieloom.sequential.plan import InTurn, engines_of
from aieloom.sequential.steps import Step
from aieloom.strategies.array_gemm.plan import NAME as ARRAY
from aieloom.units.plan import Plan, interval_us, resources, time_by_cause
from aieloom.units.types import PROCESSOR, Turn
from aieloom.words import duration, plural

WORDS = {
    ARRAY: "array",
    NAME: "engine",
    vector.NAME: "vector unit",
    row_unit.NAME: "row unit",
    recurrent_unit.NAME: "recurrent unit",
    MEMORY: "array's rows",
    PROCESSOR: "processor",
}


def on(turn: Turn) -> str:
    """Return who does a turn, for people: an engine, a unit, the processor, or layers' cores of their own."""
    return WORDS.get(turn.units[0], "cores")


def costed(plan: Plan) -> tuple[Turn, ...]:
    """Return the turns that take time, with those of no command."""
    return tuple(turn for turn in plan.schedule.turns if turn.times)


def latency_us(plan: Plan) -> float:
    """Return the modelled time of a batch, from its images in the host program's memory to its outputs."""
    return plan.schedule.batch * sum(turn.total_us for turn in plan.schedule.turns)


def bytes_per_image(plan: Plan) -> float:
    """Return the bytes that cross the engines' memory ports."""
    return sum(turn.bytes for turn in plan.schedule.turns)


def leaves_out(plan: Plan) -> tuple[str, ...]:
    """Say what the modelled rate does not count."""
    design = engines_of(plan)
    shown = " and ".join(f"{mhz:g}" for mhz in sorted({design.engine.clock_mhz, design.mhz}))
    return (
        "how images come into the host program's memory: reading, decoding and scaling of pictures",
        f"synthesis: that the logic closes timing at {shown} MHz is assumed",
        "everybody else at the memory controllers, and refreshes beyond the board file's rates",
        "the first start: configuration of the device, weights on their way into its memory",
    )


def issued_by(plan: Plan) -> str:
    """Say who issues commands, and how often a kernel is started for a batch."""
    array = engines_of(plan).array
    if not array:
        return "the host program's, one at a time"
    starts = next((turn.op for turn in plan.schedule.turns if turn.name == ISSUES), "no start")
    if array.sequencer == "host":
        return f"the host program's, one at a time: {starts} of the issuer a batch"
    return f"a sequencer's in the logic, which reads them from device memory: {starts} a batch"


def energy(plan: Plan) -> Energy | None:
    """Return what an image takes, modelled; None where nothing public says what the board draws."""
    design = engines_of(plan)
    array, beside = design.array, plan_work(design.spatial.plan, 1.0) if design.spatial else None
    busy = 0.0
    if array:
        elsewhere = {s.layer for s in design.in_logic} | design.forms.keys()
        products = sum(s.products for s in design.products if s.layer not in elsewhere)
        busy = products / (1e3 * array.peak_gops / 2 / array.cores)
    work = Work(
        interval_us=interval_us(plan),
        busy_us=busy + (beside.busy_us if beside else 0.0),
        tiles=(array.cores if array else 0) + (beside.tiles if beside else 0.0),
        logic=((design.mhz, asdict(resources(plan))),),
        bytes=bytes_per_image(plan),
    )
    return energy_of(plan.board, work)


def lines(plan: Plan) -> tuple[str, ...]:
    """Return what is decided, in a few lines."""
    design, batch = engines_of(plan), plan.schedule.batch
    on_them = sum(s.layer not in design.forms for s in design.products)
    times = time_by_cause(plan)
    shown = ", ".join(f"{duration(us)} {what}" for what, us in times.items())
    slowest = sorted(costed(plan), key=lambda turn: -turn.total_us)[:5]
    return (
        f"execution: {'spatial and sequential' if design.spatial else 'sequential'}: {design.reason}",
        *_parts(plan, design),
        *_engines(design),
        *(f"  {line}" for line in plan.board.logic.crowded(asdict(resources(plan)), design.mhz)),
        f"  {on_them} layers on {'them' if design.array and design.in_logic else 'it'}, "
        f"{design.macs / 1e6:,.1f} million products an image; "
        f"{len(design.forms)} {_unit(design)}, {_beside(plan, design)}"
        f"{len(design.functions)} on the processor",
        f"  commands: {issued_by(plan)}",
        f"  device memory: {design.weights_bytes / 1e6:,.1f} MB of weights, {design.memory_bytes / 1e6:,.1f} MB of tensors "
        f"for {batch} image{'s' * (batch > 1)} at a time; "
        f"{bytes_per_image(plan) / 1e6:,.1f} MB cross the engine's ports an image",
        f"  an image: {shown}; bound by {next(iter(times), 'nothing')}",
        *(
            f"  {turn.name}: {turn.op} on the {on(turn)}, {duration(turn.total_us)} an image, most of it {turn.bound}"
            for turn in slowest
        ),
        *(f"  energy: {e.text}" for e in [energy(plan)] if e),
    )


def _parts(plan: Plan, design: InTurn) -> Iterator[str]:
    """Yield a line for each part of a network whose layers do not all run alike."""
    if not design.spatial:
        return
    at = design.steps.index(design.spatial)
    yield from _in_turn(plan, design.steps[:at])
    own = design.spatial.why
    yield f"  spatial: {own[0]}; {own[1]}"
    yield from _in_turn(plan, design.steps[at + 1 :])


def _in_turn(plan: Plan, steps: tuple[Step, ...]) -> Iterator[str]:
    names = {s.layer for s in steps}
    us = sum(turn.total_us for turn in plan.schedule.turns if turn.name in names)
    if steps:
        yield f"  sequential: {steps[0].layer} to {steps[-1].gives}: {us:,.1f} us an image (modelled)"


def _engines(design: InTurn) -> Iterator[str]:
    engine = design.engine
    if design.array:
        yield f"engine on the AI Engine array of {engine.board.name} ({MODEL}):"
        yield from (f"  {line}" for line in design.array.why())
    if design.in_logic:
        yield f"convolution engine in the logic of {engine.board.name} ({MODEL}):"
        yield from (f"  {line}" for line in engine.why())
        if design.array:
            yield f"  for {', '.join(s.layer for s in design.in_logic)}"
    if design.recurrent:
        yield f"recurrent unit in the logic of {engine.board.name} ({MODEL}):"
        yield from (f"  {line}" for line in design.recurrent.why())


def _unit(design: InTurn) -> str:
    if design.staying:
        return "by the rows' movers"
    return "on the vector unit" + (f" ({design.unit.lanes} elements a cycle)" if design.unit else "")


def _beside(plan: Plan, design: InTurn) -> str:
    on = Counter(task.unit for task in plan.tasks)
    rows = f"{on[row_unit.NAME]} on {plural(design.row_unit.units, 'row unit')}, " if design.row_unit else ""
    return rows + (f"{on[recurrent_unit.NAME]} on the recurrent unit, " if design.recurrent else "")
