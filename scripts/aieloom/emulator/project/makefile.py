"""What a Makefile says of a project's files: names in its commands, with its own variables replaced.

Nothing is run: functions of make and of the shell are left out.
"""

from __future__ import annotations

import re
from pathlib import Path

_ASSIGNMENT = re.compile(r"^\s*(?:export\s+|override\s+)?([\w.-]+)\s*(\+|:|::|\?)?=\s*(.*)$")
_REFERENCE = re.compile(r"\$[({]([\w.-]+)[)}]")
_COMPILERS_OWN = {"__linux__", "__AIE_ARCH__", "__X86SIM__", "__AIESIM__"}
_DEEPEST = 10  # variables in variables


def words_of(path: Path) -> list[str]:
    """Return all words of a Makefile's lines, variables that it sets replaced."""
    text = path.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
    variables: dict[str, str] = {"CURDIR": ".", "PWD": "."}
    words: list[str] = []
    for line in text.splitlines():
        plain = line.split("#")[0]
        found = _ASSIGNMENT.match(plain) if not line.startswith("\t") else None
        if found:
            name, kind, value = found[1], found[2], found[3].strip()
            if kind == "+":
                variables[name] = f"{variables.get(name, '')} {value}"
            elif kind != "?" or name not in variables:
                variables[name] = value
        words += plain.split()
    return [w for word in words for w in _replaced(word, variables).split()]


def _replaced(word: str, variables: dict[str, str]) -> str:
    for _ in range(_DEEPEST):
        made = _REFERENCE.sub(lambda m: variables.get(m[1], m[0]), word)
        if made == word or len(made) > 10 * len(word) + 10_000:
            break
        word = made
    return word


def macros_of(words: list[str]) -> tuple[str, ...]:
    """Return the macros that the words define, -DNAME or -DNAME=V, also inside --Xpreproc= and quotation marks.

    A name's last value counts; values that hang on variables nobody sets are left out, and what is the compiler's own.
    """
    found = (re.search(r"(?:^|[\"'=])-D(\w+)(=?)([^\"'\s]*)", w) for w in words)
    values = {m[1]: m[2] + m[3] for m in found if m and "$" not in m[3] and bool(m[2]) == bool(m[3])}
    return tuple(name + value for name, value in values.items() if name not in _COMPILERS_OWN)


def includes_of(words: list[str], folder: Path) -> tuple[Path, ...]:
    """Return the folders that the words search for headers and that are there: -I, --include=."""
    found = []
    for word in words:
        match = re.match(r"[\"']?(?:--?include=|-I)[\"']?([^\"'$]+)", word)
        if match and (place := folder / match[1]).is_dir():
            found.append(place)
    return tuple(dict.fromkeys(found))
