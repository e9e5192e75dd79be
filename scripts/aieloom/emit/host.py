"""What the host program's and the linker's templates print: flat values, taken from the plan."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from aieloom.cpp_text import Constant, View, float_literal, joined
from aieloom.emit.names import table_name
from aieloom.layout.cpp import NestView, nest
from aieloom.layout.nest import Layout
from aieloom.network.quantisation import limits
from aieloom.network.tensor import TensorType
from aieloom.pl.streams import TiledStreams
from aieloom.plan.frame import FramePlan
from aieloom.plan.processor import Function
from aieloom.plan.rates import BATCH_BYTES, BUFFERS, batch_images
from aieloom.plan.subgraph import Subgraph
from aieloom.plan.tolerance import golden_tolerance
from aieloom.plan.types import ArrayPart
from aieloom.spec.network import GRAPH_INPUT, GRAPH_OUTPUTS, INPUT
from aieloom.spec.types import DataType

if TYPE_CHECKING:
    pass

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
        "constants": (
            Constant("kImageValues", x.elements, f"of an image in the input file: {x}"),
            Constant("kResultValues", y.elements, f"of a result in the output file: {y}"),
        ),
        "input_shape": " x ".join(map(str, x.shape)),
        "output_shape": " x ".join(map(str, y.shape)),
        "inputs": inputs_view(steps, x),
        "outputs": outputs_view(steps, y),
        "tolerance": "0",
        "value": "float",
        "value_note": "float32",
        "weights": (),
        "frames": (),
        "image_values": "kImageValues",
        "result_values": "kResultValues",
        "runner": "Network",
        "processors": (),
    }


def host_view(plan: ArrayPart, processor: View | None = None) -> View:
    """Return what the host program's template prints; `processor` shows the layers that it computes itself."""
    several = len(plan.subgraphs) > 1
    parts = tuple(
        _part(plan, subgraph, f"subgraph_{number}") for number, subgraph in enumerate(plan.subgraphs, 1)
    )
    names = _names(plan)
    return View(
        **names
        | {
            "constants": (*names["constants"], *(() if several else parts[0].constants), *_copies(plan)),
            "parts": parts,
            "device_template": "device_subgraphs.j2" if several else "device.j2",
            "design_template": "design_images.j2" if plan.copies == 1 else "design_copies.j2",
            "cuts_tiles": plan.frame is not None,  # the movers cut images into tiles
            "processors": (processor,) if processor else (),  # one where layers run on the processor
            "network": _network(plan),
            "weights": _weights(plan),  # that are sent to the cores
            "frames": _frames(plan),  # units that keep whole images: started for each run
        }
    )


def subgraphs_view(plan: ArrayPart) -> View:
    """Return what a host program prints of a plan's subgraphs, each with a namespace of its own."""
    numbers = tuple(range(1, len(plan.subgraphs) + 1))
    made = [f"subgraph_{i}_(device_, uuid_, batch, subgraph_{i}::kWay)" for i in numbers]
    return View(
        graph_name=plan.graph_name,
        parts=tuple(_part(plan, s, f"subgraph_{i}") for i, s in zip(numbers, plan.subgraphs, strict=True)),
        constants=(Constant("kCopies", plan.copies, "of the layers with cores of their own, side by side"),),
        # of the class that has them, as they are made
        members=(
            *(f"{m}," for m in made[:-1]),
            f"{made[-1]} {{",
        ),
        numbers=numbers,
        weights=_weights(plan),
        frames=_frames(plan),  # units that keep whole images
    )


def _part(plan: ArrayPart, subgraph: Subgraph, space: str) -> View:
    tiled = subgraph.host_im2col
    order = nest(memory_order(tiled, subgraph.x.dtype)) if tiled else None
    return View(
        what=f"from {subgraph.sends} to {subgraph.receives}",
        space=space,  # its namespace, where there are several
        # what the class of subgraphs is told of it, line by line
        way=(
            f'"{subgraph.mm2s.name}", "{subgraph.s2mm.name}",',
            "kInValues, kOutValues, kInWords, kOutWords, kInBytes, kOutBytes, to_elements, pack, unpack, to_values",
        ),
        constants=_frame_constants(plan, plan.frame)
        if plan.frame
        else _image_constants(plan, subgraph, order),
        pack_template="pack_tiles.j2" if order else "pack_raster.j2",
        order=order,  # in which the first layer's streams bring the image, where the program tiles it
        **_elements(subgraph),
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


def _network(plan: ArrayPart) -> View:
    """Return how images go through: all of a batch through one subgraph of the device, then through the next."""
    several = len(plan.subgraphs) > 1
    given, subgraphs = "images + i * kImageValues", list[View]()
    for number, subgraph in enumerate(plan.subgraphs, 1):
        space = f"subgraph_{number}::" if several else ""
        subgraphs.append(
            View(
                what=f"from {subgraph.sends} to {subgraph.receives}",
                before=f"before_{number}",  # the method that computes what it is given
                given=given,  # to that method
                received=f"received_{number}",
                in_values=f"{space}kInValues",
                out_values=f"{space}kOutValues",
                calls=_calls(number, several=several),  # what takes `sent` through the subgraph to `received`
                run=f"run_{number}" if several else "run",  # the method of the device's class
                member=f"subgraph_{number}_",  # of the device's class
            )
        )
        given = f"&received_{number}[i * {space}kOutValues]"
    made = [f"{s.member}(device_, uuid_, batch, subgraph_{i}::kWay)" for i, s in enumerate(subgraphs, 1)]
    return View(
        subgraphs=tuple(subgraphs),
        begin=("design_.start(count);",) if several else (),
        end=("design_.wait();",) if several else (),
        given=given,  # to what computes the network's result
        members=(*(f"{m}," for m in made[:-1]), f"{made[-1]} {{"),  # of the device's class, as they are made
    )


def _calls(number: int, *, several: bool) -> tuple[str, ...]:
    """Return the lines that take floats through a subgraph; several ones convert by themselves."""
    received = f"received_{number}"
    if several:
        return (f"design_.run_{number}(sent.data(), count, {received}.data());",)
    return (
        "std::vector<Element> elements(sent.size());",
        "to_elements(sent.data(), sent.size(), elements.data());",
        f"std::vector<Element> results_of_device({received}.size());",
        "design_.run(elements.data(), count, results_of_device.data());",
        f"to_values(results_of_device.data(), {received}.size(), {received}.data());",
    )


def _shape(tensor: TensorType) -> str:
    """Return the order of an image's values in a file; of a matrix one feature of all rows after another."""
    return (
        joined(tensor.shape[:2] if tensor.rows else tensor.shape, " x ") + " (features x rows)" * tensor.rows
    )


def _what(plan: ArrayPart, image: str) -> str:
    return "what the array takes or gives" if plan.processor else image


def _frame_constants(plan: ArrayPart, frame: FramePlan) -> tuple[Constant, ...]:
    """Return the sizes of images that the movers cut into tiles: memory holds them as they are."""
    x, y = plan.x, plan.y
    return (
        Constant("kInValues", x.elements, f"of an input image: {x}"),
        Constant("kOutValues", y.elements, f"of an output image: {y}"),
        Constant("kInBytes", x.bytes, f"{x.elements} x {x.dtype.bytes}"),
        Constant("kOutBytes", y.bytes, f"{y.elements} x {y.dtype.bytes}"),
        Constant("kTiles", frame.tiles, f"of an image: {frame.rows.count} x {frame.cols.count}"),
    )


def _weights(plan: ArrayPart) -> tuple[View, ...]:
    """Return what sends weights to the cores, for each layer that asks for it."""
    streamed = (layer for layer in plan.aie if layer.draft.streamed)
    return tuple(
        View(kernel=m.name, table=table_name(layer.name), words=m.words)
        for m, layer in zip(plan.weights, streamed, strict=True)
    )


def _frames(plan: ArrayPart) -> tuple[str, ...]:
    """Return the units in the logic that keep whole images, of each copy."""
    names = [kernel.name for kernel in plan.pl if kernel.frames]
    return tuple(f"{n}:{{{n}_{i}}}" for i in range(1, plan.copies + 1) for n in names)


def _copies(plan: ArrayPart) -> tuple[Constant, ...]:
    counted = plan.copies > 1 or len(plan.subgraphs) > 1
    return (Constant("kCopies", plan.copies, "of the design, side by side"),) if counted else ()


def _names(plan: ArrayPart) -> dict[str, Any]:
    """Return what the program is called and takes: images as files have them where layers run on the processor."""
    whole = whole_network(plan.x, plan.y, plan.project, plan.processor.steps if plan.processor else ())
    alone = {
        "constants": (),
        "runner": "Design",  # the class that runs images
        "value": CPP[plan.elements],  # of images and results as the program passes them on
        "value_note": plan.elements.value,
        "image_values": "kInValues",
        "result_values": "kOutValues",
    }
    return {
        **whole,
        **({} if plan.processor else alone),
        "use": f"Runs {plan.project} on the board: loads the xclbin, sends images through, compares and times.",
        "graph_name": plan.graph_name,
        "input_shape": _shape(plan.x),
        "output_shape": _shape(plan.y),
        "tolerance": f"{golden_tolerance(plan):.2g}".replace("e-0", "e-"),
        "buffers": BUFFERS,  # batches in flight
        "batch": batch_images(plan),  # images
        "batch_note": f"of at most {BATCH_BYTES >> 20} MiB each way, so that starting one is little beside it",
        "file_converts": _file_converts(plan),
    }


def _file_converts(plan: ArrayPart) -> tuple[str, ...]:
    """Return the template of what copies a file's values, where layers on the processor take them and no part of the device."""
    if plan.processor is None:
        return ()
    here = len(plan.subgraphs) == 1 and plan.elements is DataType.FLOAT32
    return () if here else ("convert_float32.j2",)


def _elements(subgraph: Subgraph) -> dict[str, Any]:
    """Return what memory holds and how it is made of float32 values."""
    given = subgraph.x
    x, y = given.quant, subgraph.y.quant
    least, most = limits(given.dtype) if x else (0, 0)
    return {
        "element": CPP[given.dtype],  # in memory
        "convert_template": "convert_integer.j2" if x else f"convert_{given.dtype.value}.j2",
        "least": least,  # of integers
        "most": most,
        # what fills the last word, and lies outside the image
        "zero": "0.0F" if given.dtype is DataType.FLOAT32 else str(given.zero),
        "in_scale": float_literal(x.scale) if x else "",
        "in_zero": x.zero_point if x else 0,
        "out_scale": float_literal(y.scale) if y else "",
        "out_zero": y.zero_point if y else 0,
    }
