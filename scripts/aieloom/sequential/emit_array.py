"""The files of an engine on the array: its kernels and graph, the movers, the sequencer, and how they are connected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aieloom.cpp_text import Constant
from aieloom.emit.system import SystemView, system_of_units
from aieloom.plan.clocks import origin
from aieloom.plan.types import Connection
from aieloom.plan.wire import AIE
from aieloom.sequential import vector as vu
from aieloom.sequential.array import (
    LOAD,
    MOST_TOGETHER,
    MOVER_MHZ,
    SEQUENCER,
    STORE,
    STREAM_WORD,
    SUM_INTERVAL,
    TAIL_WORDS,
    TILE_M,
    TILE_N,
    WEIGHTS,
    ArrayEngine,
)
from aieloom.sequential.engine import LANES
from aieloom.strategies.array_gemm.view import kernel_values
from aieloom.words import plural

NUMBERS = 48  # of a layer that the sequencer sends
MOST_LAYERS = 1 << 16
GRAPH = (
    ("array_gemm/gemm.h.j2", "src/aie/gemm.h"),
    ("array_gemm/gemm.cc.j2", "src/aie/gemm.cc"),
    ("array_gemm/graph.h.j2", "src/aie/graph.h"),
    ("array_gemm/graph.cpp.j2", "src/aie/graph.cpp"),
)
KERNELS = (LOAD, WEIGHTS, STORE, SEQUENCER)
MEMORY_PORTS = {
    LOAD: ("x",),
    WEIGHTS: ("w",),
    STORE: ("channels", "other", "y"),
    SEQUENCER: ("program", "status"),
}
BUNDLES = {  # of ports that share a master of the network on chip: one reads, the other writes the same bank
    STORE: (("channels", "channels"), ("other", "y"), ("y", "y")),
    SEQUENCER: (("program", "program"), ("status", "program")),
    vu.NAME: (("a", "y"), ("b", "b"), ("table", "table"), ("y", "y")),
}
TRAINED = ("w", "channels", "table")  # ports that read weights


def counts(array: ArrayEngine) -> dict[str, int]:
    """Return the compute units of each kernel."""
    return {LOAD: array.rows, WEIGHTS: array.columns, STORE: array.rows, SEQUENCER: 1}


def unit_names(array: ArrayEngine, kernel: str) -> tuple[str, ...]:
    """Return a kernel's compute units."""
    return tuple(f"{kernel}_{i + 1}" for i in range(counts(array)[kernel]))


def graph_values(array: ArrayEngine) -> dict[str, Any]:
    """Return what the templates of kernels and graph print."""
    assert array.gemm
    return kernel_values(array.gemm)


def mover_values(array: ArrayEngine, *, vectors: int, finish: str, bursts: str) -> dict[str, Any]:
    """Return what the templates of movers and sequencer print; `vectors` are vector units."""
    block_m, _, block_n = array.mmul
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
        Constant("kSumInterval", SUM_INTERVAL, "cycles of a word with a sum"),
        Constant(
            "kBanks", 2 * block_m * block_n, "of a tile of sums: 16 neighbouring channels lie in as many"
        ),
    )
    units = array.units
    return {
        "load": LOAD,
        "weights": WEIGHTS,
        "store": STORE,
        "sequencer": SEQUENCER,
        "why": array.why(),
        "constants": constants,
        "rows": array.rows,
        "columns": array.columns,
        "and_vectors": f", and {plural(vectors, 'vector unit')}" if vectors else "",
        "finish_template": finish,
        "bursts": bursts,
        **{f"{k.removeprefix('array_')}_ports": ports for k, ports in MEMORY_PORTS.items()},
        "store_bundles": BUNDLES[STORE],
        "sequencer_bundles": BUNDLES[SEQUENCER],
        "sequencer_constants": (
            Constant("kNumbers", NUMBERS, "words of a layer"),
            Constant("kMostLayers", MOST_LAYERS, "of a program"),
            Constant("kRows", array.rows, "movers that tell when a product is done"),
            Constant("kArrayUnits", units, "movers"),
            Constant("kVectorUnits", vectors, "vector units"),
            Constant("kUnits", units + vectors, "that take layers"),
            Constant("kDoneUnits", array.rows + vectors, "that tell when one is done"),
        ),
    }


def connections(array: ArrayEngine, *, vectors: int) -> tuple[Connection, ...]:
    """Return all streams: of the array, from the sequencer, and back to it."""
    vector = [f"{vu.NAME}_{i + 1}" for i in range(vectors)]
    stores = unit_names(array, STORE)
    units = [*unit_names(array, LOAD), *unit_names(array, WEIGHTS), *stores, *vector]
    pairs = [
        *_streams(unit_names(array, LOAD), "out", "a", array.parts),
        *_streams(unit_names(array, WEIGHTS), "out", "b", array.parts),
        *(pair[::-1] for pair in _streams(stores, "in", "c", array.columns)),
    ]
    control = [
        *((f"{SEQUENCER}_1.to_{i}", f"{name}.control") for i, name in enumerate(units)),
        *((f"{name}.done", f"{SEQUENCER}_1.done_{i}") for i, name in enumerate([*stores, *vector])),
    ]
    return tuple(
        Connection(source=source, target=target, bits=bits)
        for bits, streams in ((128, pairs), (32, control))
        for source, target in streams
    )


def _streams(units: tuple[str, ...], port: str, matrix: str, each: int) -> Iterator[tuple[str, str]]:
    """Yield a matrix' streams: `each` of a unit, and the array's port."""
    for i, name in enumerate(units):
        for j in range(each):
            yield f"{name}.{port}_{j}", f"{AIE}.{matrix}_{i * each + j}"


def system(array: ArrayEngine, others: Mapping[str, tuple[str, ...]], vectors: int) -> SystemView:
    """Return what v++ links; `others` are kernels beside the movers, with their memory ports, `vectors` the vector units."""
    tags = array.device.platform.memory_tags
    names = {k: unit_names(array, k) for k in KERNELS} | {
        k: tuple(f"{k}_{i + 1}" for i in range(vectors if k == vu.NAME else 1)) for k in others
    }
    ports = {**MEMORY_PORTS, **others}
    memory = (
        (f"{unit}.{port}", tags[-1 if port in TRAINED else 0])
        for kernel, units in names.items()
        for unit in units
        for port in ports[kernel]
    )
    return system_of_units(
        names,
        memory,
        connections(array, vectors=vectors),
        clock_mhz=MOVER_MHZ,
        clock_origin=origin(array.device, MOVER_MHZ),
    )


def host_values(array: ArrayEngine) -> dict[str, Any]:
    """Return what the host program knows of the array."""
    return {
        "numbers": NUMBERS,
        "movers": ", ".join(f'"{k}:{{{n}}}"' for k in (LOAD, WEIGHTS, STORE) for n in unit_names(array, k)),
        "rows": array.rows,
        "columns": array.columns,
        "parts": array.parts,
        "tile_channels": array.tile_channels,
        "depth": array.depth,
        "line_words": array.line_words,
        "cache_words": array.cache_words,
        "most_together": MOST_TOGETHER,
        "weight_words": array.weight_words,
        "stream_word": STREAM_WORD,
        "sequencer": SEQUENCER,
    }
