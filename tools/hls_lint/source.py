"""A PL kernel's text, its pragmas, and its syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import clang.cindex
from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

HEADERS = Path(__file__).with_name("headers")
FLAGS = ("-std=c++14", "-w", f"-I{HEADERS}", "-include", str(HEADERS / "ap_int.h"))
LOOPS = (Kind.FOR_STMT, Kind.WHILE_STMT, Kind.DO_STMT)
CALLABLE = (Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.FUNCTION_TEMPLATE, Kind.CONSTRUCTOR)
DATA = (Kind.VAR_DECL, Kind.PARM_DECL, Kind.FIELD_DECL)
REFERENCES = (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR)
PRAGMA = re.compile(r"\s*#pragma HLS ")
INCLUDE = re.compile(r'#include "([^"]+)"')
Node = Any  # clang.cindex.Cursor: the package has no types
Options = dict[str, str]


@dataclass(frozen=True, slots=True)
class Pragma:
    """A line `#pragma HLS NAME KEY=VALUE WORD`."""

    line: int
    name: str
    options: Options  # a word alone has the value ""

    @classmethod
    def of(cls, line: int, text: str) -> Pragma:
        """Read a line."""
        words = re.sub(r"//.*", "", text).split()[2:]
        pairs = (w.partition("=") for w in words[1:])
        return cls(line, words[0].lower(), {key.lower(): value for key, _, value in pairs})


def _placed(path: Path, seen: set[Path]) -> Iterator[tuple[str, str]]:
    """Yield the lines of a file, and those of each header in quotes that it includes first, with their places."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        header = INCLUDE.match(line)
        if header is None:
            yield "" if line == "#pragma once" else line, f"{path}:{number}"
        elif (at := (path.parent / header[1]).resolve()) not in seen:
            seen.add(at)
            yield from _placed(at, seen)


class Source:
    """A kernel as clang reads it with the lint's stand-in headers."""

    def __init__(self, path: Path) -> None:
        self.path, placed = path, list(_placed(path, set()))
        self.lines, self.places = [t for t, _ in placed], [at for _, at in placed]
        self.unit = self.parsed(FLAGS)
        self.errors = [d for d in self.unit.diagnostics if d.severity >= clang.cindex.Diagnostic.Error]
        self.nodes: list[Node] = [n for n in self.walk(self.unit.cursor) if n.location.file is not None]
        self.functions = [n for n in self.nodes if n.kind in CALLABLE and n.is_definition()]
        self.loops = [n for n in self.nodes if n.kind in LOOPS]
        self.pragmas = [Pragma.of(i, t) for i, t in enumerate(self.lines, 1) if PRAGMA.match(t)]
        self.by_usr = {f.get_usr(): f for f in self.functions}
        self._constant: dict[int, bool] = {}

    def parsed(self, flags: Sequence[str]) -> Any:
        """Return the text, with headers in quotes at their first include, as clang reads it."""
        text = (str(self.path), "\n".join(self.lines) + "\n")
        return clang.cindex.Index.create().parse(text[0], args=list(flags), unsaved_files=[text])

    def place(self, line: int) -> str:
        """Return where a line stands: in which file, and where in it."""
        return self.places[line - 1] if 0 < line <= len(self.places) else f"{self.path}:{line}"

    def is_own(self, line: int) -> bool:
        """Tell whether a line stands in the kernel's file, and in no header."""
        return self.place(line).startswith(f"{self.path}:")

    @cached_property
    def top(self) -> Node | None:
        """The kernel itself."""
        text = "\n".join(self.lines)
        return next((f for f in reversed(self.functions) if f'extern "C" void {f.spelling}(' in text), None)

    def walk(self, node: Node) -> Iterator[Node]:
        """Yield what stands in a node, of this file."""
        for child in node.get_children():
            file = child.location.file
            if file is None or file.name == str(self.path):
                yield child
                yield from self.walk(child)

    @staticmethod
    def _innermost(line: int, nodes: list[Node]) -> Node | None:
        around = [n for n in nodes if n.extent.start.line < line <= n.extent.end.line]
        return max(around, key=lambda n: n.extent.start.offset, default=None)

    def loop_at(self, line: int) -> Node | None:
        """Return the innermost loop around a line."""
        return self._innermost(line, self.loops)

    def function_at(self, line: int) -> Node | None:
        """Return the innermost function around a line."""
        around = [n for n in self.functions if n.extent.start.line <= line <= n.extent.end.line]
        return max(around, key=lambda n: n.extent.start.offset, default=None)

    def marked(self, name: str) -> Iterator[Pragma]:
        """Yield the pragmas of a name."""
        return (p for p in self.pragmas if p.name == name)

    @cached_property
    def _of_loops(self) -> dict[tuple[int, str], Pragma]:
        placed = ((self.loop_at(p.line), p) for p in self.pragmas)
        return {(at.extent.start.offset, p.name): p for at, p in placed if at is not None}

    def has(self, loop: Node, name: str) -> Pragma | None:
        """Return a loop's pragma of a name."""
        return self._of_loops.get((loop.extent.start.offset, name))

    def refs(self, node: Node) -> list[Node]:
        """Return what an expression names."""
        return [n.referenced for n in (node, *self.walk(node)) if n.kind in REFERENCES and n.referenced]

    def called(self, node: Node) -> set[str]:
        """Return the USRs of all functions that are named in a node."""
        kinds = (Kind.CALL_EXPR, Kind.DECL_REF_EXPR)
        return {n.referenced.get_usr() for n in self.walk(node) if n.kind in kinds and n.referenced}

    @staticmethod
    def text_of(node: Node) -> str:
        """Return an expression's text, without blanks: the name of a channel."""
        return "".join(t.spelling for t in node.get_tokens())

    @cached_property
    def _unrolling(self) -> tuple[set[int], set[str]]:
        """Offsets of loops that HLS unrolls, marked or in a pipelined one; names of variables in pipelined ones."""
        flat = {loop.extent.start.offset for loop in self.loops if self.has(loop, "unroll") is not None}
        busy = [loop for loop in self.loops if self.has(loop, "pipeline") is not None]
        whole = [p for p in self.marked("pipeline") if self.loop_at(p.line) is None]
        busy += [f for p in whole if (f := self.function_at(p.line)) is not None]
        within: set[str] = set()
        done: set[str] = set()
        while busy:
            node = busy.pop()
            for child in self.walk(node):
                if child.kind in LOOPS and self.has(child, "pipeline") is None:
                    flat.add(child.extent.start.offset)
                if child.kind == Kind.VAR_DECL:
                    within.add(child.spelling)
            new = {usr for usr in self.called(node) if usr in self.by_usr} - done
            done |= new
            busy += [self.by_usr[usr] for usr in new]
        return flat, within

    def is_unrolled(self, loop: Node) -> bool:
        """Tell whether HLS unrolls a loop: it is marked, or stands in a pipelined one."""
        return loop.extent.start.offset in self._unrolling[0]

    @property
    def within(self) -> set[str]:
        """Names of variables in pipelined code: HLS partitions arrays there ("Inferring pragma array_partition")."""
        return self._unrolling[1]

    @cached_property
    def _counters(self) -> set[int]:
        """Counters of unrolled loops, by their hashes."""
        inits = (
            next(x.get_children()) for x in self.loops if x.kind == Kind.FOR_STMT and self.is_unrolled(x)
        )
        return {d.hash for init in inits for d in init.get_children() if d.kind == Kind.VAR_DECL}

    def is_constant(self, node: Node) -> bool:
        """Tell whether HLS knows an expression when it unrolls: constants, template arguments, counters of unrolled loops."""
        return all(self._is_known(r) for r in self.refs(node))

    def _is_known(self, r: Node) -> bool:
        if r.kind in DATA:
            if r.hash in self._counters:
                return True
            return (
                r.kind == Kind.VAR_DECL
                and r.type.is_const_qualified()
                and all(self.is_constant(c) for c in r.get_children())
            )
        return r.kind not in (Kind.CXX_METHOD, Kind.CONVERSION_FUNCTION)

    def bound(self, loop: Node) -> Node | None:
        """Return the right side of a `for` loop's test."""
        parts = list(loop.get_children())[:-1]
        test = next((p for p in parts if p.kind == Kind.BINARY_OPERATOR), None)
        return list(test.get_children())[1] if test is not None else None


def streams_in(kind: Any) -> int:
    """Return the dimensions of an array of streams; 0 for one stream, -1 for what is no stream."""
    dimensions, kind = 0, kind.get_canonical()
    if kind.kind == TypeKind.LVALUEREFERENCE:
        kind = kind.get_pointee()
    while kind.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
        kind, dimensions = kind.element_type, dimensions + 1
    return dimensions if re.match(r"(const )?(class )?(hls::)?stream<", kind.spelling) else -1


def marked_for_clang(source: Source) -> str:
    """Return the text with each loop marked, unrolled or not, and a call at each pipeline pragma: what the IR is made of."""
    raw = "\n".join(source.lines).encode()
    for loop in sorted(source.loops, key=lambda n: -n.extent.start.offset):
        word, at = "full" if source.is_unrolled(loop) else "disable", loop.extent.start.offset
        raw = raw[:at] + f'_Pragma("clang loop unroll({word})") '.encode() + raw[at:]
    lines = raw.decode().split("\n")
    for p in source.marked("pipeline"):
        lines[p.line - 1] = f"lint_loop({p.line}, {p.options.get('ii', '1')});"
    return "\n".join(lines)
