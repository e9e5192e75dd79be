"""What differs between two YAML documents, key by key: `mapping.conv2.tile: [8, 576, 8] -> [8, 288, 8]`."""

from __future__ import annotations

from collections.abc import Iterator

import yaml


def edited(before: object, after: object, at: str = "") -> Iterator[str]:
    """Yield the keys of a YAML document that were edited: `mapping.conv2.tile: [8, 576, 8] -> [8, 288, 8]`."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            yield from edited(before.get(key), after.get(key), f"{at}.{key}" if at else str(key))
    elif (earlier := _by_name(before)) and (later := _by_name(after)):
        yield from edited(earlier, later, at)
    elif before != after:
        yield f"{at}: {_short(before)} -> {_short(after)}"


def _by_name(value: object) -> dict[str, object]:
    """Return a list of mappings by their names; nothing of anything else."""
    if not isinstance(value, list) or not all(isinstance(e, dict) for e in value):
        return {}
    return {str(e.get("name", i)): e for i, e in enumerate(value)}


def _short(value: object) -> str:
    if value is None:
        return "not there"
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000).strip().removesuffix("...").strip()
    return text if len(text) <= 90 else f"{text[:87]}..."
