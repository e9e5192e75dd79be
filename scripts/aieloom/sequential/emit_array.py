"""The files of an engine on the array: its kernels and graph, the movers, the sequencer, and how they are connected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from aieloom.cpp_text import View
from aieloom.emit.instance import Instance, memories, memory, registers, some, stream
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
from aieloom.sequential.row_unit import RowUnit
from aieloom.spec.network import Sequencer
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
TITLE = "the engine on the array"
TILES = "kColumns kTileM kTileN kBlockM kBlockN kMostTogether"  # numbers of what takes tiles of sums
DONE = {"array": "kDoneUnits", "row": "kRows"}  # units that tell when a layer is done
SEQUENCER_BUNDLES = (("program", "program"), ("status", "program"))
# The library's types of what engines compute with.
VALUES: dict[Element, str] = {"int8": "Integers", "float32": "Floats", "bfloat16": "Bfloats"}
PACKET = "Axis<128>"  # of streams between movers and the array
CONTROLS = (stream("Control", "control"), stream("Control", "done"))
ROW_REGISTERS = "x_at table_at y_at operation images pixels a b c d e f tiles passes"
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


def word_type(element: Element) -> str:
    """Return the type of a word of memory."""
    return f"Word<{VALUES[element]}::Element>"


def unit_names(array: ArrayEngine, kernel: str) -> tuple[str, ...]:
    """Return a kernel's compute units."""
    return tuple(f"{kernel}_{i + 1}" for i in range(counts(array)[kernel]))


def graph_files(folder: str) -> dict[str, str]:
    """Return the files of the engine's kernels and graph with their templates; the top file is its own where it is alone."""
    names = SOURCES if folder else (*SOURCES, TOP)
    return {f"src/aie/{folder}{name}": f"array_gemm/{name}.j2" for name in names}


def row_kernel(engine: ConvEngine, array: ArrayEngine | None, unit: RowUnit) -> Instance:
    """Return the row unit: behind the sequencer of an array, or started by the processor."""
    kind = "Integer" if unit.element == "int8" else "Float"
    order = "ArrayColumns" if array else "EngineColumns"
    word = word_type(unit.element)
    numbers = {"kUnits": unit.units, "kMostWords": unit.most_words, "kNumbers": NUMBERS}
    if kind == "Integer":
        numbers |= {"kPowers": POWERS, "kFraction": FRACTION, "kSpread": SPREAD}
        numbers |= {"kMostSums": max(1, unit.most_sums), "kApart": vu.APART["int8"]}
    else:
        numbers["kInterval"] = unit.interval
    if unit.held_words:
        numbers |= {"kHeldWords": unit.held_words // LANES, "kWordChannels": unit.word_bytes // CHANNEL_BYTES}
        if array:
            numbers |= some(sizes(array), "kParts kColumns kTileN kBlockN") | {"kDepth": array.depth}
        else:
            numbers |= {"kParts": 1, "kColumns": 1, "kTileN": engine.out, "kDepth": LANES}
    return Instance(
        name=row_unit.NAME,
        title="the row unit",
        libraries=(f"engine/row_{kind.lower()}s", "engine/row_unit"),
        function="rows::told" if array else "rows::started",
        what="Layers of whole rows, and heads as an engine reads weights.",
        why=(
            f"{plural(unit.lanes, 'element')} of {unit.element} a cycle, {unit.units} of them: "
            f"{unit.dsp} DSP, {unit.lut} LUT, {unit.bram} block RAMs, modelled",
        ),
        types={
            "Values": VALUES[unit.element],
            "Rows": f"rows::{kind}Rows",
            "Heads": f"rows::{kind}Heads<rows::{order}>" if unit.held_words else "rows::NoHeads",
        },
        numbers=numbers,
        arguments=(
            *memories(BUNDLES[row_unit.NAME], x=f"const {word}", w=f"const {word}", y=word),
            *((*registers("unit"), *CONTROLS) if array else registers(ROW_REGISTERS)),
        ),
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


def sizes(array: ArrayEngine) -> dict[str, int]:
    """Return the numbers of which kernels of the engine have some, by the names that the library gives them."""
    block_m, block_k, block_n = array.mmul
    return {
        "kRows": array.rows,
        "kParts": array.parts,
        "kColumns": array.columns,
        "kTileM": TILE_M,
        "kTileN": TILE_N,
        "kTileWords": array.depth // LANES,
        "kBlockM": block_m,
        "kBlockN": block_n,
        "kBits": 8 * array.dtype.bytes,
        "kRowBits": 8 * array.dtype.bytes * block_k,
        "kTailWords": TAIL_WORDS,
        "kLineWords": array.line_words,
        "kWeightWords": array.weight_words,
        "kCacheWords": array.cache_words,
        "kMostTogether": MOST_TOGETHER,
        "kSumInterval": SUM_INTERVAL,
        "kMostLayers": MOST_LAYERS,
    }


def movers(array: ArrayEngine, *, finish: str, sums: str) -> tuple[Instance, ...]:
    """Return the kernels between the array and device memory; `finish` makes elements of sums, `sums` adds two tensors."""
    word, values = word_type(array.element), VALUES[array.element]
    lines = (
        "kRows kParts kTileM kTileWords kBlockM kBits kRowBits kTailWords kLineWords kWeightWords kCacheWords"
    )
    load = Instance(
        name=LOAD,
        title=TITLE,
        libraries=("engine/array_load",),
        function="array::load",
        what="The inputs of row `unit` of chains, product after product.",
        why=array.why(),
        types={"LineStorage": "Bram" if array.lines_in_bram else "Uram"},
        numbers=some(sizes(array), lines),
        arguments=(
            memory(f"const ap_uint<{8 * array.word_bytes}>", "x"),
            *registers("unit"),
            stream("Control", "control"),
            stream(PACKET, "out", array.parts),
        ),
    )
    store = Instance(
        name=STORE,
        title=TITLE,
        libraries=("engine/array_store",),
        function="array::store",
        what="The results of row `unit` of chains, product after product; tells the sequencer when one lies in memory.",
        why=array.why(),
        types={"Values": values, "Finished": finish, "Sums": sums},
        numbers=some(sizes(array), f"kRows kSumInterval {TILES}"),
        arguments=(
            *memories(
                BUNDLES[STORE], channels=f"const Channel<{values}::Sum>", other=f"const {word}", y=word
            ),
            *registers("unit"),
            *CONTROLS,
            stream(PACKET, "in", array.columns),
        ),
    )
    return load, weights(array, "array", "Uram", ahead=0), store


def weights(array: ArrayEngine, namespace: str, storage: str, *, ahead: int) -> Instance:
    """Return what brings weights, which are kept in `storage`; `ahead` where it is told a product while one is computed."""
    return Instance(
        name=WEIGHTS,
        title=TITLE,
        libraries=(f"engine/{namespace}_layer", "engine/weights"),
        function="weights::bring",
        what="The weights of column `unit` of chains, product after product.",
        why=array.why(),
        types={"Layer": f"{namespace}::Layer", "CacheStorage": storage},
        numbers=some(sizes(array), "kRows kParts kColumns kTileM kWeightWords kCacheWords")
        | {"kAhead": ahead},
        arguments=(
            memory("const ap_uint<128>", "w"),
            *registers("unit"),
            stream("Control", "control"),
            stream(PACKET, "out", array.parts),
        ),
    )


def sequencer(array: ArrayEngine, *, vectors: int, row_units: int) -> Instance:
    """Return what has layers computed one after another; `vectors` are vector units."""
    units, done = array.units + vectors + row_units, array.rows + vectors + row_units
    beside = [plural(n, kind) for n, kind in ((vectors, "vector unit"), (row_units, "row unit")) if n]
    moving = f"{array.rows} + {array.columns} + {array.rows} movers of the array"
    numbers = {"kArrayUnits": array.units, "kVectorUnits": vectors, "kRowUnits": row_units}
    numbers |= {"kUnits": units, "kDoneUnits": done, **some(sizes(array), "kRows kMostLayers")}
    to = " and ".join([moving, *beside])
    return issuer(array, "array", to, numbers=numbers, program="count last", count=NUMBERS)


def issuer(
    array: ArrayEngine, namespace: str, to: str, *, numbers: Mapping[str, int], program: str, count: int
) -> Instance:
    """Return what issues layers of `count` numbers: of a program in memory, or one that the host program writes."""
    streams = (
        stream("Control", "to", numbers["kUnits"]),
        stream("Control", "done", numbers[DONE[namespace]]),
    )
    by_program = Instance(
        name=array.issuer,
        title=TITLE,
        libraries=(f"engine/{namespace}_sequencer",),
        function=f"{namespace}::run",
        what="Has the layers of a program computed one after another; `last` programs end the units.",
        why=(f"Layers go to {to}, whose tokens are waited for.",),
        numbers=numbers,
        arguments=(
            *memories(SEQUENCER_BUNDLES, program="const int", status="int"),
            *registers(program),
            *streams,
        ),
    )
    if array.sequencer == "logic":
        return by_program
    names = [f"n{i}" for i in range(count)]
    return replace(
        by_program,
        function=f"{namespace}::issue",
        what="Has one layer computed, whose numbers the host program writes to registers. The end (0) ends the units.",
        arguments=(*registers(" ".join(names)), *streams),
        given=("{" + ", ".join(names) + "}", "to", "done"),
    )


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
