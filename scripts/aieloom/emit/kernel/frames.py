"""A kernel of frame buffers as an instantiation of the library in pl_templates/lib: traits from the plan, maps, processes.

An inlet's values are put into maps, windows and joins read one and fill the next, and outlets gather words from the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aieloom.cpp_text import View, closed, trait_lines
from aieloom.emit.kernel.ends import (
    BY_ROW,
    PLAIN_ORDER,
    comes,
    elements_of,
    image,
    leaves,
    order_of,
    tiles,
    unlike,
    word,
)
from aieloom.emit.kernel.policies import PLAIN, SPACE, Policies
from aieloom.emit.kernel.tasks import type_of
from aieloom.emit.movers import declared, elements
from aieloom.network.tensor import TensorType
from aieloom.pl.ends import PING_PONG, Inlet, Outlet
from aieloom.pl.kernel import FrameStage, FrameStore, PlKernel
from aieloom.pl.steps import ELEMENTWISE, JOIN, REORDER, WINDOW, PlStep
from aieloom.pl.streams import TiledStreams, is_by_row, shares_of

HEADER = "frame_buffer"
ORDERS = {
    "lanes": "LaneOrder<{to}, {kept}>",
    "rows": "LineOrder<{to}, {kept}>",
    "tiled": "ColumnOrder<{to}, {kept}>",
    BY_ROW: "RowOrder<{to}, Row<{bits}>, {kept}>",
    PLAIN_ORDER: "PlainOrder<{to}, InPlace, {kept}>",
}
NEIGHBOURS = ("rows", BY_ROW)  # orders whose words are neighbours of a row


def frames_view(kernel: PlKernel, store: FrameStore) -> View:
    """Return what the template prints."""
    made = _Frames(kernel, store)
    ends: tuple[Inlet | Outlet, ...] = (*kernel.inlets, *kernel.outlets)
    ports = {end.port: declared(end.port, end.streams.streams, end.streams.bits) for end in ends}
    return View(
        headers=sorted({HEADER, *made.policies.headers}),
        layers=made.policies.printed,
        structs=made.structs,
        streams=made.streams,
        type=made.type,
        buffers=[buffer for level in made.levels for buffer in level],
        calls=made.calls,
        signature=closed(["int frames", *ports.values()], ") {"),
        ports=tuple(ports),
    )


class _Frames:
    """What is printed, process after process."""

    def __init__(self, kernel: PlKernel, store: FrameStore) -> None:
        self.kernel, self.store, self.type = kernel, store, type_of(kernel.x)
        self.policies = Policies()
        self.structs: list[View] = []
        self.streams: list[View] = []
        self.calls: list[str] = []
        self.between = _between(kernel.steps)
        self.levels = _levels(kernel, store)
        for number in kernel.read_order:  # in the order in which their data are sent
            self._inlet(number)
        for number, stage in enumerate(store.stages):
            self._stage(number, stage)
        for number, outlet in enumerate(kernel.outlets):
            self._outlet(number, outlet)

    def _struct(self, name: str, what: str, base: str, lines: Sequence[str], *aliases: str) -> None:
        self.structs.append(View(what=what, head=f"{name} : {base}", lines=lines, aliases=aliases))

    def _queue(self, name: str, kind: str) -> str:
        self.streams.append(View(name=name, type=kind))
        return name

    def _call(self, function: str, arguments: Sequence[str]) -> None:
        whole = f"{function}({', '.join(arguments)});"
        if len(whole) <= 100:
            self.calls.append(whole)
            return
        self.calls.append(f"{function}(")
        self.calls += [f"    {line}" for line in closed(arguments, ");")]

    def _inlet(self, number: int) -> None:
        """Add the processes that read an inlet and put its values into the first maps."""
        kernel, inlet, name = self.kernel, self.kernel.inlets[number], f"From{number}"
        functions = [] if kernel.join else _functions(self.between[0])
        maps = [self.levels[0][number]] if kernel.join else self.levels[0]
        source = inlet.streams
        tiled = tiles(source, name) if isinstance(source, TiledStreams) else ""
        turns = f"TileTurns<{name}, {tiled}>" if tiled else f"ImageTurns<{name}>"
        puts = (
            f"untile<{name}, {tiled}>"
            if tiled
            else f"keep_{'rows' if is_by_row(source) else 'image'}<{name}>"
        )
        base = elements_of(kernel.x, self.policies.values(functions, self.type), inlet.dtype, None)
        lines = trait_lines(image(inlet.x.shape) | ({"kBeat": 1} if tiled else {}) | comes(source))
        alias = f"using {name}Turns = {turns};"
        self._struct(name, f"What {inlet.producer} sends", f"{base}, LineTraits", lines, alias)
        values, ports = self._queue(f"values{number}", self.type), elements(inlet.port, source.streams)
        shares, queues = self._shared(values, self.type, source.streams)
        for share, queue in zip(shares, queues, strict=True):
            read = f"FrameReader<{name}, {name}Turns, {len(share)}>::read_ports"
            self._call(read, [*(ports[s] for s in share), queue])
        if len(shares) > 1:
            self._call(f"merge<{name}Turns, {', '.join(str(len(s)) for s in shares)}>", [values, *queues])
        self._call(puts, [values, *(m.map for m in maps)])

    def _stage(self, number: int, stage: FrameStage) -> None:
        """Add the process of a window or a join, and the one that stores what it gives."""
        step = stage.window
        maps = [level.map for level in self.levels[number]]
        results = self._queue(f"{step.function}_results", self.type)
        if step.template.endswith(".j2"):
            self._call(self._printed(number, stage), [*maps, results])
        else:
            seen = f"Read<{_image(stage.holds)}, {self._reorders(number)}>"
            self._call(self.policies.process(step, seen, self.type), [results, *maps])
        after = self.policies.values(_functions(self.between[number + 1]), self.type)
        self._call(f"store<{after}>", [results, *(m.map for m in self.levels[number + 1])])

    def _printed(self, number: int, stage: FrameStage) -> str:
        """Have the template of an operator printed that is no part of aieloom; return its process."""
        step, source = stage.window, f"{stage.window.function}_source"
        self.policies.lines(
            f"/// Where {self.levels[number][0].map} holds the value that {step.function} reads as (channel, y, x).",
            f"int {source}(int channel, int y, int x) {{",
            f"  {self._reorders(number)}::from(channel, y, x);",
            f"  return {_image(stage.holds)}::place(channel, y, x);",
            "}",
        )
        self.policies.print(step, step.template, type=self.type, source=source, size=stage.holds.elements)
        return f"{SPACE}::{step.function}"

    def _outlet(self, number: int, outlet: Outlet) -> None:
        """Add the processes that gather an outlet's words and write them."""
        kernel, name, sink = self.kernel, f"To{number}", outlet.streams
        order, y = order_of(sink), kernel.y
        kept = f"Frame<{name}, {_image(self.store.holds)}, {self._reorders(len(self.store.stages))}>"
        leaving = ORDERS[order].format(to=name, kept=kept, bits=sink.bits)
        pixels = outlet.lanes if order in NEIGHBOURS else 1
        lines = [
            *unlike(image(y.shape) | {"kRows": y.shape[1]}),
            *unlike(word(sink, y, pixels=pixels)),
            *leaves(sink, y, outlet.lanes, 1),
        ]
        base = f"{elements_of(kernel.x, PLAIN, None, outlet.dtype)}, LineTraits"
        self._struct(name, f"What {outlet.reader} reads", base, lines, f"using {name}Order = {leaving};")
        kind, ports = f"ap_uint<{sink.bits}>", elements(outlet.port, sink.streams)
        words = self._queue(f"words{number}", kind)
        self._call(f"gather<{name}, {name}Order>", [self.levels[-1][number].map, words])
        shares, queues = self._shared(words, kind, sink.streams)
        if len(shares) > 1:
            self._call(f"deal<{name}Order, {', '.join(str(len(s)) for s in shares)}>", [words, *queues])
        for share, queue in zip(shares, queues, strict=True):
            write = f"FrameWriter<{name}, {name}Order, {len(share)}>::write_ports"
            self._call(write, [queue, *(ports[s] for s in share)])

    def _shared(self, whole: str, kind: str, streams: int) -> tuple[Sequence[range], list[str]]:
        """Return the streams of each process that serves an end, and its queue: that of all streams where it is alone."""
        shares = shares_of(streams)
        names = [f"{whole}_{i}" for i in range(len(shares))] if len(shares) > 1 else []
        return shares, [self._queue(name, kind) for name in names] or [whole]

    def _reorders(self, level: int) -> str:
        """Return the type that makes a place of what stands behind a map's reorderings one of the map."""
        return self.policies.places([s for s in self.between[level] if s.kind == REORDER])


def _image(tensor: TensorType) -> str:
    return f"Image<{', '.join(map(str, tensor.shape))}>"


def _between(steps: Sequence[PlStep]) -> list[list[PlStep]]:
    """Return the steps before, between and after joins and windows."""
    found: list[list[PlStep]] = [[]]
    for step in steps:
        if step.kind in (WINDOW, JOIN):
            found.append([])
        else:
            found[-1].append(step)
    return found


def _functions(steps: Sequence[PlStep]) -> list[PlStep]:
    return [s for s in steps if s.kind == ELEMENTWISE]


def _levels(kernel: PlKernel, store: FrameStore) -> list[list[View]]:
    """Return the maps in the order in which an image passes them: what each stage reads, then the outlets'."""
    levels = []
    for stage in store.stages:
        if stage.window.kind == JOIN:
            levels.append([_before_join(inlet) for inlet in kernel.inlets])
        else:
            name, what = f"map_of_{stage.window.layer}", f"what {stage.window.layer} reads"
            levels.append([_map(name, what, stage.holds.elements, 1, stage.storage)])
    return [*levels, list(_last(kernel, store))]


def _last(kernel: PlKernel, store: FrameStore) -> Iterator[View]:
    for outlet in kernel.outlets:
        what = f"one image for {outlet.reader}; a copy for each value of an output word"
        yield _map(f"map_{outlet.port}", what, store.holds.elements, outlet.lanes, outlet.storage)


def _before_join(inlet: Inlet) -> View:
    waits = inlet.depth > PING_PONG
    what = f"what {inlet.producer} sends" + (
        f"; {inlet.depth} images: it waits for the others" if waits else ""
    )
    made = _map(f"map_{inlet.port}", what, inlet.x.elements, 1, inlet.storage)
    return (
        made.but(depth=inlet.depth) if waits else made
    )  # its number of images where that is no double buffer


def _map(name: str, what: str, size: int, copies: int, storage: str) -> View:
    """Return a map of two images."""
    return View(map=name, what=what, size=size, copies=copies, storage=storage, depth=0)
