"""What the template of a PL kernel with several inlets or outlets prints: flat values, taken from the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from aieloom.cpp_text import Constant
from aieloom.emit.pl import (
    FRAME_TILE,
    FROM_BITS,
    PortView,
    StepView,
    element_templates,
    element_values,
    is_wide,
    lane_bits,
    port,
    step_view,
    tiles_along_k,
)
from aieloom.emit.pl_constants import sink_constants, source_constants
from aieloom.emit.rows import order_of, pixel_functions, pixel_of, places_in, places_in_block, places_out
from aieloom.model.tensor import TensorType
from aieloom.pl.kernel import PING_PONG, FrameStage, Inlet, PlKernel
from aieloom.pl.steps import ELEMENTWISE, JOIN, REORDER, WINDOW, PlStep
from aieloom.pl.streams import TiledStreams


@dataclass(frozen=True, slots=True, kw_only=True)
class MapView:
    """An image buffer; `depths` holds its number of images where that is no ping-pong."""

    map: str
    what: str
    size: int
    copies: int
    storage: str
    depths: tuple[int, ...] = ()
    height: int = 0
    width: int = 0
    reorders: tuple[StepView, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InletView:
    """A namespace with what reads an inlet."""

    space: str
    what: str
    constants: tuple[Constant, ...]
    source_template: str
    in_port: PortView
    type: str
    from_bits: str
    lane_bits: str
    pixel: str  # of an element of a tile
    pixel_functions: tuple[str, ...]  # templates of what it calls
    targets: tuple[MapView, ...]
    in_channel: str  # places in plain order: see emit.rows
    in_y: str
    in_place: str
    in_order: str
    computes: tuple[tuple[StepView, ...], ...]  # one: functions of each value before it is stored


@dataclass(frozen=True, slots=True, kw_only=True)
class OutletView:
    """A namespace with what serves an outlet."""

    space: str
    what: str
    constants: tuple[Constant, ...]
    sink_template: str
    out_port: PortView
    type: str
    to_bits: str
    lane_bits: str
    zero: str
    padding: str
    pass_of_k: str
    tiles_of_k: str
    row_of_block: str
    col_of_block: str
    out_channel: str
    out_y: str
    out_order: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinStage:
    """A join's or a window's process, and the one that stores its results."""

    function: str
    window: tuple[StepView]  # one: what its template calls `step`
    reordered: tuple[MapView, ...]  # of a window: the buffer that it reads
    sources: tuple[MapView, ...]
    targets: tuple[MapView, ...]
    functions: tuple[StepView, ...]
    size: int
    results: str
    copies: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamView:
    """A stream between two processes."""

    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JunctionView:
    """A PL kernel with several inlets or outlets."""

    name: str
    why: tuple[str, ...]
    constants: tuple[Constant, ...]
    element_templates: tuple[str, ...]
    type: str
    steps: tuple[StepView, ...]
    reorders: tuple[StepView, ...]
    inlets: tuple[InletView, ...]
    stages: tuple[JoinStage, ...]
    outlets: tuple[OutletView, ...]
    arguments: str
    ports: tuple[str, ...]
    streams: tuple[StreamView, ...]
    maps: tuple[MapView, ...]
    calls: tuple[str, ...]


def junction_view(gap: PlKernel) -> JunctionView:
    """Return what the template prints."""
    element = element_values(gap)
    levels, stretches = _levels(gap), _stretches(gap.steps)
    inlets = tuple(_inlet(gap, i, levels[0], stretches[0]) for i in range(len(gap.inlets)))
    stages = tuple(
        _stage(stage, levels[i], levels[i + 1], stretches[i + 1], element["type"])
        for i, stage in enumerate(gap.stages)
    )
    _, height, width = gap.holds.shape
    return JunctionView(
        name=gap.name,
        why=gap.why,
        constants=(
            Constant("kMapHeight", height, f"of the image from which results are gathered, {gap.holds}"),
            Constant("kMapWidth", width, "of that image"),
            Constant("kMapSize", gap.holds.elements, "values of that image"),
        ),
        element_templates=element_templates(gap),
        type=element["type"],
        steps=tuple(step_view(s) for s in gap.steps if s.kind not in (WINDOW, JOIN)),
        reorders=tuple(step_view(s) for s in reversed(stretches[-1]) if s.kind == REORDER),
        inlets=inlets,
        stages=stages,
        outlets=tuple(_outlet(gap, i) for i in range(len(gap.outlets))),
        arguments=", ".join(
            [
                *(f"hls::stream<from{i}::InWord> {v.in_port.declaration}" for i, v in enumerate(inlets)),
                *(
                    f"hls::stream<to{i}::OutWord> {port(o.port, o.streams.streams).declaration}"
                    for i, o in enumerate(gap.outlets)
                ),
            ]
        ),
        ports=(*(i.port for i in gap.inlets), *(o.port for o in gap.outlets)),
        streams=tuple(_streams(gap, inlets, stages, element["type"])),
        maps=tuple(m for level in levels for m in level),
        calls=tuple(_calls(gap, inlets, stages, levels[-1])),
    )


def _stretches(steps: Sequence[PlStep]) -> list[list[PlStep]]:
    """Return the steps before, between and after joins and windows."""
    stretches: list[list[PlStep]] = [[]]
    for step in steps:
        if step.kind in (WINDOW, JOIN):
            stretches.append([])
        else:
            stretches[-1].append(step)
    return stretches


def _levels(gap: PlKernel) -> list[tuple[MapView, ...]]:
    """Return the image buffers in the order in which an image passes them: what each stage reads, then the outlets'."""
    stretches, levels = _stretches(gap.steps), []
    for i, stage in enumerate(gap.stages):
        if stage.window.kind == JOIN:
            levels.append(tuple(_inlet_map(inlet) for inlet in gap.inlets))
        else:
            levels.append((_window_map(stage, stretches[i]),))
    last = (
        MapView(
            map=f"map_{o.port}",
            what=f"one image for {o.reader}; a copy for each value of an output word",
            size=gap.holds.elements,
            copies=o.lanes,
            storage=o.storage,
        )
        for o in gap.outlets
    )
    return [*levels, tuple(last)]


def _inlet_map(inlet: Inlet) -> MapView:
    waits = inlet.depth > PING_PONG
    return MapView(
        map=f"map_{inlet.port}",
        what=f"what {inlet.producer} sends"
        + (f"; {inlet.depth} images: it waits for the others" if waits else ""),
        size=inlet.x.elements,
        copies=1,
        storage=inlet.storage,
        depths=(inlet.depth,) if waits else (),
    )


def _window_map(stage: FrameStage, before: Sequence[PlStep]) -> MapView:
    holds: TensorType = stage.holds
    return MapView(
        map=f"map_of_{stage.window.layer}",
        what=f"what {stage.window.layer} reads",
        size=holds.elements,
        copies=1,
        storage=stage.storage,
        height=holds.shape[1],
        width=holds.shape[2],
        reorders=tuple(step_view(s) for s in reversed(before) if s.kind == REORDER),
    )


def _inlet(gap: PlKernel, number: int, first: tuple[MapView, ...], before: Sequence[PlStep]) -> InletView:
    inlet = gap.inlets[number]
    size = Constant("kInSize", inlet.x.elements, str(inlet.x))
    functions = tuple(step_view(s) for s in before if s.kind == ELEMENTWISE)
    return InletView(
        space=f"from{number}",
        what=inlet.producer,
        constants=(*source_constants(inlet), size),
        source_template="source_tiled.j2" if isinstance(inlet.streams, TiledStreams) else "source_raster.j2",
        in_port=port(inlet.port, inlet.streams.streams),
        type=element_values(gap)["type"],
        from_bits="as_float" if is_wide(gap, inlet) else FROM_BITS[inlet.dtype],
        lane_bits=lane_bits(inlet.dtype),
        targets=(first[number],) if gap.join else first,
        computes=() if gap.join else (functions,),
        pixel=pixel_of(inlet.streams, FRAME_TILE, "nt", "col"),
        pixel_functions=pixel_functions(inlet.streams),
        **places_in(inlet.streams),
    )


def _stage(
    stage: FrameStage,
    sources: tuple[MapView, ...],
    targets: tuple[MapView, ...],
    after: Sequence[PlStep],
    kind: str,
) -> JoinStage:
    step = stage.window
    more: dict[str, Any] = {"type": kind}
    if step.kind == WINDOW:
        more |= {"source": f"{step.function}_source", "size": sources[0].size}
    return JoinStage(
        function=step.function,
        window=(step_view(step, **more),),
        reordered=sources if step.kind == WINDOW else (),
        sources=sources,
        targets=targets,
        functions=tuple(step_view(s) for s in after if s.kind == ELEMENTWISE),
        size=step.y.elements,
        results=f"{step.function}_results",
        copies=", once for each reader" if len(targets) > 1 else "",
    )


def _outlet(gap: PlKernel, number: int) -> OutletView:
    outlet = gap.outlets[number]
    element = element_values(gap)
    lanes = Constant("kLanes", outlet.lanes, "values of an output word, copies of the image buffer")
    return OutletView(
        space=f"to{number}",
        what=outlet.reader,
        constants=(lanes, *sink_constants(gap, outlet)),
        sink_template=f"sink_{order_of(outlet.streams)}.j2",
        out_port=port(outlet.port, outlet.streams.streams),
        to_bits="float_bits" if is_wide(gap, outlet) else "as_bits",
        lane_bits=lane_bits(outlet.dtype),
        **places_out(outlet.streams),
        **tiles_along_k(outlet.streams),
        **places_in_block(outlet.streams, outlet.lanes),
        **element,
    )


def _streams(
    gap: PlKernel, inlets: Sequence[InletView], stages: Sequence[JoinStage], kind: str
) -> Iterator[StreamView]:
    for i, inlet in enumerate(inlets):
        yield StreamView(name=f"values{i}", type=kind)
        yield from (StreamView(name=f"results{i}", type=kind) for _ in inlet.computes)
    for stage in stages:
        yield StreamView(name=stage.results, type=kind)
    for i in range(len(gap.outlets)):
        yield StreamView(name=f"words{i}", type=f"ap_uint<to{i}::kOutBits>")


def _calls(
    gap: PlKernel, inlets: Sequence[InletView], stages: Sequence[JoinStage], last: Sequence[MapView]
) -> Iterator[str]:
    """Yield the processes' calls: inlets in the order in which their data are sent, stages, outlets."""
    for i in gap.read_order:
        inlet = inlets[i]
        yield f"from{i}::read({gap.inlets[i].port}, values{i});"
        yield from (f"from{i}::compute(values{i}, results{i});" for _ in inlet.computes)
        given = f"results{i}" if inlet.computes else f"values{i}"
        yield f"from{i}::untile({given}, {', '.join(t.map for t in inlet.targets)});"
    for stage in stages:
        yield f"{stage.function}({', '.join(m.map for m in stage.sources)}, {stage.results});"
        yield f"{stage.function}_store({stage.results}, {', '.join(t.map for t in stage.targets)});"
    for i, (outlet, m) in enumerate(zip(gap.outlets, last, strict=True)):
        yield f"to{i}::gather({m.map}, words{i});"
        yield f"to{i}::write(words{i}, {outlet.port});"
