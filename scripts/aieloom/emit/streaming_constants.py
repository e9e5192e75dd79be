"""Constants at the head of a streaming PL kernel, or of a part of one, with what they say: taken from the plan."""

from __future__ import annotations

from aieloom.cpp_text import Constant, index_bits
from aieloom.emit.pl_constants import in_tiles, out_image, out_tiles, window_constants
from aieloom.emit.rows import lies_apart, order_of
from aieloom.layout.grid import TILED
from aieloom.layout.row_grid import RowGrid
from aieloom.pl.kernel import PlKernel
from aieloom.pl.line_store import StreamingPlan
from aieloom.pl.streams import RasterStream, TiledStreams, is_by_row
from aieloom.products.strategy import strategy_of


def sink_order(sink: TiledStreams | RasterStream) -> str:
    """Return the order of what leaves, as templates call it."""
    return "by_row" if is_by_row(sink) else order_of(sink)


def kernel_constants(gap: PlKernel, plan: StreamingPlan) -> tuple[Constant, ...]:
    """Return the constants of ways, beats and line buffers."""
    _, height, width = gap.holds.shape
    comes = "reaches the writers" if plan.stages else "arrives"
    window = gap.sink.window if isinstance(gap.sink, TiledStreams) else None
    padding = window.padding[1] if window else 0
    turn = plan.banks * plan.step
    to = "lane" if lies_apart(gap.source) and order_of(gap.sink) != TILED else "output pixel"
    return (
        Constant("kWays", plan.ways, "of beats to a writer, each of a share of the channels"),
        Constant("kWriters", gap.sink.streams, "tasks that write, one for each stream"),
        Constant("kBeat", plan.beat, "neighbouring values that a way brings in a cycle"),
        Constant("kBeats", plan.beats, "of an image on each way"),
        Constant("kCopies", plan.copies, "of a line buffer: rows of K in an output word"),
        Constant("kPixels", plan.pixels, "neighbouring pixels that a word takes from a copy"),
        Constant("kBanks", plan.banks, "of a copy: neighbouring pixels lie in different ones"),
        Constant("kRows", plan.rows, "of an image that a line buffer holds"),
        *_kept(plan, height),
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
        Constant("kLanes", gap.lanes, "values of an output word"),
    )


def _kept(plan: StreamingPlan, height: int) -> tuple[Constant, ...]:
    """Return how long the number of a row is, where each writer keeps rows of its own."""
    return (Constant("kRowBits", index_bits(height), f"for {height} rows"),) if plan.kept else ()


def _together(plan: StreamingPlan) -> tuple[Constant, ...]:
    """Return what readers send in a cycle, where that is more than one beat."""
    if plan.together == 1:
        return ()
    return (
        Constant("kTogether", plan.together, "rows of a word that a reader passes in a cycle, each on a way"),
        Constant("kReadChannels", plan.channels * plan.together, "that a reader brings on all its ways"),
    )


def _skew(plan: StreamingPlan, width: int) -> tuple[Constant, ...]:
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


def unused(gap: PlKernel, plan: StreamingPlan) -> set[str]:
    """Return constants of which this kernel's parts say nothing."""
    found = {
        "tiled": set(),
        "rows": {"kPixels", "kOutStreams"},
        "lanes": {"kOutStreams"},
        "raster": {"kPixels", "kShift"},
        "by_row": set(),
    }[sink_order(gap.sink)]
    plain = not isinstance(gap.sink, TiledStreams)
    if isinstance(gap.source, TiledStreams) or plan.stages or is_by_row(gap.source):
        found |= {"kInHeight"} if plain else set()
    found |= {"kRows"} if plan.kept else set()
    found |= {"kBankBits"} if plan.skew is not None else set()
    looked = is_by_row(gap.sink)  # its reads ask for the width
    return found | ({"kInWidth"} if plan.stages and plain and not looked else set())


def source_constants(gap: PlKernel, plan: StreamingPlan) -> tuple[Constant, ...]:
    """Return the constants of what comes, the stream's width first, which stands outside a stage's namespace."""
    source, beats = gap.source, sum(plan.read_bands)
    bits = 8 * gap.inlets[0].dtype.bytes
    lanes = source.bits // bits
    common = (
        Constant("kInBits", source.bits, "width of an input stream"),
        Constant("kInLanes", lanes, f"values of a word: {source.bits} / {bits}"),
        Constant("kInStride", plan.stride, "values of a row that a reader passes in a cycle"),
        Constant("kInWordBeats", lanes // (plan.stride * plan.together), "of a word, for each way"),
    )
    if not isinstance(source, TiledStreams):
        size = Constant("kInSize", gap.x.elements, str(gap.x))
        channels = Constant("kInChannels", gap.x.shape[0], "of the image that arrives")
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
    return (*common, *tiles, *(c for c in in_tiles(gap.x, grid) if c.name not in unused))


def sink_constants(gap: PlKernel) -> tuple[Constant, ...]:
    """Return the constants of what leaves."""
    bits = Constant("kOutBits", gap.sink.bits, "width of an output stream")
    if isinstance(gap.sink, TiledStreams):
        unused = ("kOutStreams", "kNextHeight", "kNextWidth", "kOutTileWords")
        if isinstance(gap.sink.grid, RowGrid):
            found = strategy_of(gap.sink.grid).input_tiles(gap.sink, gap.lanes)
        else:
            found = (*out_tiles(gap.sink, gap.lanes), *window_constants(gap.sink.window, "kNext"))
        return (bits, *(c for c in found if c.name not in unused))
    assert gap.streaming is not None
    rounds = len(gap.streaming.needs)
    return (
        bits,
        Constant("kOutRounds", rounds, "an image in whole" if rounds == 1 else "rows of the input"),
        Constant("kOutWords", gap.streaming.round_words, "of a round"),
        *(() if gap.sink.by_row else (Constant("kOutValues", gap.y.elements, str(gap.y)),)),
        *out_image(gap.y, gap.sink),
    )
