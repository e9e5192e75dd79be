"""The files of an engine whose rows own images: their kernels, the sequencer, and how they are connected."""

from __future__ import annotations

from aieloom.emit.instance import Argument, Instance, memories, memory, registers, some, stream
from aieloom.layout.channel_words import LANES
from aieloom.plan.types import Connection
from aieloom.sequential.array import WEIGHTS
from aieloom.sequential.emit_array import (
    CONTROLS,
    ISSUER_PORTS,
    PACKET,
    TILES,
    TITLE,
    array_streams,
    issuer,
    sizes,
    weights,
)
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

NUMBERS = 52  # of a layer that the sequencer sends
# turns from a word's write to its read: more than UltraRAM's pipeline [UG1399 bind_storage latency]
SETTLES = 8
CONTROL_DEPTH = 64  # words of a layer that wait until its units have ended the one before
GROUP_AT = 48  # where the group of images stands among them
MOVERS = (LOAD, WEIGHTS, TABLES, STORE, MEMORY)
MEMORY_BUNDLES = (("images", "images"), ("results", "images"))


def unit_names(engine: RowEngine, kernel: str) -> tuple[str, ...]:
    """Return a kernel's compute units."""
    counts = {WEIGHTS: engine.columns, TABLES: 1, engine.issuer: 1}
    return tuple(f"{kernel}_{i + 1}" for i in range(counts.get(kernel, engine.rows)))


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


def kernels(engine: RowEngine, *, finish: str, sums: str) -> tuple[Instance, ...]:
    """Return the kernels in the logic; `finish` makes elements of sums, `sums` adds two tensors."""
    numbers = sizes(engine)
    lines, cache = ("Uram" if u else "Bram" for u in engine.on_uram)
    store = Instance(
        name=STORE,
        title=TITLE,
        libraries=("engine/row_store",),
        function="row::store",
        what="The results of a row of chains, product after product, to the row's store.",
        why=engine.why(),
        types={
            "Values": "Integers",
            "Finished": finish,
            "Adder": f"row::SumTables<{sums}>" if engine.sums else "row::NoTables",
        },
        numbers=some(numbers, TILES),
        arguments=_streams("channels: control other: ask made:", in_=engine.columns),
    )
    tables = Instance(
        name=TABLES,
        title=TITLE,
        libraries=("engine/row_tables",),
        function="row::tables",
        what="What all rows of chains need beside weights, layer after layer, by one port to memory.",
        why=engine.why(),
        numbers=some(numbers, "kRows kColumns kTileN"),
        arguments=(
            memory("const ap_uint<128>", "tables"),
            *_streams("control"),
            *(stream(PACKET, f"to_{who}", engine.rows) for who in ("stores", "loads")[: 1 + engine.weighted]),
        ),
    )
    return (
        _load(engine, lines, finish),
        weights(engine, "row", cache, ahead=1),
        tables,
        store,
        _memory(engine),
        issuer(
            engine,
            "row",
            f"{engine.rows} rows of chains, for one group of as many images after another",
            numbers={"kUnits": engine.units, "kGroupAt": GROUP_AT, **some(numbers, "kRows kMostLayers")},
            program="count groups last",
            count=NUMBERS,
        ),
    )


def _streams(names: str, **arrays: int) -> tuple[Argument, ...]:
    """Return streams: of numbers, and those behind whose names a colon stands of words; and arrays of streams of words."""
    of_words = (stream(PACKET if n.endswith(":") else "Control", n.removesuffix(":")) for n in names.split())
    return (*of_words, *(stream(PACKET, name.removesuffix("_"), count) for name, count in arrays.items()))


def _load(engine: RowEngine, lines: str, finish: str) -> Instance:
    """Return what brings a row's inputs as windows, or folds them."""
    numbers = some(sizes(engine), "kParts kTileM kTileWords kBlockM kTailWords kLineWords")
    numbers |= {"kBandPixels": BAND_PIXELS, "kPlaces": engine.places, "kFoldInterval": engine.fold_interval}
    weighted = engine.weighted
    return Instance(
        name=LOAD,
        title=TITLE,
        libraries=("engine/row_load",),
        function="row::load",
        what="The inputs of a row of chains: windows of what the row's store sends; what it folds goes back to the store.",
        why=engine.why(),
        types={
            "LineStorage": lines,
            "Folded": f"row::Folds{'Bands' if engine.folds else 'Nothing'}",
            "Trained": "row::Depthwise" if weighted else "row::Untrained",
            **({"Finished": finish} if weighted else {}),
        },
        numbers=numbers | ({"kMostWords": MOST_WORDS, "kMostWeights": MOST_WEIGHTS} if weighted else {}),
        arguments=_streams(f"{'trained: ' * weighted}control in: ask made:", out=engine.parts),
    )


def _memory(engine: RowEngine) -> Instance:
    """Return the store of a row's tensors."""
    return Instance(
        name=MEMORY,
        title=TITLE,
        libraries=("engine/row_memory",),
        function="row::memory",
        what="The store of row `unit` of chains: tells the sequencer when a layer's result lies there, or in device memory.",
        why=engine.why(),
        numbers={
            **some(sizes(engine), "kRows kTileM"),
            "kTileWords": engine.tile_channels // LANES,
            "kStoreWords": engine.store_words,
            "kSettles": SETTLES,
            "kRowWords": ROW_WORDS,
        },
        arguments=(
            *memories(MEMORY_BUNDLES, images="const ap_uint<128>", results="ap_uint<128>"),
            *registers("unit"),
            *CONTROLS,
            *_streams("x: ask_x other: ask_other sums: folds:"),
        ),
    )


def connections(engine: RowEngine) -> tuple[Connection, ...]:
    """Return all streams: of the array, within rows, from what issues layers and back to it."""
    names = {kernel: unit_names(engine, kernel) for kernel in MOVERS}
    units = [name for kernel in MOVERS for name in names[kernel]]
    within: list[tuple[str, str]] = []
    asked: list[tuple[str, str]] = []
    for load, store, kept in zip(names[LOAD], names[STORE], names[MEMORY], strict=True):
        within += [(f"{kept}.x", f"{load}.in"), (f"{load}.made", f"{kept}.folds")]
        within += [(f"{kept}.other", f"{store}.other"), (f"{store}.made", f"{kept}.sums")]
        asked += [(f"{load}.ask", f"{kept}.ask_x"), (f"{store}.ask", f"{kept}.ask_other")]
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
