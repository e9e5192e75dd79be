"""What line buffers, queues and tasks of a streaming kernel take of the device (estimates)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aieloom.network.tensor import TensorType
from aieloom.pl.line_store import LineStage, LineTasks, Queue
from aieloom.pl.steps import LineTable, PlStep
from aieloom.pl.storage import BRAM_SHARE, URAM_WORDS
from aieloom.spec.device import Device
from aieloom.spec.types import DataType

LUTRAM_BITS = 32  # that a LUT shifts [AM004]
# Words of a memory that is made of LUTs: four cells of 64 words, whose choice is one more LUT a bit [AM005, LUTRAM]. Even of
# 32 bits it takes a smaller share of a device's LUTs (one for 32 bits, that choice included) than half a block RAM of its BRAM.
LUTRAM_WORDS = 256
# 32-bit words of half a block RAM (18 Kb as 512 x 36), which has a port each to write and read
BRAM18_WORDS = 512
ROM_PORTS = 2  # a table in block RAM is read twice a cycle [UG1399 bind_storage: rom_np adds copies]
LUT_PER_READER = 500  # loop, address of a beat (estimate)
LUT_PER_COPY = 900  # address generator of im2col: constant divisions of short numbers (estimate)
LUT_PER_WRITER = 600  # schedule and stream register (estimate)
LUT_PER_STAGE = 900  # loop, schedule, addresses of a window's rows and columns (estimate)
LUT_PER_OWN_ROWS = 20  # a table of rows and an addition for each beat and writer (estimate)
FIFO_DEPTH = 32  # of the queues between tasks: one LUT shift register per bit [AM004]
BRAM36_SHAPES = ((72, 512), (36, 1024), (18, 2048), (9, 4096))  # bits x words of one block RAM [AM007]
URAM_BITS = 72
FIFO_EXTRA_BITS = 18  # address, bank and validity of a beat (estimate)


def memories(device: Device, x: TensorType, arrays: int, depth: int) -> tuple[str, int, int]:
    """Return the memory of `arrays` of `depth` elements, a port to write and one to read each: kind, block RAMs, UltraRAMs."""
    if depth <= LUTRAM_WORDS:
        return "lutram", 0, 0
    narrow = 4 if x.dtype is DataType.INT8 else 1
    halves = -(-depth // (BRAM18_WORDS * narrow))
    bram = -(-arrays * halves // 2)
    if bram <= device.logic.room(device.clocks.default_pl_mhz).bram36 * BRAM_SHARE or depth < URAM_WORDS // 2:
        return "bram", bram, 0
    return "uram", 0, arrays * -(-depth // URAM_WORDS)


def lutram_luts(x: TensorType, arrays: int, depth: int) -> int:
    """Return the LUTs of `arrays` of `depth` elements that are made of LUTs."""
    return arrays * depth * x.dtype.bytes * 8 // LUTRAM_BITS


def queue_of(device: Device, name: str, what: str, *, images: int, depth: int, bits: int) -> Queue:
    """Return a queue: LUTs where it is short, block RAM up to a share of it, then UltraRAM."""
    made = Queue(name=name, what=what, images=images, depth=depth, bits=bits, storage="lutram")
    if depth <= 2 * FIFO_DEPTH:
        return made
    bram = min(-(-bits // width) * -(-depth // words) for width, words in BRAM36_SHAPES)
    if bram <= device.logic.room(device.clocks.default_pl_mhz).bram36 * BRAM_SHARE:
        return replace(made, storage="bram", bram36=bram)
    uram = -(-bits // URAM_BITS) * -(-depth // URAM_WORDS)
    return replace(made, storage="uram", uram288=uram)


def stage_memories(device: Device, stage: LineStage, ways: int) -> tuple[str, int, int]:
    """Return the memory of a stage's line buffers, one on each way; folds of whole images lie in LUTs."""
    if stage.step.passes:
        queues = stage.queues
        return stage.storage, sum(q.bram36 for q in queues), sum(q.uram288 for q in queues)
    if stage.whole:
        return "lutram", 0, 0
    return memories(device, stage.step.x, ways * stage.row_banks * stage.banks, stage.depth)


def table_bram(step: PlStep, beat: int) -> int:
    """Return the block RAMs of a table that `beat` values look into in a cycle."""
    reads = beat * (2 if isinstance(step.detail, LineTable) else 1)
    return step.bram36 * -(-reads // ROM_PORTS)


def stage_luts(stage: LineStage, ways: int) -> int:
    """Return the LUTs of a stage: its tasks, the choice among its memories, the folds, LUTs as memory, queues."""
    lines, size = stage.step.lines, stage.step.x.dtype.bytes * 8
    if stage.step.passes:
        kept = sum(q.bits * (1 + q.depth // LUTRAM_BITS) for q in stage.queues if q.storage == "lutram")
        return ways * (stage.step.passes.lut + kept)
    assert lines is not None
    taps = stage.out_beat * lines.kernel[0] * lines.kernel[1]
    folds = stage.beat if stage.whole else taps
    chosen = 0 if stage.whole else taps * size // 2  # each tap from one of its row's banks
    folded = stage.depth * size // 16 * stage.whole
    places = stage.row_banks * stage.banks if stage.wraps else 0  # each takes any value of a beat
    placed = places * stage.beat * size // 4
    queue = stage.beat * size + FIFO_EXTRA_BITS
    return ways * (LUT_PER_STAGE + folds * lines.lut + chosen + placed + folded + queue) + stage_lutram(
        stage, ways
    )


def stage_lutram(stage: LineStage, ways: int) -> int:
    """Return the LUTs of a stage's line buffers."""
    if stage.step.passes or stage.whole or stage.storage != "lutram":
        return 0
    return lutram_luts(stage.step.x, ways * stage.row_banks * stage.banks, stage.depth)


def stage_dsp(stage: LineStage, ways: int) -> int:
    """Return the DSPs of a stage's folds: of floats each tap has an adder or a comparator of its own."""
    lines = stage.step.lines
    if stage.step.passes:
        return ways * stage.step.passes.dsp
    assert lines is not None
    taps = 1 if stage.whole else stage.out_beat * lines.kernel[0] * lines.kernel[1]
    return ways * (taps * lines.dsp + (stage.step.dsp - lines.dsp if lines.dsp else 0))


def writer_luts(plan: LineTasks, x: TensorType, writers: int, out_lanes: int) -> int:
    """Return the LUTs of the writers and of the queues before them."""
    size = x.dtype.bytes * 8
    queues = plan.ways * (writers + (writers > 1)) * (plan.beat * size + FIFO_EXTRA_BITS)
    chosen = plan.ways * out_lanes * size // 2  # the word's bits from one of the ways' banks
    if plan.skew is not None:  # which value of a beat, or of a word, a bank has
        chosen += plan.ways * plan.copies * plan.banks * (plan.beat + plan.pixels) * size // 4
    arrays = plan.ways * plan.copies * plan.banks
    lutram = lutram_luts(x, arrays, plan.depth) if plan.storage == "lutram" else 0
    queues += plan.ways * writers * LUT_PER_OWN_ROWS if plan.own_rows else 0
    return queues + writers * (LUT_PER_WRITER + plan.copies * LUT_PER_COPY + chosen + lutram)


def reader_luts(plan: LineTasks, levels: Sequence[tuple[int, Sequence[PlStep]]]) -> int:
    """Return the LUTs of the readers, and of functions of values at each level: (values side by side, functions)."""
    functions = sum(beat * sum(s.lut for s in steps) for beat, steps in levels)
    return plan.readers * LUT_PER_READER + plan.ways * functions
