"""Operators: one folder each, registered by being there; its readers of models in read.py."""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from aieloom.model.readers import declare
from aieloom.ops.registry import REGISTRY, Operator, Registry, operator

for _found in iter_modules(__path__):
    if _found.ispkg:
        import_module(f"{__name__}.{_found.name}")
        if (Path(__path__[0]) / _found.name / "read.py").exists():
            declare(f"{__name__}.{_found.name}.read")

__all__ = ["REGISTRY", "Operator", "Registry", "operator"]
