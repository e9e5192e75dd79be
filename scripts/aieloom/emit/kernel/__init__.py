"""What the template of a PL kernel prints: its interface, and an instantiation of the library for what it keeps of an image."""

from __future__ import annotations

from aieloom.cpp_text import View
from aieloom.pl.kernel import PlKernel


def kernel_view(kernel: PlKernel) -> View:
    """Return what the template prints."""
    why = [line for step in kernel.steps for line in step.why]
    made = library_of(kernel)
    return made.but(name=kernel.name, why=why, frames=kernel.frames is not None)


def library_of(kernel: PlKernel) -> View:
    """Return headers of the library, layers' types, traits, and the tasks of line buffers or the processes of frame buffers."""
    if kernel.lines:
        from aieloom.emit.kernel.library import library_view  # noqa: PLC0415 - designs have one or the other

        return library_view(kernel, kernel.lines)
    from aieloom.emit.kernel.frames import frames_view  # noqa: PLC0415

    assert kernel.frames is not None
    return frames_view(kernel, kernel.frames)
