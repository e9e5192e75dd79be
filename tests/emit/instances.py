"""Kernels that are one call into the library, written where C simulation finds them."""

from __future__ import annotations

from pathlib import Path

from aieloom.emit.instance import Instance
from aieloom.emit.printer import Printer


def written(kernel: Instance, folder: Path) -> str:
    """Write a kernel and the headers that it includes below a folder; return its file there."""
    printer = Printer("tests")
    printer.kernel(kernel)
    for name, text in printer.tree.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return kernel.source
