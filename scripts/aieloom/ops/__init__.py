"""Operators: one folder each, registered by being there and imported when asked for; its readers of models in read.py."""

from aieloom.network.readers.registry import declare
from aieloom.ops.registry import OWN, REGISTRY, Operator, Registry, operator

for _home, _folder in OWN.items():
    declare(_home)  # who reads a model asks all operators which of them only move values
    if (_folder / "read.py").exists():
        declare(f"{_home}.read")

__all__ = ["REGISTRY", "Operator", "Registry", "operator"]
