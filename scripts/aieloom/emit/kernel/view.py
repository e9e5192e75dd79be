"""What the template of a PL kernel prints: its interface, its elements, and what it keeps of an image."""

from __future__ import annotations

from collections.abc import Iterator

from aieloom.cpp_text import View
from aieloom.emit.kernel.elements import elements_view
from aieloom.emit.kernel.frames import frames_view
from aieloom.emit.kernel.tasks import body_lines
from aieloom.emit.movers import declared
from aieloom.pl.ends import Inlet, Outlet
from aieloom.pl.kernel import PlKernel


def kernel_view(kernel: PlKernel) -> View:
    """Return what the template prints."""
    lines = lines_of(kernel)
    if lines:
        why = [line for step in kernel.steps for line in step.why]
        return lines.but(name=kernel.name, why=why, frames=None, lines=lines)
    declared = dict(_ports(kernel))
    return View(
        name=kernel.name,
        why=kernel.why,
        signature=body_lines([*(["int frames"] if kernel.frames else []), *declared.values()]),
        ports=tuple(declared),
        elements=elements_view(kernel),
        frames=frames_view(kernel, kernel.frames) if kernel.frames else None,
        lines=None,
    )


def lines_of(kernel: PlKernel) -> View | None:
    """Return what is printed of a kernel of line buffers: headers of the library, traits, queues, tasks; None of others."""
    if not kernel.lines:
        return None
    from aieloom.emit.kernel.library import library_view  # noqa: PLC0415 - most designs have no lines

    return library_view(kernel, kernel.lines)


def _ports(kernel: PlKernel) -> Iterator[tuple[str, str]]:
    """Yield each port and how it is declared."""
    ends: tuple[Inlet | Outlet, ...] = (*kernel.inlets, *kernel.outlets)
    for end in ends:
        yield end.port, declared(end.port, end.streams.streams, end.streams.bits)
