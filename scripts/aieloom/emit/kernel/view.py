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
from aieloom.plan.wire import port_names


def kernel_view(kernel: PlKernel) -> View:
    """Return what the template prints."""
    library = kernel_library(kernel)
    if library:
        return library.but(name=kernel.name, why=kernel.why, library=True, frames=None, lines=library)
    declared = dict(_ports(kernel))
    return View(
        name=kernel.name,
        why=kernel.why,
        library=False,  # its templates print it in whole
        signature=body_lines([*(["int frames"] if kernel.frames else []), *declared.values()]),
        ports=tuple(declared),
        elements=elements_view(kernel),
        frames=frames_view(kernel, kernel.frames) if kernel.frames else None,
        lines=_lines(kernel),
    )


def kernel_library(kernel: PlKernel) -> View | None:
    """Return what is printed of a kernel that the library has; None where it lacks something."""
    if not kernel.lines:
        return None
    from aieloom.emit.kernel.library import library_view  # noqa: PLC0415 - most designs have no lines

    return library_view(kernel, kernel.lines)


def _lines(kernel: PlKernel) -> View | None:
    if not kernel.lines:
        return None
    from aieloom.emit.kernel.lines import lines_view  # noqa: PLC0415 - large, and most designs have none

    return lines_view(kernel, kernel.lines)


def _ports(kernel: PlKernel) -> Iterator[tuple[str, str]]:
    """Yield each port and how it is declared: streams of an end as an array, or each by itself where tasks share them."""
    ends: tuple[Inlet | Outlet, ...] = (*kernel.inlets, *kernel.outlets)
    for end in ends:
        if kernel.frames:
            yield end.port, declared(end.port, end.streams.streams, end.streams.bits)
        else:
            for name in port_names(end.port, end.streams.streams):
                yield name, f"hls::stream<ap_axiu<{end.streams.bits}, 0, 0, 0>>& {name}"
