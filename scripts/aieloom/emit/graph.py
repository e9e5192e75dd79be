"""What the template of the top graph prints: the layers' graphs, PLIOs, buffers; flat values, taken from the plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aieloom.cpp_text import View, joined, wrap
from aieloom.emit.names import SIMULATED_IMAGES
from aieloom.layout.grid import TileGrid
from aieloom.plan.linked import handed_on
from aieloom.plan.shared_buffers import ENTRY, EXIT, Access, SharedBuffer
from aieloom.plan.types import AieLayerPlan, ArrayPart, PlioPlan
from aieloom.plan.wire import IN, OUT, WEIGHTS
from aieloom.words import plural


def buffer_views(plan: ArrayPart) -> tuple[View, ...]:
    """Return the buffers between the layers of chains."""
    grids = {la.name: la.grid for la in plan.all_aie}
    return tuple(_buffer(b, grids) for b in plan.buffers)


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


def graph_view(plan: ArrayPart) -> View:
    """Return what the template of the top graph prints."""
    layers = tuple(View(name=la.name, graph_class=f"{la.draft.class_name}Graph") for la in plan.all_aie)
    return View(
        graph_class=plan.graph_class,
        graph_name=plan.graph_name,
        note=f"{plan.project}: {plural(plan.cores, 'kernel')}, {plural(plan.tiles_in_use, 'tile')} in use.",
        layers=layers,
        plios=tuple(group for la in plan.all_aie for group in _plio_groups(plan, la)),
        buffers=buffer_views(plan),
        # connections of cores that share a buffer: `adf::connect` puts no DMA between neighbours
        handed=tuple(f"{before}_.out[0], {after}_.in[0]" for before, after in handed_on(plan.all_aie)),
        simulated=SIMULATED_IMAGES,
        beside=(),  # other graphs of the same design
    )


def _plio_groups(plan: ArrayPart, layer: AieLayerPlan) -> Iterator[View]:
    inside = f"{layer.name}_"
    through = {
        end for end in ("input", "output") if any(b.name == f"{layer.name}_{end}" for b in plan.buffers)
    }
    ends = {
        IN: f"{layer.name}_input_" if "input" in through else inside,
        OUT: f"{layer.name}_output_" if "output" in through else inside,
        WEIGHTS: inside,
    }
    for port, graph in ends.items():
        is_input, brings = port != OUT, port == WEIGHTS
        plios = [p for p in plan.plios if (p.layer, p.is_input, p.weights) == (layer.name, is_input, brings)]
        if plios:
            yield _plio_group(f"{layer.name}_{port}", f"{graph}.{port}[i]", plios)


def _plio_group(member: str, inner: str, plios: Sequence[PlioPlan]) -> View:
    is_input = plios[0].is_input
    own = f"{member}[i].{'out' if is_input else 'in'}[0]"
    return View(
        member=member,
        type="input_plio" if is_input else "output_plio",
        count=len(plios),
        bits=plios[0].bits,
        mhz=f"{plios[0].clock_mhz:.12g}",
        source=own if is_input else inner,
        target=inner if is_input else own,
        columns_name=f"k{member[0].upper()}{member[1:]}Columns",
        columns=wrap((str(p.column) for p in plios), indent=6),
    )
