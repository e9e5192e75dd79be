"""What the model says of a design that runs layer by layer: microseconds of every step, and what bounds it.

The engine: for each tile of output channels and block of pixels, loads and products of a part of K overlap, so the slowest of
the three counts; the results follow, in words. A port gives a word a cycle, no more than the board's ports were seen to read
and write; all ports together no more than a bank. Weights are read again for each block of output pixels, those of
all images of a batch counted together. The vector unit: the slowest of its loads, folds and stores. The processor:
a layer's operations and its tensors laid out and back, in the cycles of an operation that the board's file has; starts and
synchronisations as XRT's. Nothing overlaps between two steps, but that the next batch's
images are laid out while one is computed. Nothing
of it was measured on a board: the clock is the board file's, how well loads reach a word a cycle [U].
"""

from __future__ import annotations

from collections.abc import Mapping

from aieloom.layout.channel_words import LANES, words_of
from aieloom.plan.rates import run_starts
from aieloom.sequential import vector
from aieloom.sequential.engine import CHANNEL_BYTES, NAME, ConvEngine
from aieloom.sequential.reached import MAKE, PORTS, WRITE
from aieloom.sequential.spatial import CORES, SpatialStep
from aieloom.sequential.steps import ConvStep, Mode, Step
from aieloom.sequential.vector import LARGEST_TABLE, Operation, VectorForm, VectorUnit, word_bytes
from aieloom.sequential.weights import filled, rows_of, tiles_of
from aieloom.spec.board import Board
from aieloom.spec.network import Sequencer
from aieloom.units import types as units
from aieloom.units.types import Cause, Turn, turn

MODEL = "model of the engines, their movers and the processor; nothing of it is measured"
FILL_CYCLES = 100  # a part's pipelines, and the first words of its bursts [U]
# An element of an image: 51 vector instructions for 16 (g++ 12, -O2), two a cycle on a Cortex-A72, are 1.6 [U].
QUANTISED_CYCLES = 2
ISSUES = "commands"  # what it takes to issue them stands among the layers' costs
SPATIAL = "layers with cores of their own"
PROCESSOR: str = Cause.HOST
ENGINE, ARRAY, VECTOR, READS, WRITES, BANK, STARTS = (
    "the engine's products",
    "the array",
    "the vector unit",
    "a memory port that reads",
    "the memory port that writes",
    "the memory bank",
    "kernel starts and synchronisations",
)


def done(step: Step, unit: str, us: Mapping[str, float], moved: float) -> Turn:
    """Return a step's turn on a unit, for all images of a batch; `moved` bytes cross memory ports."""
    return turn(unit, us, name=step.layer, op=step.op, bytes=moved)


def conv_cost(step: ConvStep, engine: ConvEngine, batch: int) -> Turn:
    """Return what a layer on the engine takes for `batch` images."""
    board, mhz = engine.board, engine.clock_mhz
    read_us, write_us = (
        max(1 / mhz, engine.word_bytes / rate) for rate in (board.memory.read_mb_s, board.memory.write_mb_s)
    )  # MB/s are bytes a microsecond
    sets = batch * step.sets if step.sets else 1  # each with weights of its own
    pixels = step.window.height if step.sets else batch * step.y.pixels
    tiles = tiles_of(step, engine)
    rows, out_words = rows_of(step), engine.out // LANES
    depthwise = step.mode is Mode.DEPTHWISE
    area = step.window.kernel[0] * step.window.kernel[1]
    x_words = area * (
        out_words if depthwise else filled(step.window.channels // step.engine_groups, LANES) // LANES
    )
    parts = -(-x_words // engine.depth)
    totals = dict.fromkeys((ENGINE, READS, WRITES, BANK), 0.0)
    moved, ends_us = 0, 0.0
    whole, rest = divmod(pixels, engine.block_pixels)
    for count, times in ((engine.block_pixels, whole), (rest, 1 if rest else 0)):
        if not times:
            continue
        rounds = max(-(-count // engine.pixels), engine.turns)
        cycles = area * rounds * engine.pixels * -(-out_words // PORTS) if depthwise else rows * rounds
        products_us = (cycles + parts * FILL_CYCLES) / mhz
        # words of pixels that fill the rounds up are made, a cycle each, not read
        loads_us = max(
            count * x_words * read_us, rounds * engine.pixels * x_words / mhz, rows * out_words * read_us
        )
        bytes_in = (count * x_words + rows * out_words) * engine.word_bytes
        bank_us = bytes_in / board.memory.bank_mb_s
        ends_us = ends_us or min(products_us, max(loads_us, bank_us)) / parts
        slowest = max(products_us, loads_us, bank_us)
        kind = ENGINE if slowest == products_us else READS if slowest == loads_us else BANK
        totals[kind] += times * tiles * slowest
        written = count * min(out_words, words_of(step.y.shape[0] // step.engine_groups))
        bursts = 1 if written == count * words_of(step.y.shape[0]) else count
        totals[WRITES] += times * tiles * (written * write_us + (MAKE + bursts * WRITE) / mhz)
        moved += times * tiles * (bytes_in + written * engine.word_bytes)
    totals = {what: sets * us for what, us in totals.items()}
    moved *= sets
    # the first part is loaded before anything is multiplied, the last one multiplied when all is loaded
    totals[READS] += ends_us + tiles * engine.out * CHANNEL_BYTES / board.memory.read_mb_s
    totals[STARTS] = board.processor.kernel_start_us
    return done(step, NAME, {k: v for k, v in totals.items() if v}, moved)


def vector_cost(
    step: Step, *, form: VectorForm, unit: VectorUnit, board: Board, mhz: float, batch: int, start_us: float
) -> Turn:
    """Return what a layer on the vector unit takes for `batch` images: loads, folds and stores overlap, the slowest counts."""
    facts, wide = board.memory, word_bytes(unit.element)
    each = -(-batch // unit.units)  # images of a unit
    words = step.y.pixels * words_of(step.y.shape[0])
    tensors = 2 if form.operation is Operation.ADD else 1
    turns = step.y.pixels * unit.turns(words_of(step.y.shape[0]), form.taps)
    moved = batch * words * (form.taps * tensors + 1) * wide
    times = {
        VECTOR: (each * turns * unit.interval + FILL_CYCLES + (LARGEST_TABLE if form.table else 0)) / mhz,
        READS: each * words * form.taps * wide / facts.read_mb_s,
        WRITES: each * words * wide / facts.write_mb_s,
        BANK: moved / facts.bank_mb_s,
    }
    slowest = max(times, key=lambda what: times[what])
    us = {slowest: times[slowest], STARTS: start_us}
    return done(step, vector.NAME, us, moved)


def processor_cost(layer: str, op: str, *, operations: int, elements: int, board: Board, batch: int) -> Turn:
    """Return what the processor takes: operations of an image, elements that are laid out, a buffer made coherent each way."""
    cpu = board.processor
    us = batch * (operations + elements) * cpu.cycles_per_operation / cpu.mhz
    return turn(units.PROCESSOR, {PROCESSOR: us, STARTS: 2 * cpu.sync_us}, name=layer, op=op)


def images_cost(board: Board, *, elements: int, laid: int, quantised: bool, batch: int) -> Turn:
    """Return what the network's input takes, which threads of all cores lay out while the batch before is computed.

    `elements` of an image are converted, `laid` of them laid out beside that.
    """
    cpu = board.processor
    cycles = elements * (QUANTISED_CYCLES if quantised else cpu.cycles_per_operation)
    cycles += laid * cpu.cycles_per_operation
    us = {PROCESSOR: batch * cycles / cpu.mhz / cpu.cores, STARTS: 2 * cpu.sync_us}
    return turn(units.PROCESSOR, us, name="input", op="network's input", ahead=True)


def issues_cost(board: Board, sequencer: Sequencer, *, programs: int, layers: int) -> Turn:
    """Return what it takes to issue a batch's layers on the array, all of whose movers are started once and wait for them.

    A sequencer in the logic is started for each program of layers that follow one another, which is brought to memory and whose
    status comes back; the host program starts the issuer for each layer.
    """
    cpu, by_host = board.processor, sequencer == "host"
    starts = layers if by_host else programs
    us = starts * (cpu.kernel_start_us + (0 if by_host else 2 * cpu.sync_us))
    op = f"{starts} start{'s' * (starts != 1)}"
    return turn(units.PROCESSOR, {STARTS: us}, name=ISSUES, op=op)


def results_cost(board: Board, *, elements: int, batch: int) -> Turn:
    """Return what the network's output takes: elements are laid out and become values."""
    return processor_cost(
        "output", "network's output", operations=elements, elements=elements, board=board, batch=batch
    )


def spatial_cost(step: SpatialStep, board: Board, batch: int) -> Turn:
    """Return what layers with cores of their own take of `batch` images, which the processor lays out for them and back.

    A conversion and a copy of each element, on both sides.
    """
    cost, cpu = step.plan.cost, board.processor
    elements = step.x.elements + step.y.elements
    streamed = (batch - 1) * cost.interval_us + cost.latency_us
    laid = batch * 2 * elements * cpu.cycles_per_operation / cpu.mhz
    kernels = 2 + run_starts(step.plan)
    starts = cpu.graph_start_us + kernels * cpu.kernel_start_us + 4 * cpu.sync_us
    us = {SPATIAL: streamed, PROCESSOR: laid, STARTS: starts}
    return done(step, CORES, us, batch * (step.x.bytes + step.y.bytes))
