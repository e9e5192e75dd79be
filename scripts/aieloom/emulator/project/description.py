"""What a description.json says of a project: AMD's examples and the IDE's templates have one in place of a Makefile.

The keys are those of AMD's public Vitis_Accel_Examples and vitis_templates: options and symbols of the compilers, folders
of headers, sources, and the boards that the design is for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

NAME = "description.json"
_NOT_FOR = (
    "platform_blacklist",
    "description",
    "contributors",
    "keywords",
    "key_concepts",
)  # boards it is not for, and prose
_PREFIXES = {"symbols": "-D", "includepaths": "-I"}


def words_of_description(path: Path) -> list[str]:
    """Return its words as a command line has them; none when it is not JSON."""
    try:
        return list(_words(json.loads(path.read_text(encoding="utf-8", errors="replace")), ""))
    except (ValueError, RecursionError):
        return []


def _words(value: object, prefix: str) -> Iterator[str]:
    if isinstance(value, str):
        yield from (prefix + word for word in value.split())
    elif isinstance(value, list):
        for item in value:
            yield from _words(item, prefix)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in _NOT_FOR:
                yield from _words(item, _PREFIXES.get(key, ""))
