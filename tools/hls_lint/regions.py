"""Dataflow regions: what may stand in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

from tools.hls_lint.channels import called, uses
from tools.hls_lint.rules import Said, rule
from tools.hls_lint.source import Node, Source, streams_in


def _is_array(n: Node) -> bool:
    """Tell whether a node is of an array, but not of streams."""
    return bool(n.type.kind == TypeKind.CONSTANTARRAY) and streams_in(n.type) < 0


def _is_channel(d: Node) -> bool:
    """Tell whether a variable of a region is what processes share; in a template its type may be known to an instance alone."""
    kind = d.type.get_canonical().kind
    is_given = any(c.kind.is_expression() for c in d.get_children())
    is_named = kind == TypeKind.UNEXPOSED and not is_given and not re.search("stream|task", d.type.spelling)
    return _is_array(d) or kind == TypeKind.DEPENDENTSIZEDARRAY or is_named


def _variables(body: list[Node]) -> Iterator[Node]:
    for n in body:
        if n.kind == Kind.DECL_STMT:
            yield from (d for d in n.get_children() if d.kind == Kind.VAR_DECL)


@rule(
    "ast-dataflow",
    "dataflow region that is not in canonical form",
    "UG1399, Canonical Forms: declarations and calls only; a channel has one writer before one reader; a region in a function "
    "that a loop calls is not overlapped with itself unless the loop is the region's own wrapper, and alone in its function",
)
def dataflow(s: Source) -> Said:
    """Look at each region."""
    for p in s.marked("dataflow"):
        f, wrapper = s.function_at(p.line), s.loop_at(p.line)
        if f is None:
            continue
        body = list(list((f if wrapper is None else wrapper).get_children())[-1].get_children())
        yield from _statements(s, body)
        for text in _shared(s, body):
            yield f.location.line, text
        yield from _called_by_loops(s, f) if wrapper is None else _beside(f, wrapper)


def _statements(s: Source, body: list[Node]) -> Said:
    for d in _variables(body):
        if not re.search("stream|task", d.type.spelling) and not s.is_constant(d):
            has_value = any(c.kind.is_expression() for c in d.get_children())
            is_process = d.type.is_const_qualified() or not has_value
            yield (
                d.location.line,
                f"{d.spelling} is computed in the region" + " (a process of its own)" * is_process,
            )
    for n in body:
        if n.kind not in (Kind.DECL_STMT, Kind.CALL_EXPR, Kind.NULL_STMT):
            yield n.location.line, f"{n.kind.name} in the region"


def _shared(s: Source, body: list[Node]) -> Iterator[str]:
    """Yield arrays with several writers or readers, and arguments that several processes get."""
    local: dict[str, Counter[str]] = {d.spelling: Counter() for d in _variables(body) if _is_channel(d)}
    shared: Counter[str] = Counter()
    for call, at, a in _arguments(body):
        name, given = s.text_of(a), len(list(call.get_arguments()))
        if name in local:
            local[name]["r" if uses(s, called(s, call), at, given) == {"r"} else "w"] += 1
        elif (_is_array(a) or a.type.kind == TypeKind.POINTER) and "stream<" not in a.type.spelling:
            shared[name] += 1  # streams have a rule of their own, ast-channel
    for name, count in local.items():
        if count["r"] > 1 or count["w"] > 1:
            yield f"array {name}: {count['w']} writer(s), {count['r']} reader(s)"
    for name, times in shared.items():
        if times > 1:
            yield f"argument {name} goes to {times} processes"


def _arguments(body: list[Node]) -> Iterator[tuple[Node, int, Node]]:
    """Yield each argument of the calls of a region, with its call and its place there."""
    for call in (n for n in body if n.kind == Kind.CALL_EXPR):
        for at, a in enumerate(call.get_arguments()):
            yield call, at, a


def _beside(f: Node, wrapper: Node) -> Said:
    """Yield what a function does beside the loop around its region."""
    for n in list(f.get_children())[-1].get_children():
        if n.extent != wrapper.extent and n.kind != Kind.NULL_STMT:
            yield n.location.line, f"{n.kind.name} beside the loop around the region of {f.spelling}()"


def _called_by_loops(s: Source, f: Node) -> Said:
    for n in s.nodes:
        loop = s.loop_at(n.location.line) if n.kind == Kind.CALL_EXPR else None
        if loop is not None:
            function = called(s, n)
            if function is not None and function.get_usr() == f.get_usr():
                yield (
                    n.location.line,
                    f"{f.spelling}() is called by a loop: each call waits for the one before",
                )


@rule(
    "ast-free",
    "free-running dataflow kernel with an array between its processes",
    "UG1399, Using ap_ctrl_none Inside the Dataflow: allowed where processes communicate by FIFOs only, 'excluding memories'",
)
def free_running(s: Source) -> Said:
    """Find arrays in kernels without control."""
    is_free = any("ap_ctrl_none" in {*p.options, *p.options.values()} for p in s.marked("interface"))
    if is_free and any(s.function_at(p.line) == s.top for p in s.marked("dataflow")):
        for n in s.walk(s.top):
            if n.kind == Kind.VAR_DECL and _is_array(n):
                yield n.location.line, f"{n.spelling} {n.type.get_canonical().spelling}"
