"""The kernels of a product's chains as the templates print them: first, middle, last, or one core alone."""

from __future__ import annotations

from dataclasses import dataclass

from aieloom.gemm.types import GemmPlan
from aieloom.plan.cascade import FIRST, LAST, MIDDLE
from aieloom.products.view import FlightView
from aieloom.spec.types import DataType

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


def links_of(plan: GemmPlan) -> tuple[LinkView, ...]:
    """Return the kernels of a chain."""
    return tuple(_link(plan, kind) for kind in link_kinds(plan.cut.grid[1]))


def link_kinds(cascade: int) -> tuple[str, ...]:
    """Return the kinds of cores in a chain of so many."""
    return (ALONE,) if cascade == 1 else (FIRST, *([MIDDLE] if cascade > 2 else []), LAST)


def _link(plan: GemmPlan, kind: str) -> LinkView:
    request, tag = plan.request, plan.accumulator
    element, out, sums = request.dtype.cpp, request.out.cpp, request.sums.cpp
    ends, many = kind in (ALONE, LAST), plan.cut.times[1] > 1
    buffer = "adf::input_async_buffer" if many else "adf::input_buffer"
    takes = [] if kind in (ALONE, FIRST) else [f"input_cascade<{tag}>* from"]
    gives = f"adf::output_buffer<{out}>& __restrict c" if ends else f"output_cascade<{tag}>* to"
    kept = f"{sums}* __restrict sums" if many else f"{out}* __restrict c"
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


def _body(plan: GemmPlan, kind: str, takes: bool) -> list[str]:
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


def _modes(plan: GemmPlan) -> tuple[str, ...]:
    out = plan.request.out
    if out in (DataType.FLOAT32, DataType.INT32):
        return ()
    rounding = "conv_even" if out is DataType.BFLOAT16 else "positive_inf"
    return (
        "aie::set_saturation(aie::saturation_mode::saturate);",
        f"aie::set_rounding(aie::rounding_mode::{rounding});",
    )


def _flight(plan: GemmPlan, kind: str) -> tuple[FlightView, ...]:
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
