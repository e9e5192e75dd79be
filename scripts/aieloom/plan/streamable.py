"""Which PL kernels can be streaming ones: those that need rows, not images (rules stream-1 and cascade-2)."""

from __future__ import annotations

from collections.abc import Sequence

from aieloom.plan.gap import Sketch
from aieloom.plan.graph import Graph
from aieloom.plan.logic import (
    JOIN,
    REORDER,
    WINDOW,
    GapPlan,
    Inlet,
    LineTable,
    Outlet,
    PlStep,
    TiledStreams,
)

NEEDS_IMAGE = {
    WINDOW: "reads windows of an image",
    JOIN: "joins images",
    REORDER: "moves the values of an image",
}


class CannotStream(Exception):
    """A kernel that cannot be streaming: which rule and layer, why, and what to do."""

    def __init__(self, rule: str, step: PlStep, key: str, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.rule = rule
        self.step = step
        self.key = key
        self.problem = problem
        self.remedy = remedy


def can_stream(kernel: GapPlan) -> bool:
    """Tell whether a kernel can be a streaming one: it takes a layer that asks for it."""
    if not kernel.steps:
        return False
    try:
        check_streamable(kernel.steps, kernel.inlets, kernel.outlets)
    except CannotStream:
        return False
    return True


def reads_tiles(kernel: Sketch) -> bool:
    """Tell whether a kernel only cuts what comes from memory for one layer, which takes lines, not images."""
    into, out = kernel.inlets[0], kernel.outlets[0]
    sink = out.streams
    alone = not kernel.steps and into.from_memory and len(kernel.outlets) == 1
    return alone and isinstance(sink, TiledStreams) and sink.grid.cascade == 1


def check_beside(graph: Graph, number: int, step: PlStep) -> None:
    """Refuse a streaming kernel on one of two ways that meet again.

    Nothing waits for ever because kernels take a whole image before they give one (plan.graph). A streaming kernel gives while
    it takes: the join waits for the skip, the fork waits for this kernel, and this kernel for the join.

    Raises:
        CannotStream: `step`, a layer of kernel `number`, lies beside a skip.
    """
    for join, kernel in enumerate(graph.kernels):
        ways = [number in graph.above(join, port) for port in range(len(kernel.ins))]
        if any(ways) and not all(ways):
            name = kernel.steps[0].layer
            text = (
                f"layer '{step.layer}' ({step.op}) lies on one of two ways that meet in '{name}': "
                "a streaming kernel holds no image, so the ways would wait for each other"
            )
            raise CannotStream("stream-1", step, "strategy", text, "use strategy: frame for its kernel")


def check_streamable(steps: Sequence[PlStep], inlets: Sequence[Inlet], outlets: Sequence[Outlet]) -> None:
    """Refuse a kernel that needs whole images, or stands where several streams meet or part.

    Raises:
        CannotStream: which rule, why, and what to do.
    """
    sink = outlets[0].streams
    if steps and isinstance(sink, TiledStreams) and sink.grid.cascade > 1:
        text = f"layer '{sink.layer}' is cut over chains of {sink.grid.cascade} cores, which no streaming kernel feeds"
        raise CannotStream(
            "cascade-2", steps[0], "strategy", text, f"use strategy: frame, or no cascade on '{sink.layer}'"
        )
    for step in steps:
        if step.kind in (WINDOW, JOIN) or (step.kind == REORDER and isinstance(sink, TiledStreams)):
            what = NEEDS_IMAGE[step.kind]
            text = f"layer '{step.layer}' ({step.op}) {what}, and a streaming kernel has none"
            raise CannotStream("stream-1", step, "strategy", text, "use strategy: frame for its kernel")
        if isinstance(step.detail, LineTable):
            text = f"layer '{step.layer}' ({step.op}) looks up two entries for each 16-bit element, and a streaming kernel one"
            raise CannotStream("stream-1", step, "strategy", text, "use strategy: frame for its kernel")
    into, out = inlets[0], outlets[0]
    alone = isinstance(into.streams, TiledStreams) or into.from_memory
    if len(outlets) > 1 or not alone or not (isinstance(sink, TiledStreams) or out.to_memory):
        text = f"layer '{steps[0].layer}' stands at a branch, where images wait, and a streaming kernel keeps none"
        raise CannotStream("stream-1", steps[0], "strategy", text, "use strategy: frame for its kernel")
