"""The buffers in memory tiles between layers of a chain, at its beginning and its end: how cores write and read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from aieloom.plan.shared_buffers import ENTRY, EXIT, Access, SharedBuffer, Traversal
from aieloom.plan.types import AieLayerDraft
from aieloom.strategies.chained.grid import BLOCK, BlockGrid, Reader


def buffers_of(drafts: Sequence[AieLayerDraft]) -> tuple[SharedBuffer, ...]:
    """Return the memory tiles' buffers of all chains among the layers, in order of the data's way."""
    by_name = {d.name: d for d in drafts}
    found: list[SharedBuffer] = []
    for draft in drafts:
        if isinstance(draft.grid, BlockGrid):
            if draft.grid.handed:
                found += _behind_the_last(draft)
                continue
            before = by_name.get(draft.inputs[0]) if draft.grid.entry is None else None
            found += [_between(before, draft, p) for p in range(len(draft.grid.in_blocks))]
            found += _behind_the_last(draft)
    return tuple(found)


def _behind_the_last(draft: AieLayerDraft) -> list[SharedBuffer]:
    """Return the buffer that collects a chain's result, if the layer is its last one and needs one."""
    grid = cast(BlockGrid, draft.grid)
    return [_exit_buffer(draft)] if grid.exit and not grid.exits_directly else []


def _between(before: AieLayerDraft | None, after: AieLayerDraft, port: int) -> SharedBuffer:
    grid = cast(BlockGrid, after.grid)
    if before is None:
        dimensions, writers = _entry_side(after)
        boundary = dimensions
    else:
        source = cast(BlockGrid, before.grid)
        first = sum(grid.held_blocks[:port])
        parts = range(first // source.make.blocks, -(-(first + grid.held_blocks[port]) // source.make.blocks))
        dimensions, writers = _written(before, parts)
        rows, cols = source.out_size
        boundary = (cols * BLOCK, dimensions[1], rows)
    suffix = f"_{port}" if len(grid.in_blocks) > 1 else ""
    return SharedBuffer(
        name=f"{after.name}_input{suffix}",
        dtype=after.dtype,
        dimensions=dimensions,
        writers=writers,
        readers=tuple(_read(after, port, reader, boundary) for reader in grid.readers),
        copies=2,
        before=before.name if before else ENTRY,
        after=after.name,
    )


def _written(draft: AieLayerDraft, parts: range) -> tuple[tuple[int, ...], tuple[Access, ...]]:
    """Return a buffer that holds these parts of a layer's channels, all bands of them, and how its cores write it."""
    grid = cast(BlockGrid, draft.grid)
    make = grid.make
    dimensions = (make.cols * BLOCK, len(parts) * make.blocks, grid.groups * make.rows)
    return dimensions, tuple(
        _write(draft, g, part, (part - parts[0]) * make.blocks) for g in range(grid.groups) for part in parts
    )


def _write(draft: AieLayerDraft, group: int, part: int, block: int) -> Access:
    """Return how a core writes its channels of its band."""
    grid = cast(BlockGrid, draft.grid)
    make = grid.make
    return Access(
        layer=draft.name,
        kernels=(group * grid.parts + part,),
        port=0,
        tile=(make.cols * BLOCK, make.blocks, make.rows),
        offset=(0, block, group * make.rows),
    )


def _border(grid: BlockGrid) -> tuple[int, int]:
    """Return rows and columns of zeros before the image that the memory tile adds; the PL may have sent the border."""
    sent = grid.entry.window.padding if grid.entry else (0, 0)
    return grid.window.padding[0] - sent[0], grid.window.padding[1] - sent[1]


def _read(after: AieLayerDraft, port: int, reader: Reader, boundary: tuple[int, ...]) -> Access:
    """Return how the cores of a port read: a window with its border, zeros beyond the image."""
    grid = cast(BlockGrid, after.grid)
    above, left = _border(grid)
    return Access(
        layer=after.name,
        kernels=reader.kernels,
        port=port,
        tile=(grid.need.cols * BLOCK, grid.in_blocks[port], grid.need.rows),
        offset=(-left * BLOCK, reader.block, reader.band * grid.band_rows * grid.down - above),
        boundary=boundary,
    )


def _entry_side(after: AieLayerDraft) -> tuple[tuple[int, ...], tuple[Access, ...]]:
    """Return a first buffer, block after block in each row, and how the PL fills it: pixel after pixel, each with its blocks.

    So a band's rows and columns are the dimensions in which a descriptor that reads adds zeros (plan.memory_tiles.descriptor).
    """
    grid = cast(BlockGrid, after.grid)
    assert grid.entry is not None
    window = grid.entry.window
    blocks = sum(grid.in_blocks)
    dimensions = (BLOCK * window.out_width, blocks, window.out_height)
    whole = blocks == 1
    write = Access(
        layer=ENTRY,
        kernels=(),
        port=0,
        tile=dimensions if whole else (BLOCK, 1, 1),
        offset=(0, 0, 0),
        traversal=()
        if whole
        else (
            Traversal(dimension=1, stride=1, wrap=blocks),
            Traversal(dimension=0, stride=BLOCK, wrap=window.out_width),
            Traversal(dimension=2, stride=1, wrap=window.out_height),
        ),
    )
    return dimensions, (write,)


def _exit_buffer(draft: AieLayerDraft) -> SharedBuffer:
    """Return the buffer that collects the last layer's result: channels, rows and columns as the PL takes them."""
    grid = cast(BlockGrid, draft.grid)
    rows, cols = grid.out_size
    dimensions, writers = _written(draft, range(grid.parts))
    read = Access(
        layer=EXIT,
        kernels=(),
        port=0,
        tile=(cols * BLOCK, 1, 1),
        offset=(0, 0, 0),
        traversal=(
            Traversal(dimension=2, stride=1, wrap=rows),
            Traversal(dimension=1, stride=1, wrap=dimensions[1]),
        ),
    )
    return SharedBuffer(
        name=f"{draft.name}_output",
        dtype=draft.dtype,
        dimensions=dimensions,
        writers=writers,
        readers=(read,),
        copies=2,
        before=draft.name,
        after=EXIT,
    )
