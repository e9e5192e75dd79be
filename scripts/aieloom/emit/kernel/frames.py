"""What the templates of a PL kernel print of frame buffers, of the processes between them, and of their calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aieloom.cpp_text import Constant, View
from aieloom.emit.kernel.constants import frame_sink_constants, frame_source_constants
from aieloom.emit.kernel.elements import type_of
from aieloom.emit.kernel.ends import sink_view, source_view
from aieloom.emit.kernel.tasks import body_lines, call_lines
from aieloom.emit.movers import port
from aieloom.emit.steps import step_view
from aieloom.pl.ends import PING_PONG, Inlet
from aieloom.pl.kernel import FrameStage, FrameStore, PlKernel
from aieloom.pl.steps import ELEMENTWISE, JOIN, REORDER, WINDOW, PlStep
from aieloom.pl.streams import shares_of


def frames_view(kernel: PlKernel, store: FrameStore) -> View:
    """Return what the templates print."""
    levels, between = _levels(kernel, store), _between(kernel.steps)
    inlets = tuple(_inlet(kernel, i, levels[0], between[0]) for i in range(len(kernel.inlets)))
    stages = tuple(
        _stage(stage, levels[i], levels[i + 1], between[i + 1], type_of(kernel.x))
        for i, stage in enumerate(store.stages)
    )
    outlets = tuple(_outlet(kernel, i) for i in range(len(kernel.outlets)))
    _, height, width = store.holds.shape
    return View(
        type=type_of(kernel.x),
        constants=(
            Constant("kMapHeight", height, f"of the image from which results are gathered, {store.holds}"),
            Constant("kMapWidth", width, "of that image"),
            Constant("kMapSize", store.holds.elements, "values of that image"),
        ),
        steps=tuple(step_view(s) for s in kernel.steps if s.kind not in (WINDOW, JOIN)),
        reorders=_reorders(between[-1]),  # from the result's place back to the last buffer's
        inlets=inlets,
        stages=stages,
        outlets=outlets,
        streams=tuple(_streams(kernel, inlets, stages, outlets)),
        buffers=tuple(b for level in levels for b in level),
        calls=tuple(_calls(kernel, inlets, stages, tuple(zip(outlets, levels[-1], strict=True)))),
    )


def _between(steps: Sequence[PlStep]) -> list[list[PlStep]]:
    """Return the steps before, between and after joins and windows."""
    found: list[list[PlStep]] = [[]]
    for step in steps:
        if step.kind in (WINDOW, JOIN):
            found.append([])
        else:
            found[-1].append(step)
    return found


def _reorders(steps: Sequence[PlStep]) -> tuple[View, ...]:
    """Return the reorderings among `steps`, the last first: from a place behind them to one before them."""
    return tuple(step_view(s) for s in reversed(steps) if s.kind == REORDER)


def _functions(steps: Sequence[PlStep]) -> tuple[View, ...]:
    return tuple(step_view(s) for s in steps if s.kind == ELEMENTWISE)


def _levels(kernel: PlKernel, store: FrameStore) -> list[tuple[View, ...]]:
    """Return the frame buffers in the order in which an image passes them: what each stage reads, then the outlets'."""
    between, levels = _between(kernel.steps), []
    for i, stage in enumerate(store.stages):
        if stage.window.kind == JOIN:
            levels.append(tuple(_before_join(inlet) for inlet in kernel.inlets))
        else:
            levels.append((_before_window(stage, between[i]),))
    last = (
        View(
            map=f"map_{o.port}",
            what=f"one image for {o.reader}; a copy for each value of an output word",
            size=store.holds.elements,
            copies=o.lanes,
            storage=o.storage,
            depth=0,
        )
        for o in kernel.outlets
    )
    return [*levels, tuple(last)]


def _before_join(inlet: Inlet) -> View:
    waits = inlet.depth > PING_PONG
    return View(
        map=f"map_{inlet.port}",
        what=f"what {inlet.producer} sends"
        + (f"; {inlet.depth} images: it waits for the others" if waits else ""),
        size=inlet.x.elements,
        copies=1,
        storage=inlet.storage,
        depth=inlet.depth if waits else 0,  # its number of images where that is no double buffer, else 0
    )


def _before_window(stage: FrameStage, before: Sequence[PlStep]) -> View:
    _, height, width = stage.holds.shape
    return View(
        map=f"map_of_{stage.window.layer}",
        what=f"what {stage.window.layer} reads",
        size=stage.holds.elements,
        copies=1,
        storage=stage.storage,
        depth=0,
        height=height,
        width=width,
        reorders=_reorders(before),
    )


def _inlet(kernel: PlKernel, number: int, first: tuple[View, ...], before: Sequence[PlStep]) -> View:
    inlet = kernel.inlets[number]
    size = Constant("kInSize", inlet.x.elements, str(inlet.x))
    return View(
        space=f"from{number}",
        what=inlet.producer,
        constants=(*frame_source_constants(inlet), size),
        port=port(inlet.port, inlet.streams.streams),
        source=source_view(inlet),
        readers=readers_view(inlet.streams.streams, type_of(kernel.x)),  # processes that share the streams
        targets=(first[number],) if kernel.join else first,
        computes=not kernel.join,  # functions of each value before it is stored
        functions=_functions(before),
    )


def _stage(
    stage: FrameStage,
    sources: tuple[View, ...],
    targets: tuple[View, ...],
    after: Sequence[PlStep],
    type_: str,
) -> View:
    step, window = stage.window, stage.window.kind == WINDOW
    more = {"source": f"{step.function}_source", "size": sources[0].size} if window else {}
    return View(
        function=step.function,
        step=step_view(step, type=type_, **more),
        window=sources[0] if window else None,  # what a window reads
        sources=sources,
        targets=targets,
        functions=_functions(after),
        size=step.y.elements,
        results=f"{step.function}_results",
        copies=", once for each reader" if len(targets) > 1 else "",
    )


def _outlet(kernel: PlKernel, number: int) -> View:
    outlet = kernel.outlets[number]
    lanes = Constant("kLanes", outlet.lanes, "values of an output word, copies of the frame buffer")
    return View(
        space=f"to{number}",
        what=outlet.reader,
        constants=(lanes, *frame_sink_constants(kernel.y, outlet)),
        port=port(outlet.port, outlet.streams.streams),
        sink=sink_view(outlet, kernel.y),
        writers=writers_view(outlet.streams.streams),  # processes that share the streams
    )


def _streams(
    kernel: PlKernel,
    inlets: Sequence[View],
    stages: Sequence[View],
    outlets: Sequence[View],
) -> Iterator[View]:
    kind = type_of(kernel.x)
    for i, inlet in enumerate(inlets):
        yield from _queues(f"values{i}", kind, inlet.readers)
        if inlet.computes:
            yield View(name=f"results{i}", type=kind)
    for stage in stages:
        yield View(name=stage.results, type=kind)
    for i, outlet in enumerate(outlets):
        yield from _queues(f"words{i}", f"ap_uint<{kernel.outlets[i].streams.bits}>", outlet.writers)


def _queues(name: str, kind: str, shares: SharesView | None) -> Iterator[View]:
    """Yield the stream of all of an end's elements, and those of the processes that share its streams."""
    yield View(name=name, type=kind)
    if shares:
        yield from (View(name=queue, type=kind) for queue in shares.queues(name))


def _calls(
    kernel: PlKernel,
    inlets: Sequence[View],
    stages: Sequence[View],
    ends: Sequence[tuple[View, View]],
) -> Iterator[str]:
    """Yield the processes' calls: inlets in the order in which their data are sent, stages, outlets."""
    for i in kernel.read_order:
        inlet, given = inlets[i], f"values{i}"
        if inlet.readers:
            yield from read_calls(f"from{i}", kernel.inlets[i].port, f"values{i}", inlet.readers)
        else:
            yield f"from{i}::read({kernel.inlets[i].port}, values{i});"
        if inlet.computes:
            given = f"results{i}"
            yield f"from{i}::compute(values{i}, results{i});"
        yield f"from{i}::untile({given}, {', '.join(t.map for t in inlet.targets)});"
    for stage in stages:
        yield f"{stage.function}({', '.join(b.map for b in stage.sources)}, {stage.results});"
        yield f"{stage.function}_store({stage.results}, {', '.join(t.map for t in stage.targets)});"
    for i, (outlet, buffer) in enumerate(ends):
        yield f"to{i}::gather({buffer.map}, words{i});"
        if outlet.writers:
            yield from write_calls(f"to{i}", kernel.outlets[i].port, f"words{i}", outlet.writers)
        else:
            yield f"to{i}::write(words{i}, {kernel.outlets[i].port});"


@dataclass(frozen=True, slots=True, kw_only=True)
class SharesView:
    """All processes of an end, and in lines the parameters of the one that keeps their order."""

    shares: tuple[View, ...]
    parameters: tuple[str, ...]

    def queues(self, whole: str) -> list[str]:
        """Return the names of the queues beside the one of all that the end takes or gives."""
        return [f"{whole}_{share.index}" for share in self.shares]


def readers_view(streams: int, kind: str) -> SharesView | None:
    """Return the processes that read so many streams and give values of a `kind`; None where one reads them all."""
    return _shares(streams, "hls::stream<InWord>& in", f"hls::stream<{kind}>&", "values")


def writers_view(streams: int) -> SharesView | None:
    """Return the processes that write so many streams; None where one writes them all."""
    return _shares(streams, "hls::stream<OutWord>& out", "hls::stream<ap_uint<kOutBits>>&", "words")


def _shares(streams: int, stream: str, queue: str, what: str) -> SharesView | None:
    shares = shares_of(streams)
    if len(shares) == 1:
        return None
    queues = [f"{queue} {what}_{i}" for i in range(len(shares))]
    whole = f"{queue} {what}"
    return SharesView(
        shares=tuple(_share(i, share, stream, whole, what) for i, share in enumerate(shares)),
        parameters=body_lines([*queues, whole] if what == "values" else [whole, *queues]),
    )


def _share(index: int, streams: range, stream: str, queue: str, what: str) -> View:
    ports = [f"{stream}_{s}" for s in streams]
    return View(
        index=index,
        first=streams[0],
        last=streams[-1],
        count=len(streams),
        parameters=body_lines([*ports, queue] if what == "values" else [queue, *ports]),  # lines
        streams=tuple(port.split()[-1] for port in ports),  # its parameters, a stream each
        queue=f"{what}_{index}",
    )


def read_calls(space: str, port: str, values: str, readers: SharesView) -> Iterator[str]:
    """Yield the calls of processes that read, then of the one that brings their values in order."""
    queues = readers.queues(values)
    for share, queue in zip(readers.shares, queues, strict=True):
        yield from _call(f"{space}::read_{share.index}", [*_elements(port, share), queue])
    yield from _call(f"{space}::merge", [*queues, values])


def write_calls(space: str, port: str, words: str, writers: SharesView) -> Iterator[str]:
    """Yield the calls of the process that deals out words, then of those that write them."""
    queues = writers.queues(words)
    yield from _call(f"{space}::deal", [words, *queues])
    for share, queue in zip(writers.shares, queues, strict=True):
        yield from _call(f"{space}::write_{share.index}", [queue, *_elements(port, share)])


def _elements(port: str, share: View) -> list[str]:
    return [f"{port}[{s}]" for s in range(share.first, share.last + 1)]


def _call(function: str, arguments: Sequence[str]) -> Iterator[str]:
    yield f"{function}("
    yield from (f"    {line}" for line in call_lines(arguments))
