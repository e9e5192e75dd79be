"""What the templates of im2col_gemm print: what those of all products do, and of chains of cores their links."""

from __future__ import annotations

from aieloom.cpp_text import View
from aieloom.network.layers import Parameters
from aieloom.plan.cascade import FIRST, LAST, MIDDLE, last_has_rows
from aieloom.plan.gemm import blocking_of
from aieloom.plan.types import AieLayerDraft, AieLayerPlan
from aieloom.products.view import FROM_CASCADE, Hints, flight, hints_of, locations, tiled_view
from aieloom.products.weights import packed_weights
from aieloom.spec.types import Buffers, DataType


def im2col_view(layer: AieLayerPlan, params: Parameters) -> View:
    """Return what the templates of a layer print."""
    view = tiled_view(layer, packed_weights(layer, params))
    if layer.grid.cascade > 1:
        return view.but(**chain_fields(layer, view))
    return view.but(loops_template="im2col_gemm/multiply.j2")


NOTES = {
    FIRST: "Starts the sums of each block with the bias, adds its part of K and passes them on.",
    MIDDLE: "Goes on with the sums that it is given.",
    LAST: "Goes on with the sums that it is given, and stores the results.",
}


def chain_fields(layer: AieLayerPlan, view: View) -> dict[str, object]:
    """Return what the templates of a chain ask of a layer beside what those of single cores do."""
    draft = layer.draft
    kinds = [FIRST, *([MIDDLE] if draft.grid.cascade > 2 else []), LAST]
    links = zip(kinds, draft.loops, strict=True)
    return {
        "links": tuple(_link(draft, kind, view, hints_of(loops)) for kind, loops in links),
        "cascade": draft.grid.cascade,
        "chains": draft.grid.chains,
        "scaled": draft.dtype is not DataType.FLOAT32,
        "single": draft.buffers is Buffers.SINGLE,
        **_located(layer),
        "rows_condition": "link == 0 || link + 1 == kLinks" if last_has_rows(draft) else "link == 0",
    }


def _located(layer: AieLayerPlan) -> dict[str, tuple[View, ...]]:
    """Return a chain's location constraints by the cores that have them."""
    found = {b.object: b for b in locations(layer)}
    rows, out = found.get("core.param[1]"), found.get("core.out[0]")
    common = tuple(b for b in found.values() if b not in (rows, out))
    return {
        "common_blocks": common,
        "rows_blocks": (rows,) if rows else (),
        "out_blocks": (out,) if out else (),
    }


def _link(draft: AieLayerDraft, kind: str, view: View, hints: Hints) -> View:
    first, last = kind == FIRST, kind == LAST
    rows = first or (last and last_has_rows(draft))
    element, tag = view.type, draft.accumulator
    table = f"{draft.name}_{view.rows_name}[part]"
    ports = [f"adf::input_buffer<{element}>& __restrict in"]
    ports += [] if first else [f"input_cascade<{tag}>* from"]
    ports += [f"adf::output_buffer<{element}>& __restrict out" if last else f"output_cascade<{tag}>* to"]
    arguments = [f"const {view.weight_type}* __restrict weights"]
    arguments += [f"const {view.row_type}* __restrict rows"] if rows else []
    arguments += [f"const {element}* __restrict in", *([] if first else [ports[1]])]
    arguments += [f"{element}* __restrict out" if last else ports[-1]]
    call = ["weights_", *(["rows_"] if rows else []), "in.data()", *([] if first else ["from"])]
    return View(
        kernel_class=f"{kind.capitalize()}Of{draft.class_name}",
        note=NOTES[kind],
        function=f"multiply_{kind}",
        # in the graph: which cores have it
        condition={
            FIRST: "if (link == 0)",
            MIDDLE: "} else if (link + 1 < kLinks)",
            LAST: "} else",
        }[kind],
        with_rows=rows,  # whether biases or multipliers stand beside its weights
        rows_vector=f",\n            std::vector<{view.row_type}>(std::begin({table}), std::end({table}))"
        if rows
        else "",
        ports=", ".join(ports),
        arguments=", ".join(arguments),
        call=f"multiply_{kind}({', '.join([*call, 'out.data()' if last else 'to'])})",
        # of the vector unit, for scaling back
        modes=view.modes if last and draft.dtype is not DataType.FLOAT32 else (),
        blocks=flight(
            blocking_of(draft.grid),
            lambda r: f"aie::load_v<Mmul::size_C>(row{r}){view.bias_shift}" if first else FROM_CASCADE,
            lambda r, c: _store(draft, r, c) if last else f"writeincr(to, c{r}{c}.to_accum())",
        ),
        hints=hints,
    )


def _store(draft: AieLayerDraft, r: int, c: int) -> str:
    """Return the statement that stores a block."""
    row = f"row{r}" if last_has_rows(draft) else "nullptr"
    value = (
        f"c{r}{c}.to_vector<float>()" if draft.dtype is DataType.FLOAT32 else f"scaled_back(c{r}{c}, {row})"
    )
    return f"aie::store_v(out + ((mb + {r}) * kColTiles + nb + {c}) * Mmul::size_C, {value})"
