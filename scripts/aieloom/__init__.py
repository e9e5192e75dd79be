"""aieloom weaves a trained network into a Versal device: see docs/architecture.md for the one diagram."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from aieloom.version import __version__

__all__ = ["Session", "__version__", "compare", "design", "emulate", "from_torch", "kernel"]

if TYPE_CHECKING:
    from aieloom.api import design
    from aieloom.comparison import compare
    from aieloom.emulator.kernel import kernel
    from aieloom.emulator.program import emulate
    from aieloom.module_design import from_torch
    from aieloom.runtime.session import Session


_HOMES = {
    "Session": "runtime.session",
    "compare": "comparison",
    "design": "api",
    "emulate": "emulator.program",
    "from_torch": "module_design",
    "kernel": "emulator.kernel",
}


def __getattr__(name: str) -> Any:
    """Import the binding when it is asked for: a command line that prints its version needs no NumPy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'aieloom' has no attribute '{name}'")
    return getattr(import_module(f"aieloom.{_HOMES[name]}"), name)
