"""A product's kernels and graph as the templates print them; the kernels of a chain: first, middle, last, or one core alone."""

from __future__ import annotations

from aieloom.cpp_text import Constant, View, joined, wrap
from aieloom.plan.cascade import FIRST, LAST, MIDDLE
from aieloom.products.view import FROM_CASCADE, flight, locations
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.types import PlacedProduct
from aieloom.words import plural

ALONE = "alone"
LAST_HAS = ("core.out", "core.param")  # what only the last core of a chain keeps
NOTES = {
    ALONE: "Multiplies tiles of A and B.",
    FIRST: "Multiplies its part of K and passes the sums on.",
    MIDDLE: "Goes on with the sums that it is given.",
    LAST: "Goes on with the sums that it is given, and keeps the results.",
}


def links_of(plan: PlacedProduct) -> tuple[View, ...]:
    """Return the kernels of a chain."""
    return tuple(_link(plan, kind) for kind in link_kinds(plan.cut.grid[1]))


def link_kinds(cascade: int) -> tuple[str, ...]:
    """Return the kinds of cores in a chain of so many."""
    return (ALONE,) if cascade == 1 else (FIRST, *([MIDDLE] if cascade > 2 else []), LAST)


def _link(plan: PlacedProduct, kind: str) -> View:
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
    return View(
        kind=kind,
        kernel_class=f"Gemm{kind.capitalize()}",
        note=NOTES[kind],
        # in the graph: which cores have it
        condition={
            ALONE: "",
            FIRST: "if (link == 0) {",
            MIDDLE: "} else if (link + 1 < kLinks) {",
            LAST: "} else {",
        }[kind],
        create=f"std::vector<{sums}>({plan.cut.elements[2]})" if separate else "",
        sums=separate,  # whether sums wait in an array of their own
        per_pass=ends and many,  # whether the first pass differs
        ports=", ".join(
            [f"{buffer}<{element}>& __restrict a", f"{buffer}<{element}>& __restrict b", *takes, gives]
        ),
        arguments=", ".join([*arguments, kept if ends else gives]),
        body=tuple(_body(plan, kind, bool(takes))),
        blocks=_flight(plan, kind),
    )


def _body(plan: PlacedProduct, kind: str, takes: bool) -> list[str]:
    """Return a core's statements: a turn for each pass over K, whose number the plan says, or a tile of A that is the last."""
    ends, told = kind in (ALONE, LAST), plan.request.told
    target = ("sums_" if plan.separate_sums else "c.data()") if ends else "to"
    words = ", ".join(["a.data()", "b.data()", *(["from"] if takes else []), target])
    lines = list(_modes(plan)) if ends else []
    if plan.cut.times[1] == 1:
        return [*lines, f"multiply_{kind}({words});"]
    first, later = (f"multiply_{kind}<{f}>" if ends else f"multiply_{kind}" for f in ("true", "false"))

    def turn(call: str) -> list[str]:
        asked = ["last = is_last(a.data());"] if told else []
        return ["a.acquire();", "b.acquire();", *asked, f"{call}({words});", "a.release();", "b.release();"]

    if told:
        lines += ["bool last = false;", *turn(first), "while (!last) {"]
    else:
        lines += turn(first) if ends else []
        lines.append(f"for (unsigned pass = {1 if ends else 0}; pass < kPasses; ++pass) {{")
    lines += [*(f"  {line}" for line in turn(later)), "}"]
    return [*lines, "finish(sums_, c.data());"] if ends and plan.separate_sums else lines


def _modes(plan: PlacedProduct) -> tuple[str, ...]:
    out = plan.request.out
    if out in (DataType.FLOAT32, DataType.INT32):
        return ()
    rounding = "conv_even" if out is DataType.BFLOAT16 else "positive_inf"
    return (
        "aie::set_saturation(aie::saturation_mode::saturate);",
        f"aie::set_rounding(aie::rounding_mode::{rounding});",
    )


def _flight(plan: PlacedProduct, kind: str) -> tuple[View, ...]:
    cut, request = plan.cut, plan.request
    zeros = f"aie::zeros<{request.sums.cpp}, Mmul::size_C>()"
    shift = "kShift" if request.shift else ""

    def end(r: int, c: int) -> str:
        at = f"((mb + {r}) * kColTiles + nb + {c}) * Mmul::size_C"
        if kind in (FIRST, MIDDLE):
            return f"writeincr(to, c{r}{c}.to_accum())"
        if cut.times[1] > 1:
            return f"keep<kFirstPass>(sums + {at}, c{r}{c}.to_vector<{request.sums.cpp}>())"
        return f"aie::store_v(c + {at}, c{r}{c}.to_vector<{request.out.cpp}>({shift}))"

    return flight(plan.block, lambda _: zeros if kind in (ALONE, FIRST) else FROM_CASCADE, end)


def _why(plan: PlacedProduct) -> tuple[str, ...]:
    (x, y, z), (tm, tk, tn), (mi, ki, ni) = plan.cut.grid, plan.cut.tile, plan.cut.times
    what = (
        f"{x} x {z} chains of {plural(y, 'core')}; a core multiplies {tm} x {tk} of A by {tk} x {tn} of B at a time.",
        f"A's tiles are broadcast along rows of chains, B's along columns; K is cut over {plural(y, 'core')} and ",
    )
    if plan.request.told:
        return what[0], f"{what[1]}passes."
    passes = f"{plural(ki, 'pass')[: None if ki == 1 else -1] + ('es' if ki > 1 else '')}."
    return (
        what[0],
        what[1] + passes,
        f"C comes in {mi} x {ni} blocks of {x * tm} x {z * tn}, one after another.",
    )


def kernel_values(plan: PlacedProduct, folder: str = "") -> dict[str, object]:
    """Return what the templates of kernels and graph print; `folder` holds them, in that of the top graph."""
    cut, request = plan.cut, plan.request
    (m, k, n), (tm, tk, tn), (x, y, z) = cut.mmul, cut.tile, cut.grid
    block = plan.block
    links = links_of(plan)
    many = cut.times[1] > 1
    count, depth = tm // m // block.rows * (tn // n // block.cols), tk // k
    blocks = locations(plan.array.aie[0])
    pipelined = "chess_prepare_for_pipelining "
    constants = [
        Constant("kBlocks", count, f"{tm} x {tn} in blocks of {block.rows * m} x {block.cols * n}"),
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
        "block_hint": f"{pipelined if plan.flattened else ''}chess_loop_range({count}, {count})",
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
        "common_blocks": tuple(b for b in blocks if not b.object.startswith(LAST_HAS)),
        "last_blocks": tuple(b for b in blocks if b.object.startswith(LAST_HAS)),
        "place_rows": _places(plan),
    }


def _pass_note(plan: PlacedProduct) -> str:
    if plan.request.told:
        return ", in as many passes over K as the tiles of A say"
    times = plan.cut.times[1]
    return f", in {times} passes over K" if times > 1 else ""


def _places(plan: PlacedProduct) -> tuple[str, ...]:
    y = plan.cut.grid[1]
    return wrap(
        (f"{{{joined((*c.tile, c.x * y + c.part, c.z * y + c.part))}}}" for c in plan.cores), indent=6
    )


def _ports(plan: PlacedProduct) -> tuple[View, ...]:
    x, y, z = plan.cut.grid
    notes = {"a": f"[x][part of K]: {x} x {y}", "b": f"[z][part of K]: {z} x {y}", "c": f"[x][z]: {x} x {z}"}
    found = []
    for name, note in notes.items():
        columns = [p.column for p in plan.array.plios if p.name.startswith(name)]
        found.append(
            View(
                name=name,
                type="output_plio" if name == "c" else "input_plio",
                count=len(columns),
                note=note,
                columns_name=f"kColumns{name.upper()}",
                columns=wrap(map(str, columns), indent=6),
            )
        )
    return tuple(found)
