"""Which PL kernels can be streaming ones: those that need lines, not images (rule stream-1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aieloom.pl.ends import Outlet
from aieloom.pl.kernel import PlKernel, Sketch
from aieloom.pl.steps import JOIN, REORDER, WINDOW, PlStep
from aieloom.pl.streams import TiledStreams, by_row

if TYPE_CHECKING:
    from aieloom.pl.lines.shape import Level

NEEDS_IMAGE = {
    WINDOW: "sees more of an image than lines of one channel",
    REORDER: "moves the values of an image",
}
FRAME_REMEDY = "use strategy: frame for its kernel"


class CannotStream(Exception):
    """A kernel that cannot be streaming: which rule and layer, why, and what to do."""

    def __init__(self, rule: str, layer: str, key: str, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.rule = rule
        self.layer = layer
        self.key = key
        self.problem = problem
        self.remedy = remedy


def can_stream(kernel: PlKernel) -> bool:
    """Tell whether a kernel can be a streaming one: it takes a layer that asks for it, on it or before it."""
    if not kernel.steps and kernel.inlets[0].from_memory:
        return False
    return not needs_images(kernel)


def needs_images(kernel: PlKernel) -> str:
    """Return which layer makes a kernel keep whole images, and why; empty where lines would do."""
    try:
        check_streamable(kernel.steps, kernel.outlets)
    except CannotStream as e:
        return e.problem
    return ""


def frame_line(kernel: PlKernel) -> str:
    """Return a sentence about a kernel that keeps whole images: what forces it to; empty of one that keeps lines."""
    if kernel.lines:
        return ""
    why = needs_images(kernel)
    if why:
        return f"{kernel.name} keeps whole images: {why}"
    return f"{kernel.name} keeps whole images" + (
        "; strategy: streaming on one of its layers keeps lines"
        if can_stream(kernel) and kernel.steps
        else ""
    )


def reads_tiles(kernel: Sketch) -> bool:
    """Tell whether a kernel only cuts what comes from memory for one layer, which takes lines, not images."""
    into, out = kernel.inlets[0], kernel.outlets[0]
    sink = out.streams
    alone = not kernel.steps and into.from_memory and len(kernel.outlets) == 1
    return alone and isinstance(sink, TiledStreams)


def is_head(kernel: PlKernel) -> bool:
    """Tell whether a kernel goes over an image's channels for the memory, and could as well be a streaming one."""
    passes = any(s.passes for s in kernel.steps) and not any(s.strategy for s in kernel.steps)
    alone = len(kernel.inlets) == len(kernel.outlets) == 1 and kernel.outlets[0].to_memory
    return passes and alone and can_stream(kernel)


def check_streamable(steps: Sequence[PlStep], outlets: Sequence[Outlet]) -> None:
    """Refuse a kernel that needs whole images.

    Raises:
        CannotStream: which rule, why, and what to do.
    """
    behind = list(steps)
    if steps and steps[0].kind == JOIN:
        _check_join(steps[0])
        behind.pop(0)
    windows = [lv.window for lv in _levels(behind, outlets) if lv.window]
    for step in windows:
        _check_lines(step)


def _levels(steps: Sequence[PlStep], outlets: Sequence[Outlet]) -> Sequence[Level]:
    """Return a kernel's levels: a single writer to memory reorders itself, else tasks before the writers do."""
    from aieloom.pl.lines.shape import levels_of  # noqa: PLC0415 - where a streaming kernel is thought of

    part = steps and len(outlets) > 1
    return levels_of(steps, by_row(steps[-1].y) if part else outlets[0].streams)[0]


def _check_join(step: PlStep) -> None:
    """Refuse a join of other values than those of one place, or of whole channels.

    Raises:
        CannotStream: it is one.
    """
    if (
        step.beats
        and step.others
        and (joins_channels(step) or all(x.shape == step.x.shape for x in step.others))
    ):
        return
    why = (
        "shows values of one input at several places of the other"
        if step.beats
        else "has no form that joins beats"
    )
    text = f"layer '{step.layer}' ({step.op}) {why}, and a streaming kernel keeps no image"
    raise CannotStream("stream-1", step.layer, "strategy", text, FRAME_REMEDY)


def joins_channels(step: PlStep) -> bool:
    """Tell whether a join passes the channels of one input after those of another: a concatenation."""
    return step.y.shape[0] != step.x.shape[0]


def _check_lines(step: PlStep) -> None:
    """Refuse a layer that needs more than a few lines of the image before it, or all channels of several pixels.

    Raises:
        CannotStream: it does.
    """
    if step.passes:
        _, height, width = step.x.shape
        if height * width == 1:
            return
        text = (
            f"layer '{step.layer}' ({step.op}) goes over all channels of a pixel several times, which a streaming kernel "
            f"does of images of one pixel; this one has {height}x{width}"
        )
        raise CannotStream("stream-1", step.layer, "strategy", text, FRAME_REMEDY)
    if step.lines is None:
        text = f"layer '{step.layer}' ({step.op}) {NEEDS_IMAGE[step.kind]}, and a streaming kernel has none"
        raise CannotStream("stream-1", step.layer, "strategy", text, FRAME_REMEDY)
    from aieloom.pl.lines.shape import sees_image  # noqa: PLC0415 - as in _levels
    from aieloom.pl.lines.stages import MOST_TAPS  # noqa: PLC0415

    ky, kx = step.lines.kernel
    if ky * kx > MOST_TAPS and not sees_image(step):
        text = (
            f"layer '{step.layer}' ({step.op}) sees windows of {ky}x{kx} = {ky * kx} places, and a streaming kernel "
            f"folds at most {MOST_TAPS} in a cycle"
        )
        raise CannotStream("stream-1", step.layer, "strategy", text, FRAME_REMEDY)
