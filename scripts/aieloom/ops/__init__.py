"""Operators: one folder each, registered by being there."""

from importlib import import_module
from pkgutil import iter_modules

from aieloom.ops.registry import REGISTRY, Operator, Registry, operator

for _found in iter_modules(__path__):
    if _found.ispkg:
        import_module(f"{__name__}.{_found.name}")

__all__ = ["REGISTRY", "Operator", "Registry", "operator"]
