"""Which PL kernels can be streaming ones: those that need lines, not images (rules stream-1 and cascade-2)."""

from __future__ import annotations

from collections.abc import Sequence

from aieloom.plan.gap import Sketch
from aieloom.plan.lines.shape import levels_of
from aieloom.plan.lines.stages import MOST_TAPS, sees_image
from aieloom.plan.logic import JOIN, REORDER, WINDOW, GapPlan, Inlet, Outlet, PlStep, TiledStreams
from aieloom.plan.rows import LaneGrid

NEEDS_IMAGE = {
    WINDOW: "sees more of an image than lines of one channel",
    JOIN: "joins images",
    REORDER: "moves the values of an image",
}
FRAME_REMEDY = "use strategy: frame for its kernel"


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
    joins = [s for s in steps if s.kind == JOIN]
    windows = [lv.window for lv in levels_of(steps, sink)[0] if lv.window]
    for step in (*joins, *windows):
        _check_lines(step)
    into, out = inlets[0], outlets[0]
    if windows:
        _check_order(windows[0], into)
    alone = isinstance(into.streams, TiledStreams) or into.from_memory
    if len(outlets) > 1 or not alone or not (isinstance(sink, TiledStreams) or out.to_memory):
        text = f"layer '{steps[0].layer}' stands at a branch, where images wait, and a streaming kernel keeps none"
        raise CannotStream("stream-1", steps[0], "strategy", text, FRAME_REMEDY)


def _check_order(step: PlStep, into: Inlet) -> None:
    """Refuse a fold of a whole image of floats, whose sum has an order, where pixels come lane by lane.

    Raises:
        CannotStream: it is one.
    """
    lanes = isinstance(into.streams, TiledStreams) and isinstance(into.streams.grid, LaneGrid)
    if lanes and step.x.quant is None and sees_image(step):
        text = (
            f"layer '{step.layer}' ({step.op}) folds the floats of an image in their order, and the direct convolution "
            "before it gives them in another"
        )
        raise CannotStream("stream-1", step, "strategy", text, FRAME_REMEDY)


def _check_lines(step: PlStep) -> None:
    """Refuse a layer that needs more than a few lines of the image before it.

    Raises:
        CannotStream: it does.
    """
    if step.kind == JOIN or step.lines is None:
        text = f"layer '{step.layer}' ({step.op}) {NEEDS_IMAGE[step.kind]}, and a streaming kernel has none"
        raise CannotStream("stream-1", step, "strategy", text, FRAME_REMEDY)
    ky, kx = step.lines.kernel
    if ky * kx > MOST_TAPS and not sees_image(step):
        text = (
            f"layer '{step.layer}' ({step.op}) sees windows of {ky}x{kx} = {ky * kx} places, and a streaming kernel "
            f"folds at most {MOST_TAPS} in a cycle"
        )
        raise CannotStream("stream-1", step, "strategy", text, FRAME_REMEDY)
