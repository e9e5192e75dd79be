"""Data movers: instances of the library's, with traits taken from the plan."""

from __future__ import annotations

from collections.abc import Mapping

from aieloom.emit.instance import Argument, Instance, memory, registers, stream
from aieloom.pl.movers import MoverPlan
from aieloom.plan.frame import FramePlan

# Of each function of the library: its header, the registers that a kernel is started with, and what it does.
MOVES = {
    "memory_to_streams": ("movers", "size iterations", "Memory to streams: images of `size` words for each"),
    "streams_to_memory": ("movers", "size iterations", "Streams to memory: images of `size` words from each"),
    "memory_to_pixel": ("movers_of_pixels", "size iterations", "Memory to a stream: images of one pixel"),
    "memory_to_pixels": ("movers_of_pixels", "size iterations", "Memory to streams: images of one pixel"),
    "memory_to_tiles": ("movers_of_tiles", "images first copies", "Memory to a stream: tiles of images"),
    "tiles_to_memory": ("movers_of_tiles", "images first copies", "A stream to memory: tiles of images"),
    "memory_to_blocks": ("movers_of_blocks", "", "Memory to streams: tiles for each block of C and pass"),
    "blocks_to_memory": ("movers_of_blocks", "", "Streams to memory: tiles of C, block after block"),
}


def port_of(name: str, streams: int, bits: int) -> Argument:
    """Return an argument of streams of words."""
    return stream(f"Axis<{bits}>", name, streams if streams > 1 else 0)


def declared(name: str, streams: int, bits: int) -> str:
    """Return the declaration of an argument of streams of words."""
    return port_of(name, streams, bits)[1]


def elements(name: str, streams: int) -> list[str]:
    """Return the streams of a port."""
    return [name] if streams == 1 else [f"{name}[{i}]" for i in range(streams)]


def mover_kernel(
    mover: MoverPlan, title: str, frame: FramePlan | None = None, more: Mapping[str, int] | None = None
) -> Instance:
    """Return a data mover; `more` are traits of what it carries. Images may be cut into tiles."""
    library, names, what = MOVES[mover.task]
    name, const = ("out", "const ") if mover.reads_memory else ("in", "")
    direction = "read" if mover.reads_memory else "write"
    ports = [name] if mover.task == "memory_to_pixels" else elements(name, mover.streams)
    return Instance(
        name=mover.name,
        title=title,
        libraries=(library,),
        function=mover.task,
        what=f"{what}.",
        traits="Mover",
        numbers={"kBits": mover.bits, **_traits(mover, frame), **(more or {})},
        arguments=(
            memory(f"{const}ap_uint<{mover.memory_bits}>", "memory", "gmem"),
            *registers(names),
            port_of(name, mover.streams, mover.bits),
        ),
        given=("memory", *names.split(), *ports),
        bursts=f"max_{direction}_burst_length=64 num_{direction}_outstanding=16",
    )


def _traits(mover: MoverPlan, frame: FramePlan | None) -> dict[str, int]:
    """Return the traits of a mover besides the width of its streams."""
    if frame:
        return _tiles(mover, frame)
    streams = {"kStreams": mover.streams}
    if not mover.spread:
        return {**streams, "kMemoryBits": mover.memory_bits}
    spread = {
        "kMemoryWords": -(-mover.words // mover.spread),
        "kElementBits": mover.element_bits,
        "kColumns": mover.spread,
    }
    return spread if mover.streams == 1 else {**streams, **spread}


def _tiles(mover: MoverPlan, frame: FramePlan) -> dict[str, int]:
    """Return the traits of a mover of tiles: its port, the image, the tile, and where tiles lie."""
    reads, rows, cols = mover.reads_memory, frame.rows, frame.cols
    image, tile = (frame.x, frame.tile_x) if reads else (frame.y, frame.tile_y)
    channels, height, width = image.shape
    bits = 8 * image.dtype.bytes
    values = mover.memory_bits // bits
    return {
        "kMemoryBits": mover.memory_bits,
        "kElementBits": bits,
        "kChannels": channels,
        "kHeight": height,
        "kRowBeats": width // values,
        "kTileHeight": tile.shape[1],
        "kTileBeats": tile.shape[2] // values,
        "kRows": rows.count,
        "kColumns": cols.count,
        "kRowStep": rows.step if reads else rows.out_step,
        "kLastRow": rows.last if reads else rows.out_last,
        "kColumnStep": cols.step if reads else cols.out_step,
        "kLastColumn": cols.last if reads else cols.out_last,
        **(
            {"kTileWords": mover.words}
            if reads
            else {"kRowsBefore": rows.before, "kColumnsBefore": cols.before}
        ),
    }
