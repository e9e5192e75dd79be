"""The files of an engine whose rows own images: their kernels, the sequencer, and how they are connected."""

from __future__ import annotations

from typing import Any

from aieloom.cpp_text import Constant, enumerators
from aieloom.layout.channel_words import LANES
from aieloom.plan.types import Connection
from aieloom.sequential.array import (
    MOST_TOGETHER,
    TAIL_WORDS,
    TILE_M,
    TILE_N,
    WEIGHTS,
)
from aieloom.sequential.emit_array import ISSUER_PORTS, MOST_LAYERS, array_streams, issuer_values
from aieloom.sequential.emit_array import host_values as array_values
from aieloom.sequential.onchip.engine import (
    BAND_PIXELS,
    LOAD,
    MEMORY,
    MOST_TAPS,
    MOST_WEIGHTS,
    MOST_WORDS,
    ROW_WORDS,
    STORE,
    TABLES,
    RowEngine,
)
from aieloom.sequential.vector import Operation
from aieloom.spec.network import Sequencer

NUMBERS = 52  # of a layer that the sequencer sends
# turns from a word's write to its read: more than UltraRAM's pipeline [UG1399 bind_storage latency]
SETTLES = 8
CONTROL_DEPTH = 64  # words of a layer that wait until its units have ended the one before
GROUP_AT = 48  # where the group of images stands among them
MOVERS = (LOAD, WEIGHTS, TABLES, STORE, MEMORY)
SEQUENCERS: dict[Sequencer, str] = {
    "logic": "sequential/onchip/row_sequencer.cpp.j2",
    "host": "sequential/array/issuer.cpp.j2",
}
MEMORY_BUNDLES = (("images", "images"), ("results", "images"))
MEMORY_STREAMS = ("control", "done", "x", "ask_x", "other", "ask_other", "sums", "folds")


def unit_names(engine: RowEngine, kernel: str) -> tuple[str, ...]:
    """Return a kernel's compute units."""
    counts = {WEIGHTS: engine.columns, TABLES: 1, engine.issuer: 1}
    return tuple(f"{kernel}_{i + 1}" for i in range(counts.get(kernel, engine.rows)))


def kernel_templates(engine: RowEngine) -> dict[str, str]:
    """Return the kernels in the logic, each with its template."""
    own = {kernel: f"sequential/onchip/{kernel}.cpp.j2" for kernel in (LOAD, TABLES, STORE, MEMORY)}
    return {
        **own,
        WEIGHTS: "sequential/array/array_weights.cpp.j2",
        engine.issuer: SEQUENCERS[engine.sequencer],
    }


def memory_ports(engine: RowEngine) -> dict[str, tuple[str, ...]]:
    """Return the ports to device memory of each kernel."""
    return {
        LOAD: (),
        WEIGHTS: ("w",),
        TABLES: ("tables",),
        STORE: (),
        MEMORY: ("images", "results"),
        engine.issuer: ISSUER_PORTS[engine.sequencer],
    }


def row_values(engine: RowEngine, *, finish: str, bursts: str) -> dict[str, Any]:
    """Return what the templates of the rows' kernels, of the weights' movers and of the sequencer print."""
    block_m, _, block_n = engine.mmul
    lines, cache = ("uram" if u else "bram" for u in engine.on_uram)
    alike = (
        Constant("kRows", engine.rows, "rows of chains, each with an image"),
        Constant("kTileM", TILE_M, "pixels of a core's tile"),
    )
    store = (
        Constant("kTileWords", engine.tile_channels // LANES, "words of a pixel of a tile"),
        Constant("kStoreWords", engine.store_words, "words of a row's store"),
        Constant("kSettles", SETTLES, "turns after which a word of the store may be read"),
        Constant("kRowWords", ROW_WORDS, "words of a row of an image that is brought, at most"),
    )
    constants = (
        *alike,
        Constant("kLanes", LANES, "channels of a word"),
        Constant("kParts", engine.parts, "cores of a chain: parts of K"),
        Constant("kColumns", engine.columns, "columns of chains"),
        Constant("kTileN", TILE_N, "output channels of a core's tile"),
        Constant("kBlockM", block_m, "pixels of an mmul"),
        Constant("kBlockN", block_n, "output channels of an mmul"),
        Constant("kTileWords", engine.depth // LANES, "words of K of a core's tile"),
        Constant("kTailWords", TAIL_WORDS, "stream words that say whether a pass is the last"),
        Constant("kWeightWords", engine.weight_words, "stream words of a core's tile of weights"),
        Constant("kLineWords", engine.line_words, "words of the input that a band sees, at most"),
        Constant("kBandPixels", BAND_PIXELS, "pixels of a band, at most"),
        Constant("kPlaces", engine.places, "words of K of a part, of the deepest layer"),
        Constant("kCacheWords", engine.cache_words, "words of weights of a part of K, at most"),
        Constant("kMostTogether", MOST_TOGETHER, "tiles of output channels that share loads, at most"),
        Constant("kAhead", 1, "what brings weights is told the next product while one is computed"),
        Constant("kFoldInterval", engine.fold_interval, "cycles of a word whose folds are multiplied"),
        Constant("kMostWords", MOST_WORDS, "words of a pixel of a depthwise layer"),
        Constant("kMostWeights", MOST_WEIGHTS, "words of its weights"),
        Constant(
            "kBanks", 2 * block_m * block_n, "of a tile of sums: 16 neighbouring channels lie in as many"
        ),
    )
    ports = memory_ports(engine)
    folded = (
        "sequential/onchip/row_fold_weighted.j2" if engine.weighted else "sequential/onchip/row_fold_plain.j2"
    )
    return {
        "load": LOAD,
        "weights": WEIGHTS,
        "tables": TABLES,
        "store": STORE,
        "memory": MEMORY,
        **issuer_values(engine, NUMBERS, "sequential/onchip/row_issue.j2", "kRows"),
        "why": engine.why(),
        "constants": constants,
        "rows": engine.rows,
        "layer": "row",
        "store_constants": (*alike, *store),
        "lines_in": lines,
        "cache_in": cache,
        "finish_template": finish,
        "bursts": bursts,
        "operations": enumerators(Operation),
        "fold": "sequential/onchip/row_fold.j2" if engine.folds else "sequential/onchip/row_fold_none.j2",
        "folded": folded,
        "sum": "sequential/onchip/row_sum.j2" if engine.sums else "sequential/onchip/row_sum_none.j2",
        "weighted": engine.weighted,
        "weights_ports": ports[WEIGHTS],
        "tables_ports": ports[TABLES],
        "memory_bundles": MEMORY_BUNDLES,
        "memory_streams": MEMORY_STREAMS,
        "sequencer_constants": (
            Constant("kNumbers", NUMBERS, "words of a layer"),
            Constant("kGroupAt", GROUP_AT, "where it says which group of images it is for"),
            Constant("kMostLayers", MOST_LAYERS, "of a program"),
            Constant("kRows", engine.rows, "rows of chains"),
            Constant(
                "kUnits",
                engine.units,
                "that take layers: what loads, what brings weights, what tells all rows, what makes results, what keeps them",
            ),
        ),
    }


def connections(engine: RowEngine) -> tuple[Connection, ...]:
    """Return all streams: of the array, within rows, from what issues layers and back to it."""
    names = {kernel: unit_names(engine, kernel) for kernel in MOVERS}
    units = [name for kernel in MOVERS for name in names[kernel]]
    within: list[tuple[str, str]] = []
    asked: list[tuple[str, str]] = []
    for load, store, memory in zip(names[LOAD], names[STORE], names[MEMORY], strict=True):
        within += [(f"{memory}.x", f"{load}.in"), (f"{load}.made", f"{memory}.folds")]
        within += [(f"{memory}.other", f"{store}.other"), (f"{store}.made", f"{memory}.sums")]
        asked += [(f"{load}.ask", f"{memory}.ask_x"), (f"{store}.ask", f"{memory}.ask_other")]
    for row, (load, store) in enumerate(zip(names[LOAD], names[STORE], strict=True)):
        within.append((f"{TABLES}_1.to_stores_{row}", f"{store}.channels"))
        within += [(f"{TABLES}_1.to_loads_{row}", f"{load}.trained")] if engine.weighted else []
    control = [(f"{engine.issuer}_1.to_{i}", f"{name}.control") for i, name in enumerate(units)]
    done = [(f"{name}.done", f"{engine.issuer}_1.done_{i}") for i, name in enumerate(names[MEMORY])]
    wide = [*array_streams(engine, names[LOAD], names[WEIGHTS], names[STORE]), *within]
    return tuple(
        Connection(source=source, target=target, bits=bits, depth=depth)
        for bits, depth, streams in ((128, 0, wide), (32, 0, [*asked, *done]), (32, CONTROL_DEPTH, control))
        for source, target in streams
    )


def bank_of(engine: RowEngine, kernel: str, number: int) -> str:
    """Return the bank of a compute unit's ports: images and results in the first, weights in all by turns."""
    turn = number if kernel == WEIGHTS else 0 if kernel in (MEMORY, engine.issuer) else -1
    return engine.banks[turn % len(engine.banks)]


def host_values(engine: RowEngine) -> dict[str, int | str | bool]:
    """Return what the host program knows of the rows."""
    return {
        **array_values(engine, NUMBERS),
        "kStoreBytes": engine.store_words * LANES,
        "kGroupAt": GROUP_AT,
        "kBandPixels": BAND_PIXELS,
        "kPlaces": engine.places,
        "kTileWords": engine.depth // LANES,
        "kMostTaps": MOST_TAPS,
        "kRowWords": ROW_WORDS,
        "kHasSums": engine.sums,
    }
