"""The table of layers: what computes each, what it takes, and how exact it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aieloom.network.tensor import TensorType
from aieloom.plan.energy import peak_macs
from aieloom.plan.processor import Function
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.report.cards import peak_a_second
from aieloom.report.parts import Cell, Column, Note, Section, percent, table
from aieloom.report.roofline import multiplies
from aieloom.report.shape import LayerFigures, Summary
from aieloom.report.svg import colour
from aieloom.report.times import UNUSED, Cells, an_item
from aieloom.units.plan import Plan

STREAMED = (
    "A tile is output channels x (input channels x kernel) x output pixels of one core. Cycles are modelled. Both shares are "
    "of what the layer's cores could multiply: at work itself, as in the roofline, and in the whole design, at the design's "
    "rate, as in the card above."
)


def layers(plan: Plan, streams: ArrayPart | None, summary: Summary, shades: Mapping[str, str]) -> Section:
    """Return the section; `shades` has the colours of what layers in turn are computed on."""
    us = f"us {an_item(plan)}"
    columns = {
        "name": Column("layer", "id"),
        "op": Column("operator"),
        "shape": Column("shape", "id"),
        "type": Column("type"),
        "on": Column("on", "" if streams else "id"),
        "tile": Column("tile by mmul"),
        "cores": Column("cores", "n"),
        "products": Column("products, M", "n"),
        "weights": Column("weights, kB", "n"),
        "bytes": Column("kB an image", "n"),
        "cycles": Column("cycles", "n"),
        "us": Column(us, "n"),
        "bar": Column("", "graph"),
        "efficiency": Column("at work", "n"),
        "utilisation": Column("in the design", "n"),
        "error": Column("error", "n"),
        "sqnr": Column("SQNR", "n"),
        "bound": Column("bound by"),
    }
    found = _Errors(summary)
    rows = [*_streamed(streams, summary, found)] if streams else [*_in_turn(plan, summary, shades, found)]
    note = Note(text=f"{STREAMED if streams else _in_order(plan)}{found.note}")
    return Section(id="layers", link="Layers", title="Layers", parts=(note, table(columns, rows, classes="")))


class _Errors:
    """What each layer loses, by its name."""

    def __init__(self, summary: Summary) -> None:
        self._of: dict[str, LayerFigures] = {e["layer"]: e for e in summary.get("layers", ())}
        against = (
            "the float network, all samples" if "quantisation" in summary else "PyTorch, the first samples"
        )
        self.note = f" Errors: against {against}." if self._of else ""

    def cells(self, layer: str) -> Cells:
        """Return a layer's cells."""
        found = self._of.get(layer, LayerFigures())
        error, sqnr = found.get("max_abs_err"), found.get("sqnr_db")
        return {
            "error": "" if error is None else f"{error:.2g}",
            "sqnr": "" if sqnr is None else f"{sqnr:.1f} dB",
        }


def _in_order(plan: Plan) -> str:
    batch = plan.schedule.batch
    share = f"; an image's share of a batch of {batch:,}" if batch > 1 else ""
    held = any(b.where == "device" for b in plan.buffers)
    crossing = " Bytes cross memory ports, weights are shared by the batch." if held else ""
    return f"In order of execution{share}.{crossing}"


def _in_turn(plan: Plan, summary: Summary, shades: Mapping[str, str], errors: _Errors) -> Iterator[Cells]:
    stages = summary["performance"]["per_layer"]
    tasks = {name: task for task in plan.tasks for name in (task.name, *task.layers)}
    most = max((s.get("us_per_image", 0.0) for s in stages), default=0.0) or 1.0
    for stage in stages:
        task, us, on = tasks.get(stage["name"]), stage.get("us_per_image", 0.0), stage.get("on", "")
        part = f" with {task.layers[-1]}" if task and task.layers[-1] != stage["name"] else ""
        yield {
            "name": stage["name"],
            "op": stage.get("op", task.op if task else "") + part,
            "shape": _shapes(task.x, task.y) if task else "",
            "on": Cell(text=on, colour=shades.get(on, UNUSED)),
            "products": f"{stage['macs'] / 1e6:,.3g}" if stage.get("macs") else "",
            "weights": f"{stage['weights_bytes'] / 1e3:,.1f}" if stage.get("weights_bytes") else "",
            "bytes": f"{stage['bytes_per_image'] / 1e3:,.0f}" if stage.get("bytes_per_image") else "",
            "us": "" if "us_per_image" not in stage else f"{us:,.3g}" if us < 100 else f"{us:,.0f}",
            "bar": Cell(bar=min(100.0, round(100 * us / most, 2)), colour=shades.get(on, UNUSED)),
            "bound": stage.get("bound_by", ""),
            **errors.cells(task.layers[-1] if task else stage["name"]),
        }


def _streamed(streams: ArrayPart, summary: Summary, errors: _Errors) -> Iterator[Cells]:
    """Yield the rows in the order of the network: on the array, on programmable logic, on the processor."""
    rate = summary["performance"]["throughput_fps"]
    rows = [
        (
            layer.draft.layer_index,
            _on_array(streams, layer, rate, colour(i)) | errors.cells((layer.name, *layer.draft.fused)[-1]),
        )
        for i, layer in enumerate(streams.aie)
    ]
    for kernel in streams.pl:
        cycles = f"{kernel.cycles:,} at {kernel.clock_mhz:g} MHz"
        for step in kernel.steps:
            where = f"PL, {kernel.name}{_subgraph(streams, step.layer)}"
            rows.append((step.layer_index, _elsewhere(step, where, cycles) | errors.cells(step.layer)))
    for ps in streams.processor.steps if streams.processor else ():
        row = _elsewhere(ps, f"processor: {ps.reason}", f"{ps.operations:,} operations")
        rows.append((ps.layer_index, row | errors.cells(ps.layer)))
    return (row for _, row in sorted(rows, key=lambda pair: pair[0]))


def _subgraph(streams: ArrayPart, layer: str) -> str:
    """Return which of several subgraphs a layer belongs to."""
    found = (f", subgraph {n}" for n, s in enumerate(streams.subgraphs, 1) if layer in s.layers)
    return next(found, "") if len(streams.subgraphs) > 1 else ""


def _elsewhere(step: Function, where: str, cycles: str) -> Cells:
    return {
        "name": step.layer,
        "op": step.op,
        "shape": _shapes(step.x, step.y),
        "type": step.y.dtype.value,
        "on": where,
        "cycles": cycles,
    }


def _on_array(streams: ArrayPart, layer: AieLayerPlan, images_per_s: float, shade: str) -> Cells:
    stage = streams.cost.stage(layer.name)
    grid, sums = layer.grid, multiplies(layer)
    macs, mmul = grid.m * grid.k * grid.n, "x".join(map(str, grid.mmul))
    at_work = macs / (grid.cores * stage.cycles * peak_macs(streams, layer))
    at_rate = streams.tiles * macs * images_per_s / peak_a_second(streams, layer)
    return {
        "name": layer.name,
        "op": layer.draft.op,
        "shape": _shapes(layer.draft.x, layer.draft.y),
        "type": layer.draft.dtype.value,
        "on": Cell(text=f"array, {layer.draft.strategy}{_subgraph(streams, layer.name)}", colour=shade),
        "tile": f"{' x '.join(map(str, grid.tile))}{f' by {mmul}' if sums else ''}",
        "cores": str(len(layer.kernels)),
        "cycles": f"{stage.cycles:,} at {stage.clock_mhz:g} MHz",
        "efficiency": percent(at_work) if sums else "",
        "utilisation": percent(at_rate) if sums else "",
    }


def _shapes(x: TensorType, y: TensorType) -> str:
    """Return input and output; a change of type is told, the type itself stands in its own column."""
    a, b = ("x".join(map(str, t.shape)) for t in (x, y))
    return f"{a} → {b}" if x.dtype is y.dtype else f"{a} {x.dtype.value} → {b}"
