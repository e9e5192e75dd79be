"""Settings of a layer, node or call that remember what was asked for: what no reader looked at is not guessed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Recorded(dict[str, Any]):
    """Settings by their names, of which `read` are those that a reader asked for."""

    def __init__(self, values: Mapping[str, Any], read: set[str] | None = None) -> None:
        super().__init__(values)
        self.read: set[str] = set() if read is None else read

    def __getitem__(self, key: str) -> Any:
        self.read.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a setting, or the default."""
        self.read.add(key)
        return super().get(key, default)
