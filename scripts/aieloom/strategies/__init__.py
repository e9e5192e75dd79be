"""Strategies: one folder each, a way to put layers on the array: its cut, its cost, what its templates print."""

from importlib import import_module
from pathlib import Path

from aieloom.plan.strategy import cut_of

for _folder in sorted(Path(__file__).parent.glob("*/__init__.py")):
    import_module(f"{__name__}.{_folder.parent.name}")

__all__ = ["cut_of"]
