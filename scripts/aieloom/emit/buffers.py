"""What the template of the top graph prints of buffers in memory tiles, and of those that neighbours share."""

from __future__ import annotations

from collections.abc import Mapping

from aieloom.cpp_text import View, joined
from aieloom.layout.grid import TileGrid
from aieloom.plan.linked import handed_on
from aieloom.plan.shared_buffers import ENTRY, EXIT, Access, SharedBuffer
from aieloom.plan.types import ArrayPart


def buffer_views(plan: ArrayPart) -> tuple[View, ...]:
    """Return the buffers between the layers of chains."""
    grids = {la.name: la.grid for la in plan.all_aie}
    return tuple(_buffer(b, grids) for b in plan.buffers)


def handed_views(plan: ArrayPart) -> tuple[str, ...]:
    """Return the connections of cores that share a buffer: `adf::connect` puts no DMA between neighbours."""
    return tuple(f"{before}_.out[0], {after}_.in[0]" for before, after in handed_on(plan.all_aie))


def _buffer(b: SharedBuffer, grids: Mapping[str, TileGrid]) -> View:
    member = f"{b.name}_"
    col, row = b.tile
    where = [f"adf::address({col}, {row}, {b.offset + copy * b.bytes})" for copy in range(b.copies)]
    return View(
        member=member,
        type=b.dtype.cpp,
        note=f"{_end(b.before)} to {_end(b.after)}: {b.copies} x {b.bytes} B in memory tile ({col}, {row})",
        dimensions=_braced(b.dimensions),
        copies=b.copies,
        where=f"{{{joined(where)}}}",
        writers=tuple(
            View(
                port=f"{member}.in[{i}]",
                pattern=_pattern(b, a),  # the fields of its tiling
                connections=tuple(f"{a.layer}_.out[{k}], {member}.in[{i}]" for k in a.kernels),
            )
            for i, a in enumerate(b.writers)
        ),
        readers=tuple(
            View(
                port=f"{member}.out[{i}]",
                pattern=_pattern(b, a),
                connections=tuple(
                    f"{member}.out[{i}], {a.layer}_.in[{k * grids[a.layer].in_ports + a.port}]"
                    for k in a.kernels
                ),
            )
            for i, a in enumerate(b.readers)
        ),
    )


def _end(name: str) -> str:
    return "PL" if name in (ENTRY, EXIT) else name


def _pattern(b: SharedBuffer, a: Access) -> tuple[str, ...]:
    """Return the fields of a tiling, with every one that has no default: g++ warns of those that are left out."""
    loops = [f"{{.dimension = {t.dimension}, .stride = {t.stride}, .wrap = {t.wrap}}}" for t in a.traversal]
    return (
        f".buffer_dimension = {_braced(b.dimensions)}",
        f".tiling_dimension = {_braced(a.tile)}",
        f".offset = {_braced(a.offset)}",
        f".tile_traversal = {{{joined(loops)}}}",
        f".boundary_dimension = {_braced(a.boundary)}",
    )


def _braced(numbers: tuple[int, ...]) -> str:
    return f"{{{joined(numbers)}}}"
