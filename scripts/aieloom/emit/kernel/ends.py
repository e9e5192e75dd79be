"""What comes to a PL kernel and what leaves, as the traits that the library's readers and orders take."""

from __future__ import annotations

from collections.abc import Mapping

from aieloom.cpp_text import trait_lines
from aieloom.emit.layer_types import ELEMENTS, inside
from aieloom.layout.grid import TILED, RowGrid, word_block
from aieloom.network.tensor import TensorType
from aieloom.pl.streams import Streams, TiledStreams, is_by_row
from aieloom.products.strategy import strategy_of
from aieloom.spec.types import DataType

PLAIN_ORDER, BY_ROW = "raster", "by row"
ROWS = {  # the traits of tiles of whole rows
    "lanes": "kOutRounds kOutRows kOutHeight kOutPasses kOutLines kOutBlocks kOutColumns kOutBlockRows kOutBlockCols kOutStrip",
    "rows": "kOutRounds kOutRows kOutHeight kOutChannels kOutLines kOutLineWords",
}
# traits as most line buffers and windows have them: LineTraits, WindowTraits
USUAL = dict.fromkeys(("kSkew", "kZero", "kPaddingX", "kPaddingY", "kTop", "kLeft"), 0)
USUAL |= dict.fromkeys(("kReaders", "kTogether", "kBeatApart", "kWordApart", "kStep", "kWriters"), 1)
USUAL |= dict.fromkeys(("kOutLinks", "kStrideY", "kStrideX", "kUpY", "kUpX"), 1)


def unlike(values: Mapping[str, int], note: str = "") -> list[str]:
    """Return the lines of those traits that differ from what the library's LineTraits and WindowTraits say."""
    return trait_lines({n: v for n, v in values.items() if v != USUAL.get(n)}, note)


def flag(name: str, value: object) -> list[str]:
    """Return the line of a truth, where it is true."""
    return [f"static constexpr bool {name} = true;"] if value else []


def elements_of(
    x: TensorType, function: str, come: DataType | None = None, leave: DataType | None = None
) -> str:
    """Return the elements that traits inherit: inside, what becomes of each value, what comes and what leaves."""
    kind = inside(x)
    ends = [ELEMENTS[end] if end else kind for end in (come, leave)] if come or leave else []
    names = [kind, function, *ends] if set(ends) - {kind} else [kind, function]
    return f"Elements<{', '.join(names if names[1:] != ['Unchanged'] else names[:1])}>"


def image(shape: tuple[int, ...]) -> dict[str, int]:
    """Return the traits of an image's shape."""
    return dict(zip(("kChannels", "kHeight", "kWidth"), shape, strict=True))


def comes(source: Streams, readers: int = 1) -> dict[str, int]:
    """Return the traits of what comes."""
    if not isinstance(source, TiledStreams):
        return {"kInBits": source.bits}
    grid, (m, _, n) = source.grid, source.grid.mmul
    rows, steps = (1, grid.tile_n // n)
    if isinstance(grid, RowGrid) and grid.strips:
        rows, steps = grid.out_rows, grid.strips.steps
    return {
        "kInBits": source.bits,
        "kInRounds": grid.rounds,
        "kInGroups": grid.groups,
        "kInShare": grid.parts // readers,
        "kInTileM": grid.tile_m,
        "kInTileRows": rows,
        "kInSteps": steps,
        "kInBlockRows": m,
        "kInBlockCols": n,
    }


def tiles(source: TiledStreams, traits: str) -> str:
    """Return the type that says where the values of tiles lie."""
    return f"{'LaneTiles' if source.grid.strips else 'PixelTiles'}<{traits}>"


def order_of(streams: Streams) -> str:
    """Return the order in which words leave: of an array's input streams as its layer's tiles are called."""
    if isinstance(streams, TiledStreams):
        return streams.grid.order
    return BY_ROW if is_by_row(streams) else PLAIN_ORDER


def word(sink: Streams, y: TensorType, *, pixels: int, apart: int = 1) -> dict[str, int]:
    """Return the traits of a word that leaves, with so many neighbours of a channel, or values `apart` columns."""
    padding = sink.window.padding[1] if isinstance(sink, TiledStreams) else 0
    zero = int(y.zero) if y.quant is not None else 0
    own = {"kOutBits": sink.bits, "kPixels": pixels, "kWordApart": apart, "kZero": zero}
    return own | {"kPaddingX": padding, "kWriters": sink.streams}


def leaves(sink: Streams, y: TensorType, lanes: int, rounds: int) -> list[str]:
    """Return the traits of the order in which words of `lanes` values leave; an image in plain order in so many rounds."""
    if is_by_row(sink):
        return []
    if not isinstance(sink, TiledStreams):
        shape = dict(zip(("kOutChannels", "kOutHeight", "kOutWidth"), y.shape, strict=True))
        return trait_lines({"kOutRounds": rounds} | shape)
    grid, window = sink.grid, sink.window
    seen = {"kStrideY": window.stride[0], "kPaddingY": window.padding[0]}
    if isinstance(grid, RowGrid):
        known = {c.name: c.value for c in strategy_of(grid).input_tiles(sink, lanes)}
        return unlike({n: known[n] for n in ROWS[grid.order].split()} | seen)
    assert grid.order == TILED
    block, loops = word_block(grid, lanes), [i.name for i in grid.input.loops]
    return [
        *unlike(
            {
                "kOutRounds": grid.rounds,
                "kOutPasses": grid.passes,
                "kOutLinks": grid.cascade,
                "kOutTileK": grid.tile_k,
                "kOutTileN": grid.tile_n,
                "kOutBlockRows": block.rows,
                "kOutBlockCols": block.cols,
                "kOutHeight": window.out_height,
                "kOutWidth": window.out_width,
                "kKernelY": window.kernel[0],
                "kKernelX": window.kernel[1],
                "kStrideX": window.stride[1],
                **seen,
            }
        ),
        *flag("kByColumn", block.by_column),
        *flag("kColumnsInside", loops.index("kt") < loops.index("nt")),
    ]
