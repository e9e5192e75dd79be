"""A value of network.yaml on one line, as the file's readers write it."""

from __future__ import annotations

from aieloom.spec.types import Buffers


def flow_yaml(value: object) -> str:
    """Return a value of a mapping as YAML writes it on one line."""
    if isinstance(value, Buffers):
        return value.value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {flow_yaml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow_yaml, value)) + "]"
    return f"{value:.9g}" if isinstance(value, float) else str(value)
