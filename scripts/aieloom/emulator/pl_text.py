"""Reading and changing a PL source's text: where its functions and loops are, edits put in their places, its own headers.

As in pl_source.py no compiler is asked. What is changed keeps the source's lines, so that messages tell the user's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aieloom.digests import text_digest
from aieloom.emit.files import write_text
from aieloom.emulator.brackets import closing
from aieloom.emulator.pl_source import pragmas_of, read_text, without_comments

_LOOP = re.compile(r"\b(?:for|while|do)\b")
_SPACE = re.compile(r"\s*")
_NAMESPACE = re.compile(r'(?:\b(?:namespace|class|struct|union|enum)\b[^(){};]*|extern\s*"C?"\s*)$')
_OPERATOR = re.compile(r"\b\w*pragma\w*[ \t]*\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)[ \t]*;?", re.IGNORECASE)
_INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)"([^"\n]+)"', re.MULTILINE)


@dataclass(slots=True, kw_only=True)
class Loop:
    """A loop's places in the text: its word, the brackets of its head, its body and its end."""

    word: str
    begin: int
    head: tuple[int, int]
    body: tuple[int, int]
    end: int
    braced: bool
    inner: list[Loop] = field(default_factory=list)
    outer: Loop | None = None
    pragmas: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Region:
    """A brace at a function's begin or a loop's, with the pragmas that stand in it."""

    begin: int
    end: int
    pragmas: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Text that is put at a place, instead of so many characters; at one place by order."""

    place: int
    order: int
    text: str
    removed: int = 0


def find_loops(code: str) -> Iterator[Loop]:
    """Yield the loops from the outermost in, in the order of the text, each with its parent."""
    found: list[Loop] = []
    tails: set[int] = set()
    for word in _LOOP.finditer(code):
        if word.start() in tails:
            continue
        loop = _loop(code, word[0], word.start())
        if loop is None:
            continue
        if loop.word == "do":
            tails.add(code.rfind("while", loop.body[1], loop.head[0]))
        parents = [p for p in found if p.body[0] <= loop.begin < p.body[1]]
        if parents:
            loop.outer = parents[-1]
            parents[-1].inner.append(loop)
        found.append(loop)
    yield from found


def _loop(code: str, word: str, begin: int) -> Loop | None:
    at = skip(code, begin + len(word))
    if word == "do":
        end = statement_end(code, at)
        tail = re.compile(r"\s*while\s*").match(code, end)
        if not tail or code[tail.end() : tail.end() + 1] != "(":
            return None
        head = (tail.end(), closing(code, tail.end()))
        return Loop(
            word=word, begin=begin, head=head, body=(at, end), end=head[1] + 1, braced=code[at] == "{"
        )
    if code[at : at + 1] != "(":
        return None
    head = (at, closing(code, at))
    at = skip(code, head[1] + 1)
    end = statement_end(code, at)
    return Loop(word=word, begin=begin, head=head, body=(at, end), end=end, braced=code[at : at + 1] == "{")


def skip(code: str, at: int) -> int:
    """Return the next place that is no space."""
    found = _SPACE.match(code, at)
    return found.end() if found else at


def statement_end(code: str, at: int) -> int:
    """Return where the statement ends that begins at a place."""
    if code[at : at + 1] == "{":
        return closing(code, at) + 1
    word = re.compile(r"(?:for|while|if|switch)\b\s*(?:constexpr\s*)?").match(code, at)
    if word and code[word.end() : word.end() + 1] == "(":
        end = statement_end(code, skip(code, closing(code, word.end()) + 1))
        other = re.compile(r"\s*else\b\s*").match(code, end)
        return statement_end(code, other.end()) if other and word[0].startswith("if") else end
    while at < len(code) and code[at] != ";":
        at = closing(code, at) if code[at] in "([{" else at
        at += 1
    return at + 1


def find_bodies(code: str) -> Iterator[tuple[int, int]]:
    """Yield the braces of functions' bodies: in namespaces and classes alone. What a compiler computes has no time."""
    at = begin = 0
    while at < len(code):
        if code[at] in "([":
            at = closing(code, at)
        elif code[at] in ";}":
            begin = at + 1
        elif code[at] == "{":
            head = code[begin:at].strip()
            if not _NAMESPACE.search(head):
                end = closing(code, at)
                if ")" in head and not re.search(r"\bconst(?:expr|eval)\b", head):
                    yield at, end
                at = end
            begin = at + 1
        at += 1


def applied(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits made in it."""
    parts, at = [], 0
    for edit in sorted(edits):
        parts += [text[at : edit.place], edit.text]
        at = edit.place + edit.removed
    return "".join([*parts, text[at:]])


@dataclass(frozen=True, slots=True)
class Scanned:
    """What is seen of a source: its code without comments and directives, bodies of functions, loops inside them."""

    code: str
    bodies: tuple[Region, ...]
    loops: tuple[Loop, ...]


def scan(text: str) -> Scanned:
    """Return a source's functions and loops with the HLS pragmas that stand in them, in lower case but for values."""
    code = _OPERATOR.sub(lambda m: " " * len(m[0]), without_comments(text))
    bodies = tuple(Region(begin=a, end=b) for a, b in find_bodies(code))
    loops = tuple(x for x in find_loops(code) if any(f.begin < x.begin < f.end for f in bodies))
    for at, pragma in pragmas_of(text):
        own = [loop for loop in loops if loop.body[0] <= at < loop.body[1]]
        outside = [f for f in bodies if f.begin <= at < f.end]
        if own:
            max(own, key=lambda loop: loop.begin).pragmas.append(_lower(pragma.text))
        elif outside:
            outside[0].pragmas.append(_lower(pragma.text))
    return Scanned(code, bodies, loops)


def _lower(pragma: str) -> str:
    """Return a pragma in lower case, but for what an interval is: it may name constants."""
    interval = re.search(r"\bII\s*=\s*(\S+)", pragma, re.IGNORECASE)
    if not interval:
        return pragma.lower()
    return pragma[: interval.start(1)].lower() + interval[1] + pragma[interval.end(1) :].lower()


def is_dataflow(pragmas: Sequence[str]) -> bool:
    """Whether one of the pragmas makes a dataflow region."""
    return any(p.split()[0] == "dataflow" for p in pragmas if p.split())


def own_files(source: Path, folders: Sequence[Path]) -> list[Path]:
    """Return a source and the headers that are the project's, not the emulator's: those that it includes in quotes."""
    found = [source.resolve()]
    for path in found:  # it grows
        for _, header in _headers(read_text(path), path, folders):
            found += [header] if header not in found else []
    return found


def _headers(text: str, path: Path, folders: Sequence[Path]) -> Iterator[tuple[re.Match[str], Path]]:
    for include in _INCLUDE.finditer(text):
        near = [p / include[2] for p in (path.parent, *folders)]
        header = next((p.resolve() for p in near if p.is_file()), None)
        if header and (
            not folders or folders[0].resolve() not in header.parents
        ):  # the emulator's come first
            yield include, header


def write_changed(
    source: Path, folders: Sequence[Path], folder: Path, *, kind: str, change: Callable[[str], str]
) -> Path:
    """Write a source and its own headers, each as `change` gives it, below `folder`; return the source's place.

    Files that nothing changes, and that include none which changes, stay where they are.

    Raises:
        SpecError: a file cannot be read.
    """
    texts = {path: read_text(path) for path in own_files(source, folders)}
    changed = {path: change(text) for path, text in texts.items()}
    moved = {path for path, text in texts.items() if changed[path] != text}
    inside = {path: {h for _, h in _headers(text, path, folders)} for path, text in texts.items()}
    while more := {path for path, headers in inside.items() if headers & moved} - moved:
        moved |= more

    def place(path: Path) -> Path:
        return (
            folder / f"{path.stem}.{text_digest(str(path))[:8]}.{kind}{path.suffix}"
            if path in moved
            else path
        )

    for path in moved:
        edits = [
            Edit(found.start(2), 0, str(place(header)), found.end(2) - found.start(2))
            for found, header in _headers(changed[path], path, folders)
        ]
        write_text(place(path), f'#line 1 "{path}"\n{applied(changed[path], edits)}')
    return place(source.resolve()) if source.resolve() in moved else source
