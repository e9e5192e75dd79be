"""Constructs of C++ that HLS refuses or takes otherwise than compilers do."""

from __future__ import annotations

import re

from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

from tools.hls_lint.rules import Said, rule
from tools.hls_lint.source import HEADERS, Node, Source

REFUSED = {
    Kind.CXX_NEW_EXPR: "new",
    Kind.CXX_DELETE_EXPR: "delete",
    Kind.CXX_THROW_EXPR: "throw",
    Kind.CXX_TRY_STMT: "try",
    Kind.LAMBDA_EXPR: "lambda",
    Kind.GOTO_STMT: "goto",
    Kind.CXX_REINTERPRET_CAST_EXPR: "reinterpret_cast",
    Kind.CXX_DYNAMIC_CAST_EXPR: "dynamic_cast",
}
LIBRARY = re.compile(r"std::(vector|map|deque|string|function|array|unique_ptr|__1)|\(\*\)\(")
UNKNOWN_SIZE = (TypeKind.VARIABLEARRAY, TypeKind.INCOMPLETEARRAY)
DECLARED = (Kind.VAR_DECL, Kind.FIELD_DECL, Kind.PARM_DECL)


@rule(
    "ast-construct",
    "construct that HLS refuses",
    "UG1399: unsupported C/C++ constructs: new and delete, recursion, virtual functions, pointers to functions, casts of "
    "pointers to types of the user, containers of std::",
)
def constructs(s: Source) -> Said:
    """Find them."""
    for n in s.nodes:
        if n.kind in REFUSED:
            yield n.location.line, REFUSED[n.kind]
        elif n.kind == Kind.CXX_METHOD and n.is_virtual_method():
            yield n.location.line, f"virtual {n.spelling}"
        elif n.kind in DECLARED:
            yield from _declared(n)
    for f in s.functions:
        is_of_templates = s.lines[f.location.line - 1].startswith("constexpr")
        if f.get_usr() in s.called(f) and not is_of_templates:
            yield f.location.line, f"{f.spelling} calls itself"


def _declared(n: Node) -> Said:
    kind = n.type.get_canonical().spelling
    if LIBRARY.search(kind):
        yield n.location.line, f"{n.spelling}: {n.type.spelling}"
    if "double" in kind and n.kind != Kind.FIELD_DECL:
        yield n.location.line, f"double {n.spelling}"
    if n.kind == Kind.VAR_DECL and n.type.kind in UNKNOWN_SIZE:
        yield n.location.line, f"{n.spelling}: array of unknown size"


@rule(
    "ast-union",
    "union of an array or a struct and another type",
    "UG1399, Unions: no member is indexed in a loop, and types of the user are not cast",
)
def unions(s: Source) -> Said:
    """Find unions whose members are arrays or structs."""
    for n in s.nodes:
        if n.kind == Kind.UNION_DECL:
            kinds = [c.type.get_canonical() for c in n.get_children() if c.kind == Kind.FIELD_DECL]
            if any(k.kind in (TypeKind.CONSTANTARRAY, TypeKind.RECORD) for k in kinds):
                names = (k.spelling.replace("(anonymous namespace)::", "") for k in kinds)
                yield n.location.line, "members " + ", ".join(names)


@rule(
    "ast-cxx17",
    "C++17 where HLS takes C++14 unless it is told otherwise, or a struct's static array, which needs a definition there",
    "UG1399: C/C++11/14; linkers refuse static constexpr arrays of structs with -std=c++14",
)
def cxx17(s: Source) -> Said:
    """Find what clang calls an extension of C++17 or later."""
    flags = ["-std=c++14", "-Wno-everything", "-Wc++17-extensions", "-Wc++20-extensions", f"-I{HEADERS}"]
    unit = s.parsed(flags)
    for d in unit.diagnostics:
        if d.location.file and d.location.file.name == str(s.path):
            yield d.location.line, d.spelling
    for n in s.nodes:
        of_struct = n.semantic_parent and n.semantic_parent.kind in (Kind.STRUCT_DECL, Kind.CLASS_DECL)
        if n.kind == Kind.VAR_DECL and of_struct and n.type.kind == TypeKind.CONSTANTARRAY:
            yield n.location.line, f"static array {n.spelling} in a struct"


@rule(
    "ast-loop",
    "loop inside a pipelined one whose bounds are not constant: it cannot be unrolled, so the outer one is not pipelined",
    "UG1399: variable-bound inner loops prevent pipelining of outer loops; remedy: a fixed bound, a condition in the body",
)
def loops(s: Source) -> Said:
    """Find loops that should be unrolled and have no fixed bound."""
    for loop in filter(s.is_unrolled, s.loops):
        bound = s.bound(loop)
        if loop.kind != Kind.FOR_STMT:
            yield loop.location.line, "while or do loop inside a pipelined one"
        elif bound is None or not s.is_constant(bound):
            yield loop.location.line, f"bound {s.text_of(bound) if bound is not None else '?'}"
