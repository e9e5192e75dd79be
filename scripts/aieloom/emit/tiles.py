"""What the templates of movers print when images are cut into tiles."""

from __future__ import annotations

from aieloom.cpp_text import Constant
from aieloom.pl.movers import MoverPlan
from aieloom.plan.frame import FramePlan


def tile_constants(mover: MoverPlan, frame: FramePlan) -> tuple[Constant, ...]:
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
