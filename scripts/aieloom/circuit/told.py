"""What is said of a circuit: of the whole in a few lines, and of a layer why its process is as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from aieloom.circuit.fold import MODEL, NAME, Circuit, Fold, folds
from aieloom.units.plan import Plan, interval_us
from aieloom.units.types import Cause, Task


def bottleneck(plan: Plan) -> str:
    """Return what decides the rate."""
    circuit_us, host_us = (turn.total_us for turn in plan.schedule.turns)
    if host_us > circuit_us:
        return "the host program"
    slowest = max(plan.tasks, key=lambda task: task.read(Fold).cycles)
    circuit = plan.units[0].read(Circuit)
    at_ends = circuit.cycles[Cause.COMPUTE] < circuit.interval
    return "loads and results, an element a cycle" if at_ends else slowest.name


def lines(plan: Plan, reason: str) -> tuple[str, ...]:
    """Return what is decided, in a few lines; it is a circuit for a `reason`."""
    unit, mhz = plan.units[0], plan.in_logic[NAME].clock_mhz
    circuit, use = unit.read(Circuit), unit.use
    return (
        f"a circuit in the logic of {plan.board.name} at {mhz:g} MHz ({MODEL}): {reason}",
        f"  {sum(fold.products for fold in folds(plan))} products of int8 a cycle; "
        f"{use.dsp} DSP, {use.lut} LUT, {use.ff} FF, {use.bram36} block RAMs, modelled",
        *(f"  {line}" for line in plan.board.logic.crowded(asdict(use), mhz)),
        f"  an image every {circuit.interval:,} cycles ({mhz * 1e6 / circuit.interval:,.0f} images/s), "
        f"{circuit.latency:,} cycles to its result; with the host program {1e6 / interval_us(plan):,.0f} images/s, "
        f"{plan.schedule.batch:,} images a start; bound by {bottleneck(plan)}",
        *(f"  {task.name}: {task.op}, {_work(task.read(Fold))}" for task in plan.tasks),
    )


def _work(fold: Fold) -> str:
    across = f"{fold.lanes} outputs x {fold.depth} inputs" if fold.products else f"{fold.lanes} channels"
    return f"{across} a cycle, {fold.cycles:,} cycles an image"


def why(plan: Plan, task: Task) -> Iterator[str]:
    """Yield what a layer does side by side, how long by the model, what the other layers take."""
    fold = task.read(Fold)
    yield f"{task.name}: {task.op}, {task.x} to {task.y}, a process of its own in the logic"
    if fold.products:
        yield f"  {fold.lanes} output channels x {fold.depth} input channels: {fold.products} products a cycle"
        yield f"  {fold.weights:,} B of weights, constants of the circuit: new weights are a new bitstream"
    else:
        yield f"  {fold.lanes} channels a cycle"
    interval, mhz = plan.units[0].read(Circuit).interval, plan.in_logic[NAME].clock_mhz
    yield f"  {fold.cycles:,} cycles an image, where an image comes every {interval:,} at {mhz:g} MHz (modelled)"
    yield "  the fewest products that keep the interval; it is the shortest for which the board has DSP slices and LUTs"
