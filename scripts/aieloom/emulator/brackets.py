"""Brackets in a text: which one closes which, and what stands between commas outside of them."""

from __future__ import annotations

ALL = "([{)]}"


def closing(text: str, at: int, pairs: str = ALL) -> int:
    """Return the place of the bracket that closes the one at `at`, or the text's end; `pairs` opens, then closes."""
    opens, closes = pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]
    depth = 0
    for i in range(at, len(text)):
        if text[i] in opens:
            depth += 1
        elif text[i] in closes:
            depth -= 1
            if depth == 0:
                return i
    return len(text)


def opening(text: str, close: int) -> int:
    """Return where the round bracket opens that closes at a place, or the text's begin."""
    depth = 0
    for i in range(close, -1, -1):
        depth += (text[i] == ")") - (text[i] == "(")
        if depth == 0:
            return i
    return 0


def split(text: str, pairs: str) -> list[str]:
    """Return the parts between commas outside of brackets."""
    opens, closes = pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]
    parts, depth, begin = list[str](), 0, 0
    for i, c in enumerate(text):
        depth += (c in opens) - (c in closes)
        if c == "," and depth == 0:
            parts.append(text[begin:i])
            begin = i + 1
    return [*parts, text[begin:]]
