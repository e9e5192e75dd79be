"""The outline of a C++ source: which functions it defines at namespace scope, and the pragmas inside each.

No compiler is asked, because a PL source may need headers and options that only its own project knows; types stay
with the compiler anyway (pl_signature.py). What is read here is what every C++ file shows: brackets, names, words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from aieloom.emulator.brackets import closing, opening
from aieloom.errors import Problem, SpecError

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(
    r"""//(?:\\\n|[^\n])*|/\*.*?\*/|R"(?P<delimiter>[^()\\\s]*)\(.*?\)(?P=delimiter)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""",
    re.DOTALL | re.VERBOSE,
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_DEFINE = re.compile(r"#\s*define\s+(\w+)[ \t]+(.*)", re.DOTALL)
_PRAGMA = re.compile(r"#\s*pragma\s+HLS\s+(.*)", re.DOTALL | re.IGNORECASE)
_WORD_BEFORE = re.compile(r"((?:\w+\s*::\s*)*)([A-Za-z_]\w*)\s*$")
_NOT_A_NAME = {
    "if",
    "for",
    "while",
    "switch",
    "catch",
    "return",
    "sizeof",
    "alignas",
    "decltype",
    "operator",
    "defined",
}
_NAMESPACE = re.compile(r"(?:inline\s+)?namespace\b\s*(?:\[\[.*?\]\]\s*)?([\w:\s]*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Pragma:
    """An HLS pragma's text after `#pragma HLS`, and its line."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Function:
    """A function that the source defines at namespace scope; `parameters` is the text between its brackets."""

    name: str
    scope: tuple[str, ...]
    before: str  # return type and specifiers
    parameters: str
    body: str
    is_c: bool  # extern "C", by itself, its block or an earlier declaration
    line: int
    pragmas: tuple[Pragma, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """What a source shows: its functions, and its macros without parameters."""

    functions: tuple[Function, ...]
    macros: dict[str, str]


def read_text(path: Path) -> str:
    """Return a text file's content.

    Raises:
        SpecError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as e:
        text = f"cannot read it: {e}"
        raise SpecError(rule="file", file=str(path), text=text, remedy="check the path") from e


def check_there(files: Iterable[Path], *, folders: bool = False) -> None:
    """Refuse files that are not there; with `folders` they may be folders, too.

    Raises:
        SpecError: with all of them.
    """
    missing = [f for f in files if not (f.exists() if folders else f.is_file())]
    if missing:
        text, remedy = "there is no such file", "check the path"
        raise SpecError(Problem(rule="file", file=str(f), text=text, remedy=remedy) for f in missing)


def uncommented(text: str) -> str:
    """Return a source with a blank for each comment; what stands in quotes is left, as names of headers are."""
    return _COMMENT.sub(" ", text)


def outline(text: str) -> Outline:
    """Return the outline of a C++ source."""
    code = _TOKEN.sub(_blank, text.lstrip("\ufeff"))
    pragmas, macros = list(_pragmas(code)), {}
    for found in _DIRECTIVE.finditer(code):
        if define := _DEFINE.match(_directive(found)):
            macros[define[1]] = define[2].strip()
    plain = _DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), code)
    functions = list(_functions(plain, pragmas))
    declared = set(re.findall(r'extern\s+"C"\s+[^;{}()]*?(\w+)\s*\([^;{}]*\)\s*;', plain))
    return Outline(tuple(_with_linkage(f, declared) for f in functions), macros)


def pragmas_of(text: str) -> list[tuple[int, Pragma]]:
    """Return a source's HLS pragmas with their places in the text, which has no mark of its byte order."""
    return list(_pragmas(_TOKEN.sub(_blank, text)))


def _pragmas(code: str) -> Iterator[tuple[int, Pragma]]:
    for found in _DIRECTIVE.finditer(code):
        if pragma := _PRAGMA.match(_directive(found)):
            line = code.count("\n", 0, found.start()) + 1
            yield found.start(), Pragma(" ".join(pragma[1].split()), line)


def _directive(found: re.Match[str]) -> str:
    return found[0].replace("\\\n", " ").strip()


def without_comments(text: str) -> str:
    """Return a source without comments, texts in quotes and directives; lines stay."""
    code = _TOKEN.sub(_blank, text.lstrip("\ufeff"))
    return _DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), code)


def _blank(found: re.Match[str]) -> str:
    """Comments become blanks, strings empty strings, lines stay; "C" is kept for extern "C"."""
    token = found[0]
    if token == '"C"':
        return token
    kept = re.sub(r"[^\n]", " ", token)
    return f'""{kept[2:]}' if token.startswith(('"', "R")) else kept


def _with_linkage(function: Function, declared: set[str]) -> Function:
    if function.is_c or function.name not in declared:
        return function
    return replace(function, is_c=True)


def _functions(code: str, pragmas: list[tuple[int, Pragma]]) -> Iterator[Function]:
    """Walk through namespaces and linkage blocks; everything else in braces is passed over as a whole."""
    scopes: list[tuple[str, ...]] = []  # one for each open brace: names of a namespace, or of a linkage block
    at = begin = 0
    while at < len(code):
        c = code[at]
        if c == "(":
            at = closing(code, at)
        elif c == ";":
            begin = at + 1
        elif c == "}":
            del scopes[-1:]
            begin = at + 1
        elif c == "{":
            head = code[begin:at]
            opened = _opens(head.strip())
            if opened is not None:
                scopes.append(opened)
            else:
                inside = tuple(n for names in scopes for n in names)
                made = _function(code, begin, at, scopes=inside, pragmas=pragmas)
                yield from (made,) if made else ()
                at = closing(code, at)
            begin = at + 1
        at += 1


def _opens(head: str) -> tuple[str, ...] | None:
    """Return the names that a namespace or linkage block adds, None for any other brace."""
    if re.search(r'extern\s+"C"$', head):
        return ('"C"',)
    if re.search(r'extern\s+""$', head):
        return ()
    if found := _NAMESPACE.search(head):
        return tuple(n.strip() for n in found[1].split("::")) if found[1].strip() else ("",)
    return None


def _function(
    code: str, begin: int, brace: int, *, scopes: tuple[str, ...], pragmas: list[tuple[int, Pragma]]
) -> Function | None:
    end = closing(code, brace)
    head = re.sub(r"\b(?:noexcept|override|final)\b|->.*$", " ", code[begin:brace], flags=re.DOTALL)
    head = re.sub(r"\[\[.*?\]\]|__attribute__\s*\(\(.*?\)\)", " ", head, flags=re.DOTALL).rstrip()
    if not head.endswith(")") or re.match(r"\s*template\b", head):
        return None
    start = opening(head, len(head) - 1)
    found = _WORD_BEFORE.search(head[:start])
    before = head[: found.start()].strip() if found else ""
    if not found or found[2] in _NOT_A_NAME or not before or "=" in before:
        return None
    return Function(
        name=found[2],
        scope=tuple(s for s in scopes if s != '"C"')
        + tuple(n.strip() for n in found[1].split("::") if n.strip()),
        before=before,
        parameters=head[start + 1 : -1],
        body=code[brace : end + 1],
        is_c='"C"' in scopes or 'extern "C"' in " ".join(before.split()),
        line=code.count("\n", 0, brace) + 1,
        pragmas=tuple(p for at, p in pragmas if brace < at < end),
    )
