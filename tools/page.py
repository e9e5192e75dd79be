"""Tables that a program writes into a page of the documentation, between two remarks."""

from __future__ import annotations

from pathlib import Path

from aieloom.paths import PUBLIC, write_whole


def with_between(page: Path, name: str, text: str) -> str:
    """Return a page with `text` between `<!-- NAME: begin -->` and `<!-- NAME: end -->`.

    Raises:
        ValueError: the page has no such remarks.
    """
    whole = page.read_text(encoding="utf-8")
    begin = f"<!-- {name}: begin -->"
    start, end = whole.index(begin) + len(begin), whole.index(f"<!-- {name}: end -->")
    return f"{whole[:start]}\n\n{text}\n\n{whole[end:]}"


def write_between(page: Path, name: str, text: str) -> None:
    """Put `text` there."""
    write_whole(page, with_between(page, name, text).encode(), mode=PUBLIC)
