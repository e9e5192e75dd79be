"""Dataflow regions of a PL source: their processes, what flows between them, and how long their queues are.

A region whose processes may wait for each other through queues that are too short runs them side by side here, each queue
as long as its `#pragma HLS stream` says, 2 words without one [UG1399 pragma HLS dataflow, pragma HLS stream]. That takes
two ways through the region, or through it and around it: where the queues join the processes as a tree nobody can wait
in a circle, and the processes run one after another as in C simulation, which takes a fraction of the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from aieloom.emulator.brackets import closing, opening, split
from aieloom.emulator.pl_source import pragmas_of, read_text, without_comments
from aieloom.emulator.pl_text import (
    Edit,
    Loop,
    Region,
    Scanned,
    applied,
    is_dataflow,
    own_files,
    scan,
    skip,
    statement_end,
    write_changed,
)

_NAME = re.compile(r"\b[A-Za-z_]\w*\b")
_CALL = re.compile(
    r"(?:\(\s*void\s*\)\s*)?(?:[A-Za-z_]\w*\s*(?:::|\.|->)\s*)*([A-Za-z_]\w*)\s*(?:<[^;{}]*>)?\s*\("
)
_COMPOUND = re.compile(r"(?:if|for|while|do|switch)\b|\{")
_LEAVES = re.compile(r"\b(?:return|goto|break|continue)\b")
_LABEL = re.compile(r"\w+\s*:(?!:)\s*")
_NO_DECLARATION = re.compile(
    r"(?:return|using|typedef|struct|class|union|enum|static_assert|goto|throw|delete|extern)\b"
)
_NOT_PROCESSES = ("return", "sizeof", "static_assert", "assert", "printf")
_UNROLLED = re.compile(r"for\s*\(\s*[\w:]+\s+(\w+)\s*=")
_TYPE = re.compile(r"\btypedef\s+([^;{}]*?)\b(\w+)\s*(?:\[[^;]*\])?\s*;|\busing\s+(\w+)\s*=\s*([^;]+);")
_STRUCT = re.compile(r"\b(?:struct|class)\s+(\w+)[^;{}()]*\{")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(.*)$", re.MULTILINE)
_DEPTH = re.compile(r"\bdepth\s*=\s*(.+?)\s*(?=\b(?:variable|type|dim|off)\b\s*=?|$)", re.IGNORECASE)
_VARIABLE = re.compile(r"\bvariable\s*=\s*&?\s*([\w.:>\[\]-]+)", re.IGNORECASE)
_PRAGMA_LINE = re.compile(r"[ \t]*#(?:\\\n|[^\n])*")
_MACRO_PRAGMA = re.compile(r"\b\w*pragma\w*\s*\(\s*\"?\s*HLS\s+(stream\b[^\n]*?)\"?\s*\)\s*;?", re.IGNORECASE)
_MOST = 64  # processes of a region: bits of a number
_OURS = "::aieloom::"


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A statement of a dataflow region that is a process, with the names in it; `each` are variables of unrolled loops."""

    begin: int
    end: int
    names: frozenset[str]
    each: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Dataflow:
    """A dataflow region: its processes, what it declares and where, and the statements that it runs itself."""

    begin: int
    end: int
    processes: list[Process] = field(default_factory=list)
    declared: dict[str, tuple[int, str]] = field(
        default_factory=dict
    )  # where the declaration ends, and its text
    others: list[tuple[int, frozenset[str], bool]] = field(
        default_factory=list
    )  # place, names, waits for all

    def bits(self, at: int, names: frozenset[str], before: int) -> str:
        """Return, as C++, the bits of the first `before` processes that fill what these names at a place are."""
        return self._filled(at, ((i, names & p.names) for i, p in enumerate(self.processes[:before])))

    def _filled(self, at: int, numbered: Iterable[tuple[int, frozenset[str]]]) -> str:
        """Return, as C++, the bits of the processes of these numbers that fill what is declared before a place."""
        found = []
        for number, names in numbered:
            shared = sorted(n for n in names if self.declared.get(n, (at, ""))[0] < at)
            types = ", ".join(f"decltype({n})" for n in shared)
            found += [f"{_OURS}fills<{types}>({number})"] if shared else []
        return " | ".join(found) or "0"

    def after(self, number: int) -> str:
        """Return, as C++, the bits of the processes that must have ended before one begins."""
        process = self.processes[number]
        return self.bits(process.begin, process.names, number)

    def takers(self, number: int) -> str:
        """Return, as C++, the bits of the processes that wait for the end of one."""
        process, later = self.processes[number], enumerate(self.processes[number + 1 :], number + 1)
        return self._filled(process.begin, ((i, process.names & other.names) for i, other in later))

    def has_tasks(self) -> bool:
        """Whether tasks stand beside its processes."""
        return any(re.search(r"\btask\b", text) for _, text in self.declared.values())

    def joins(self) -> Iterator[tuple[int, str]]:
        """Yield places at which the region waits, and for which processes, as C++."""
        for at, names, all_of_them in self.others:
            before = sum(p.end <= at for p in self.processes)
            which = "~0ull" if all_of_them and before else self.bits(at, names, before)
            if which != "0":
                yield at, which


def region_of(code: str, body: tuple[int, int], loops: Sequence[Loop] = ()) -> Dataflow | None:
    """Return the region in the braces `body`, None where it has no process or more than a number has bits.

    With `loops`, those of them that are unrolled stand for as many processes as they have iterations.
    """
    found = Dataflow(begin=body[0], end=body[1] - 1)
    _walk(code, (body[0] + 1, body[1] - 1), found, loops, ())
    return found if 0 < len(found.processes) <= _MOST else None


def _walk(
    code: str, span: tuple[int, int], found: Dataflow, loops: Sequence[Loop], each: tuple[str, ...]
) -> None:
    at = skip(code, span[0])
    while at < span[1]:
        label = _LABEL.match(code, at)
        at = label.end() if label else at
        end = min(statement_end(code, at), span[1])
        text = code[at:end]
        names = frozenset(_NAME.findall(text))
        unrolled = next((x for x in loops if x.begin == at and _is_unrolled(x)), None)
        variable = _UNROLLED.match(text)
        if unrolled and variable and unrolled.braced:
            _walk(code, (unrolled.body[0] + 1, unrolled.body[1] - 1), found, loops, (*each, variable[1]))
        elif _is_process(text):
            found.processes.append(Process(begin=at, end=end, names=names, each=each))
        elif text.strip(" ;\n\t"):
            found.others.append((at, names, bool(_LEAVES.search(text))))
            for name in _declared(text):
                found.declared.setdefault(name, (end, text))
        at = skip(code, max(end, at + 1))


def _is_unrolled(loop: Loop) -> bool:
    return any(p.split()[0] == "unroll" and "factor" not in p for p in loop.pragmas if p.split())


def _is_process(text: str) -> bool:
    if _COMPOUND.match(text):
        return not _LEAVES.search(text)
    call = _CALL.match(text)
    if not call or call[1] in _NOT_PROCESSES or call[1].isupper():  # what a macro stands for is not seen
        return False
    return not text[closing(text, call.end() - 1) + 1 :].strip(" ;\n\t")


def _declared(text: str) -> Iterator[str]:
    """Yield the names that a statement declares."""
    if _NO_DECLARATION.match(text) or _COMPOUND.match(text):
        return
    for number, part in enumerate(split(text.rstrip(" ;\n\t"), "([{<)]}>")):
        head = re.split(r"[=(\[{]", _without_angles(part), maxsplit=1)[0].strip()
        words = _NAME.findall(head)
        if (
            words
            and (number or len(words) > 1 or "<" in part)
            and head.endswith(words[-1])
            and "." not in head
        ):
            yield words[-1]


def _without_angles(text: str) -> str:
    while (less := re.sub(r"<[^<>=;]*>", " ", text)) != text:
        text = less
    return text


def stream_names(texts: Iterable[str]) -> frozenset[str]:
    """Return the names of types that are streams or hold some, by the files' typedefs, structs and macros."""
    meanings: list[tuple[str, str]] = []
    for text in texts:
        code = without_comments(text)
        meanings += _DEFINE.findall(text)
        meanings += [(f[2] or f[3], f[1] or f[4]) for f in _TYPE.finditer(code)]
        meanings += [(f[1], code[f.end() : closing(code, f.end() - 1)]) for f in _STRUCT.finditer(code)]
    found = {"stream", "stream_of_blocks"}
    while more := {name for name, text in meanings if found & set(_NAME.findall(text))} - found:
        found |= more
    return frozenset(found)


def _holds_stream(text: str, streams: frozenset[str]) -> bool:
    return bool(streams & set(_NAME.findall(text)))


def _queues(region: Dataflow, streams: frozenset[str]) -> list[tuple[str, int]]:
    """Return a region's own queues, and references to them, with the places behind their declarations."""
    found: dict[str, int] = {}
    for name, (end, text) in region.declared.items():
        if _holds_stream(text, streams | found.keys()):
            found[name] = end
    return list(found.items())


def may_wait_in_a_circle(region: Dataflow, parameters: Sequence[str], streams: frozenset[str]) -> bool:
    """Whether two ways of streams join two processes of a region, through it or around it."""
    if region.has_tasks():
        return True  # they run beside the processes in any case
    outside = {n for p in parameters if _is_way_out(p, streams) for n in _NAME.findall(p)[-1:]}
    ways: list[tuple[int, int]] = []
    for name, _ in _queues(region, streams):
        ends = [i for i, p in enumerate(region.processes) if name in p.names]
        if len(ends) > 2 or any(region.processes[i].each for i in ends):
            return True
        ways += [(ends[0], ends[1])] if len(ends) == 2 else []
    group = list(range(len(region.processes)))
    touching = [i for i, p in enumerate(region.processes) if outside & p.names]
    for i in touching:
        group[i] = touching[0]
    for one, other in ways:
        if group[one] == group[other]:
            return True
        group = [group[one] if g == group[other] else g for g in group]
    return False


def _is_way_out(parameter: str, streams: frozenset[str]) -> bool:
    """Whether a process can wait at a parameter: it is a stream, or of a type that is not known here."""
    return _holds_stream(parameter, streams) or ("&" in parameter and not re.search(r"\bconst\b", parameter))


def depths(text: str) -> Iterator[Edit]:
    """Yield the edits that make `#pragma HLS stream variable=x depth=n` a statement, which the C++ compiler understands."""
    code = without_comments(text)
    found = [(at, p.text, _PRAGMA_LINE.match(text, at)) for at, p in pragmas_of(text)]
    # In code comments and directives are blank.
    found += [(m.start(), m[1], m) for m in _MACRO_PRAGMA.finditer(text) if code[m.start()] == m[0][0]]
    bodies = scan(text).bodies
    for at, pragma, whole in found:
        depth, variable = _DEPTH.search(pragma), _VARIABLE.search(pragma)
        body = next((b for b in bodies if b.begin < at < b.end), None)
        if not (re.match(r"stream\b", pragma, re.IGNORECASE) and depth and variable and body and whole):
            continue
        told = f"{_OURS}hold({variable[1]}, {depth[1]});"
        place = _declaration(code, body, at, re.split(r"[.\[-]", variable[1])[0])
        if place == at:
            kept = "\n" * whole[0].count("\n")
            yield Edit(at, 0, told + kept, whole.end() - whole.start())
        elif place:
            yield Edit(place, -5, f" {told}")


def _declaration(code: str, body: Region, at: int, name: str) -> int:
    """Return where a variable of a pragma is known: at the pragma, or behind its declaration below; 0: nowhere."""
    begin = max(code.rfind(";", 0, body.begin), code.rfind("}", 0, body.begin), 0)
    pattern = re.compile(rf"\b{re.escape(name)}\b")
    if pattern.search(code, begin, at):
        return at
    later = pattern.search(code, at, body.end)
    return code.find(";", later.end()) + 1 if later else 0


def _parameters(code: str, body: Region) -> list[str]:
    close = code.rfind(")", 0, body.begin)
    return code[opening(code, close) + 1 : close].split(",") if close >= 0 else []


def bounds(region: Dataflow, name: str, streams: frozenset[str]) -> Iterator[Edit]:
    """Yield the edits that give a region's own queues their length."""
    for variable, end in _queues(region, streams):
        yield Edit(end, -8, f" {name}.bound({variable});")


def waiting_regions(seen: Scanned, streams: frozenset[str]) -> Iterator[tuple[int, Dataflow]]:
    """Yield the dataflow regions of a source whose processes may wait for each other, with numbers of their own."""
    for body in seen.bodies:
        text = seen.code[body.begin : body.end]
        whole = is_dataflow(body.pragmas) or re.search(r"\bhls\s*::\s*task\b", text)
        spans = [(body.begin, body.end + 1)] if whole else []
        inside = [
            x for x in seen.loops if body.begin < x.begin < body.end and x.braced and is_dataflow(x.pragmas)
        ]
        for begin, end in (*spans, *(x.body for x in inside)):
            region = region_of(seen.code, (begin, end), seen.loops)
            if region and may_wait_in_a_circle(region, _parameters(seen.code, body), streams):
                yield begin, region


def _side_by_side(region: Dataflow, name: str, streams: frozenset[str]) -> Iterator[Edit]:
    yield Edit(region.begin + 1, 0, f" {_OURS}Dataflow {name};")
    yield from bounds(region, name, streams)
    for number, process in enumerate(region.processes):
        each = "".join(f", {v}" for v in process.each)
        yield Edit(process.begin, -1, f"{name}.process({number}, {region.after(number)}, [&{each}] {{ ")
        yield Edit(process.end, -9, " });")
    for place, which in region.joins():
        yield Edit(place, -2, f"{name}.join({which}); ")
    yield Edit(region.end, 9, f" {name}.join();")


def tasks(seen: Scanned) -> Iterator[Edit]:
    """Yield the edits that tell queues between tasks from those of their function's callers."""
    for body in seen.bodies:
        if not re.search(r"\btask\b", seen.code[body.begin : body.end]):
            continue
        region = Dataflow(begin=body.begin, end=body.end)
        _walk(seen.code, (body.begin + 1, body.end), region, (), ())
        for name, (end, text) in region.declared.items():
            if re.search(r"\bstream\b", text):
                yield Edit(end, -8, f" {_OURS}between_tasks({name});")


def queues_source(text: str, streams: frozenset[str], *, dataflow: bool) -> str:
    """Return a PL source's text with its queues between tasks, and those of its regions, as long as its pragmas say.

    Without `dataflow`, as in C simulation, processes run side by side only where tasks stand beside them.
    """
    seen = scan(text)
    edits = [*depths(text), *tasks(seen)]
    for place, region in waiting_regions(seen, streams):
        if dataflow or region.has_tasks():
            edits += _side_by_side(region, f"aieloom_dataflow_{place}", streams)
    return applied(text, edits)


def write_queues(source: Path, folders: Sequence[Path], folder: Path, *, dataflow: bool) -> Path:
    """Write a PL source and its own headers as `queues_source` gives them, below `folder`; return the source's place.

    A source without regions whose processes may wait for each other, and without tasks, stays where it is.

    Raises:
        SpecError: a file cannot be read.
    """
    texts = [read_text(path) for path in own_files(source, folders)]
    streams = stream_names(texts)
    seen = [scan(text) for text in texts]
    has_tasks = any(re.search(r"\bhls\s*::\s*task\b|\btask\s+\w+\s*\(", s.code) for s in seen)
    if not has_tasks and not (dataflow and any(r for s in seen for r in waiting_regions(s, streams))):
        return source
    change = partial(queues_source, streams=streams, dataflow=dataflow)
    return write_changed(source, folders, folder, kind="queues", change=change)
