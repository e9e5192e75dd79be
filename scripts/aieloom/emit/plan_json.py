"""A plan as JSON: what plan.json, a layer's part of it and a matrix product's have in common."""

from __future__ import annotations

import dataclasses
import enum

from pydantic import BaseModel


def as_json(value: object) -> object:
    """Return a plan (or a part) as what JSON can hold: dataclasses as objects, enums by value, no functions."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        printed = (f.name for f in dataclasses.fields(value) if f.metadata.get("printed", True))
        return {name: as_json(getattr(value, name)) for name in printed}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, dict):
        return {str(k): as_json(v) for k, v in value.items()}
    if isinstance(value, list | tuple | frozenset):
        items = [as_json(v) for v in value]
        return sorted(items, key=str) if isinstance(value, frozenset) else items  # hashing says no order
    return value
