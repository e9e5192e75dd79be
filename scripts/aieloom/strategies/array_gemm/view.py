"""A product's kernels and graph as the templates print them; the kernels of a chain: first, middle, last, or one core alone."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.cpp_text import Constant, joined, wrap
from aieloom.plan.cascade import FIRST, LAST, MIDDLE
from aieloom.products.view import FlightView
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.types import PlacedProduct
from aieloom.words import plural

ALONE = "alone"
NOTES = {
    ALONE: "Multiplies tiles of A and B.",
    FIRST: "Multiplies its part of K and passes the sums on.",
    MIDDLE: "Goes on with the sums that it is given.",
    LAST: "Goes on with the sums that it is given, and keeps the results.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkView:
    """A kernel of a chain."""

    kind: str
    kernel_class: str
    note: str
    condition: str  # in the graph: which cores have it
    create: str
    sums: bool  # whether sums wait in an array of their own
    per_pass: bool  # whether the first pass differs
    ports: str
    arguments: str
    body: tuple[str, ...]
    blocks: tuple[FlightView, ...]


def links_of(plan: PlacedProduct) -> tuple[LinkView, ...]:
    """Return the kernels of a chain."""
    return tuple(_link(plan, kind) for kind in link_kinds(plan.cut.grid[1]))


def link_kinds(cascade: int) -> tuple[str, ...]:
    """Return the kinds of cores in a chain of so many."""
    return (ALONE,) if cascade == 1 else (FIRST, *([MIDDLE] if cascade > 2 else []), LAST)


def _link(plan: PlacedProduct, kind: str) -> LinkView:
    request, tag = plan.request, plan.accumulator
    element, out, sums = request.dtype.cpp, request.out.cpp, request.sums.cpp
    ends, many = kind in (ALONE, LAST), plan.cut.times[1] > 1
    buffer = "adf::input_async_buffer" if many else "adf::input_buffer"
    takes = [] if kind in (ALONE, FIRST) else [f"input_cascade<{tag}>* from"]
    gives = f"adf::output_buffer<{out}>& __restrict c" if ends else f"output_cascade<{tag}>* to"
    # Calls for several passes write one array. Beside a stream loops overlap with a restrict pointer alone, in its own scope.
    kept = f"{sums}* {'__restrict ' if takes else ''}sums" if many else f"{out}* __restrict c"
    arguments = [f"const {element}* __restrict a", f"const {element}* __restrict b", *takes]
    separate = ends and plan.separate_sums
    return LinkView(
        kind=kind,
        kernel_class=f"Gemm{kind.capitalize()}",
        note=NOTES[kind],
        condition={
            ALONE: "",
            FIRST: "if (link == 0) {",
            MIDDLE: "} else if (link + 1 < kLinks) {",
            LAST: "} else {",
        }[kind],
        create=f"std::vector<{sums}>({plan.cut.elements[2]})" if separate else "",
        sums=separate,
        per_pass=ends and many,
        ports=", ".join(
            [f"{buffer}<{element}>& __restrict a", f"{buffer}<{element}>& __restrict b", *takes, gives]
        ),
        arguments=", ".join([*arguments, kept if ends else gives]),
        body=tuple(_body(plan, kind, bool(takes))),
        blocks=_flight(plan, kind),
    )


def _body(plan: PlacedProduct, kind: str, takes: bool) -> list[str]:
    ends, many = kind in (ALONE, LAST), plan.cut.times[1] > 1
    target = ("sums_" if plan.separate_sums else "c.data()") if ends else "to"
    words = ", ".join(["a.data()", "b.data()", *(["from"] if takes else []), target])
    lines = list(_modes(plan)) if ends else []
    if not many:
        return [*lines, f"multiply_{kind}({words});"]
    first, later = (
        (f"multiply_{kind}<true>", f"multiply_{kind}<false>") if ends else (f"multiply_{kind}",) * 2
    )
    taken, left = "a.acquire();", "a.release();"
    if plan.request.told:
        return [*lines, *_told(words, ends=ends, kind=kind)]
    if ends:
        lines += [taken, "b.acquire();", f"{first}({words});", left, "b.release();"]
    lines.append(f"for (unsigned pass = {1 if ends else 0}; pass < kPasses; ++pass) {{")
    lines += [f"  {line}" for line in (taken, "b.acquire();", f"{later}({words});", left, "b.release();")]
    lines.append("}")
    if ends and plan.separate_sums:
        lines.append("finish(sums_, c.data());")
    return lines


def _told(words: str, *, ends: bool, kind: str) -> list[str]:
    """Return the statements of a core that goes on until a tile of A says that it is the last."""

    def turn(call: str) -> list[str]:
        after = ["a.release();", "b.release();"]
        return ["a.acquire();", "b.acquire();", "last = is_last(a.data());", f"{call}({words});", *after]

    first, later = (f"multiply_{kind}<{f}>" if ends else f"multiply_{kind}" for f in ("true", "false"))
    head = ["bool last = false;"]
    return [*head, *turn(first), "while (!last) {", *(f"  {line}" for line in turn(later)), "}"]


def _modes(plan: PlacedProduct) -> tuple[str, ...]:
    out = plan.request.out
    if out in (DataType.FLOAT32, DataType.INT32):
        return ()
    rounding = "conv_even" if out is DataType.BFLOAT16 else "positive_inf"
    return (
        "aie::set_saturation(aie::saturation_mode::saturate);",
        f"aie::set_rounding(aie::rounding_mode::{rounding});",
    )


def _flight(plan: PlacedProduct, kind: str) -> tuple[FlightView, ...]:
    cut, request = plan.cut, plan.request
    block = plan.block
    zeros = f"aie::zeros<{request.sums.cpp}, Mmul::size_C>()"
    shift = "kShift" if request.shift else ""

    def end(r: int, c: int) -> str:
        at = f"((mb + {r}) * kColTiles + nb + {c}) * Mmul::size_C"
        if kind in (FIRST, MIDDLE):
            return f"writeincr(to, c{r}{c}.to_accum())"
        if cut.times[1] > 1:
            return f"keep<kFirstPass>(sums + {at}, c{r}{c}.to_vector<{request.sums.cpp}>())"
        return f"aie::store_v(c + {at}, c{r}{c}.to_vector<{request.out.cpp}>({shift}))"

    return tuple(
        FlightView(
            name=f"c{r}{c}",
            row=r,
            col=c,
            start=zeros if kind in (ALONE, FIRST) else "readincr_v<Mmul::size_C>(from)",
            end=end(r, c),
        )
        for r in range(block.rows)
        for c in range(block.cols)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockView:
    """One location constraint."""

    kind: str
    object: str
    where: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PortsView:
    """The PLIOs of one matrix."""

    name: str
    type: str
    count: int
    note: str
    columns_name: str
    columns: tuple[str, ...]


def _why(plan: PlacedProduct) -> tuple[str, ...]:
    cut = plan.cut
    if plan.request.told:
        (x, y, z), (tm, tk, tn) = cut.grid, cut.tile
        return (
            f"{x} x {z} chains of {plural(y, 'core')}; a core multiplies {tm} x {tk} of A by {tk} x {tn} of B at a time.",
            f"A's tiles are broadcast along rows of chains, B's along columns; K is cut over {plural(y, 'core')} and passes.",
        )
    (x, y, z), (tm, tk, tn), (mi, ki, ni) = cut.grid, cut.tile, cut.times
    return (
        f"{x} x {z} chains of {plural(y, 'core')}; a core multiplies {tm} x {tk} of A by {tk} x {tn} of B at a time.",
        f"A's tiles are broadcast along rows of chains, B's along columns; K is cut over {plural(y, 'core')} and "
        f"{plural(ki, 'pass')[: None if ki == 1 else -1] + ('es' if ki > 1 else '')}.",
        f"C comes in {mi} x {ni} blocks of {x * tm} x {z * tn}, one after another.",
    )


def kernel_values(plan: PlacedProduct, folder: str = "") -> dict[str, object]:
    """Return what the templates of kernels and graph print; `folder` holds them, in that of the top graph."""
    cut, request = plan.cut, plan.request
    (m, k, n), (tm, tk, tn), (x, y, z) = cut.mmul, cut.tile, cut.grid
    block = plan.block
    links = links_of(plan)
    many = cut.times[1] > 1
    blocks, depth = tm // m // block.rows * (tn // n // block.cols), tk // k
    pipelined = "chess_prepare_for_pipelining "
    constants = [
        Constant("kBlocks", blocks, f"{tm} x {tn} in blocks of {block.rows * m} x {block.cols * n}"),
        Constant("kColTiles", tn // n, f"{tn} / {n}"),
        Constant("kDepth", tk // k, f"{tk} / {k}"),
        *(
            [Constant("kPasses", cut.times[1], f"K = {request.k} in tiles of {tk} on {y} cores")]
            if many and not request.told
            else []
        ),
        *([Constant("kResults", tm * tn, f"{tm} x {tn}")] if plan.separate_sums else []),
        *([Constant("kShift", request.shift, "to the right, halves up", "int")] if request.shift else []),
    ]
    return {
        "why": _why(plan),
        "links": links,
        "links_in_all": y,
        "type": request.dtype.cpp,
        "out_type": request.out.cpp,
        "sum_type": request.sums.cpp,
        "shift": "kShift" if request.shift else "",
        "results": tm * tn,
        "pass_note": _pass_note(plan),
        "mmul": joined(cut.mmul),
        "constants": constants,
        "rows": tuple(range(block.rows)),
        "cols": tuple(range(block.cols)),
        "block_note": f"Blocks of {block.rows} x {block.cols} mmuls share the tiles they load.",
        "block_hint": f"{pipelined if plan.flattened else ''}chess_loop_range({blocks}, {blocks})",
        "depth_hint": "chess_flatten_loop"
        if plan.flattened
        else f"{pipelined}chess_loop_range({depth}, {depth})",
        "keeps_sums": many,
        "narrows_sums": plan.separate_sums,
        "folder": folder,
        "graph_note": f"C = A x B: {cut.cores} cores.",
        "cores": cut.cores,
        "grid_note": f"{x} rows x {z} columns of chains x {y} links",
        "plios": _ports(plan),
        "plio_bits": plan.plio_bits,
        "plio_mhz": f"{plan.movers[0].clock_mhz:.12g}",
        "stack": plan.array.aie[0].draft.stack_bytes,
        "chained": y > 1,
        "ends_condition": y > 1,
        "single": cut.results == 1,
        "a_dimensions": f"{{{tm * tk + request.tail_bytes // request.dtype.bytes}}}",
        "a_note": f"{tm} x {tk}" + (", and whether it is the last pass" if request.told else ""),
        "told": (tm * tk,) if request.told else (),
        "b_dimensions": f"{{{tk * tn}}}",
        "b_note": f"{tk} x {tn}",
        "c_dimensions": f"{{{tm * tn}}}",
        "c_note": f"{tm} x {tn}",
        "common_blocks": tuple(_blocks(plan, last=False)),
        "last_blocks": tuple(_blocks(plan, last=True)),
        "place_rows": _places(plan),
    }


def _pass_note(plan: PlacedProduct) -> str:
    if plan.request.told:
        return ", in as many passes over K as the tiles of A say"
    times = plan.cut.times[1]
    return f", in {times} passes over K" if times > 1 else ""


def _blocks(plan: PlacedProduct, *, last: bool) -> list[BlockView]:
    draft, found = plan.array.aie[0].draft, []
    needs = {need.role: need for need in draft.needs}
    for role, slots in draft.memory.slots.items():
        if role.startswith(("out", "param")) != last:
            continue
        where = [f"adf::address(at.col, at.row, {s.offset})" for s in slots]
        buffer = role.startswith(("in", "out"))
        found.append(
            BlockView(
                kind="adf::buffer" if buffer else "adf::stack" if role == "stack" else "adf::parameter",
                object="core" if role == "stack" else f"core.{role}",
                where=f"{{{joined(where)}}}" if buffer else where[0],
                note=f"{needs[role].label}, {needs[role].bytes} B"
                if role in needs
                else "stack, then heap and the tools' own",
            )
        )
    return found


def _places(plan: PlacedProduct) -> tuple[str, ...]:
    y = plan.cut.grid[1]
    return wrap(
        (f"{{{joined((*c.tile, c.x * y + c.part, c.z * y + c.part))}}}" for c in plan.cores), indent=6
    )


def _ports(plan: PlacedProduct) -> tuple[PortsView, ...]:
    x, y, z = plan.cut.grid
    notes = {"a": f"[x][part of K]: {x} x {y}", "b": f"[z][part of K]: {z} x {y}", "c": f"[x][z]: {x} x {z}"}
    found = []
    for name, note in notes.items():
        columns = [p.column for p in plan.array.plios if p.name.startswith(name)]
        found.append(
            PortsView(
                name=name,
                type="output_plio" if name == "c" else "input_plio",
                count=len(columns),
                note=note,
                columns_name=f"kColumns{name.upper()}",
                columns=wrap(map(str, columns), indent=6),
            )
        )
    return tuple(found)
