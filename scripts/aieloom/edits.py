"""What differs between two YAML documents, key by key: `mapping.conv2.tile: [8, 576, 8] -> [8, 288, 8]`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml


def edited(before: Any, after: Any, at: str = "") -> Iterator[str]:
    """Yield the keys of a YAML document that were edited: `mapping.conv2.tile: [8, 576, 8] -> [8, 288, 8]`."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            yield from edited(before.get(key), after.get(key), f"{at}.{key}" if at else str(key))
    elif _of_mappings(before) and _of_mappings(after):
        names = {str(e.get("name", i)): e for i, e in enumerate(before)}
        later = {str(e.get("name", i)): e for i, e in enumerate(after)}
        yield from edited(names, later, at)
    elif before != after:
        yield f"{at}: {_short(before)} -> {_short(after)}"


def _of_mappings(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(e, dict) for e in value)


def _short(value: Any) -> str:
    if value is None:
        return "not there"
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000).strip().removesuffix("...").strip()
    return text if len(text) <= 90 else f"{text[:87]}..."
