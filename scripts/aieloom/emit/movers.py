"""What the templates of data movers print: flat values, taken from the plan."""

from __future__ import annotations

from aieloom.cpp_text import Constant, View
from aieloom.pl.movers import MoverPlan
from aieloom.plan.frame import FramePlan


def part_views(count: int) -> tuple[View, ...]:
    """Return so many parts; a switch's last one is its default."""
    return tuple(View(index=i, label=f"case {i}" if i < count - 1 else "default") for i in range(count))


def port(name: str, streams: int) -> View:
    """Return how an argument of `streams` streams is declared, and how stream `s` is reached."""
    if streams == 1:
        return View(declaration=f"&{name}", element=name)
    return View(declaration=f"{name}[{streams}]", element=f"{name}[s]")


def mover_view(mover: MoverPlan, frame: FramePlan | None = None) -> View:
    """Return what the template of a data mover prints, of one of tiles if images are cut."""
    if frame:
        return View(name=mover.name, constants=_tile_constants(mover, frame), port=port("stream", 1), ii=1)
    if mover.spread:
        return _pixel_view(mover, mover.spread)
    together = mover.memory_bits // mover.bits
    beats = -(-mover.streams // together)  # memory words for a word of each stream
    return View(
        name=mover.name,
        constants=(
            Constant("kBits", mover.bits, "width of a stream"),
            Constant(
                "kMemoryBits", mover.memory_bits, f"width of the memory port: {together} x {mover.bits}"
            ),
            Constant("kTogether", together, "stream words of a memory word"),
            Constant(
                "kBeats", beats, f"memory words for a word of each stream: {mover.streams} / {together}"
            ),
        ),
        port=_mover_port("out" if mover.reads_memory else "in", mover.streams, beats),
        ii=beats,
    )


def _pixel_view(mover: MoverPlan, columns: int) -> View:
    """Return what the template of a mover of images of one pixel prints."""
    lanes, several = mover.bits // mover.element_bits, mover.streams > 1
    words = -(-mover.words // columns)
    counts = (
        (
            Constant("kStreams", mover.streams, "each with a part of the channels"),
            Constant("kPartWords", words, "memory words of a part"),
        )
        if several
        else (Constant("kMemoryWords", words, "memory words of an image"),)
    )
    return View(
        name=mover.name,
        constants=(
            Constant("kBits", mover.bits, "width of a stream" if several else "width of the stream"),
            Constant("kMemoryBits", mover.memory_bits, "width of the memory port"),
            *counts,
            Constant("kElementBits", mover.element_bits, "of a channel"),
            Constant("kColumns", columns, "of a block, of which the image has the first"),
            Constant("kTogether", lanes // columns, "channels of a stream word"),
        ),
        port=port("out", mover.streams),
        ii=columns,
        # of images that are dealt to several streams, and the depth of the queue before each
        parts=part_views(mover.streams) if several else (),
        depth=2 * words,
    )


def _mover_port(name: str, streams: int, beats: int) -> View:
    """Return the port with the stream that carries word j of a beat."""
    plain = port(name, streams)
    index = "j" if beats == 1 else "beat * kTogether + j"
    return View(declaration=plain.declaration, element=plain.element.replace("[s]", f"[{index}]"))


def _tile_constants(mover: MoverPlan, frame: FramePlan) -> tuple[Constant, ...]:
    """Return the constants of a mover: its ports, the image, the tile, and where tiles lie."""
    reads, rows, cols = mover.reads_memory, frame.rows, frame.cols
    image, tile = (frame.x, frame.tile_x) if reads else (frame.y, frame.tile_y)
    channels, height, width = image.shape
    values = mover.memory_bits // (8 * image.dtype.bytes)
    of = "of the image" if reads else "of the result"
    steps = (rows.step, rows.last, cols.step, cols.last)
    if not reads:
        steps = (rows.out_step, rows.out_last, cols.out_step, cols.out_last)
    common = (
        Constant("kBits", mover.bits, "width of the stream"),
        Constant(
            "kMemoryBits",
            mover.memory_bits,
            f"width of the memory port: {values} values, which divide all places",
        ),
        Constant("kValues", values, "of a memory word, a beat"),
        Constant("kWordBeats", mover.bits // mover.memory_bits, "beats of a stream word"),
        Constant("kChannels", channels, of),
        Constant("kHeight", height, of),
        Constant("kRowBeats", width // values, f"{of}: {width} / {values}"),
        Constant("kTileHeight", tile.shape[1], "of a tile" if reads else "of a tile's result"),
        Constant("kTileBeats", tile.shape[2] // values, f"of a tile's row: {tile.shape[2]} / {values}"),
        Constant("kRows", rows.count, "of tiles"),
        Constant("kColumns", cols.count, "of tiles"),
        Constant("kRowStep", steps[0], "from tile to tile"),
        Constant("kLastRow", steps[1], "where the last row of tiles begins"),
        Constant("kColumnStep", steps[2], "from tile to tile"),
        Constant("kLastColumn", steps[3], "where the last column of tiles begins"),
    )
    if reads:
        return (*common, Constant("kTileWords", mover.words, "stream words of a tile"))
    return (
        *common,
        Constant("kRowsBefore", rows.before, "rows that are wrong below another tile"),
        Constant("kColumnsBefore", cols.before, "columns that are wrong beside another tile"),
    )
