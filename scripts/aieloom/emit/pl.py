"""What the PL templates print: flat values, taken from the plan."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from aieloom.cpp_text import Constant, float_lines, float_literal, integer_lines
from aieloom.emit.pl_constants import sink_constants, source_constants
from aieloom.emit.rows import (
    PlacesView,
    order_of,
    pixel_functions,
    pixel_of,
    places_in,
    places_in_block,
    places_out,
)
from aieloom.emit.tiles import tile_constants
from aieloom.model.quantisation import limits
from aieloom.pl.kernel import FrameStage, Inlet, Outlet, PlKernel
from aieloom.pl.movers import MoverPlan
from aieloom.pl.steps import (
    ELEMENTWISE,
    REORDER,
    WINDOW,
    ElementTable,
    LineTable,
    Lut,
    PlStep,
)
from aieloom.pl.streams import Streams, TiledStreams
from aieloom.plan.frame import FramePlan
from aieloom.plan.processor import PsStep
from aieloom.spec.types import DataType


@dataclass(frozen=True, slots=True, kw_only=True)
class PortView:
    """An argument that is one stream, or an array of them."""

    declaration: str
    element: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """A layer's C++ function; further attributes are those that its template asks for."""

    function: str
    template: str
    values: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        """Return a value for the template; jinja takes AttributeError as undefined: an error there."""
        try:
            return object.__getattribute__(self, "values")[name]
        except KeyError as e:
            raise AttributeError(name) from e


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferView:
    """An image buffer with what is done to the values that it takes and to the places that are asked for."""

    map: str  # its variable
    what: str
    height: int
    width: int
    size: int
    copies: str
    storage: str
    functions: tuple[StepView, ...]  # of each value, before it enters
    reorders: tuple[StepView, ...]  # from the reader's place back to the buffer's


@dataclass(frozen=True, slots=True, kw_only=True)
class StageView:
    """A window's process between the buffer that it reads and the one that takes its results."""

    function: str
    window: tuple[StepView]  # one: what its template calls `step`
    source: BufferView
    target: BufferView
    results: str


@dataclass(frozen=True, slots=True)
class TargetView:
    """An image buffer that values are stored in: its variable, and how many copies it has."""

    map: str
    copies: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GapView(PlacesView):
    """A PL kernel between layers."""

    name: str
    why: tuple[str, ...]
    constants: tuple[Constant, ...]
    steps: tuple[StepView, ...]
    buffers: tuple[BufferView, ...]
    first: BufferView
    last: BufferView
    stages: tuple[StageView, ...]
    source_template: str
    sink_template: str
    in_port: PortView
    out_port: PortView
    type: str  # of the elements
    element_template: str
    from_bits: str  # the function that makes an element of bits
    lane_bits: str  # the bits of element `lane` of a word
    zero: str
    to_bits: str  # the function that makes bits of an element
    padding: str  # what lies outside the image that the next layer reads
    pixel: str  # of an element of a tile
    pixel_functions: tuple[str, ...]  # templates of what it calls
    targets: tuple[TargetView, ...]  # the image buffers that take what arrives
    pass_of_k: str  # what counts the tiles along K: passes of a core, or links of a chain of cores
    tiles_of_k: str
    row_of_block: str  # of `element` of a block of the next layer's tiles
    col_of_block: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MoverView:
    """A data mover."""

    name: str
    constants: tuple[Constant, ...]
    port: PortView
    ii: int
    parts: tuple[PartView, ...] = ()  # of images that are dealt to several streams
    depth: int = 0  # of the queue before each


@dataclass(frozen=True, slots=True, kw_only=True)
class PartView:
    """A stream's part of an image, and how a switch calls it."""

    index: int
    label: str


def part_views(count: int) -> tuple[PartView, ...]:
    """Return so many parts; a switch's last one is its default."""
    return tuple(PartView(index=i, label=f"case {i}" if i < count - 1 else "default") for i in range(count))


def port(name: str, streams: int) -> PortView:
    """Return how an argument of `streams` streams is declared, and how stream `s` is reached."""
    if streams == 1:
        return PortView(declaration=f"&{name}", element=name)
    return PortView(declaration=f"{name}[{streams}]", element=f"{name}[s]")


def gap_view(gap: PlKernel) -> GapView:
    """Return what the template of a gap's kernel prints."""
    buffers = _buffers(gap)
    return GapView(
        name=gap.name,
        why=gap.why,
        constants=(*source_constants(gap.inlets[0]), *_map(gap), *sink_constants(gap, gap.outlets[0])),
        steps=tuple(step_view(s) for s in gap.steps if s.kind != WINDOW),
        buffers=buffers,
        first=buffers[0],
        last=buffers[-1],
        stages=tuple(_stage(s, *pair) for s, pair in zip(gap.stages, pairwise(buffers), strict=True)),
        source_template="source_tiled.j2" if isinstance(gap.source, TiledStreams) else "source_raster.j2",
        sink_template=f"sink_{order_of(gap.sink)}.j2",
        in_port=port("in", gap.source.streams),
        out_port=port("out", gap.sink.streams),
        targets=(TargetView("map", "kInCopies"),),
        to_bits="as_bits",
        pixel=pixel_of(gap.source, FRAME_TILE, "nt", "col"),
        pixel_functions=pixel_functions(gap.source),
        **places_in(gap.source),
        **places_out(gap.sink),
        **tiles_along_k(gap.sink),
        **places_in_block(gap.sink, gap.lanes),
        **element_view(gap),
    )


FRAME_TILE = "round * kInGroups + group"  # the tile that a kernel with an image buffer reads


def tiles_along_k(sink: Streams) -> dict[str, str]:
    """Return what counts the tiles along K of the layer behind: passes of a core, or links of a chain of cores."""
    chained = isinstance(sink, TiledStreams) and sink.grid.cascade > 1
    return {
        "pass_of_k": "link" if chained else "pass",
        "tiles_of_k": "kOutLinks" if chained else "kOutPasses",
    }


FROM_BITS = {
    DataType.FLOAT32: "as_float",
    DataType.BFLOAT16: "from_bfloat16",
    DataType.INT8: "as_int8",
    DataType.INT16: "as_int16",
}


def lane_bits(dtype: DataType) -> str:
    """Return where element `lane` of a word lies."""
    bits = 8 * dtype.bytes
    return f"{bits} * lane + {bits - 1}, {bits} * lane"


def element_values(gap: PlKernel) -> dict[str, str]:
    """Return how the kernel's code handles elements."""
    integer = gap.x.quant is not None
    return {
        "type": f"std::{gap.x.dtype.value}_t"
        if integer
        else "float",  # of bfloat16 too: rounded when it leaves
        "zero": "0" if integer else "0.0F",
        "padding": str(gap.y.zero) if integer else "0.0F",
    }


def is_wide(gap: PlKernel, end: Inlet | Outlet) -> bool:
    """Tell whether a tensor of bfloat16 comes or goes as float32."""
    return end.dtype is not gap.x.dtype


def element_templates(gap: PlKernel, *, inside: bool = False) -> tuple[str, ...]:
    """Return what a kernel's code needs to make elements of bits, and bits of elements; also of beats `inside` it."""
    if gap.x.dtype is not DataType.BFLOAT16:
        return (f"element_{gap.x.dtype.value}.j2",)
    wide_out = {is_wide(gap, o) for o in gap.outlets} | ({True} if inside else set())
    narrow_in = any(not is_wide(gap, i) for i in gap.inlets)
    return (
        "bits_as_float.j2",
        *(("bits_from_bfloat16.j2",) if narrow_in else ()),
        *(("bits_to_bfloat16.j2",) if False in wide_out else ()),
        *(("bits_to_float32.j2",) if True in wide_out else ()),
    )


def element_view(gap: PlKernel) -> dict[str, str]:
    """Return how the code of a kernel between one inlet and one outlet handles elements."""
    return {
        "element_template": f"element_{gap.x.dtype.value}.j2",
        "from_bits": FROM_BITS[gap.x.dtype],
        "lane_bits": lane_bits(gap.x.dtype),
        **element_values(gap),
    }


def _buffers(gap: PlKernel) -> tuple[BufferView, ...]:
    """Return the kernel's image buffers in order; a window ends one stretch of steps and begins the next."""
    stretches: list[list[PlStep]] = [[]]
    for step in gap.steps:
        if step.kind == WINDOW:
            stretches.append([])
        else:
            stretches[-1].append(step)
    readers = [s.window.layer for s in gap.stages]
    maps = [f"map_of_{layer}" for layer in readers]
    whats = [f"what {layer} reads" for layer in readers]
    notes = [*whats, "one image; a copy for each value of an output word"]
    return tuple(
        BufferView(
            map=name,
            what=what,
            height=holds.shape[1],
            width=holds.shape[2],
            size=holds.elements,
            copies=copies,
            storage=storage,
            functions=tuple(step_view(s) for s in steps if s.kind == ELEMENTWISE),
            reorders=tuple(step_view(s) for s in reversed(steps) if s.kind == REORDER),
        )
        for name, what, holds, copies, storage, steps in zip(
            [*maps, "map"],
            notes,
            [*(s.holds for s in gap.stages), gap.holds],
            [*("1" for _ in maps), "kLanes"],
            [*(s.storage for s in gap.stages), gap.storage],
            stretches,
            strict=True,
        )
    )


def _stage(stage: FrameStage, source: BufferView, target: BufferView) -> StageView:
    step = stage.window
    view = step_view(step, source=f"{step.function}_source", size=source.size)
    return StageView(
        function=step.function,
        window=(view,),
        source=source,
        target=target,
        results=f"{step.function}_results",
    )


def step_view(step: PlStep | PsStep, **more: Any) -> StepView:
    """Return what the template of a layer's function prints; `more` are values that depend on the kernel."""
    detail = step.detail
    if isinstance(detail, Lut):
        values = _lut(detail)
    elif isinstance(detail, ElementTable):
        values = {"table": integer_lines(detail.values, indent=4)}
    elif isinstance(detail, LineTable):
        values = {**_line(detail), "table": integer_lines(detail.values, indent=4)}
    else:
        values = {f: _printed(getattr(detail, f)) for f in getattr(detail, "__dataclass_fields__", ())}
    return StepView(
        function=step.function,
        template=step.template,
        values={
            "op": step.op,
            "layer": step.layer,
            **_element(step),
            **_fold(step),
            **_value(step),
            **values,
            **more,
        },
    )


def _fold(step: PlStep | PsStep) -> dict[str, str]:
    """Return the struct that folds a window and its template, or the templates of passes over all channels."""
    lines, passes = (step.lines, step.passes) if isinstance(step, PlStep) else (None, None)
    tasks = {"passes_template": passes.template, "values_template": passes.values} if passes else {}
    return {"fold": f"{step.layer}_fold", "fold_template": lines.fold} if lines else tasks


def _value(step: PlStep | PsStep) -> dict[str, str]:
    """Return the template of what a join does with values."""
    return {"value_template": step.beats} if isinstance(step, PlStep) and step.beats else {}


def _element(step: PlStep | PsStep) -> dict[str, Any]:
    """Return what templates of integers print of their elements."""
    if step.x.quant is None:
        return {"type": "float"}
    low, high = limits(step.x.dtype)
    wide = "int" if step.x.dtype is DataType.INT8 else "std::int64_t"  # of sums
    return {"type": f"std::{step.x.dtype.value}_t", "least": low, "most": high, "wide": wide}


def _line(table: LineTable) -> dict[str, int]:
    spacing = 1 << table.shift
    return {
        "shift": table.shift,
        "half": spacing >> 1,
        "spacing": spacing,
        "entries": len(table.values),
    }


def _printed(value: Any) -> Any:
    """Return a detail's value as C++ text where Python's would be none: floats, truths and tables, also inside others."""
    if isinstance(value, ElementTable):
        return SimpleNamespace(values=integer_lines(value.values, indent=4))
    if isinstance(value, LineTable):
        return SimpleNamespace(values=integer_lines(value.values, indent=4), **_line(value))
    if is_dataclass(value):
        return SimpleNamespace(**{f.name: _printed(getattr(value, f.name)) for f in fields(value)})
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float_literal(value)
    return tuple(_printed(v) for v in value) if isinstance(value, tuple) else value


def _lut(lut: Lut) -> dict[str, Any]:
    return {
        "entries": lut.entries,
        "last": lut.entries - 1,
        "scale": float_literal(lut.scale),
        "offset": lut.offset,
        "low": float_literal(lut.low),
        "high": float_literal(lut.high),
        "below": float_literal(lut.below),
        "above": float_literal(lut.above),
        "table": float_lines(lut.values, indent=4),
    }


def _map(gap: PlKernel) -> tuple[Constant, ...]:
    copies = "copies of the last image buffer" if gap.stages else "copies of the image buffer"
    return (
        Constant("kLanes", gap.lanes, f"values of an output word, {copies}"),
        Constant("kInSize", gap.x.elements, str(gap.x)),
        Constant("kInCopies", 1 if gap.stages else gap.lanes, "of the image buffer that takes it"),
        Constant(
            "kMapHeight", gap.holds.shape[1], f"of the image from which the result is gathered, {gap.holds}"
        ),
        Constant("kMapWidth", gap.holds.shape[2], "of that image"),
        Constant("kMapSize", gap.holds.elements, "values of that image"),
    )


def mover_view(mover: MoverPlan, frame: FramePlan | None = None) -> MoverView:
    """Return what the template of a data mover prints, of one of tiles if images are cut."""
    if frame:
        return MoverView(
            name=mover.name, constants=tile_constants(mover, frame), port=port("stream", 1), ii=1
        )
    if mover.spread:
        return _pixel_view(mover, mover.spread)
    together = mover.memory_bits // mover.bits
    beats = -(-mover.streams // together)  # memory words for a word of each stream
    return MoverView(
        name=mover.name,
        constants=(
            Constant("kBits", mover.bits, "width of a stream"),
            Constant(
                "kMemoryBits", mover.memory_bits, f"width of the memory port: {together} x {mover.bits}"
            ),
            Constant("kTogether", together, "stream words of a memory word"),
            Constant(
                "kBeats", beats, f"memory words for a word of each stream: {mover.streams} / {together}"
            ),
        ),
        port=_mover_port("out" if mover.reads_memory else "in", mover.streams, beats),
        ii=beats,
    )


def _pixel_view(mover: MoverPlan, columns: int) -> MoverView:
    """Return what the template of a mover of images of one pixel prints."""
    lanes, several = mover.bits // mover.element_bits, mover.streams > 1
    words = -(-mover.words // columns)
    counts = (
        (
            Constant("kStreams", mover.streams, "each with a part of the channels"),
            Constant("kPartWords", words, "memory words of a part"),
        )
        if several
        else (Constant("kMemoryWords", words, "memory words of an image"),)
    )
    return MoverView(
        name=mover.name,
        constants=(
            Constant("kBits", mover.bits, "width of a stream" if several else "width of the stream"),
            Constant("kMemoryBits", mover.memory_bits, "width of the memory port"),
            *counts,
            Constant("kElementBits", mover.element_bits, "of a channel"),
            Constant("kColumns", columns, "of a block, of which the image has the first"),
            Constant("kTogether", lanes // columns, "channels of a stream word"),
        ),
        port=port("out", mover.streams),
        ii=columns,
        parts=part_views(mover.streams) if several else (),
        depth=2 * words,
    )


def _mover_port(name: str, streams: int, beats: int) -> PortView:
    """Return the port with the stream that carries word j of a beat."""
    plain = port(name, streams)
    index = "j" if beats == 1 else "beat * kTogether + j"
    return PortView(declaration=plain.declaration, element=plain.element.replace("[s]", f"[{index}]"))
