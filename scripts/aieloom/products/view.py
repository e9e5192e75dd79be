"""What the templates of all products print, of kernels and their graph: flat values, taken from the plan.

Of loops a kernel's source tells the compiler what the plan's figures take: `chess_prepare_for_pipelining`, `chess_flatten_loop`
and how often one runs [UG1079, Loops]: without them the compiler decides by itself, by release.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from aieloom.cost.blocks import Loops, row_loops
from aieloom.cpp_text import Block, Constant, View, float_lines, integer_lines, joined, wrap
from aieloom.network.layers import Tensor
from aieloom.plan.gemm import Blocking, blocking_of
from aieloom.plan.types import AieLayerDraft, AieLayerPlan
from aieloom.plan.weights import WORD_BYTES, table_role
from aieloom.products.requant import requant_constants, requant_view
from aieloom.products.weights import rows_note
from aieloom.spec.types import Buffers, DataType
from aieloom.words import plural

# bfloat16 weights are kept as their bits: no compiler reads such literals
STORED = {DataType.BFLOAT16: "int16"}
FLATTEN = "chess_flatten_loop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """Words between a loop's head and its body: of the loops around, outermost first, each with a blank behind; inside."""

    around: tuple[str, ...]
    inside: tuple[str, ...]


def hints_of(loops: Loops) -> Hints:
    """Return the words for a kernel's loops; those that turn once are flattened with what is in them."""
    if not loops.flattened:
        return Hints(around=("",) * len(loops.outer), inside=tuple(_pipelined(t) for t in loops.trips))
    around = [
        "" if i < loops.last else f"{_pipelined(trips) if i == loops.last else FLATTEN} "
        for i, trips in enumerate(loops.outer)
    ]
    return Hints(around=tuple(around), inside=(FLATTEN,) * len(loops.trips))


def _pipelined(trips: int) -> str:
    return f"chess_prepare_for_pipelining chess_loop_range({trips}, {trips})"


FROM_CASCADE = "readincr_v<Mmul::size_C>(from)"  # where sums come from that the core before sends


def flight(block: Blocking, start: Callable[[int], str], end: Callable[[int, int], str]) -> tuple[View, ...]:
    """Return the mmul blocks in flight: from where the sums of a row come, and where those of a row and column go."""
    return tuple(
        View(name=f"c{r}{c}", row=r, col=c, start=start(r), end=end(r, c))
        for r in range(block.rows)
        for c in range(block.cols)
    )


def copy_view(view: View, layer: AieLayerPlan) -> View:
    """Return what the template of a layer's graph prints for a copy of it: the same kernels in other places."""
    return view.but(graph_class=f"{layer.draft.class_name}Graph", place_rows=_place_rows(layer))


def product_view(
    layer: AieLayerPlan, packed: tuple[Tensor, Tensor], *, note: str = "", narrow: bool = False
) -> View:
    """Return what the templates of all products print.

    `packed` are each part's weights and rows as its cores read them, `note` a comment on the rows. `narrow`: kernels work as
    those of narrow elements do, whatever the type: sums between passes lie apart.
    """
    draft, grid = layer.draft, layer.grid
    m, k, _ = grid.mmul
    block = blocking_of(grid)
    weights, bias = packed
    single = draft.buffers is Buffers.SINGLE
    narrow = narrow or draft.dtype is not DataType.FLOAT32
    waiting = narrow and grid.passes > 1
    stored = STORED.get(draft.dtype, draft.dtype.cpp)
    row_type = "int32" if draft.requant else "float"  # of what stands beside the weights for each row
    return View(
        name=layer.name,
        kernel_class=f"{draft.class_name}Kernel",
        graph_class=f"{draft.class_name}Graph",
        graph_note=f"{layer.name}: {plural(grid.cores, 'core')}, {plural(len(layer.tiles), 'tile')} in use.",
        type=draft.dtype.cpp,
        weight_type=draft.dtype.cpp if draft.streamed else stored,  # as weights are stored
        row_type=row_type,
        rows_name="rows" if draft.requant else "bias",
        includes=("<adf.h>",) if narrow else (),
        why=draft.why,
        mmul=joined(grid.mmul),
        rows=tuple(range(block.rows)),  # mmul blocks in flight along M
        cols=tuple(range(block.cols)),
        block_note=f"blocks of {block.rows} x {block.cols} mmuls share the tiles they load",
        hints=hints_of(draft.loops[0]),  # of the loops around its products, and of these
        trip=draft.loops[0].body,
        # of those that begin sums in memory, and make elements of them
        start_hints=hints_of(row_loops(*grid.size_in_blocks)),
        finish_hints=hints_of(row_loops(*grid.size_in_blocks, unrolled=1)),
        constants=_constants(layer),
        in_buffer="adf::input_buffer" if grid.passes == 1 else "adf::input_async_buffer",
        one_pass=grid.passes == 1,  # which of the two bodies is printed
        many_passes=() if grid.passes == 1 else (0,),
        parts=grid.parts,
        weight_arrays=len(weights),  # one for each part, and each link of a chain
        groups=grid.groups,
        cores=grid.cores,
        weights=weights.shape[1],
        weights_note=f"[pass][row tile][k tile] of {m} x {k}: {grid.passes} x {grid.tile_m} x {grid.tile_k}",
        bias=bias.shape[1],
        bias_note=note or rows_note(layer),
        weight_rows=_blocks(weights, grid.parts),
        bias_rows=_blocks(bias, grid.parts),
        stack=draft.stack_bytes,
        repetitions=(grid.rounds,) if grid.rounds > 1 else (),
        in_dimensions=f"{{{grid.in_elements}}}",
        in_note=f"{grid.tile_k} x {grid.tile_n}",
        out_dimensions=f"{{{grid.out_elements}}}",
        out_note=f"{grid.tile_m} x {grid.tile_n}",
        single_ports=(("in[0]", "out[0]") if single else ())
        + ((table_role(grid.in_ports),) if draft.streamed else ()),
        blocks=locations(layer),
        place_note=" and the column whose memory it borrows" if draft.memory.memories > 1 else "",
        beside_fields=", beside" if draft.memory.memories > 1 else "",
        place_rows=_place_rows(layer),
        sums=grid.out_elements,  # 32-bit sums that wait between passes
        sums_vector=f", std::vector<{row_type}>({grid.out_elements})" if waiting else "",
        sums_argument=f", {row_type} (&sums)[{grid.out_elements}]" if waiting else "",
        sums_member=", sums_(sums)" if waiting else "",
        **_weights_names(draft, row_type, grid.out_elements if waiting else 0),
        **requant_view(draft.requant, draft.dtype),
        loops_template="",  # of a kernel whose sums are scaled back
    )


def tiled_view(layer: AieLayerPlan, packed: tuple[Tensor, Tensor]) -> View:
    """Return it with how far apart the blocks of a tile lie, of weights and of the input, as the grid's layouts have them."""
    from aieloom.layout.cpp import stride  # noqa: PLC0415 - checking prints nothing

    grid = layer.grid
    return product_view(layer, packed).but(
        row_stride=stride(grid.weights, "mt", "Mmul::size_A"),
        weight_stride=stride(grid.weights, "kt", "Mmul::size_A"),
        col_stride=stride(grid.input, "nt", "Mmul::size_B"),
        in_stride=stride(grid.input, "kt", "Mmul::size_B"),
    )


def _weights_names(draft: AieLayerDraft, row_type: str, sums: int) -> dict[str, Any]:
    """Return what the kernel and its graph say where weights are compiled in, or come over a stream."""
    table = draft.streamed
    member = "bias_" if draft.dtype is DataType.FLOAT32 else "rows_"  # as the two templates call it
    return {
        "streamed": table is not None,  # else weights are parameters of the kernels
        "weights_port": "adf::input_async_buffer<int32>& __restrict weights, " if table else "",
        # where the kernel finds weights and rows; of streamed ones the int32 words before the rows
        "weights_value": "table" if table else "weights_",
        "rows_value": "rows" if table else member,
        "rows_at": table.rows_at // WORD_BYTES if table else 0,
        "table_words": table.words if table else 0,
        # of a kernel without compiled weights
        "object_arguments": f"std::vector<{row_type}>({sums})" if sums else "",
    }


def _constants(layer: AieLayerPlan) -> tuple[Constant, ...]:
    grid = layer.grid
    m, k, n = grid.mmul
    found = [
        Constant("kRowTiles", grid.tile_m // m, f"{grid.tile_m} / {m}"),
        Constant("kColTiles", grid.tile_n // n, f"{grid.tile_n} / {n}"),
        Constant("kDepth", grid.tile_k // k, f"{grid.tile_k} / {k}"),
    ]
    if grid.passes > 1:
        size = grid.tile_m * grid.tile_k
        found.append(Constant("kPasses", grid.passes, f"K = {grid.k} in tiles of {grid.tile_k}"))
        found.append(Constant("kWeightsPerPass", size, f"{grid.tile_m} x {grid.tile_k}"))
    # a chain's code steps by rows of vectors, be it one
    narrow = layer.draft.dtype.bytes < 4 or grid.cascade > 1
    return (*found, *requant_constants(layer.draft.requant, layer.draft.dtype, narrow=narrow))


def _blocks(rows: Tensor, parts: int) -> tuple[Block, ...]:
    lines = integer_lines if np.issubdtype(rows.dtype, np.integer) else float_lines
    return tuple(Block(_label(i, len(rows), parts), lines(row, indent=8)) for i, row in enumerate(rows))


def _label(index: int, rows: int, parts: int) -> str:
    part, link = divmod(index, rows // parts)
    return f"part {part}, link {link}" if rows > parts else f"part {part}"


_KINDS = {"in": "adf::buffer", "out": "adf::buffer", "param": "adf::parameter", "stack": "adf::stack"}


def locations(layer: AieLayerPlan) -> tuple[View, ...]:
    """Return the location constraints; offsets are equal for all cores, tiles come from a table."""
    memory = layer.draft.memory
    needs = {n.role: n for n in layer.draft.needs}
    found = []
    for role, slots in memory.slots.items():
        where = [f"adf::address({('at.col', 'at.beside')[s.memory]}, at.row, {s.offset})" for s in slots]
        kind = _KINDS[role.split("[")[0]]
        need = needs.get(role)
        found.append(
            View(
                kind=kind,
                object="core" if role == "stack" else f"core.{role}",
                where=f"{{{joined(where)}}}" if kind == "adf::buffer" else where[0],
                note=f"{need.label}, {need.bytes} B" if need else "stack, then heap and the tools' own",
            )
        )
    return tuple(found)


def _place_rows(layer: AieLayerPlan) -> tuple[str, ...]:
    rows = []
    for kernel in layer.kernels:
        col, row = kernel.tile
        beside = [t[0] for t in kernel.memory_tiles[1:]]
        rows.append(f"{{{joined([col, row, *beside])}}}")
    return wrap(rows, indent=6)
