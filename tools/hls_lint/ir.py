"""LLVM IR, read as text: the instructions, blocks and natural loops of a function."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

NAME = re.compile(r'%(?:"[^"]+"|[\w.$-]+)')
LABEL = re.compile(r'^("[^"]+"|[\w.$-]+):')
TARGET = re.compile(r"label (%\"[^\"]+\"|%[\w.$-]+)")
INCOMING = re.compile(r"\[ ([^\[\]]+), (%\"[^\"]+\"|%[\w.$-]+) \]")
_POINTER = r"@[\w.$-]+|@\"[^\"]+\"|%\"[^\"]+\"|%[\w.$-]+"


class Op:
    """An instruction."""

    __slots__ = ("args", "block", "line", "name", "op", "text", "width")

    def __init__(self, name: str, text: str, block: str, line: int) -> None:
        self.name, self.text, self.block, self.line = name, text, block, line
        words = text.split()
        self.op = words[1] if words[0] in ("tail", "musttail", "notail") else words[0]
        bits = re.search(r"\bi(\d+)\b", text)
        self.width = int(bits[1]) if bits else 32
        self.args: list[str] = NAME.findall(re.sub(r"!dbg.*", "", text))

    @property
    def bare(self) -> str:
        """The text without what belongs to debuggers."""
        return self.text.split(", !dbg")[0]

    @property
    def incoming(self) -> list[tuple[str, str]]:
        """Of a phi: values, and the blocks that they come from."""
        return [(value.strip(), block) for value, block in INCOMING.findall(self.text)]

    @property
    def pointer(self) -> str:
        """Where a load reads and a store writes."""
        text = self.text[self.text.find(",") :] if self.op in ("load", "store") else self.text
        found = re.search(rf"\* ({_POINTER}|getelementptr inbounds \(.*?\))(?:, align|,|$| )", text)
        return found[1] if found else ""

    def accesses(self) -> Iterator[tuple[str, str]]:
        """Yield what of memory it touches, ("load" or "store", pointer); copies of structs do both."""
        if self.op in ("load", "store"):
            yield self.op, self.pointer
        elif self.op == "call" and "@llvm.memcpy" in self.text:
            ends = re.findall(
                r"i8\* (?:\w+(?:\(\d+\))? |align \d+ )*"
                r"(%\"[^\"]+\"|%[\w.$-]+|@[\w.$-]+|(?:bitcast|getelementptr)[^(]*\(.*?\)(?=, ))",
                self.text,
            )
            yield from zip(("store", "load"), ends, strict=False)


class Function:
    """Blocks, instructions by name, and loops of one function."""

    def __init__(self, lines: Sequence[str], places: Mapping[str, int]) -> None:
        self.ops: dict[str, list[Op]] = {"%entry": []}
        self.defs: dict[str, Op] = {}
        self._read(lines, places)
        self.next = {b: TARGET.findall(ops[-1].text) if ops else [] for b, ops in self.ops.items()}
        self.before: defaultdict[str, list[str]] = defaultdict(list)
        for b, after in self.next.items():
            for a in after:
                self.before[a].append(b)

    def _read(self, lines: Sequence[str], places: Mapping[str, int]) -> None:
        block, text = "%entry", ""
        for raw in lines:
            if label := LABEL.match(raw):
                block = "%" + label[1]
                self.ops[block] = []
                continue
            text = (text + raw.split(" ; ")[0].strip() + " ").lstrip()
            if text.strip() and text.count("[") <= text.count("]"):  # a switch goes over several lines
                self._add(text, block, places)
                text = ""

    def _add(self, text: str, block: str, places: Mapping[str, int]) -> None:
        if "llvm.dbg" in text or "llvm.lifetime" in text:
            return
        named = re.match(r"(%\S+) = (.*)", text)
        place = re.search(r"!dbg !(\d+)", text)
        line = places.get(place[1], 0) if place else 0
        op = Op(named[1] if named else "", named[2] if named else text.strip(), block, line)
        self.ops[block].append(op)
        if op.name:
            self.defs[op.name] = op

    @cached_property
    def order(self) -> list[str]:
        """Blocks that are reached, each before those that only it leads to."""
        first = next(iter(self.ops))
        done, seen, stack = [], {first}, [(first, iter(self.next[first]))]
        while stack:
            block, rest = stack[-1]
            after = next((a for a in rest if a not in seen and a in self.next), None)
            if after is None:
                done.append(block)
                stack.pop()
            else:
                seen.add(after)
                stack.append((after, iter(self.next[after])))
        return done[::-1]

    @cached_property
    def number(self) -> dict[str, int]:
        """The place of each block in that order."""
        return {b: i for i, b in enumerate(self.order)}

    @cached_property
    def dominator(self) -> dict[str, str]:
        """The immediate dominator of each block (Cooper, Harvey, Kennedy)."""
        number = self.number
        found = {self.order[0]: self.order[0]}
        changed = True
        while changed:
            changed = False
            for b in self.order[1:]:
                new = None
                for p in (p for p in self.before[b] if p in found):
                    new = p if new is None else _meet(p, new, found, number)
                if new is not None and found.get(b) != new:
                    found[b], changed = new, True
        return found

    def _dominates(self, head: str, block: str) -> bool:
        while block != head and self.dominator[block] != block:
            block = self.dominator[block]
        return block == head

    @cached_property
    def loops(self) -> dict[str, set[str]]:
        """Natural loops: the blocks of each by its head."""
        found: dict[str, set[str]] = {}
        for b in self.order:
            for head in self.next[b]:
                if self.number.get(head, len(self.number)) <= self.number[b] and self._dominates(head, b):
                    found.setdefault(head, {head}).update(self._body(head, b))
        return found

    def _body(self, head: str, last: str) -> set[str]:
        body, todo = {head}, [last]
        while todo:
            block = todo.pop()
            if block not in body:
                body.add(block)
                todo += self.before[block]
        return body

    def exits(self, body: set[str]) -> list[str]:
        """Return the blocks of a loop that can leave it; none where it is endless."""
        return [b for b in body if any(n not in body for n in self.next[b])]

    def base(self, pointer: str) -> tuple[str, list[str]]:
        """Return the array behind a pointer, and the indices into it."""
        indices: list[str] = []
        op = self.defs.get(pointer)
        while op is not None and op.op in ("getelementptr", "bitcast"):
            if op.op == "getelementptr":
                tail = re.sub(r"!dbg.*|, !.*", "", op.text)
                found = re.findall(r", i(?:64|32) (%[\w.$-]+|%\"[^\"]+\"|-?\d+)", tail)
                indices = found + indices[1:] if indices and found else found or indices
            inner = re.search(rf"\* (?:nonnull )?({_POINTER})", op.text)
            pointer = inner[1] if inner else pointer
            op = self.defs.get(pointer) if inner else None
        if named := re.search(r"getelementptr inbounds \(.*?(@[\w.$]+)", pointer):
            pointer = named[1]
        return pointer, indices[1:]


def _meet(a: str, b: str, dominator: Mapping[str, str], number: Mapping[str, int]) -> str:
    while a != b:
        while number[a] > number[b]:
            a = dominator[a]
        while number[b] > number[a]:
            b = dominator[b]
    return a


def functions(text: str) -> Iterator[Function]:
    """Yield the functions of a module."""
    places = {m[1]: int(m[2]) for m in re.finditer(r"^!(\d+) = !DILocation\(line: (\d+)", text, re.M)}
    for m in re.finditer(r"^define [^\n]*?@(?:\"[^\"]+\"|[\w.$-]+)\([^\n]*\{\n(.*?)^\}", text, re.M | re.S):
        yield Function(m[1].split("\n"), places)
