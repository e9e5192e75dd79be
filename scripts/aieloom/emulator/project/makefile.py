"""What a Makefile says of a project's files: names in its commands, with its variables replaced.

Nothing is run. Conditionals are followed as make follows them (GNU make manual, "Conditional Parts of Makefiles"): a variable
that the Makefile does not set, or sets by ?=, comes from the environment. What a command of the shell would say is not known:
both branches of a conditional that hangs on it are read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from aieloom.emulator.brackets import split
from aieloom.emulator.project.variables import Variables

_ASSIGNMENT = re.compile(r"^\s*(?:export\s+|override\s+)*([\w.-]+)\s*(\+|:|::|\?)?=\s*(.*)$")
_CONDITION = re.compile(r"^\s*(else\s+)?(ifeq|ifneq|ifdef|ifndef)\b\s*(.*)$")
_INCLUDE = re.compile(r"^[-s]?include\s+(.+)$")
_COMPILERS_OWN = {"__linux__", "__AIE_ARCH__", "__X86SIM__", "__AIESIM__"}


def lines_of(path: Path) -> list[list[str]]:
    """Return the words of each line that make would follow, variables replaced; those that nobody sets stay as $(NAME)."""
    variables = Variables(os.environ, path.parent)
    lines = list(
        _followed(path, variables, [])
    )  # to the end first: a command's variables may be set below it
    return [[w for word in _split(line) for w in variables.replaced(word).split()] for line in lines]


def words_of(path: Path) -> list[str]:
    """Return all words of the lines that make would follow."""
    return [word for line in lines_of(path) for word in line]


def included_by(path: Path) -> tuple[Path, ...]:
    """Return the files that a Makefile includes: they are read with it."""
    seen: list[Path] = []
    list(_followed(path, Variables(os.environ, path.parent), seen))
    return tuple(seen[1:])


def _followed(path: Path, variables: Variables, seen: list[Path]) -> Iterator[str]:
    """Yield the lines that make would follow, and note the variables that they set."""
    if path in seen or not path.is_file():
        return
    seen.append(path)
    text = path.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
    branches: list[_Branch] = []
    in_rule = False  # a line behind a tab is a recipe's only there
    for line in text.splitlines():
        plain = line.split("#")[0]
        if _directs(plain, variables, branches) or not plain.strip() or not all(b.is_read for b in branches):
            continue
        if not (in_rule and line.startswith("\t")):
            found = _ASSIGNMENT.match(plain)
            in_rule = not found and ":" in plain
            if found:
                variables.assign(found[1], found[2] or "", found[3].strip())
            elif named := _INCLUDE.match(plain.strip()):
                for name in variables.replaced(named[1]).split():
                    yield from _followed(path.parent / name, variables, seen)
        yield plain


class _Branch:
    """A conditional whose end is not reached: whether the lines of its present branch are read."""

    def __init__(self, holds: bool | None) -> None:
        self.may_follow = holds is not True  # whether a later branch may still be the one
        self.is_read = holds is not False

    def otherwise(self, holds: bool | None) -> None:
        self.is_read = self.may_follow and holds is not False
        self.may_follow = self.may_follow and holds is not True


def _directs(line: str, variables: Variables, branches: list[_Branch]) -> bool:
    """Follow a line that begins, goes on with or ends a conditional; tell whether it is one."""
    if found := _CONDITION.match(line):
        holds = _holds(found[2], found[3].strip(), variables)
        if not found[1]:
            branches.append(_Branch(holds))
        elif branches:
            branches[-1].otherwise(holds)
        return True
    if (word := line.strip()) == "endif" and branches:
        branches.pop()
    elif word == "else" and branches:
        branches[-1].otherwise(True)
    return word in ("else", "endif")


def _holds(kind: str, arguments: str, variables: Variables) -> bool | None:
    """Tell whether a condition holds; None where that is not known."""
    if kind in ("ifdef", "ifndef"):
        return variables.is_set(arguments) == (kind == "ifdef")
    sides = _sides(arguments)
    if sides is None:
        return None
    left, right = (variables.value(side) for side in sides)
    if left is None or right is None:
        return None
    return (left.strip() == right.strip()) == (kind == "ifeq")


def _sides(arguments: str) -> tuple[str, str] | None:
    """Return both sides of `(a,b)`, `"a" "b"` or `'a' 'b'`."""
    if found := re.fullmatch(r"([\"'])(.*?)\1\s*([\"'])(.*?)\3", arguments):
        return found[2], found[4]
    if not (arguments.startswith("(") and arguments.endswith(")")):
        return None
    left, *right = split(arguments[1:-1], "({)}")
    return (left, ",".join(right)) if right else None


def _split(line: str) -> Iterator[str]:
    """Yield a line's words; what stands in parentheses of a reference is one word with what is around it."""
    word, depth = "", 0
    for letter in line:
        depth += (letter in "({") - (letter in ")}" and depth > 0)
        if letter.isspace() and not depth:
            if word:
                yield word
            word = ""
        else:
            word += letter
    if word:
        yield from word.split() if depth else (word,)


def macros_of(words: list[str]) -> tuple[str, ...]:
    """Return the macros that the words define, -DNAME or -DNAME=V, also inside --Xpreproc= and quotation marks.

    A name's last value counts; values that hang on variables nobody sets are left out, and what is the compiler's own.
    """
    joined = [
        "-D" + after if word == "-D" else word for word, after in zip(words, (*words[1:], ""), strict=False)
    ]
    # A text is \"text\" for the shell, or '"text"'; a quotation mark alone ends the option that the macro stands in.
    found = (
        re.search(r"(?:^|[\"'=])-D(\w+)(=?)(\\\"[^\"\s]*\\\"|'\"[^\"'\s]*\"'|[^\"'\s\\]*)", w) for w in joined
    )
    values = {
        m[1]: m[2] + m[3].replace("\\", "").strip("'")
        for m in found
        if m and "$" not in m[3] and bool(m[2]) == bool(m[3])
    }
    return tuple(name + value for name, value in values.items() if name not in _COMPILERS_OWN)


def includes_of(words: list[str], folder: Path) -> tuple[Path, ...]:
    """Return the folders that the words search for headers and that are there: -I, --include=."""
    places = (folder / name for name in _searched(words) if "$" not in name)
    return tuple(dict.fromkeys(place for place in places if place.is_dir()))


def unset_of(words: list[str]) -> tuple[str, ...]:
    """Return the variables that folders of headers hang on and that nobody sets."""
    found = (re.findall(r"\$[({](\w+)[)}]", name) for name in _searched(words))
    return tuple(dict.fromkeys(name for names in found for name in names))


def _searched(words: list[str]) -> Iterator[str]:
    for word, after in zip(words, (*words[1:], ""), strict=False):
        match = re.match(r"[\"']?(?:--?include=|-I)[\"']?([^\"']*)", word)
        if match and (name := match[1] or (after if word == "-I" else "")):
            yield name
