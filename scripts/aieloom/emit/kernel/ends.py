"""What a PL kernel's templates print of the streams that come and leave, whatever is kept of an image."""

from __future__ import annotations

from aieloom.cpp_text import View
from aieloom.emit.kernel.elements import FROM_BITS, TO_BITS, lane_bits, padding_of, zero_of
from aieloom.layout.cpp import INDENT, nested
from aieloom.layout.grid import TILED, word_block
from aieloom.network.tensor import TensorType
from aieloom.pl.ends import Inlet, Outlet
from aieloom.pl.streams import Streams, TiledStreams, is_by_row

_CALLED = {"step": "pass", "c": "channel"}  # loops of a layout as PL kernels call them


def source_view(inlet: Inlet) -> View:
    """Return what is printed of an inlet."""
    streams = inlet.streams
    return View(
        tiled=isinstance(streams, TiledStreams),
        apart=lies_apart(streams),  # a block's pixels are not neighbours in the image
        by_row=is_by_row(streams),
        from_bits=FROM_BITS[inlet.dtype],  # the function that makes an element of bits
        lane_bits=lane_bits(inlet.dtype),  # the bits of element `lane` of a word
    )


def sink_view(outlet: Outlet, y: TensorType) -> View:
    """Return what is printed of an outlet, where `y` leaves."""
    streams, order = outlet.streams, order_of(outlet.streams)
    grid = streams.grid if isinstance(streams, TiledStreams) else None
    words = word_loops(streams)
    loops = nested((("tile", "kOutRounds * kOutGroups"), *words) if grid else words)
    return View(
        tiled=order == TILED,
        # elements of a block of a tile
        by_column=grid is not None and order == TILED and word_block(grid, outlet.lanes).by_column,
        chained=grid is not None and grid.cascade > 1,  # K is parted between the links of chains of cores
        rows=order == "rows",
        lanes=order == "lanes",
        plain=grid is None,
        by_row=is_by_row(streams),
        to_bits=TO_BITS[outlet.dtype],
        lane_bits=lane_bits(outlet.dtype),
        zero=zero_of(y),
        padding=padding_of(y),  # outside the image
        loops=loops,  # over the words of an image from a frame buffer
        order="".join(f"[{name}]" for name, _ in words[:-1]),  # of the words of a tile, as comments have it
        indent=INDENT * (1 + len(loops)),  # of what stands in the loops
    )


def word_loops(streams: Streams) -> tuple[tuple[str, str], ...]:
    """Return the loops over the words of a tile on a stream, or over those of an image, as (name, count).

    A tile's are those of its grid's layout, in that order; the fastest of them make words.
    """
    if not isinstance(streams, TiledStreams):
        return (("w", "kOutWords"),)
    grid = streams.grid
    lines = grid.order == "rows"  # whose words are of a line, and whose channels are those of all passes
    counts = {"step": "Links"} if grid.cascade > 1 else {}
    _, _, *loops = (i for i in grid.inputs(streams.window).loops if not lines or i.name != "step")
    found = (
        (_CALLED.get(i.name, i.name), f"kOut{counts.get(i.name, i.count.name)}")
        for i in loops[: -1 if lines else -2]
    )
    return (*found, ("w", "kOutLineWords" if lines else "kOutBlockWords"))


def order_of(streams: Streams) -> str:
    """Return the order of an array's input streams, as its layer's tiles are called; or plain order."""
    return streams.grid.order if isinstance(streams, TiledStreams) else "raster"


def lies_apart(streams: Streams) -> bool:
    """Tell whether a block's pixels on the array's streams are not neighbours in the image."""
    return isinstance(streams, TiledStreams) and streams.grid.strips is not None
