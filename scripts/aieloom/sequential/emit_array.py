"""The files of an engine on the array: its kernels and graph, the movers, the sequencer, and how they are connected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aieloom.cpp_text import Constant, View, enumerators
from aieloom.layout.channel_words import LANES
from aieloom.ops.attention.integer import POWERS
from aieloom.ops.layer_norm.integer import FRACTION, SPREAD
from aieloom.plan.types import Connection
from aieloom.plan.wire import AIE
from aieloom.sequential import row_unit
from aieloom.sequential import vector as vu
from aieloom.sequential.array import (
    LOAD,
    MOST_TOGETHER,
    STORE,
    STREAM_WORD,
    SUM_INTERVAL,
    TAIL_WORDS,
    TILE_M,
    TILE_N,
    WEIGHTS,
    ArrayEngine,
)
from aieloom.sequential.engine import CHANNEL_BYTES, ConvEngine, Element
from aieloom.sequential.engine import NAME as CONV
from aieloom.sequential.float_rows import TURNS
from aieloom.sequential.row_unit import RowUnit
from aieloom.spec.network import Sequencer
from aieloom.strategies.array_gemm.view import kernel_values
from aieloom.words import plural

NUMBERS = 48  # of a layer that the sequencer sends
MOST_LAYERS = 1 << 16
SOURCES = ("gemm.h", "gemm.cc", "graph.h")  # of kernels and graph
TOP = "graph.cpp"
FOLDER = "engine/"  # of the engine's sources where the design has another graph beside it
GRAPH = View(header=f"{FOLDER}graph.h", graph_class="GemmGraph", graph_name="gemm_graph")
MOVERS = (LOAD, WEIGHTS, STORE)
MEMORY_PORTS = {
    LOAD: ("x",),
    WEIGHTS: ("w",),
    STORE: ("channels", "other", "y"),
}
ISSUER_PORTS: dict[Sequencer, tuple[str, ...]] = {"logic": ("program", "status"), "host": ()}
# Ports that share a master of the network on chip, in the tensors' bank: it reads and writes at the same time [UG1399 M_AXI
# Bundles], and tables are read before tensors are, or where nothing else is read.
BUNDLES = {
    CONV: (("x", "x"), ("w", "w"), ("channels", "y"), ("y", "y")),
    STORE: (("channels", "y"), ("other", "y"), ("y", "y")),
    vu.NAME: (("a", "y"), ("b", "b"), ("table", "b"), ("y", "y")),
    row_unit.NAME: (("x", "x"), ("w", "x"), ("y", "x")),
}
SEQUENCER_BUNDLES = (("program", "program"), ("status", "program"))
ELEMENTS: dict[Element, str] = {"int8": "std::int8_t", "float32": "float", "bfloat16": "std::uint16_t"}
EXPONENTIAL = "aieloom/pl/exponential.h"  # of the PL library
CONTROL_INCLUDES = ("#include <ap_axi_sdata.h>", "#include <ap_int.h>", "#include <hls_fence.h>")
ROW_REGISTERS = ("x_at", "table_at", "y_at", "operation", "images", "pixels", *"abcdef", "tiles", "passes")
PER_LINE = 16  # registers of a line of source
NO_LIMIT = (1 << 31) - 1  # of what has none
TRAINED = ("w", "channels", "table")  # ports that read weights


def trained_ports(kernel: str) -> tuple[str, ...]:
    """Return a kernel's ports of weights that may lie in another bank than tensors: they share no master."""
    bundles = dict(BUNDLES.get(kernel, ()))
    masters = [*bundles.values()]
    return tuple(port for port in TRAINED if masters.count(bundles.get(port, port)) <= 1)


def counts(array: ArrayEngine) -> dict[str, int]:
    """Return the compute units of each kernel."""
    return {LOAD: array.rows, WEIGHTS: array.columns, STORE: array.rows, array.issuer: 1}


def kernel_templates(array: ArrayEngine) -> dict[str, str]:
    """Return the kernels in the logic, each with its template."""
    return {kernel: f"sequential/array/{kernel}.cpp.j2" for kernel in (*MOVERS, array.issuer)}


def unit_names(array: ArrayEngine, kernel: str) -> tuple[str, ...]:
    """Return a kernel's compute units."""
    return tuple(f"{kernel}_{i + 1}" for i in range(counts(array)[kernel]))


def graph_files(folder: str) -> dict[str, str]:
    """Return the files of the engine's kernels and graph with their templates; the top file is its own where it is alone."""
    names = SOURCES if folder else (*SOURCES, TOP)
    return {f"src/aie/{folder}{name}": f"array_gemm/{name}.j2" for name in names}


def graph_values(array: ArrayEngine, folder: str) -> dict[str, Any]:
    """Return what the templates of kernels and graph print."""
    assert array.gemm
    return kernel_values(array.gemm, folder)


def row_values(engine: ConvEngine, array: ArrayEngine | None, unit: RowUnit, bursts: str) -> dict[str, Any]:
    """Return what the row unit's template prints: behind the sequencer of an array, or started by the processor."""
    controlled = array is not None
    integers = unit.element == "int8"
    return {
        "name": row_unit.NAME,
        "why": (
            f"{plural(unit.lanes, 'element')} of {unit.element} a cycle, {unit.units} of them: "
            f"{unit.dsp} DSP, {unit.lut} LUT, {unit.bram} block RAMs, modelled",
        ),
        "constants": (
            Constant("kLanes", LANES, "elements of a word of device memory"),
            Constant("kRowUnits", unit.units, "that share images"),
            Constant("kMostWords", unit.most_words, "of a row"),
            Constant("kNumbers", NUMBERS, "of a layer that the sequencer sends"),
            Constant(
                "kWordChannels",
                unit.word_bytes // CHANNEL_BYTES,
                "whose numbers beside weights lie in a word",
            ),
            *(_integer_row_constants(unit) if integers else ()),
            *(_held_constants(engine, array, unit) if unit.held_words else ()),
        ),
        "operations": enumerators(row_unit.RowOperation),
        "element": ELEMENTS[unit.element],
        "arithmetic": "sequential/row_unit/row_int8.j2" if integers else "sequential/row_unit/row_floats.j2",
        "lays_out": unit.held_words > 0,
        "hold": "sequential/row_unit/row_hold_int8.j2"
        if integers
        else "sequential/row_unit/row_hold_floats.j2",
        "sums": integers,
        "columns_template": "sequential/row_unit/columns_array.j2"
        if controlled
        else "sequential/row_unit/columns_engine.j2",
        "top": "sequential/row_unit/row_control.j2" if controlled else "sequential/row_unit/row_registers.j2",
        "registers": ROW_REGISTERS,
        "includes": (
            *(CONTROL_INCLUDES if controlled else ()),
            *(() if integers else ("#include <hls_math.h>", f'#include "../include/{EXPONENTIAL}"')),
        ),
        "controlled": (NUMBERS,) if controlled else (),
        "bundles": BUNDLES[row_unit.NAME],
        "bursts": bursts,
        **({} if integers else _float_row_values(unit)),
    }


def _float_row_values(unit: RowUnit) -> dict[str, Any]:
    """Return what the arithmetic of floats prints."""
    return {
        "elements": f"sequential/elements_{unit.element}.j2",
        "numbers": f"sequential/numbers_{unit.element}.j2",
        "word_numbers": unit.word_bytes // 4,
        "interval": unit.interval,
        "turns": TURNS,
    }


def _integer_row_constants(unit: RowUnit) -> tuple[Constant, ...]:
    """Return the sizes of a unit of integers."""
    return (
        Constant("kPowers", POWERS, "of the table of exponentials"),
        Constant("kFraction", FRACTION, "bits of a normalised value behind the point"),
        Constant("kSpread", SPREAD, "bits of a variance behind the point"),
        Constant("kMostSums", max(1, unit.most_sums), "columns of a head"),
        Constant("kApart", vu.APART["int8"], "turns from a channel's sum to its next element"),
    )


def _held_constants(engine: ConvEngine, array: ArrayEngine | None, unit: RowUnit) -> tuple[Constant, ...]:
    """Return the sizes of heads that are laid out."""
    laid = _laid_for_array(array) if array else _laid_for_logic(engine)
    held = Constant("kHeldWords", unit.held_words // LANES, "of each bank: keys or values of a head")
    return (held, *laid)


def _laid_for_array(array: ArrayEngine) -> tuple[Constant, ...]:
    """Return the sizes in which the array's movers read weights."""
    *_, block_n = array.mmul
    return (
        Constant("kParts", array.parts, "cores of a chain: parts of K"),
        Constant("kColumns", array.columns, "columns of chains"),
        Constant("kTileN", TILE_N, "columns of a core's tile"),
        Constant("kDepth", array.depth, "places of K of a core's tile"),
        Constant("kBlockN", block_n, "columns of an mmul"),
    )


def _laid_for_logic(engine: ConvEngine) -> tuple[Constant, ...]:
    """Return the sizes in which the engine in the logic reads weights."""
    return (
        Constant("kParts", 1, "part of K"),
        Constant("kColumns", 1, "column of tiles"),
        Constant("kTileN", engine.out, "columns of a tile"),
        Constant("kDepth", LANES, "places of K of a pass: a word of what is multiplied"),
    )


def logic_values(engine: ConvEngine) -> dict[str, int]:
    """Return what the host program knows of heads on the engine in the logic: one chain of one core, and no mover's limits."""
    return {
        "kDepth": LANES,
        "kTileChannels": engine.out,
        "kWeightWords": engine.out * engine.bytes,
        "kCacheWords": NO_LIMIT,
        "kLineWords": NO_LIMIT,
    }


def mover_values(
    array: ArrayEngine, *, vectors: int, row_units: int, finish: str, bursts: str
) -> dict[str, Any]:
    """Return what the templates of movers and sequencer print; `vectors` are vector units."""
    block_m, block_k, block_n = array.mmul
    row_bits = 8 * array.dtype.bytes * block_k
    integers = array.element == "int8"
    constants = (
        Constant("kLanes", LANES, "channels of a word of device memory"),
        Constant("kRows", array.rows, "rows of chains"),
        Constant("kParts", array.parts, "cores of a chain: parts of K"),
        Constant("kColumns", array.columns, "columns of chains"),
        Constant("kTileM", TILE_M, "pixels of a core's tile"),
        Constant("kTileN", TILE_N, "output channels of a core's tile"),
        Constant("kBlockM", block_m, "pixels of an mmul"),
        Constant("kBlockN", block_n, "output channels of an mmul"),
        Constant("kTileWords", array.depth // LANES, "words of K of a core's tile"),
        Constant("kTailWords", TAIL_WORDS, "stream words that say whether a pass is the last"),
        Constant("kWeightWords", array.weight_words, "stream words of a core's tile of weights"),
        Constant("kLineWords", array.line_words, "words of the input that a band sees, at most"),
        Constant("kCacheWords", array.cache_words, "words of weights of a part of K, at most"),
        Constant("kMostTogether", MOST_TOGETHER, "tiles of output channels that share loads, at most"),
        Constant("kAhead", 0, "layers are told when those before are done: their weights may be results"),
        Constant("kSumInterval", SUM_INTERVAL, "cycles of a word with a sum"),
        Constant("kBits", 8 * array.dtype.bytes, "of an element"),
        Constant("kRowBits", row_bits, "of a pixel's channels in an mmul"),
        Constant("kRowsOfPacket", 8 * STREAM_WORD // row_bits, "pixels of an mmul in a stream word"),
        Constant("kPackets", block_m * array.word_bytes // STREAM_WORD, "of a word of an mmul's pixels"),
        Constant("kBanks", LANES * block_m, "of a tile of sums: 16 neighbouring channels lie in as many"),
    )
    units = array.units
    beside = [plural(n, kind) for n, kind in ((vectors, "vector unit"), (row_units, "row unit")) if n]
    return {
        "load": LOAD,
        "weights": WEIGHTS,
        "store": STORE,
        **issuer_values(array, NUMBERS, "sequential/array/array_issue.j2", "kDoneUnits"),
        "why": array.why(),
        "constants": constants,
        "rows": array.rows,
        "columns": array.columns,
        "layer": "array",
        "cache_in": "uram",
        "lines_in": "bram" if array.lines_in_bram else "uram",
        "word_bits": 8 * array.word_bytes,
        "element": ELEMENTS[array.element],
        "sum": "std::int32_t" if integers else "float",
        "number_template": number_template(array.element),
        "and_vectors": f", and {' and '.join(beside)}" if beside else "",
        "finish_template": finish,
        "bursts": bursts,
        **{f"{k.removeprefix('array_')}_ports": ports for k, ports in MEMORY_PORTS.items()},
        "store_bundles": BUNDLES[STORE],
        "sequencer_constants": (
            Constant("kNumbers", NUMBERS, "words of a layer"),
            Constant("kMostLayers", MOST_LAYERS, "of a program"),
            Constant("kRows", array.rows, "movers that tell when a product is done"),
            Constant("kArrayUnits", units, "movers"),
            Constant("kVectorUnits", vectors, "vector units"),
            Constant("kRowUnits", row_units, "row units"),
            Constant("kUnits", units + vectors + row_units, "that take layers"),
            Constant("kDoneUnits", array.rows + vectors + row_units, "that tell when one is done"),
        ),
    }


def issuer_values(array: ArrayEngine, numbers: int, template: str, done_units: str) -> dict[str, Any]:
    """Return what the templates of sequencer and issuer print.

    `template` has how a layer of so many numbers is issued, `done_units` is its constant of units that tell when it is done.
    """
    names = [f"n{i}" for i in range(numbers)]
    lines = [names[i : i + PER_LINE] for i in range(0, numbers, PER_LINE)]
    return {
        "sequencer": array.issuer,
        "issue": template,
        "sequencer_bundles": SEQUENCER_BUNDLES,
        "registers": names,
        "register_lines": [", ".join(f"int {name}" for name in line) for line in lines],
        "value_lines": [", ".join(line) for line in lines],
        "done_units": done_units,
    }


def number_template(element: Element) -> str:
    """Return the template of what makes a number of the bits that the sequencer sends."""
    return "sequential/number_integer.j2" if element == "int8" else "sequential/number_float.j2"


def connections(array: ArrayEngine, beside: Mapping[str, int]) -> tuple[Connection, ...]:
    """Return all streams: of the array, from what issues layers, and back to it; `beside` are units of each other kernel."""
    vector = [f"{name}_{i + 1}" for name, count in beside.items() for i in range(count)]
    stores = unit_names(array, STORE)
    units = [*unit_names(array, LOAD), *unit_names(array, WEIGHTS), *stores, *vector]
    pairs = array_streams(array, unit_names(array, LOAD), unit_names(array, WEIGHTS), stores)
    control = [
        *((f"{array.issuer}_1.to_{i}", f"{name}.control") for i, name in enumerate(units)),
        *((f"{name}.done", f"{array.issuer}_1.done_{i}") for i, name in enumerate([*stores, *vector])),
    ]
    return tuple(
        Connection(source=source, target=target, bits=bits)
        for bits, streams in ((128, pairs), (32, control))
        for source, target in streams
    )


def array_streams(
    array: ArrayEngine, loads: tuple[str, ...], weights: tuple[str, ...], stores: tuple[str, ...]
) -> list[tuple[str, str]]:
    """Return the streams between the array and its movers."""
    return [
        *_streams(loads, "out", "a", array.parts),
        *_streams(weights, "out", "b", array.parts),
        *(pair[::-1] for pair in _streams(stores, "in", "c", array.columns)),
    ]


def _streams(units: tuple[str, ...], port: str, matrix: str, each: int) -> Iterator[tuple[str, str]]:
    """Yield a matrix' streams: `each` of a unit, and the array's port."""
    for i, name in enumerate(units):
        for j in range(each):
            yield f"{name}.{port}_{j}", f"{AIE}.{matrix}_{i * each + j}"


def host_values(array: ArrayEngine, numbers: int = NUMBERS) -> dict[str, int | str | bool]:
    """Return what the host program knows of the array, and of layers of so many numbers."""
    return {
        "kHasArray": True,
        "kNumbers": numbers,
        "kRows": array.rows,
        "kColumns": array.columns,
        "kParts": array.parts,
        "kTileChannels": array.tile_channels,
        "kDepth": array.depth,
        "kLineWords": array.line_words,
        "kCacheWords": array.cache_words,
        "kMostTogether": MOST_TOGETHER,
        "kWeightWords": array.weight_words,
        "kStreamWord": STREAM_WORD,
        "kIssuer": array.issuer,
        "kHostIssues": array.sequencer == "host",
    }
