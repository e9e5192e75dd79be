"""Words for people, the same in every message, comment and picture."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """Return `1 tile`, `2 tiles`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def duration(us: float) -> str:
    """Return microseconds as `12.3 us` or, from 100 on, as milliseconds: `0.26 ms`."""
    return f"{us:,.1f} us" if us < 100 else f"{us / 1e3:,.2f} ms"
