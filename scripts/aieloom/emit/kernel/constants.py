"""Constants of the streams on both sides of a PL kernel: how tensors are cut into them."""

from __future__ import annotations

from aieloom.cpp_text import Constant
from aieloom.layout.grid import RowGrid, TileGrid, Window, WordBlock, word_block
from aieloom.network.tensor import TensorType
from aieloom.pl.ends import Inlet, Outlet
from aieloom.pl.streams import Streams, TiledStreams, is_by_row
from aieloom.products.strategy import strategy_of


def frame_source_constants(inlet: Inlet) -> tuple[Constant, ...]:
    """Return what the code that reads an inlet into a frame buffer needs."""
    source, dtype = inlet.streams, inlet.dtype
    lanes = source.bits // (8 * dtype.bytes)
    values = source.words * source.streams * lanes
    common = (
        Constant("kInBits", source.bits, "width of an input stream"),
        Constant("kInLanes", lanes, f"values of a word: {source.bits} / {8 * dtype.bytes}"),
        Constant(
            "kInValues", values, f"of an image: {source.streams} streams x {source.words} words x {lanes}"
        ),
    )
    if isinstance(source, TiledStreams):
        return (*common, *in_tiles(inlet.x, source.grid))
    return (*common, *_in_image(inlet.x)) if is_by_row(source) else common


def _in_image(x: TensorType) -> tuple[Constant, ...]:
    """Return the shape of an image that comes row by row."""
    channels, height, width = x.shape
    return (
        Constant("kInChannels", channels, "of the image that arrives"),
        Constant("kInWidth", width, "of the image that arrives"),
        Constant("kInPixels", height * width, f"{height} x {width}"),
    )


def in_tiles(x: TensorType, grid: TileGrid) -> tuple[Constant, ...]:
    """Return how the layer before cuts what arrives."""
    m, _, n = grid.mmul
    channels, height, width = x.shape
    return (
        Constant("kInStreams", grid.chains, f"{grid.groups} groups x {grid.parts} parts"),
        Constant("kInRounds", grid.rounds, "tiles that each core works on, one after another"),
        Constant("kInGroups", grid.groups, "cores along the pixels"),
        Constant("kInParts", grid.parts, "cores along the channels"),
        Constant("kInTileM", grid.tile_m, "channels of a tile"),
        *_pixels_of_tile(grid),
        Constant("kInBlockRows", m, "channels of an mmul block"),
        Constant("kInBlockCols", n, "pixels of an mmul block"),
        Constant("kInRowTiles", grid.tile_m // m, f"{grid.tile_m} / {m}"),
        *_blocks_of_pixels(grid),
        Constant("kInChannels", channels, "of the image that arrives"),
        Constant("kInPixels", height * width, f"{height} x {width}"),
    )


def _pixels_of_tile(grid: TileGrid) -> tuple[Constant, ...]:
    if isinstance(grid, RowGrid) and (apart := grid.strips):
        pixels = grid.out_rows * apart.steps * apart.count
        return (
            Constant("kInTileRows", grid.out_rows, "rows of the image in a tile"),
            Constant("kInRowPixels", grid.window.out_width, "of a row of the image"),
            Constant("kInSteps", apart.steps, f"pixels of a lane: {grid.window.out_width} / {apart.count}"),
            Constant("kInTile", grid.out_elements, f"values of a tile: {grid.tile_m} x {pixels}"),
        )
    return (
        Constant("kInTileN", grid.tile_n, "pixels of a tile"),
        Constant("kInTile", grid.out_elements, f"values of a tile: {grid.tile_m} x {grid.tile_n}"),
    )


def _blocks_of_pixels(grid: TileGrid) -> tuple[Constant, ...]:
    n = grid.mmul[2]
    if isinstance(grid, RowGrid) and (apart := grid.strips):
        blocks = grid.out_rows * apart.steps
        return (Constant("kInColTiles", blocks, f"{grid.out_rows} rows x {apart.steps}"),)
    return (Constant("kInColTiles", grid.tile_n // n, f"{grid.tile_n} / {n}"),)


def frame_sink_constants(y: TensorType, outlet: Outlet) -> tuple[Constant, ...]:
    """Return what the code that serves an outlet with `y` from a frame buffer needs."""
    sink = outlet.streams
    bits = Constant("kOutBits", sink.bits, "width of an output stream")
    if isinstance(sink, TiledStreams) and isinstance(sink.grid, RowGrid):
        more = ("kNextHeight", "kNextWidth")
        window = (c for c in window_constants(sink.window, "kNext") if c.name in more)
        return (bits, *strategy_of(sink.grid).input_tiles(sink, outlet.lanes), *window)
    if isinstance(sink, TiledStreams):
        return (bits, *out_tiles(sink, outlet.lanes), *window_constants(sink.window, "kNext"))
    return (
        bits,
        Constant("kOutWords", sink.words, "of an image"),
        Constant("kOutValues", y.elements, str(y)),
        *out_image(y, sink),
    )


def out_image(y: TensorType, sink: Streams) -> tuple[Constant, ...]:
    """Return what a result's places in plain order are computed from."""
    channels, height, width = y.shape
    return (
        Constant("kOutChannels", channels, "of the result")
        if is_by_row(sink)
        else Constant("kOutHeight", height, "of the result"),
        Constant("kOutWidth", width, "of the result"),
    )


def out_tiles(sink: TiledStreams, lanes: int) -> tuple[Constant, ...]:
    """Return how the layer behind cuts what it multiplies."""
    grid = sink.grid
    block = word_block(grid, lanes)
    per_round = grid.passes * grid.in_elements
    return (
        Constant(
            "kOutStreams",
            grid.in_streams,
            "one for each group of cores"
            if grid.cascade == 1
            else f"{grid.groups} groups x {grid.cascade} links",
        ),
        Constant("kOutRounds", grid.rounds, "tiles that each group works on, one after another"),
        Constant("kOutGroups", grid.groups, "cores along the pixels"),
        Constant("kOutPasses", grid.passes, f"tiles along K = {grid.k}"),
        *(
            [Constant("kOutLinks", grid.cascade, "cores of a chain, each with its part of K")]
            * (grid.cascade > 1)
        ),
        *block_constants(grid, "kOut", block),
        Constant(
            "kOutBlockWords", block.rows * block.cols // lanes, f"{block.rows} x {block.cols} / {lanes}"
        ),
        Constant(
            "kOutTileWords", per_round // lanes, f"{grid.passes} x {grid.tile_k} x {grid.tile_n} / {lanes}"
        ),
    )


def block_constants(grid: TileGrid, prefix: str, block: WordBlock | None = None) -> tuple[Constant, ...]:
    """Return how a tile of the im2col matrix consists of blocks, mmul's or other ones; `prefix` begins the names."""
    _, k, n = (1, block.rows, block.cols) if block else grid.mmul
    kind = "of an mmul block" if (k, n) == grid.mmul[1:] else "of a block of whole pixels"
    return (
        Constant(f"{prefix}TileK", grid.tile_k, "rows of a tile: inputs of one output"),
        Constant(f"{prefix}TileN", grid.tile_n, "columns of a tile: output pixels"),
        Constant(f"{prefix}BlockRows", k, f"rows {kind}"),
        Constant(f"{prefix}BlockCols", n, f"columns {kind}"),
        Constant(f"{prefix}ColTiles", grid.tile_n // n, f"{grid.tile_n} / {n}"),
        Constant(f"{prefix}Depth", grid.tile_k // k, f"{grid.tile_k} / {k}"),
    )


def window_constants(window: Window, size: str) -> tuple[Constant, ...]:
    """Return how a convolution reads its input; `size` begins the names of the input's height and width."""
    kh, kw = window.kernel
    return (
        Constant(f"{size}Height", window.height, "of the convolution's input"),
        Constant(f"{size}Width", window.width, "of the convolution's input"),
        Constant("kOutWidth", window.out_width, "of the convolution's output"),
        Constant("kOutPixels", window.pixels, f"{window.out_height} x {window.out_width}"),
        Constant("kKernelWidth", kw, f"kernel {kh} x {kw}"),
        Constant("kKernelArea", kh * kw, f"{kh} x {kw}"),
        Constant("kTaps", window.taps, f"inputs of one output: {window.channels} x {kh} x {kw}"),
        Constant("kStrideY", window.stride[0], "stride"),
        Constant("kStrideX", window.stride[1], "stride"),
        Constant("kPaddingY", window.padding[0], "padding"),
        Constant("kPaddingX", window.padding[1], "padding"),
    )
