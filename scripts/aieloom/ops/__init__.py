"""Operators: a folder for each, or for a family; registered by being there, imported when asked for; readers in read.py."""

from aieloom.network.readers.registry import declare
from aieloom.ops.registry import OWN, REGISTRY, Operator, Registry, operator

for _home, _folder in OWN.items():
    declare(_home)  # who reads a model asks all operators which of them only move values
    if (_folder / "read.py").exists():
        declare(f"{_home}.read")

__all__ = ["REGISTRY", "Operator", "Registry", "operator"]
