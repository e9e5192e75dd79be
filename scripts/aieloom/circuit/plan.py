"""Which products each layer of a circuit does side by side, and what the circuit takes of a board.

Each layer is a process that computes `lanes` output channels from `depth` input channels a cycle; between two lies a frame of
elements, twice. Of the intervals of a process that fit the board the shortest is taken, and of the ways to keep it the one of
fewest products for each layer. An image is a call of the whole region: by UG1399 calls in a loop do not overlap, so the rate is
that of an image from end to end.
Nothing of it was synthesised: operators are those of matrix_engine/operators.yaml, what else is a guess is marked [U].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from aieloom.errors import CannotFit, Problem
from aieloom.hardware.margins import crowded
from aieloom.matrix_engine.arithmetic import resources_of, steps_of
from aieloom.matrix_engine.block import Budget, split
from aieloom.network.layers import Network
from aieloom.network.tensor import TensorType, as_float
from aieloom.pl.steps import PlStep
from aieloom.plan.processor import PsStep
from aieloom.sequential.engine import FINISH_DSP, FINISH_LUT
from aieloom.sequential.lowering import element_of
from aieloom.sequential.lowering import steps_of as network_steps
from aieloom.sequential.reached import MEMORY_CYCLES
from aieloom.sequential.steps import ConvStep, Step, gives
from aieloom.sequential.vector import Operation, VectorForm, vector_form
from aieloom.spec.board import Board
from aieloom.spec.network import INPUT

RULE = "circuit-1"
MODEL = "model of the circuit; nothing of it is measured"
PIPELINE = 12  # cycles from a process's first element to its last result, its start and its end [U]
STAGE_LUT = 600  # counters and addresses of a process [U]
PORT_LUT = 4_000  # of both memory ports [U]
LUT_BITS = 64  # of a constant or of memory that a LUT holds [UG474, AM005]
BATCH = 4096  # images of a start of the circuit: at most, and of at most BATCH_BYTES
BATCH_BYTES = 1 << 24
REMEDY = (
    "use execution: sequential, which has an engine for every size and the processor for all other layers"
)
WINDOWS = (Operation.MAXIMUM,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A layer's process: `lanes` output channels from `depth` input channels a cycle."""

    layer: str
    op: str
    x: TensorType
    y: TensorType
    lanes: int
    depth: int
    cycles: int  # of an image
    weights: int  # constants, in bytes

    @property
    def products(self) -> int:
        """Products of a cycle; 0 of a layer that multiplies nothing."""
        return self.lanes * self.depth if self.weights else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitPlan:
    """A network as a circuit."""

    project: str
    board: Board
    x: TensorType
    y: TensorType
    reason: str
    steps: tuple[Step, ...] = field(metadata={"printed": False})
    forms: Mapping[str, VectorForm] = field(metadata={"printed": False})
    stages: tuple[Stage, ...]
    clock_mhz: float
    batch: int
    dsp: int
    lut: int
    ff: int
    bram: int

    @property
    def logic_use(self) -> dict[str, int]:
        """What it takes of the logic, modelled."""
        return {"dsp": self.dsp, "lut": self.lut, "ff": self.ff, "bram36": self.bram}

    @property
    def interval_cycles(self) -> int:
        """Cycles from image to image: each is a call of the region, which waits for the one before [docs/hls-lint.md]."""
        return self.latency_cycles

    @property
    def latency_cycles(self) -> int:
        """Cycles from an image's first element to its last result; loads and results are a burst each."""
        cycles = (self.steps[0].x.elements, *(s.cycles for s in self.stages), self.steps[-1].y.elements)
        return sum(c + PIPELINE for c in cycles) + 2 * MEMORY_CYCLES

    @property
    def circuit_us(self) -> float:
        """Modelled time from image to image, of the circuit alone."""
        return self.interval_cycles / self.clock_mhz

    @property
    def host_us(self) -> float:
        """Modelled time of the host program for an image: elements and values, its share of a start and synchronisations."""
        cpu = self.board.processor
        values = self.x.elements + self.y.elements
        return (
            values * cpu.cycles_per_operation / cpu.mhz + (cpu.kernel_start_us + 2 * cpu.sync_us) / self.batch
        )

    @property
    def interval_us(self) -> float:
        """Modelled time of an image: circuit and host program, one after another."""
        return self.circuit_us + self.host_us

    @property
    def bottleneck(self) -> str:
        """What decides the rate."""
        if self.host_us > self.circuit_us:
            return "the host program"
        slowest = max(self.stages, key=lambda s: s.cycles)
        ends = self.steps[0].x.elements + self.steps[-1].y.elements + 2 * MEMORY_CYCLES
        return slowest.layer if slowest.cycles >= ends else "loads and results, in bursts of an image"

    def lines(self) -> tuple[str, ...]:
        """Return what is decided, in a few lines."""
        mhz = self.clock_mhz
        return (
            f"a circuit in the logic of {self.board.name} at {mhz:g} MHz ({MODEL}): {self.reason}",
            f"  {sum(s.products for s in self.stages)} products of int8 a cycle; "
            f"{self.dsp} DSP, {self.lut} LUT, {self.ff} FF, {self.bram} block RAMs, modelled",
            *(f"  {line}" for line in crowded(self.board.logic, self.logic_use, mhz)),
            f"  an image every {self.interval_cycles:,} cycles ({mhz * 1e6 / self.interval_cycles:,.0f} images/s), "
            f"{self.latency_cycles:,} cycles to its result; with the host program {1e6 / self.interval_us:,.0f} images/s, "
            f"{self.batch:,} images a start; bound by {self.bottleneck}",
            *(f"  {s.layer}: {_line(s)}" for s in self.stages),
        )


def _line(stage: Stage) -> str:
    work = f"{stage.cycles:,} cycles an image"
    if not stage.products:
        return f"{stage.op}, {stage.lanes} channels a cycle, {work}"
    return f"{stage.op}, {stage.lanes} outputs x {stage.depth} inputs a cycle, {work}"


def plan_circuit(network: Network, board: Board, operators: Mapping[str, object], reason: str) -> CircuitPlan:
    """Decide everything about a network as a circuit.

    Raises:
        CannotFit: a layer has no form in a circuit, or the board has no room for the smallest one.
    """
    steps = network_steps(network, operators)
    forms = _checked(network, steps)
    margin, whole = map(Budget.of, board.rooms)
    folded = _folded_into(steps, forms, margin) or _folded_into(steps, forms, whole)
    if folded is None:
        raise _no_room(network, board, _smallest(steps, forms))
    stages, taken = folded
    elements = steps[0].x.elements + steps[-1].y.elements
    return CircuitPlan(
        project=network.spec.name,
        board=board,
        x=as_float(network.x),
        y=as_float(network.y),
        reason=reason,
        steps=steps,
        forms=forms,
        stages=stages,
        clock_mhz=board.clocks.default_pl_mhz,
        batch=max(1, min(BATCH, BATCH_BYTES // elements)),
        dsp=taken.dsp,
        lut=taken.lut,
        ff=taken.ff,
        bram=taken.bram,
    )


def _folded_into(
    steps: tuple[Step, ...], forms: Mapping[str, VectorForm], budget: Budget
) -> tuple[tuple[Stage, ...], Budget] | None:
    """Return the fastest stages that a budget holds, and what they take of it; None where it holds none."""
    wanted = max(steps[0].x.elements, steps[-1].y.elements)
    slowest = max(_slowest(s, forms) for s in steps)
    while True:
        stages = tuple(_folded(s, forms, wanted) for s in steps)
        taken = _taken(stages, budget)
        if taken or wanted >= slowest:
            return (stages, taken) if taken else None
        wanted *= 2


def _smallest(steps: tuple[Step, ...], forms: Mapping[str, VectorForm]) -> tuple[Stage, ...]:
    """Return the stages that take least, however long."""
    slowest = max(_slowest(s, forms) for s in steps)
    return tuple(_folded(s, forms, slowest) for s in steps)


def _checked(network: Network, steps: tuple[Step, ...]) -> dict[str, VectorForm]:
    """Return the layers that are no products, as what is computed of them.

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
    forms: dict[str, VectorForm] = {}
    problems: list[Problem] = []
    before = INPUT
    for step in steps:
        form = vector_form(step, "int8") if isinstance(step, PlStep | PsStep) else None
        if step.inputs != (before,):
            text = f"layer '{step.layer}' reads {', '.join(step.inputs)}: in a circuit each layer reads the one before it"
            problems.append(spec.source.problem(RULE, spec.at_mapping(step.layer), text, REMEDY))
        elif isinstance(step, ConvStep):
            pass
        elif form is not None and form.operation in (Operation.TABLE, *WINDOWS):
            forms[step.layer] = form
        else:
            text = f"layer '{step.layer}' ({step.op}) has no form in a circuit: products, functions of elements, max_pool do"
            problems.append(spec.source.problem(RULE, spec.at_mapping(step.layer), text, REMEDY))
        before = gives(step)
    if problems:
        raise CannotFit(problems)
    return forms


def _slowest(step: Step, forms: Mapping[str, VectorForm]) -> int:
    """Return the cycles of a layer's smallest process."""
    return _cycles(step, forms, 1, 1)


def _cycles(step: Step, forms: Mapping[str, VectorForm], lanes: int, depth: int) -> int:
    outputs = step.y.shape[0] // lanes * step.y.pixels
    if isinstance(step, ConvStep):
        return outputs * step.window.taps // depth
    return outputs * forms[step.layer].taps


def _folded(step: Step, forms: Mapping[str, VectorForm], wanted: int) -> Stage:
    """Return a layer's process of fewest products a cycle that takes at most `wanted` cycles; else its fastest."""
    inputs = step.window.channels if isinstance(step, ConvStep) else 1
    ways = [(n, d) for n in _divisors(step.y.shape[0]) for d in _divisors(inputs)]
    fast = [w for w in ways if _cycles(step, forms, *w) <= wanted]
    lanes, depth = (
        min(fast, key=lambda w: (w[0] * w[1], w[0])) if fast else max(ways, key=lambda w: w[0] * w[1])
    )
    return Stage(
        layer=step.layer,
        op=step.op,
        x=step.x,
        y=step.y,
        lanes=lanes,
        depth=depth,
        cycles=_cycles(step, forms, lanes, depth),
        weights=step.y.shape[0] * step.window.taps if isinstance(step, ConvStep) else 0,
    )


def _divisors(number: int) -> Iterator[int]:
    return (d for d in range(1, number + 1) if number % d == 0)


def _taken(stages: tuple[Stage, ...], whole: Budget) -> Budget | None:
    """Return what processes take of the logic; None where the board has less."""
    finish_dsp = sum(s.lanes * FINISH_DSP["int8"] for s in stages if s.products)
    finish_lut = sum(s.lanes * FINISH_LUT["int8"] for s in stages if s.products)
    held = sum(
        s.weights + 2 * (s.x.elements + s.y.elements) for s in stages
    )  # bytes; a frame lies there twice
    lut = finish_lut + len(stages) * STAGE_LUT + PORT_LUT + 8 * held // LUT_BITS
    rest = replace(whole, dsp=whole.dsp - finish_dsp, lut=whole.lut - lut)
    products = sum(s.products for s in stages)
    if rest.dsp < 0 or rest.lut < 0:
        return None
    counts = split(products, "int8", rest) if products else (0,) * len(steps_of("int8"))
    if counts is None:
        return None
    dsp, more, ff = resources_of("int8", counts)
    return Budget(dsp=finish_dsp + dsp, lut=lut + more, ff=ff + 2 * lut, bram=0)


def _no_room(network: Network, board: Board, stages: tuple[Stage, ...]) -> CannotFit:
    spec, logic = network.spec, board.logic
    products, kilobytes = sum(s.products for s in stages), sum(s.weights for s in stages) / 1e3
    text = (
        f"the smallest circuit of {spec.name} has {products} products a cycle and {kilobytes:,.1f} kB of weights as "
        f"constants, which the {logic.dsp:,} DSP slices and {logic.lut:,} LUTs of {board.name} do not hold"
    )
    return CannotFit(spec.source.problem(RULE, ("engine",), text, REMEDY))
