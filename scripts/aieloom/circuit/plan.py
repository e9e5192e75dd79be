"""Which products each layer of a circuit does side by side, and what the circuit takes of a board.

Each layer is a process that computes `lanes` output channels from `depth` input channels a cycle; between two lies a frame of
elements, twice, so that layers work on different images. Of the cycles of a process that fit the board the fewest are taken, or
the most with which an image takes hardly longer, and of the ways to keep to them the one of fewest products for each layer.
Processes of their own read and write all images of a batch, so that nothing waits for memory but the first one.
Nothing of it was synthesised: operators are those of matrix_engine/operators.yaml, what else is a guess is marked [U].
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace

from aieloom.circuit.fold import NAME, Circuit, Fold, folded, folds, ways
from aieloom.circuit.told import lines
from aieloom.errors import CannotFit, Problem
from aieloom.layout.grid import Window
from aieloom.matrix_engine.arithmetic import resources_of, steps_of
from aieloom.matrix_engine.block import Budget, split
from aieloom.network.layers import Network
from aieloom.network.tensor import TensorType, as_float
from aieloom.ops import REGISTRY
from aieloom.sequential.engine import FINISH_DSP, FINISH_LUT
from aieloom.sequential.lowering import element_of
from aieloom.sequential.lowering import steps_of as network_steps
from aieloom.sequential.reached import MEMORY_CYCLES
from aieloom.sequential.steps import Step, task_of
from aieloom.sequential.vector import Operation, VectorForm, vector_form
from aieloom.spec.board import Board
from aieloom.spec.network import INPUT
from aieloom.units.logic import kernel
from aieloom.units.plan import Choices, Plan, Settings
from aieloom.units.types import HOST, PROCESSOR, Cause, Schedule, Use, turn

RULE = "circuit-1"
PIPELINE = 12  # cycles from a process's first element to its last result, its start and its end [U]
STAGE_LUT = 600  # counters and addresses of a process [U]
PORT_LUT = 4_000  # of both memory ports [U]
LUT_BITS = 64  # of a constant or of memory that a LUT holds [UG474, AM005]
NEARLY = 1.01  # times the least time of an image, for a smaller circuit
BATCH = 4096  # images of a start of the circuit: at most, and of at most BATCH_BYTES
BATCH_BYTES = 1 << 24
REMEDY = (
    "use execution: sequential, which has an engine for every size and the processor for all other layers"
)


def plan_circuit(network: Network, board: Board, operators: Mapping[str, object], reason: str) -> Plan:
    """Decide everything about a network as a circuit.

    Raises:
        CannotFit: a layer has no form in a circuit, or the board has no room for the smallest one.
    """
    smallest, cycles = _smallest(network, network_steps(network, operators)), network.spec.sized.cycles
    x, y, mhz = as_float(network.x), as_float(network.y), board.clocks.default_pl_mhz
    batch = max(1, min(BATCH, BATCH_BYTES // (x.elements + y.elements)))
    host_us: dict[str, float] = {Cause.HOST: _host_us(board, x.elements + y.elements, batch)}
    bounds = [cycles] if cycles else _bounds(smallest)

    def image_us(cycles: int) -> float:
        return _circuit(x, y, _folds(smallest, cycles)).interval / mhz + host_us[Cause.HOST]

    for room in map(Budget.of, board.rooms):
        least = bisect_left(bounds, True, key=lambda c: _taken(_folds(smallest, c), room) is not None)
        if least < len(bounds):
            break
    else:
        raise _no_room(network, board, smallest, cycles)
    near = bisect_right(bounds, NEARLY * image_us(bounds[least]), key=image_us)
    layers = _folds(smallest, bounds[near - 1])
    use = _taken(layers, room)
    assert use is not None
    circuit = _circuit(x, y, layers)
    unit, links = kernel(board, NAME, ("x", "y"), body=circuit, clock_mhz=mhz, use=use)
    tasks = tuple(task_of(layer.step, NAME, layer) for layer in layers)
    us: dict[str, float] = {max(circuit.cycles, key=circuit.cycles.__getitem__): circuit.interval / mhz}
    turns = (turn(NAME, us, *(task.name for task in tasks)), turn(PROCESSOR, host_us))
    plan = Plan(
        project=network.spec.name,
        board=board,
        x=x,
        y=y,
        tasks=tasks,
        units=(unit, HOST),
        links=links,
        schedule=Schedule(kind="stream", batch=batch, turns=turns),
    )
    return replace(plan, remarks=lines(plan, reason))


def choices(network: Network, board: Board) -> Choices:
    """Yield the numbers of cycles that make a difference to some layer, within the board's margin where any fits it."""
    smallest = _smallest(network, network_steps(network, REGISTRY)) if not network.spec.sized.cycles else ()
    for room in map(Budget.of, board.rooms):
        fitting = [cycles for cycles in _bounds(smallest) if _taken(_folds(smallest, cycles), room)]
        yield from ({"engine": {"where": "pl", "cycles": cycles}} for cycles in fitting)
        if fitting:
            return


def said(plan: Plan) -> Settings:
    """Return the circuit as network.yaml says it: the cycles of its slowest layer that could take fewer."""
    free = (fold.cycles for fold in folds(plan) if fold.cycles > min(way.cycles for way in ways(fold)))
    return {"execution": "spatial", "engine": {"where": "pl", "cycles": max(free, default=1)}}


def _host_us(board: Board, values: int, batch: int) -> float:
    """Return the host program's time for an image: elements and results, its share of a start and synchronisations."""
    cpu = board.processor
    return values * cpu.cycles_per_operation / cpu.mhz + (cpu.kernel_start_us + 2 * cpu.sync_us) / batch


def _bounds(smallest: Sequence[Fold]) -> list[int]:
    """Return the numbers of cycles of a layer that make a difference, the fewest first."""
    return sorted({way.cycles for layer in smallest for way in ways(layer)})


def _folds(smallest: Sequence[Fold], cycles: int) -> tuple[Fold, ...]:
    """Return the processes of which none takes more than so many cycles, or as few as it can."""
    return tuple(folded(layer, cycles) for layer in smallest)


def _circuit(x: TensorType, y: TensorType, layers: Sequence[Fold]) -> Circuit:
    """Return what an image takes in the processes, and from end to end: memory has two processes more on each side."""
    computed = [layer.cycles + PIPELINE for layer in layers]
    ends = {Cause.READ: x.elements + PIPELINE, Cause.WRITE: y.elements + PIPELINE}
    latency = sum(ends.values()) + sum(computed) + 2 * (MEMORY_CYCLES + 2 * PIPELINE)
    return Circuit(cycles={**ends, Cause.COMPUTE: max(computed)}, latency=latency)


def _smallest(network: Network, steps: Sequence[Step]) -> tuple[Fold, ...]:
    """Return each layer's process that takes least, however long.

    Raises:
        CannotFit: with a problem for each layer that a circuit has no form of.
    """
    spec = network.spec
    if element_of(network) != "int8":
        text = f"engine: pl makes a circuit of the whole network, whose elements are int8; {spec.name} is float32"
        remedy = "write quantize: {activations: int8, weights: int8, ...}, or use execution: sequential"
        raise CannotFit(spec.source.problem(RULE, ("engine",), text, remedy))
    if spec.inputs:
        text = f"{spec.name} has {len(spec.inputs)} inputs: a circuit takes one"
        raise CannotFit(spec.source.problem(RULE, ("inputs",), text, REMEDY))
    found: list[Fold] = []
    problems: list[Problem] = []
    before = INPUT
    for step in steps:
        window = _window(step)
        if step.inputs != (before,):
            text = f"layer '{step.layer}' reads {', '.join(step.inputs)}: in a circuit each layer reads the one before it"
            problems.append(spec.source.problem(RULE, spec.at_mapping(step.layer), text, REMEDY))
        elif window:
            weights = step.y.shape[0] * window.taps if isinstance(window, Window) else 0
            cycles = step.y.elements * window.taps
            found.append(Fold(step=step, window=window, cycles=cycles, weights=weights))
        else:
            text = f"layer '{step.layer}' ({step.op}) has no form in a circuit: products, functions of elements, max_pool do"
            problems.append(spec.source.problem(RULE, spec.at_mapping(step.layer), text, REMEDY))
        before = step.gives
    if problems:
        raise CannotFit(problems)
    return tuple(found)


def _window(step: Step) -> Window | VectorForm | None:
    """Return the places of a layer's input that an element of its output is made of; None of what has no form in a circuit."""
    if step.product:
        return step.product.window
    form = vector_form(step.called, "int8") if step.called else None
    return form if form and form.operation in (Operation.TABLE, Operation.MAXIMUM) else None


def _taken(layers: Sequence[Fold], whole: Budget) -> Use | None:
    """Return what processes take of the logic; None where the board has less."""
    lanes = sum(layer.lanes for layer in layers if layer.products)
    finish_dsp, finish_lut = lanes * FINISH_DSP["int8"], lanes * FINISH_LUT["int8"]
    frames = sum(layer.step.x.elements + layer.step.y.elements for layer in layers)  # each lies there twice
    held = sum(layer.weights for layer in layers) + 2 * frames  # bytes
    lut = finish_lut + len(layers) * STAGE_LUT + PORT_LUT + 8 * held // LUT_BITS
    rest = replace(whole, dsp=whole.dsp - finish_dsp, lut=whole.lut - lut)
    products = sum(layer.products for layer in layers)
    if rest.dsp < 0 or rest.lut < 0:
        return None
    counts = split(products, "int8", rest) if products else (0,) * len(steps_of("int8"))
    if counts is None:
        return None
    dsp, more, ff = resources_of("int8", counts)
    return Use(dsp=finish_dsp + dsp, lut=lut + more, ff=ff + 2 * lut)


def _no_room(network: Network, board: Board, smallest: Sequence[Fold], cycles: int | None) -> CannotFit:
    spec, logic = network.spec, board.logic
    layers = [folded(layer, cycles) for layer in smallest] if cycles else smallest
    which = (
        f"circuit of {spec.name} whose layers take {cycles:,} cycles"
        if cycles
        else f"smallest circuit of {spec.name}"
    )
    products, kilobytes = sum(f.products for f in layers), sum(f.weights for f in layers) / 1e3
    text = (
        f"the {which} has {products} products a cycle and {kilobytes:,.1f} kB of weights as "
        f"constants, which the {logic.dsp:,} DSP slices and {logic.lut:,} LUTs of {board.name} do not hold"
    )
    remedy = "allow more cycles: engine: {where: pl, cycles: ...}" if cycles else REMEDY
    return CannotFit(spec.source.problem(RULE, ("engine",), text, remedy))
