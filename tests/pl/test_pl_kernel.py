"""A PL kernel as a graph: what its tasks read and write, whatever it keeps of an image."""

from __future__ import annotations

from collections import Counter

import pytest

from aieloom.pl.kernel import PlKernel
from aieloom.pl.steps import JOIN, WINDOW
from tests.designs import SMALL, plan_of
from tests.ops.lines import PARTS, PLACES, WRAPPED
from tests.ops.residual import RESIDUAL
from tests.ops.streamed import BRANCHES, all_streaming, random_streaming


def ends(kernel: PlKernel) -> tuple[Counter[str], Counter[str]]:
    """Return how many parts and tasks read and write each port and queue of a kernel that keeps lines."""
    assert kernel.lines is not None
    read = Counter(p.inlet.port for p in kernel.lines.parts)
    written = Counter(p.outlet.port for p in kernel.lines.parts)
    for move in kernel.lines.moves:
        read.update(move.takes)
        written.update(move.gives)
    return read, written


def check_ends(text: str) -> None:
    kernels = [k for k in plan_of(text).pl if k.lines]
    assert kernels
    for kernel in kernels:
        assert kernel.lines is not None
        read, written = ends(kernel)
        queues = [q.name for q in kernel.lines.queues]
        assert read == Counter([*(i.port for i in kernel.inlets), *queues]), kernel.name
        assert written == Counter([*(o.port for o in kernel.outlets), *queues]), kernel.name


@pytest.mark.parametrize("text", [PARTS, PLACES, WRAPPED])
def test_every_port_and_queue_has_one_task_at_each_side(text: str) -> None:
    check_ends(text)


def test_so_it_is_at_joins_and_forks() -> None:
    check_ends(all_streaming(BRANCHES))


@pytest.mark.parametrize("seed", range(3))
def test_so_it_is_of_random_networks(seed: int) -> None:
    text = random_streaming(seed)
    assert text is not None
    check_ends(text)


def test_one_inlet_and_one_outlet_are_one_part_and_nothing_else() -> None:
    kernels = [k for text in (PARTS, PLACES) for k in plan_of(text).pl if k.lines]
    alone = [k for k in kernels if k.part]
    assert alone
    for kernel in alone:
        assert kernel.lines is not None and kernel.part is not None
        assert (kernel.lines.moves, kernel.lines.queues, kernel.lines.functions) == ((), (), ())
        assert (kernel.part.inlet, kernel.part.outlet) == (kernel.inlets[0], kernel.outlets[0])
        assert (kernel.cycles, kernel.lut) == (kernel.part.cycles, kernel.part.lut)


@pytest.mark.parametrize("text", [SMALL, RESIDUAL])
def test_a_frame_lies_before_each_step_that_reads_a_whole_image_and_before_the_outlets(text: str) -> None:
    kernels = [k for k in plan_of(text).pl if k.frames]
    assert kernels
    for kernel in kernels:
        assert kernel.frames is not None
        whole = [s for s in kernel.steps if s.kind in (WINDOW, JOIN)]
        assert [s.window for s in kernel.frames.stages] == whole
        held = whole[-1].y if whole else kernel.x
        assert kernel.frames.holds == held
