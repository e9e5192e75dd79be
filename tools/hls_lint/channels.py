"""Streams and arrays between processes: who writes them, who reads them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

import clang.cindex
from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

from tools.hls_lint.rules import Said, rule
from tools.hls_lint.source import CALLABLE, Node, Source, streams_in

READS, WRITES = ("read", "read_nb", "empty", "size"), ("write", "write_nb", "full")
Ends = defaultdict[str, Counter[str]]


def uses(
    s: Source, function: Node | None, index: int, count: int, seen: frozenset[tuple[str, int]] = frozenset()
) -> set[str]:
    """Return "r" and "w": what a function does with one of `count` arguments that is a stream or an array.

    `seen` are the calls that lead here: a function of a pack calls itself with the rest.
    """
    parameters = [] if function is None else [c for c in function.get_children() if c.kind == Kind.PARM_DECL]
    for at, p in enumerate(parameters):
        if "..." in s.text_of(p) and index > at:  # of a pack: as many arguments as the others leave
            index = max(at, index - (count - len(parameters)))
    if index >= len(parameters):
        return set()
    kind = parameters[index].type.get_canonical().spelling
    if "stream" not in kind:
        return {"r"} if "const" in kind or not re.search(r"[&\[*]", kind) else {"r", "w"}
    assert function is not None
    here = (function.get_usr(), index)
    if here in seen:
        return set()
    found: set[str] = set()
    for call in (n for n in s.walk(function) if n.kind == Kind.CALL_EXPR):
        found |= _ends_of(s, call, parameters[index], seen | {here})
    return found


def _ends_of(s: Source, call: Node, stream: Node, seen: frozenset[tuple[str, int]]) -> set[str]:
    """Return what a call does with a stream: as its object, or as an argument that is handed on."""
    first = next(call.get_children(), None)
    if first is not None and first.kind == Kind.MEMBER_REF_EXPR and stream in s.refs(first):
        name = call.spelling or s.text_of(first).rpartition(".")[2]  # in a template it has only its text
        return {"r"} if name in READS else {"w"} if name in WRITES else set()
    found: set[str] = set()
    arguments = [a for a in call.get_arguments() if a is not None]
    for at in (i for i, a in enumerate(arguments) if stream in s.refs(a)):
        for function in _called(s, call):
            found |= uses(s, function, at, len(arguments), seen)
    return found


def _called(s: Source, call: Node) -> list[Node]:
    """Return the functions that a call may mean; of one in a template all of its name that take so many arguments."""
    if call.referenced is not None:
        function = written(s, call.referenced)
        return [] if function is None else [function]
    name = re.sub(r"<.*>", "", s.text_of(call).partition("(")[0], flags=re.DOTALL).rpartition(":")[2]
    given = len(list(call.get_arguments()))
    return [f for f in s.functions if f.spelling == name and _takes(s, f, given)]


def _takes(s: Source, f: Node, given: int) -> bool:
    parameters = [c for c in f.get_children() if c.kind == Kind.PARM_DECL]
    return len(parameters) == given or any("..." in s.text_of(p) for p in parameters)


def called(s: Source, call: Node) -> Node | None:
    """Return the function of ours that a call means, as it is written; None of a member and of what is not ours."""
    first = next(call.get_children(), None)
    if first is not None and first.kind == Kind.MEMBER_REF_EXPR:
        return None
    return next(iter(_called(s, call)), None)


def written(s: Source, function: Node) -> Node | None:
    """Return a function as it is written: of an instance its template."""
    template = clang.cindex.conf.lib.clang_getSpecializedCursorTemplate(function)
    return s.by_usr.get((function if template is None else template).get_usr())


def _tasks(s: Source, f: Node) -> Iterator[Node]:
    """Yield the constructors' calls of the tasks of a function."""
    for n in s.walk(f):
        if n.kind == Kind.VAR_DECL and n.type.spelling.endswith("task"):
            yield next(c for c in n.get_children() if c.kind == Kind.CALL_EXPR)


def _processes(s: Source, f: Node) -> Iterator[tuple[Node | None, list[Node]]]:
    """Yield the function and arguments of each process of a function: tasks, and calls of a dataflow region."""
    for task in _tasks(s, f):
        target, *arguments = (a for a in task.get_arguments() if a is not None)
        yield written(s, s.refs(target)[0]), arguments
    if any(s.function_at(p.line) == f for p in s.marked("dataflow")):
        for n in (n for n in s.walk(f) if n.kind == Kind.CALL_EXPR):
            function = called(s, n)
            if function is not None and function.kind in CALLABLE and function.result_type.spelling == "void":
                yield function, [a for a in n.get_arguments() if a is not None]


@rule(
    "ast-channel",
    "stream with several writers or readers, or with none",
    "UG1399: each stream is written by one process and read by one; streams that are not connected are errors",
)
def channels(s: Source) -> Said:
    """Count the ends of each stream."""
    for f in s.functions:
        ends: Ends = defaultdict(Counter)
        for function, arguments in _processes(s, f):
            for at, a in enumerate(arguments):
                dimensions = streams_in(a.type)
                for place in (
                    range(a.type.element_count) if dimensions == 1 else [None] if dimensions == 0 else []
                ):
                    name = s.text_of(a) if place is None else f"{s.text_of(a)}[{place}]"
                    ends[name].update(uses(s, function, at, len(arguments)))
        own = {c.spelling for c in f.get_children() if c.kind == Kind.PARM_DECL}
        for name, count in ends.items():
            is_outside = re.split(r"\W", name)[0] in own
            if max(count.values(), default=0) > 1 or (not is_outside and (count["r"], count["w"]) != (1, 1)):
                yield f.location.line, f"{name}: {count['w']} writer(s), {count['r']} reader(s)"


@rule(
    "ast-stream-array",
    "array of streams with more than one dimension, or an index that is unknown after unrolling",
    "UG1399, hls::stream: arrays of streams are partitioned in whole; one dimension is all that AMD's examples show",
)
def stream_arrays(s: Source) -> Said:
    """Find their declarations and accesses."""
    for n in s.nodes:
        if n.kind in (Kind.VAR_DECL, Kind.PARM_DECL) and streams_in(n.type) > 1:
            yield n.location.line, f"{n.spelling} has {streams_in(n.type)} dimensions"
        if n.kind == Kind.ARRAY_SUBSCRIPT_EXPR:
            base, index = list(n.get_children())[:2]
            if "stream<" in base.type.get_canonical().spelling and not s.is_constant(index):
                yield n.location.line, f"index {s.text_of(index)} of {s.text_of(base)}"


@rule(
    "ast-task-array",
    "task with a parameter that is a reference to an array",
    "hls_task.h of AMD's simulation headers: arguments are kept by value or std::ref, and an array is neither",
)
def task_arrays(s: Source) -> Said:
    """Find the parameters of functions that are tasks."""
    for f in s.functions:
        for task in _tasks(s, f):
            target = s.refs(next(a for a in task.get_arguments() if a is not None))[0]
            for p in (c for c in target.get_children() if c.kind == Kind.PARM_DECL):
                kind = p.type.get_canonical()
                is_reference = kind.kind == TypeKind.LVALUEREFERENCE
                if is_reference and kind.get_pointee().kind == TypeKind.CONSTANTARRAY:
                    yield task.location.line, f"{p.spelling} of {target.spelling}"


@rule(
    "ast-side-channel",
    "word of an AXI stream that is sent without keep or last, or that is on no port",
    "UG1399: ap_axiu makes TKEEP and TLAST, of ports of the top function alone; AM009: TKEEP of the last word counts",
)
def side_channels(s: Source) -> Said:
    """Find words that are sent."""
    for n in s.nodes:
        inside = s.function_at(n.location.line) if n.kind == Kind.VAR_DECL else None
        if inside and "stream<" in n.type.spelling and "ap_axiu<" in n.type.get_canonical().spelling:
            yield (
                n.location.line,
                f"{n.spelling} in {inside.spelling}: a queue inside a kernel has words without side channels",
            )
    words = (
        n
        for n in s.nodes
        if n.kind == Kind.VAR_DECL
        and "ap_axiu<" in n.type.get_canonical().spelling
        and "stream" not in n.type.spelling
    )
    for n in words:
        f = s.function_at(n.location.line)
        if f is not None:
            text = "\n".join(s.lines[f.extent.start.line - 1 : f.extent.end.line])
            is_sent = re.search(rf"write\({n.spelling}\)|return {n.spelling};", text)
            if is_sent and not all(re.search(rf"\b{n.spelling}\.{p} =", text) for p in ("keep", "last")):
                yield n.location.line, f"{n.spelling} in {f.spelling}"
