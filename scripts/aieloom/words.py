"""Words for people, the same in every message, comment and picture."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """Return `1 tile`, `2 tiles`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
