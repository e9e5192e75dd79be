"""PL sources in a timed build: loops, dataflow regions and accesses to memory report to include/aieloom/logic.h.

Text is put between the source's own, on its lines; what HLS's pragmas say becomes arguments. Trips are counted by the
run itself. Rules, by UG1399: a loop with `pipeline` begins an iteration each II cycles and has the loops inside it
unrolled; the innermost loops without a pragma are pipelined with II 1 by Vitis HLS itself; a nest in which each loop
holds nothing but the next is flattened into one; processes of `dataflow` run side by side, as functions of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aieloom.digests import text_digest
from aieloom.emit.files import write_text
from aieloom.emulator.pl_source import closing, pragmas_of, read_text, without_comments

_LOOP = re.compile(r"\b(?:for|while|do)\b")
_SPACE = re.compile(r"\s*")
_NAMESPACE = re.compile(r'(?:\b(?:namespace|class|struct|union|enum)\b[^(){};]*|extern\s*"C?"\s*)$')
_CALL = re.compile(r"(?:\w+\s*::\s*)*\w+\s*(?:<[^;{}]*>)?\s*\(")
_FREE = re.compile(r"interface\b.*\bap_ctrl_none\b")
_COMPOUND = re.compile(r"(?:if|for|while|do|switch)\b|\{")
_VALUE = re.compile(r"\b[A-Za-z_]\w*\b(?!\s*(?:\w|::|\())")  # a name that is no type, namespace or function
_NOT_PROCESSES = ("return", "sizeof", "static_assert", "assert")
_INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)"([^"\n]+)"', re.MULTILINE)
_MEMCPY = re.compile(r"(?<![\w:.>])(?:std\s*::\s*)?memcpy(?=\s*\()")
_NAMES = "::aieloom::logic::"


@dataclass(slots=True, kw_only=True)
class _Loop:
    """A loop's places in the text: its word, the brackets of its head, its body and its end."""

    word: str
    begin: int
    head: tuple[int, int]
    body: tuple[int, int]
    end: int
    braced: bool
    inner: list[_Loop] = field(default_factory=list)
    outer: _Loop | None = None
    pragmas: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _Region:
    """A brace at a function's begin or a loop's, with the pragmas that stand in it."""

    begin: int
    end: int
    pragmas: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dataflow:
    """The processes of a dataflow region, and where it waits for those that are under way."""

    end: int  # of the region
    # Of each process its begin and end, and those before it that fill what it takes, as bits.
    processes: list[tuple[int, int, int]] = field(default_factory=list)
    joins: list[tuple[int, int]] = field(default_factory=list)  # a place, and processes as bits


@dataclass(frozen=True, slots=True, order=True)
class _Edit:
    """Text that is put at a place, instead of so many characters; at one place by order."""

    place: int
    order: int
    text: str
    removed: int = 0


def timed_source(text: str) -> str:
    """Return a PL source's text with its loops, regions and memory accesses reporting their time."""
    code = without_comments(text)
    functions = [_Region(begin=a, end=b) for a, b in _functions(code)]
    loops = [x for x in _loops(code) if any(f.begin < x.begin < f.end for f in functions)]
    for at, pragma in pragmas_of(text):
        own = [loop for loop in loops if loop.body[0] <= at < loop.body[1]]
        outside = [f for f in functions if f.begin <= at < f.end]
        if own:
            max(own, key=lambda loop: loop.begin).pragmas.append(_lower(pragma.text))
        elif outside:
            outside[0].pragmas.append(_lower(pragma.text))
    edits: list[_Edit] = []
    for number, loop in enumerate(loops):
        if not _is_unrolled_by_outer(loop):
            edits += _of_loop(code, loop, number)
    for number, function in enumerate(functions):
        edits += _of_function(code, function, number)
        edits += _accesses(code, function)
    parts, at = [], 0
    for edit in sorted(edits):
        parts += [text[at : edit.place], edit.text]
        at = edit.place + edit.removed
    return "".join([*parts, text[at:]])


def _is_unrolled_by_outer(loop: _Loop) -> bool:
    """Whether a loop stands in one that is pipelined by its pragma [UG1399 pragma HLS pipeline]."""
    outer = loop.outer
    return outer is not None and (_kind(outer)[0] == "kPipelined" or _is_unrolled_by_outer(outer))


def _loops(code: str) -> Iterator[_Loop]:
    """Yield the loops from the outermost in, in the order of the text, each with its parent."""
    found: list[_Loop] = []
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


def _loop(code: str, word: str, begin: int) -> _Loop | None:
    at = _skip(code, begin + len(word))
    if word == "do":
        end = _statement_end(code, at)
        tail = re.compile(r"\s*while\s*").match(code, end)
        if not tail or code[tail.end() : tail.end() + 1] != "(":
            return None
        head = (tail.end(), closing(code, tail.end()))
        return _Loop(
            word=word, begin=begin, head=head, body=(at, end), end=head[1] + 1, braced=code[at] == "{"
        )
    if code[at : at + 1] != "(":
        return None
    head = (at, closing(code, at))
    at = _skip(code, head[1] + 1)
    end = _statement_end(code, at)
    return _Loop(word=word, begin=begin, head=head, body=(at, end), end=end, braced=code[at : at + 1] == "{")


def _skip(code: str, at: int) -> int:
    found = _SPACE.match(code, at)
    return found.end() if found else at


def _statement_end(code: str, at: int) -> int:
    """Return where the statement ends that begins at a place."""
    if code[at : at + 1] == "{":
        return closing(code, at) + 1
    word = re.compile(r"(?:for|while|if|switch)\b\s*(?:constexpr\s*)?").match(code, at)
    if word and code[word.end() : word.end() + 1] == "(":
        end = _statement_end(code, _skip(code, closing(code, word.end()) + 1))
        other = re.compile(r"\s*else\b\s*").match(code, end)
        return _statement_end(code, other.end()) if other and word[0].startswith("if") else end
    while at < len(code) and code[at] != ";":
        at = closing(code, at) if code[at] in "([{" else at
        at += 1
    return at + 1


def _functions(code: str) -> Iterator[tuple[int, int]]:
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


def _lower(pragma: str) -> str:
    """Return a pragma in lower case, but for what an interval is: it may be a constant's name."""
    interval = re.search(r"\bII\s*=\s*(\w+)", pragma, re.IGNORECASE)
    if not interval:
        return pragma.lower()
    return pragma[: interval.start(1)].lower() + interval[1] + pragma[interval.end(1) :].lower()


def _kind(loop: _Loop) -> tuple[str, str, int]:
    """Return a loop's kind, its interval as the source has it, and how many of its iterations are one."""
    words = {p.split()[0]: p for p in loop.pragmas if p.split()}
    factor = 1
    if "unroll" in words:
        found = re.search(r"factor\s*=\s*(\d+)", words["unroll"])
        if not found and "factor" not in words["unroll"] and "off" not in words["unroll"]:
            return "kUnrolled", "1", 1
        factor = int(found[1]) if found else 1
    if "pipeline" in words:
        if re.search(r"\boff\b", words["pipeline"]):
            return ("kPlain" if loop.inner else "kOff"), "1", factor
        interval = re.search(r"\bii\s*=\s*(\w+)", words["pipeline"])
        return "kPipelined", interval[1] if interval else "1", factor
    rolled = any(_kind(inner)[0] != "kUnrolled" for inner in loop.inner)
    return ("kPlain" if rolled else "kInnermost"), "1", factor


def _is_flattened(code: str, loop: _Loop) -> bool:
    """Whether a loop is all that its outer loop holds, so that both become one [UG1399 loop_flatten]."""
    outer = loop.outer
    if outer is None or outer.word != "for" or loop.word != "for" or len(outer.inner) != 1:
        return False
    kind = _kind(outer)
    off = any(p.startswith("loop_flatten") and "off" in p for p in (*loop.pragmas, *outer.pragmas))
    around = code[outer.body[0] : loop.begin] + code[loop.end : outer.body[1]]
    around = re.sub(r"\b\w+\s*:(?!:)", "", around)  # labels
    return (
        kind[0] == "kPlain" and not off and not _is_dataflow(outer.pragmas) and not around.strip("{} \t\r\n")
    )


def _is_dataflow(pragmas: Sequence[str]) -> bool:
    return any(p.split()[0] == "dataflow" for p in pragmas if p.split())


def _of_loop(code: str, loop: _Loop, number: int) -> Iterator[_Edit]:
    name = f"aieloom_loop_{number}"
    region = _dataflow(code, loop.body) if loop.braced and _is_dataflow(loop.pragmas) else None
    if region:
        made = f"{_NAMES}Region {name}({len(region.processes)})"
    else:
        kind, interval, factor = _kind(loop)
        flat = str(_is_flattened(code, loop)).lower()
        made = f"{_NAMES}Loop {name}({_NAMES}Kind::{kind}, {interval}, {factor}, {flat})"
    first = "once_first" if loop.word == "do" and not region else "once"
    wrap = f"for ({made}; {name}.{first}(); ) "
    inside = code[loop.head[0] + 1 : loop.head[1]]
    if loop.word == "for":
        semicolons = list(_semicolons(inside))
        if len(semicolons) != 2:  # for (auto x : all)
            if not loop.braced:
                return
            yield _Edit(loop.begin, 0, wrap)
            yield _Edit(loop.body[0] + 1, 0, f" {name}.next();")
        else:
            a, b = (loop.head[0] + 1 + s for s in semicolons)
            yield _Edit(loop.begin, 0, wrap)
            if code[a + 1 : b].strip():
                yield _Edit(a + 1, 0, "(")
                yield _Edit(b, 9, f") && {name}.next()")
            else:
                yield _Edit(b, 9, f"{name}.next()")
    else:
        yield _Edit(loop.begin, 0, wrap)
        yield _Edit(loop.head[0] + 1, 0, "(")
        yield _Edit(loop.head[1], 9, f") && {name}.next()")
    if region:
        yield from _starts(region, name)


def _semicolons(text: str) -> Iterator[int]:
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == ";" and depth == 0:
            yield i


def _of_function(code: str, function: _Region, number: int) -> Iterator[_Edit]:
    name = f"aieloom_function_{number}"
    if _is_dataflow(function.pragmas):
        region = _dataflow(code, (function.begin, function.end + 1))
        if region:
            restarts = str(any(_FREE.match(p) for p in function.pragmas)).lower()
            made = f" {_NAMES}Region {name}({len(region.processes)}, {restarts});"
            yield _Edit(function.begin + 1, 0, made)
            yield from _starts(region, name)
    elif any(
        p.split()[0] == "pipeline" and not re.search(r"\boff\b", p) for p in function.pragmas if p.split()
    ):
        yield _Edit(function.begin + 1, 0, f" {_NAMES}Loop {name}({_NAMES}Kind::kFunction, 1, 1, false);")


def _starts(region: _Dataflow, name: str) -> Iterator[_Edit]:
    for number, (begin, end, after) in enumerate(region.processes):
        takers = sum(1 << i for i, (_, _, fills) in enumerate(region.processes) if fills >> number & 1)
        yield _Edit(begin, -1, f"{name}.process({number}, {after}u, {takers}u, [&] {{ ")
        yield _Edit(end, -9, " });")
    for place, which in region.joins:
        yield _Edit(place, -1, f"{name}.join({which}u); ")
    yield _Edit(region.end, 9, f" {name}.join();")


def _dataflow(code: str, body: tuple[int, int]) -> _Dataflow | None:
    """Return the processes of a region, nothing where it has none or more than a number has bits.

    A process waits for the end of another when an array goes between them, not when a stream does; what is no process waits for
    those whose names it uses.
    """
    found = _Dataflow(end=body[1] - 1)
    uses: list[set[str]] = []
    arrays: set[str] = set()
    at = _skip(code, body[0] + 1)
    while at < body[1] - 1:
        label = re.compile(r"\w+\s*:(?!:)\s*").match(code, at)
        if label:
            at = label.end()
        end = min(_statement_end(code, at), body[1] - 1)
        text = code[at:end]
        word = re.match(r"\w+", text)
        names = set(re.findall(r"\b[A-Za-z_]\w*\b", text))
        is_call = _CALL.match(text) and not (word and word[0] in _NOT_PROCESSES)
        if is_call or _COMPOUND.match(text):
            after = sum(1 << i for i, others in enumerate(uses) if names & others & arrays)
            found.processes.append((at, end, after))
            uses.append(names)
        else:
            values, ends = set(_VALUE.findall(text)), word is not None and word[0] == "return"
            which = sum(1 << i for i, others in enumerate(uses) if ends or values & others)
            found.joins.extend([(at, which)] if which else [])
            if not re.search(r"\b(?:stream|task)\b|=", text):
                arrays |= set(re.findall(r"\b([A-Za-z_]\w*)\s*(?=[\[;,])", text))
        at = _skip(code, max(end, at + 1))
    return found if 0 < len(found.processes) <= 64 else None


def _accesses(code: str, function: _Region) -> Iterator[_Edit]:
    """Yield the edits that make p[i] at(p, i, ...) of each pointer or array that is a parameter."""
    close = code.rfind(")", 0, function.begin)
    opening = _opening(code, close)
    names = {
        found[1]
        for text in code[opening + 1 : close].split(",")
        if "stream" not in text
        and (
            found := re.search(r"(?:\*\s*(?:const\s+|__?restrict_*\s+)*|\s)(\w+)\s*(?:\[[^\]]*\]\s*)*$", text)
        )
        and ("*" in text or "[" in text)
    }
    if not names:
        return
    pattern = re.compile(rf"(?<![\w.>])(?:{'|'.join(sorted(names))})\s*(?=\[)")
    for found in pattern.finditer(code, function.begin, function.end):
        bracket = found.end()
        end = closing(code, bracket)
        writes = re.compile(r"\]\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=)").match(code, end)
        yield _Edit(found.start(), 5, f"{_NAMES}at(")
        yield _Edit(bracket, 5, ", ", 1)
        yield _Edit(end, 5, f", {'true' if writes else 'false'})", 1)
    for found in _MEMCPY.finditer(code, function.begin, function.end):
        yield _Edit(found.start(), 5, f"{_NAMES}copy", len(found[0]))


def _opening(code: str, close: int) -> int:
    depth = 0
    for i in range(close, -1, -1):
        depth += (code[i] == ")") - (code[i] == "(")
        if depth == 0:
            return i
    return 0


def write_timed(source: Path, folders: Sequence[Path], folder: Path) -> Path:
    """Write a PL source's timed text, and that of its own headers which have loops, below `folder`; return its place.

    Args:
        source: what is synthesised.
        folders: where its headers are looked for.
        folder: of the build.

    Raises:
        SpecError: a file cannot be read.
    """
    return _written(source.resolve(), folders, folder, {}) or source


def _written(
    path: Path, folders: Sequence[Path], folder: Path, written: dict[Path, Path | None]
) -> Path | None:
    """Write a file's timed text; return its place, or nothing for a header that stays as it is."""
    if path in written:
        return written[path]
    is_first = not written
    written[path] = None  # a header that includes itself
    text = read_text(path)

    def include(found: re.Match[str]) -> str:
        near = [p / found[2] for p in (path.parent, *folders)]
        header = next((p.resolve() for p in near if p.is_file()), None)
        own = header and _is_own(header, folders)
        other = _written(header, folders, folder, written) if header and own else None
        return f'{found[1]}"{other}"' if other else found[0]

    told = _INCLUDE.sub(include, timed_source(text))
    if told == text and not is_first:
        return None
    target = folder / f"{path.stem}.{text_digest(str(path))[:8]}.timed{path.suffix}"
    write_text(target, f'#include <aieloom/logic.h>\n#line 1 "{path}"\n{told}')
    written[path] = target
    return target


def _is_own(header: Path, folders: Sequence[Path]) -> bool:
    """Whether a header is the project's: the first folder is the emulator's."""
    return not folders or folders[0].resolve() not in header.parents
