"""Tables that a program writes into a page of the documentation, between two remarks."""

from __future__ import annotations

from pathlib import Path

from aieloom.paths import PUBLIC, write_whole


def write_between(page: Path, name: str, text: str) -> None:
    """Put `text` between `<!-- NAME: begin -->` and `<!-- NAME: end -->` of a page.

    Raises:
        ValueError: the page has no such remarks.
    """
    whole = page.read_text(encoding="utf-8")
    begin = f"<!-- {name}: begin -->"
    start, end = whole.index(begin) + len(begin), whole.index(f"<!-- {name}: end -->")
    write_whole(page, f"{whole[:start]}\n\n{text}\n\n{whole[end:]}".encode(), mode=PUBLIC)
