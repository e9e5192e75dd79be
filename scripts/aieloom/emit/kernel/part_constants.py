"""Constants at the head of a part with line buffers, with what they say: taken from the plan."""

from __future__ import annotations

from aieloom.cpp_text import Constant, index_bits
from aieloom.emit.kernel.constants import in_tiles, out_image, out_tiles, window_constants
from aieloom.emit.kernel.ends import lies_apart, order_of
from aieloom.layout.grid import TILED, RowGrid
from aieloom.pl.line_store import LinePart, LineTasks
from aieloom.pl.streams import RasterStream, TiledStreams, is_by_row
from aieloom.products.strategy import strategy_of


def sink_order(sink: TiledStreams | RasterStream) -> str:
    """Return the order of what leaves, as templates call it."""
    return "by_row" if is_by_row(sink) else order_of(sink)


def part_constants(part: LinePart) -> tuple[Constant, ...]:
    """Return the constants of ways, beats and line buffers."""
    plan, sink, (_, height, width) = part.tasks, part.outlet.streams, part.holds.shape
    comes = "reaches the writers" if plan.stages else "arrives"
    window = sink.window if isinstance(sink, TiledStreams) else None
    padding = window.padding[1] if window else 0
    turn = plan.banks * plan.step
    to = "lane" if lies_apart(part.inlet.streams) and order_of(sink) != TILED else "output pixel"
    return (
        Constant("kWays", plan.ways, "of beats to a writer, each of a share of the channels"),
        Constant("kWriters", sink.streams, "tasks that write, one for each stream"),
        Constant("kBeat", plan.beat, "neighbouring values that a way brings in a cycle"),
        Constant("kBeats", plan.beats, "of an image on each way"),
        Constant("kCopies", plan.copies, "of a line buffer: rows of K in an output word"),
        Constant("kPixels", plan.pixels, "neighbouring pixels that a word takes from a copy"),
        Constant("kBanks", plan.banks, "of a copy: neighbouring pixels lie in different ones"),
        Constant("kRows", plan.rows, "of an image that a line buffer holds"),
        *_own_rows(plan, height),
        Constant("kColumns", plan.columns, f"words of a bank for a row of {width} pixels"),
        Constant("kSetChannels", plan.channels, "that a way brings"),
        *_together(plan),
        Constant("kDepth", plan.depth, f"words of a bank: {plan.rows} x {plan.channels} x {plan.columns}"),
        Constant("kTurn", plan.turn, "words of a bank from an image's first row to the next one's"),
        Constant("kMost", max(plan.room), "beats that may have come since an image's first"),
        Constant("kAddressBits", index_bits(plan.depth), f"for {plan.depth} words"),
        Constant("kBankBits", index_bits(plan.banks), f"for {plan.banks} banks"),
        Constant("kShift", -(-padding // turn) * turn, "keeps columns left of the image positive"),
        Constant("kStep", plan.step, f"columns from one {to} to the next"),
        *_skew(plan, width),
        Constant("kInHeight", height, f"of the image that {comes}"),
        Constant("kInWidth", width, f"of the image that {comes}"),
        Constant("kLanes", part.outlet.lanes, "values of an output word"),
    )


def _own_rows(plan: LineTasks, height: int) -> tuple[Constant, ...]:
    """Return how long the number of a row is, where each writer keeps rows of its own."""
    return (Constant("kRowBits", index_bits(height), f"for {height} rows"),) if plan.own_rows else ()


def _together(plan: LineTasks) -> tuple[Constant, ...]:
    """Return what readers send in a cycle, where that is more than one beat."""
    if plan.together == 1:
        return ()
    return (
        Constant("kTogether", plan.together, "rows of a word that a reader passes in a cycle, each on a way"),
        Constant("kReadChannels", plan.channels * plan.together, "that a reader brings on all its ways"),
    )


def _skew(plan: LineTasks, width: int) -> tuple[Constant, ...]:
    """Return how columns lie in skewed banks."""
    if plan.skew is None:
        return ()
    written, read = plan.apart
    return (
        Constant("kSkew", plan.skew, "banks from a column to the next within a step"),
        Constant("kColumnBits", index_bits(width), f"for {width} columns"),
        Constant("kBeatApart", written, "columns from one value of a beat to the next"),
        Constant("kWordApart", read, "columns from one value that a word takes from a copy to the next"),
    )


def unused(part: LinePart) -> set[str]:
    """Return constants of which this part says nothing."""
    plan, source, sink = part.tasks, part.inlet.streams, part.outlet.streams
    found = {
        "tiled": set(),
        "rows": {"kPixels", "kOutStreams"},
        "lanes": {"kOutStreams"},
        "raster": {"kPixels", "kShift"},
        "by_row": set(),
    }[sink_order(sink)]
    plain = not isinstance(sink, TiledStreams)
    if isinstance(source, TiledStreams) or plan.stages or is_by_row(source):
        found |= {"kInHeight"} if plain else set()
    found |= {"kRows"} if plan.own_rows else set()
    found |= {"kBankBits"} if plan.skew is not None else set()
    looked = is_by_row(sink)  # its reads ask for the width
    return found | ({"kInWidth"} if plan.stages and plain and not looked else set())


def source_constants(part: LinePart) -> tuple[Constant, ...]:
    """Return the constants of what comes, the stream's width first, which stands outside a stage's namespace."""
    plan, source, x = part.tasks, part.inlet.streams, part.inlet.x
    beats, bits = sum(plan.read_bands), 8 * part.inlet.dtype.bytes
    lanes = source.bits // bits
    common = (
        Constant("kInBits", source.bits, "width of an input stream"),
        Constant("kInLanes", lanes, f"values of a word: {source.bits} / {bits}"),
        Constant("kInStride", plan.stride, "values of a row that a reader passes in a cycle"),
        Constant("kInWordBeats", lanes // (plan.stride * plan.together), "of a word, for each way"),
    )
    if not isinstance(source, TiledStreams):
        size = Constant("kInSize", x.elements, str(x))
        channels = Constant("kInChannels", x.shape[0], "of the image that arrives")
        whole = (
            Constant("kInRounds", 1, "an image in whole"),
            Constant("kInTiles", 1, "of which a reader takes all"),
            Constant("kInTileBeats", beats, "of an image"),
        )
        return (*common, *whole, size, *((channels,) if source.by_row else ()))
    grid = source.grid
    share = grid.parts // plan.readers
    tiles = (
        Constant("kInShare", share, "parts of the channels that a reader takes"),
        Constant(
            "kInTiles", grid.groups * share, f"that a reader takes in turn: {grid.groups} groups x {share}"
        ),
        Constant(
            "kInTileBeats", grid.out_elements // (plan.stride * plan.together), "of a tile, for each way"
        ),
    )
    unused = ("kInStreams", "kInParts", "kInRowTiles", "kInTile")
    return (*common, *tiles, *(c for c in in_tiles(x, grid) if c.name not in unused))


def sink_constants(part: LinePart) -> tuple[Constant, ...]:
    """Return the constants of what leaves."""
    sink, lanes, y = part.outlet.streams, part.outlet.lanes, part.y
    bits = Constant("kOutBits", sink.bits, "width of an output stream")
    if isinstance(sink, TiledStreams):
        unused = ("kOutStreams", "kNextHeight", "kNextWidth", "kOutTileWords")
        if isinstance(sink.grid, RowGrid):
            found = strategy_of(sink.grid).input_tiles(sink, lanes)
        else:
            found = (*out_tiles(sink, lanes), *window_constants(sink.window, "kNext"))
        return (bits, *(c for c in found if c.name not in unused))
    rounds = len(part.tasks.needs)
    return (
        bits,
        Constant("kOutRounds", rounds, "an image in whole" if rounds == 1 else "rows of the input"),
        Constant("kOutWords", part.tasks.round_words, "of a round"),
        *(() if sink.by_row else (Constant("kOutValues", y.elements, str(y)),)),
        *out_image(y, sink),
    )
