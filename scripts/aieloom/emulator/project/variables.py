"""A Makefile's variables and the functions of make that say paths and words; the shell is never asked."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from aieloom.emulator.brackets import closing

_DEEPEST = 20  # variables in variables
_LONGEST = 100_000  # characters of a value
_DOLLAR = "\0"  # what $$ stands for while references are replaced
_NAME = re.compile(r"[\w.-]+")
# How the Makefiles of Vitis Libraries find their library's folder: bash -c 'export A=path; echo $${A%/L2/*}'
_CUT = re.compile(
    rf"""\s*bash\s+-c\s+(['"])\s*export\s+(?P<name>\w+)=(?P<text>[^\s;]*)\s*;"""
    rf"""\s*echo\s+{_DOLLAR}\{{(?P=name)%(?P<pattern>[^}}]*)\}}\s*\1\s*"""
)


def _of_shell(command: str) -> str | None:
    """Return what a command says that names a path or computes; paths stay relative to the Makefile's folder."""
    if computed := re.fullmatch(rf"\s*echo\s+{_DOLLAR}\(\(([\d\s()+*/%-]+)\)\)\s*", command):
        return _computed(computed[1])
    if cut := _CUT.fullmatch(command):
        return _without_end(cut["text"], cut["pattern"])
    found = re.fullmatch(r"\s*(?:readlink\s+-f|realpath)\s+(\S+)\s*", command)
    return found[1] if found else "." if command.strip() == "pwd" else None


def _without_end(text: str, pattern: str) -> str:
    """Return what ${text%pattern} of the shell gives: the shortest end that fits is cut off."""
    ends = (i for i in range(len(text), -1, -1) if fnmatchcase(text[i:], pattern))
    return text[: next(ends, len(text))]


def _computed(text: str) -> str | None:
    """Return what $((...)) of the shell gives: whole numbers, divided towards zero."""
    whole = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%"}

    def value(node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if not isinstance(node, ast.BinOp) or type(node.op) not in whole:
            raise ValueError(text)
        left, right, kind = value(node.left), value(node.right), whole[type(node.op)]
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1) if kind in "/%" else 0
        return {
            "+": left + right,
            "-": left - right,
            "*": left * right,
            "/": quotient,
            "%": left - right * quotient,
        }[kind]

    try:
        return str(value(ast.parse(" ".join(text.split()), mode="eval").body))
    except (ValueError, SyntaxError, ZeroDivisionError):
        return None


def _each(change: Callable[[str], str]) -> Callable[[str], str | None]:
    return lambda text: " ".join(change(word) for word in text.split())


def _found(text: str) -> str | None:
    wanted, _, among = text.partition(",")
    return wanted.strip() if wanted.strip() in among else ""


def _fits(pattern: str) -> re.Pattern[str]:
    """Return make's pattern, whose % stands for any text, as an expression with that text as its group."""
    before, percent, after = pattern.partition("%")
    return re.compile(re.escape(before) + ("(.*)" if percent else "()") + re.escape(after))


def _filtered(text: str, keep: bool = True) -> str | None:
    wanted, _, among = text.partition(",")
    patterns = [_fits(w) for w in wanted.split()]
    return " ".join(w for w in among.split() if any(p.fullmatch(w) for p in patterns) == keep)


def _patsubst(text: str) -> str | None:
    pattern, _, rest = text.partition(",")
    to, _, words = rest.partition(",")
    fits = _fits(pattern.strip())

    def changed(word: str) -> str:
        found = fits.fullmatch(word)
        return to.strip().replace("%", found[1], 1) if found else word

    return _each(changed)(words)


def _subst(text: str) -> str | None:
    old, _, rest = text.partition(",")
    new, _, among = rest.partition(",")
    return among.replace(old, new) if old else among


def _word(text: str) -> str | None:
    number, _, words = text.partition(",")
    place = int(number) - 1 if number.strip().isdigit() else -1
    return (words.split()[place : place + 1] or [""])[0] if place >= 0 else None


def _joined(text: str, change: Callable[[str, str], str]) -> str | None:
    part, _, words = text.partition(",")
    return " ".join(change(part, word) for word in words.split())


# [GNU make manual, "Functions for String Substitution and Analysis", "Functions for File Names"]
_FUNCTIONS: Mapping[str, Callable[[str], str | None]] = {
    "shell": _of_shell,
    "abspath": _each(lambda w: w),
    "realpath": _each(lambda w: w),
    "strip": _each(lambda w: w),
    "dir": _each(lambda w: w.rpartition("/")[0] + "/" if "/" in w else "./"),
    "notdir": _each(lambda w: w.rpartition("/")[2]),
    "basename": _each(lambda w: re.sub(r"\.[^./]*$", "", w)),
    "suffix": lambda text: " ".join(m[0] for w in text.split() if (m := re.search(r"\.[^./]*$", w))),
    "lastword": lambda text: (text.split() or [""])[-1],
    "firstword": lambda text: (text.split() or [""])[0],
    "word": _word,
    "words": lambda text: str(len(text.split())),
    "sort": lambda text: " ".join(sorted(set(text.split()))),
    "findstring": _found,
    "filter": _filtered,
    "filter-out": lambda text: _filtered(text, keep=False),
    "patsubst": _patsubst,
    "subst": _subst,
    "addprefix": lambda text: _joined(text, lambda part, word: part + word),
    "addsuffix": lambda text: _joined(text, lambda part, word: word + part),
}


class Variables:
    """Names and their texts as a Makefile sets them, behind them the environment."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        """Start with what make sets itself: paths are relative to `folder`, the Makefile's."""
        self._environment = environment
        self._folder = folder.resolve()
        self._set = {"CURDIR": ".", "PWD": ".", "MAKEFILE_LIST": "Makefile"}

    def assign(self, name: str, kind: str, value: str) -> None:
        """Follow `name kind= value`."""
        if kind == "+":
            self._set[name] = f"{self._text(name) or ''} {value}"
        elif kind != "?" or not self.is_set(name):
            own = re.compile(
                r"\$[({]" + re.escape(name) + r"[)}]"
            )  # A := $(A) b, which is never replaced to the end
            self._set[name] = own.sub(lambda _: self._text(name) or "", value)

    def is_set(self, name: str) -> bool:
        """Tell whether the Makefile or the environment sets a variable."""
        return self._text(name) is not None

    def _text(self, name: str) -> str | None:
        return self._set.get(name, self._environment.get(name))

    def replaced(self, text: str) -> str:
        """Return a text with what is known replaced."""
        return self._replaced(text, 0, unset=lambda name: f"$({name})").replace(_DOLLAR, "$")

    def value(self, text: str) -> str | None:
        """Return what a text stands for, a variable that nobody sets for nothing; None if it is not known."""
        made = self._replaced(text, 0, unset=lambda _: "")
        return None if "$(" in made or "${" in made else made

    def _replaced(self, text: str, depth: int, unset: Callable[[str], str]) -> str:
        if depth > _DEEPEST or len(text) > _LONGEST or "$" not in text:
            return text
        text = text.replace("$$", _DOLLAR)
        made, place = "", 0
        while (start := _reference(text, place)) >= 0:
            end = closing(text, start + 1, "({)}")
            if end == len(text):
                break
            inside = self._replaced(text[start + 2 : end], depth + 1, unset)
            made += text[place:start] + self._meaning(inside, depth, unset)
            place = end + 1
        return made + text[place:]

    def _meaning(self, inside: str, depth: int, unset: Callable[[str], str]) -> str:
        if _NAME.fullmatch(inside):
            known = self._text(inside)
            return unset(inside) if known is None else self._replaced(known, depth + 1, unset)
        name, _, arguments = inside.partition(" ")
        if name == "shell" and (cut := _CUT.fullmatch(arguments)):  # the folders above this one count
            whole = (self._folder / cut["text"]).as_posix()
            arguments = arguments.replace(cut["text"], whole, 1)
        result = _FUNCTIONS[name](arguments) if name in _FUNCTIONS and "$(" not in arguments else None
        return f"$({inside})" if result is None else result


def _reference(text: str, start: int) -> int:
    """Return where the next $( or ${ begins."""
    found = re.compile(r"\$[({]").search(text, start)
    return found.start() if found else -1
