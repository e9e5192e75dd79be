"""A network with other names for its layers."""

from __future__ import annotations

import re


def renamed(text: str, to: dict[str, str]) -> str:
    """Return a network whose layers are called otherwise."""
    return re.sub(rf"\b({'|'.join(to)})\b(?=, op:|:|,|\])", lambda m: to[m[1]], text)
