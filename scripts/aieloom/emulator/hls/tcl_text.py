"""Tcl's text: commands, words and lists [Tcl(n), the dodekalogue]."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a Tcl command; one in braces is taken as it stands."""

    text: str
    is_braced: bool = False


def words_of(script: str) -> list[tuple[int, list[Word]]]:
    """Return a script's commands, each with its line (from 1) and its words [Tcl(n), the dodekalogue]."""
    commands: list[tuple[int, list[Word]]] = []
    at, line = 0, 1
    words: list[Word] = []
    first = 1

    def end() -> None:
        nonlocal words
        if words:
            commands.append((first, words))
        words = []

    while at < len(script):
        c = script[at]
        if script.startswith("\\\n", at):
            at, line = at + 2, line + 1
        elif c in "\n;":
            end()
            line += c == "\n"
            at += 1
        elif c.isspace():
            at += 1
        elif c == "#" and not words:
            stop = re.compile(r"(?<!\\)\n").search(script, at)
            stop_at = stop.start() if stop else len(script)
            line += script.count("\n", at, stop_at)
            at = stop_at
        else:
            first = first if words else line
            stop_at = _end_of_word(script, at)
            words.append(_word(script[at:stop_at]))
            line += script.count("\n", at, stop_at)
            at = stop_at
    end()
    return commands


def _word(text: str) -> Word:
    if text.startswith("{") and text.endswith("}"):
        return Word(text[1:-1], is_braced=True)
    return Word(text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text)


def _end_of_word(script: str, at: int) -> int:
    """Return where the word ends that begins at `at`: braces, brackets and quotation marks hold it together."""
    if script[at] == "{":
        return closing(script, at, "{", "}")
    if script[at] == '"':
        stop = re.compile(r'(?<!\\)"').search(script, at + 1)
        return stop.end() if stop else len(script)
    while at < len(script) and not script[at].isspace() and script[at] != ";":
        at = closing(script, at, "[", "]") if script[at] == "[" else at + 2 if script[at] == "\\" else at + 1
    return min(at, len(script))


def closing(script: str, at: int, opens: str, closes: str) -> int:
    """Return what follows the bracket that closes the one at `at`; the text's end if there is none."""
    depth = 0
    while at < len(script):
        c = script[at]
        if c == "\\":
            at += 1
        elif c == opens:
            depth += 1
        elif c == closes:
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return len(script)


def items_of(text: str) -> list[str]:
    """Return the elements of a Tcl list."""
    return [w.text for _, words in words_of(text.replace("\n", " ").replace(";", "\\;")) for w in words]
