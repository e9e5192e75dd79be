"""What the templates of all products print, of kernels and their graph: flat values, taken from the plan.

Of loops a kernel's source tells the compiler what the plan's figures take: `chess_prepare_for_pipelining`, `chess_flatten_loop`
and how often one runs [UG1079, Loops]: without them the compiler decides by itself, by release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aieloom.cost.blocks import Loops, row_loops
from aieloom.cpp_text import Block, Constant, float_lines, integer_lines, joined, wrap
from aieloom.network.layers import Tensor
from aieloom.plan.gemm import blocking_of
from aieloom.plan.types import AieLayerDraft, AieLayerPlan
from aieloom.plan.weights import WORD_BYTES, table_role
from aieloom.products.requant import RequantView, requant_constants, requant_view
from aieloom.products.weights import rows_note
from aieloom.spec.types import Buffers, DataType
from aieloom.words import plural

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


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockLocation:
    """One location constraint: `location<kind>(object) = where`."""

    kind: str
    object: str
    where: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightView:
    """An mmul block in flight: from where its sums come, and where they go."""

    name: str
    row: int
    col: int
    start: str
    end: str


STORED = {
    DataType.BFLOAT16: "int16"
}  # bfloat16 weights are kept as their bits: no compiler reads such literals


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductView:
    """A layer of sums of products: its kernel, weights and subgraph."""

    name: str
    kernel_class: str
    graph_class: str
    graph_note: str
    type: str
    weight_type: str  # as weights are stored
    row_type: str  # of what stands beside the weights for each row
    rows_name: str
    includes: tuple[str, ...]
    why: tuple[str, ...]
    mmul: str
    rows: tuple[int, ...]  # mmul blocks in flight along M
    cols: tuple[int, ...]
    block_note: str
    hints: Hints  # of the loops around its products, and of these
    start_hints: Hints  # of those that begin sums in memory, and make elements of them
    finish_hints: Hints
    constants: tuple[Constant, ...]
    in_buffer: str
    one_pass: bool  # which of the two bodies is printed
    many_passes: tuple[int, ...]
    parts: int
    weight_arrays: int  # one for each part, and each link of a chain
    groups: int
    cores: int
    weights: int
    weights_note: str
    bias: int
    bias_note: str
    weight_rows: tuple[Block, ...]
    bias_rows: tuple[Block, ...]
    stack: int
    repetitions: tuple[int, ...]
    in_dimensions: str
    in_note: str
    out_dimensions: str
    out_note: str
    single_ports: tuple[str, ...]
    blocks: tuple[BlockLocation, ...]
    place_note: str
    beside_fields: str
    place_rows: tuple[str, ...]
    requant: RequantView
    sums: int  # 32-bit sums that wait between passes
    sums_vector: str
    sums_argument: str
    sums_member: str
    chain: dict[str, object]  # what only the templates of chains of cores, or of lanes, ask for
    streamed: bool  # whether weights come over a stream, or are parameters of the kernels
    weights_port: str  # the kernel's argument for them
    weights_value: str  # where the kernel finds weights and rows
    rows_value: str
    rows_at: int  # of streamed weights: int32 words before the rows
    table_words: int
    object_arguments: str  # of a kernel without compiled weights
    loops_template: str = ""  # of a kernel whose sums are scaled back

    def __getattr__(self, name: str) -> object:
        """Return what the templates of integer kernels and of chains print."""
        chain = object.__getattribute__(self, "chain")
        return chain[name] if name in chain else getattr(object.__getattribute__(self, "requant"), name)


def extended(view: ProductView, fields: Mapping[str, object]) -> ProductView:
    """Return a view with other values, and with those that only its own templates ask for."""
    own: dict[str, Any] = {name: value for name, value in fields.items() if name in ProductView.__slots__}
    return replace(view, **own, chain=view.chain | {n: v for n, v in fields.items() if n not in own})


def copy_view(view: ProductView, layer: AieLayerPlan) -> ProductView:
    """Return what the template of a layer's graph prints for a copy of it: the same kernels in other places."""
    return replace(
        view,
        graph_class=f"{layer.draft.class_name}Graph",
        place_rows=_place_rows(layer),
    )


def product_view(
    layer: AieLayerPlan, packed: tuple[Tensor, Tensor], *, note: str = "", narrow: bool = False
) -> ProductView:
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
    names: dict[str, Any] = {
        "type": draft.dtype.cpp,
        "weight_type": draft.dtype.cpp if draft.streamed else stored,
        "row_type": "int32" if draft.requant else "float",
        "rows_name": "rows" if draft.requant else "bias",
    }
    requant = requant_view(draft.requant, draft.dtype)
    row_type = names["row_type"]
    return ProductView(
        name=layer.name,
        kernel_class=f"{draft.class_name}Kernel",
        graph_class=f"{draft.class_name}Graph",
        graph_note=f"{layer.name}: {plural(grid.cores, 'core')}, {plural(len(layer.tiles), 'tile')} in use.",
        **names,
        includes=("<adf.h>",) if narrow else (),
        why=draft.why,
        mmul=joined(grid.mmul),
        rows=tuple(range(block.rows)),
        cols=tuple(range(block.cols)),
        block_note=f"blocks of {block.rows} x {block.cols} mmuls share the tiles they load",
        hints=hints_of(draft.loops[0]),
        start_hints=hints_of(row_loops(*grid.size_in_blocks)),
        finish_hints=hints_of(row_loops(*grid.size_in_blocks, unrolled=1)),
        constants=_constants(layer),
        in_buffer="adf::input_buffer" if grid.passes == 1 else "adf::input_async_buffer",
        one_pass=grid.passes == 1,
        many_passes=() if grid.passes == 1 else (0,),
        parts=grid.parts,
        weight_arrays=len(weights),
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
        requant=requant,
        chain={},
        sums=grid.out_elements,
        sums_vector=f", std::vector<{row_type}>({grid.out_elements})" if waiting else "",
        sums_argument=f", {row_type} (&sums)[{grid.out_elements}]" if waiting else "",
        sums_member=", sums_(sums)" if waiting else "",
        **_weights_names(draft, names, grid.out_elements if waiting else 0),
    )


def tiled_view(layer: AieLayerPlan, packed: tuple[Tensor, Tensor]) -> ProductView:
    """Return it with how far apart the blocks of a tile lie, of weights and of the input, as the grid's layouts have them."""
    from aieloom.layout.cpp import stride  # noqa: PLC0415 - checking prints nothing

    grid = layer.grid
    strides = {
        "row_stride": stride(grid.weights, "mt", "Mmul::size_A"),
        "weight_stride": stride(grid.weights, "kt", "Mmul::size_A"),
        "col_stride": stride(grid.input, "nt", "Mmul::size_B"),
        "in_stride": stride(grid.input, "kt", "Mmul::size_B"),
    }
    return extended(product_view(layer, packed), strides)


def _weights_names(draft: AieLayerDraft, names: Mapping[str, str], sums: int) -> dict[str, Any]:
    """Return what the kernel and its graph say where weights are compiled in, or come over a stream."""
    table = draft.streamed
    member = "bias_" if draft.dtype is DataType.FLOAT32 else "rows_"  # as the two templates call it
    return {
        "streamed": table is not None,
        "weights_port": "adf::input_async_buffer<int32>& __restrict weights, " if table else "",
        "weights_value": "table" if table else "weights_",
        "rows_value": "rows" if table else member,
        "rows_at": table.rows_at // WORD_BYTES if table else 0,
        "table_words": table.words if table else 0,
        "object_arguments": f"std::vector<{names['row_type']}>({sums})" if sums else "",
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
    narrow = (
        layer.draft.dtype.bytes < 4 or grid.cascade > 1
    )  # a chain's code steps by rows of vectors, be it one
    return (*found, *requant_constants(layer.draft.requant, layer.draft.dtype, narrow=narrow))


def _blocks(rows: Tensor, parts: int) -> tuple[Block, ...]:
    lines = integer_lines if np.issubdtype(rows.dtype, np.integer) else float_lines
    return tuple(Block(_label(i, len(rows), parts), lines(row, indent=8)) for i, row in enumerate(rows))


def _label(index: int, rows: int, parts: int) -> str:
    part, link = divmod(index, rows // parts)
    return f"part {part}, link {link}" if rows > parts else f"part {part}"


_KINDS = {"in": "adf::buffer", "out": "adf::buffer", "param": "adf::parameter", "stack": "adf::stack"}


def locations(layer: AieLayerPlan) -> tuple[BlockLocation, ...]:
    """Return the location constraints; offsets are equal for all cores, tiles come from a table."""
    memory = layer.draft.memory
    needs = {n.role: n for n in layer.draft.needs}
    found = []
    for role, slots in memory.slots.items():
        where = [f"adf::address({('at.col', 'at.beside')[s.memory]}, at.row, {s.offset})" for s in slots]
        kind = _KINDS[role.split("[")[0]]
        need = needs.get(role)
        found.append(
            BlockLocation(
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
