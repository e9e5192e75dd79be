"""What the host program's and the linker's templates print: flat values, taken from the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from aieloom.cpp_text import Constant, View, float_literal, joined
from aieloom.emit.names import host_headers, table_name
from aieloom.layout.cpp import NestView, nest
from aieloom.layout.nest import Layout
from aieloom.network.tensor import TensorType
from aieloom.pl.streams import TiledStreams
from aieloom.plan.processor import Function
from aieloom.plan.rates import BATCH_BYTES, batch_images
from aieloom.plan.subgraph import Subgraph
from aieloom.plan.tolerance import golden_tolerance
from aieloom.plan.types import ArrayPart
from aieloom.spec.network import GRAPH_INPUT, GRAPH_OUTPUTS, INPUT
from aieloom.spec.types import DataType

CPP = {
    DataType.FLOAT32: "float",
    DataType.BFLOAT16: "std::uint16_t",
    DataType.INT8: "std::int8_t",
    DataType.INT16: "std::int16_t",
}  # in memory


OUTPUT = "output"  # what a network's only output is called


def inputs_view(steps: Sequence[Function], x: TensorType) -> tuple[View, ...]:
    """Return a network's inputs, as its `steps` on the processor have them where there are several; else the only one, `x`."""
    parts = [s for s in steps if s.op == GRAPH_INPUT and s.inputs == (INPUT,)]
    found = [(s.layer, s.y) for s in parts] or [(INPUT, x)]
    return _ends(found)


def outputs_view(steps: Sequence[Function], y: TensorType) -> tuple[View, ...]:
    """Return a network's outputs, as the step that makes their record reads them; else the only one, `y`."""
    records = [s for s in steps if s.op == GRAPH_OUTPUTS]
    return _ends([p for s in records for p in zip(s.inputs, (s.x, *s.others), strict=True)] or [(OUTPUT, y)])


def _ends(found: Sequence[tuple[str, TensorType]]) -> tuple[View, ...]:
    """Return each with its sizes as C++ lists them, and how many values of an image, or of a result, come before it."""
    begins = accumulate((t.elements for _, t in found), initial=0)
    return tuple(
        View(name=name, dims=", ".join(map(str, t.shape)), begin=begin, values=t.elements)
        for (name, t), begin in zip(found, begins, strict=False)
    )


def whole_network(
    x: TensorType, y: TensorType, project: str, steps: Sequence[Function] = ()
) -> dict[str, Any]:
    """Return what host.cpp prints of a network whose class takes and gives images as files have them."""
    return {
        "program": f"{project}_host",
        "use": f"Runs {project} on the board: loads the xclbin, sends images through, compares and times.",
        "image_values": x.elements,
        "result_values": y.elements,
        "input_shape": " x ".join(map(str, x.shape)),
        "output_shape": " x ".join(map(str, y.shape)),
        "inputs": inputs_view(steps, x),
        "outputs": outputs_view(steps, y),
        "tolerance": "0",
        "policy": "host::Plain",  # what memory holds of images and results as the program passes them on
        "weights": (),
        "processors": (),
    }


def host_view(plan: ArrayPart, processor: View | None = None) -> View:
    """Return what the host program's template prints; `processor` shows the layers that it computes itself."""
    array = array_view(plan)
    whole = whole_network(plan.x, plan.y, plan.project, plan.processor.steps if plan.processor else ())
    subgraphs = {"runner": f"host::Network<processor::Layers, {array.runner}>"}
    design = {"runner": "host::Design<Array, Part>", "policy": "Part::Values"}
    return View(
        **whole
        | vars(array)
        | (subgraphs if processor else design)
        | {
            "headers": host_headers(plan),
            "input_shape": _shape(plan.x),
            "output_shape": _shape(plan.y),
            "tolerance": f"{golden_tolerance(plan):.2g}".replace("e-0", "e-"),
            "batch": batch_images(plan),
            "batch_note": f"of at most {BATCH_BYTES >> 20} MiB each way, so that starting one is little beside it",
            "device_template": "array.j2",
            "processors": (processor,) if processor else (),  # one where layers run on the processor
        }
    )


def array_view(plan: ArrayPart) -> View:
    """Return what a host program prints of a plan's graph and its subgraphs."""
    several = len(plan.subgraphs) > 1
    parts = tuple(
        _part(plan, subgraph, f"Part{number}" if several else "Part")
        for number, subgraph in enumerate(plan.subgraphs, 1)
    )
    return View(
        graph_name=plan.graph_name,
        counts=tuple(_counts(plan)),
        parts=parts,
        runner=f"host::Subgraphs<{joined(['Array', *(part.name for part in parts)])}>",
        weights=_weights(plan),  # that are sent to the cores
        frames=joined([f'"{kernel.name}"' for kernel in plan.pl if kernel.frames]),
    )


def _counts(plan: ArrayPart) -> Iterator[Constant]:
    if plan.copies > 1:
        yield Constant("kCopies", plan.copies, "of the design, side by side")
    if plan.frame:
        sides = f"{plan.frame.rows.count} x {plan.frame.cols.count}"
        yield Constant("kTiles", plan.frame.tiles, f"of an image, which the movers cut: {sides}")


def _part(plan: ArrayPart, subgraph: Subgraph, name: str) -> View:
    tiled = subgraph.host_im2col
    order = nest(memory_order(tiled, subgraph.x.dtype), indent=2) if tiled else None
    return View(
        what=f"from {subgraph.sends} to {subgraph.receives}",
        name=name,
        mm2s=subgraph.mm2s.name,
        s2mm=subgraph.s2mm.name,
        constants=_frame_constants(plan) if plan.frame else _image_constants(plan, subgraph, order),
        order=order,  # in which the first layer's streams bring the image, where the program tiles it
        **scales_view(subgraph.x, subgraph.y),
    )


def memory_order(tiled: TiledStreams, dtype: DataType) -> Layout:
    """Return the order in which memory holds an image for a layer's streams: word i of all of them together."""
    words = tiled.grid.inputs(tiled.window).words(tiled.bits // (8 * dtype.bytes))
    return words.inside("stream", 1)


def _image_constants(plan: ArrayPart, subgraph: Subgraph, order: NestView | None) -> tuple[Constant, ...]:
    """Return the sizes of what a subgraph takes and gives, and how it is tiled where the host program does that."""
    into, out = subgraph.mm2s, subgraph.s2mm
    sizes = (
        Constant("kInValues", subgraph.x.elements, f"of {_what(plan, 'an input image')}: {subgraph.x}"),
        Constant("kOutValues", subgraph.y.elements, f"of {_what(plan, 'an output image')}: {subgraph.y}"),
        Constant("kInWords", into.words, f"stream words of an image on each of {into.name}'s streams"),
        Constant("kOutWords", out.words, f"stream words of an image on {out.name}'s stream"),
        Constant(
            "kInBytes",
            into.image_bytes,
            "in memory, which holds the channels one after another"
            if into.spread
            else f"{into.words} words x {into.streams} streams",
        ),
        Constant("kOutBytes", out.words * out.streams * out.bits // 8, f"{out.words} words"),
    )
    return (*sizes, *(order.constants if order else ()))


def _shape(tensor: TensorType) -> str:
    """Return the order of an image's values in a file; of a matrix one feature of all rows after another."""
    return (
        joined(tensor.shape[:2] if tensor.rows else tensor.shape, " x ") + " (features x rows)" * tensor.rows
    )


def _what(plan: ArrayPart, image: str) -> str:
    return "what the array takes or gives" if plan.processor else image


def _frame_constants(plan: ArrayPart) -> tuple[Constant, ...]:
    """Return the sizes of images that the movers cut into tiles: memory holds them as they are."""
    x, y = plan.x, plan.y
    return (
        Constant("kInValues", x.elements, f"of an input image: {x}"),
        Constant("kOutValues", y.elements, f"of an output image: {y}"),
        Constant("kInBytes", x.bytes, f"{x.elements} x {x.dtype.bytes}"),
        Constant("kOutBytes", y.bytes, f"{y.elements} x {y.dtype.bytes}"),
    )


def _weights(plan: ArrayPart) -> tuple[View, ...]:
    """Return what sends weights to the cores, for each layer that asks for it."""
    streamed = (layer for layer in plan.aie if layer.draft.streamed)
    return tuple(
        View(kernel=m.name, table=table_name(layer.name), words=m.words)
        for m, layer in zip(plan.weights, streamed, strict=True)
    )


def scales_view(x: TensorType, y: TensorType) -> dict[str, Any]:
    """Return what memory holds of images `x` and results `y`, and how it is made of float32 values."""
    policies = {DataType.FLOAT32: "host::Plain", DataType.BFLOAT16: "host::Bfloat16"}
    quantised = x.quant and y.quant
    return {
        "element": CPP[x.dtype],  # in memory
        "policy": "host::Affine<Scales>" if quantised else policies[x.dtype],
        # what fills the last word, and lies outside the image
        "zero": "0.0F" if x.dtype is DataType.FLOAT32 else str(x.zero),
        "scales": tuple(
            View(end=end, scale=float_literal(t.quant.scale), zero=t.quant.zero_point)
            for end, t in (("In", x), ("Out", y))
            if t.quant
        ),
    }
