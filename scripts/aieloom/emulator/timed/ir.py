"""LLVM's text of one function as blocks of instructions, with what is needed to schedule them.

An instruction keeps the values that it reads and the place in the source that it comes from. Values are names of the
text (`%12`), which its own function alone knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from aieloom.emulator.timed.module import Definition, Module, closing, split_list

_LABEL = re.compile(r"^([\w.$-]+):")
_DEST = re.compile(r"^  (%[\w.$-]+) = (.*)$")
_VALUE = re.compile(r'%[\w.$-]+(?![\w.$-]|")')
_DBG = re.compile(r", !dbg !(\d+)")
_TYPE_NAME = re.compile(r'%"[^"]*"|%(?:struct|class|union)\.[\w.:]+')
_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 128, "ptr": 64}


@dataclass(slots=True)
class Instruction:
    """One line of a block: what it defines, its opcode, the rest of the text, and the values in it."""

    dest: str
    opcode: str
    text: str
    values: tuple[str, ...]
    debug: str = ""
    line: int = -1  # of the body's lines

    @property
    def callee(self) -> str:
        """The name of the function that is called; empty when this is no call of a known one."""
        found = re.search(r'@("[^"]*"|[\w.$-]+)\(', self.text) if self.opcode == "call" else None
        return found[1] if found else ""

    @property
    def arguments(self) -> list[str]:
        """The arguments of a call, each with type and attributes."""
        begin = self.text.index("(", self.text.index(f"@{self.callee}"))
        return split_list(self.text[begin + 1 : closing(self.text, begin)])


@dataclass(slots=True)
class Block:
    """A basic block: phis by their values from each predecessor, instructions, where it goes."""

    label: str
    phis: dict[str, dict[str, str]] = field(default_factory=dict)
    instructions: list[Instruction] = field(default_factory=list)
    successors: tuple[str, ...] = ()
    condition: str = ""  # the value a branch depends on
    loop: str = ""  # the loop's metadata node, on its latch
    predecessors: list[str] = field(default_factory=list)
    first_line: int = 0  # of the body's lines: the label's, or -1 of the entry


@dataclass(slots=True)
class Function:
    """A function: its blocks in the text's order, the first is the entry."""

    name: str
    definition: Definition
    blocks: dict[str, Block]
    parameters: tuple[str, ...]


def parse_function(definition: Definition) -> Function:
    """Read a definition's body."""
    parameters = [re.search(r"(%[\w.$-]+)$", p) for p in split_list(definition.parameters)]
    names = tuple(p[1] for p in parameters if p)
    lines = _joined(definition.body)
    block = Block(str(len(names)), first_line=-1)
    blocks = {} if lines and _LABEL.match(lines[0][1]) else {block.label: block}
    for i, line in lines:
        label = _LABEL.match(line)
        if label:
            block = Block(label[1], first_line=i)
            blocks[block.label] = block
        elif line.strip() and not line.lstrip().startswith(";"):
            _read(line, i, block)
    for b in blocks.values():
        for s in b.successors:
            blocks[s].predecessors.append(b.label)
    return Function(definition.name, definition, blocks, names)


def _joined(body: tuple[str, ...]) -> list[tuple[int, str]]:
    """Return the lines; a switch stands on several."""
    found: list[tuple[int, str]] = []
    for i, line in enumerate(body):
        if found and found[-1][1].lstrip().startswith("switch ") and "]" not in found[-1][1]:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        else:
            found.append((i, line))
    return found


def _read(line: str, at: int, block: Block) -> None:
    defined = _DEST.match(line)
    dest, text = (defined[1], defined[2]) if defined else ("", line.strip())
    for prefix in ("tail ", "musttail ", "notail "):
        text = text.removeprefix(prefix)
    opcode = text.split(None, 1)[0]
    debug = _DBG.search(text)
    plain = _TYPE_NAME.sub("", text.split(", !", 1)[0])
    if opcode == "phi":
        pairs = re.findall(r"\[ ([^,\]]+), %([\w.$-]+) \]", text)
        block.phis[dest] = {label: value for value, label in pairs}
    elif opcode in {"br", "switch", "ret", "unreachable", "indirectbr", "resume"}:
        _end(block, opcode, text, plain)
    else:
        values = tuple(_VALUE.findall(plain))
        block.instructions.append(Instruction(dest, opcode, text, values, debug[1] if debug else "", at))


def _end(block: Block, opcode: str, text: str, plain: str) -> None:
    block.successors = tuple(dict.fromkeys(re.findall(r"label %([\w.$-]+)", text)))
    loop = re.search(r"!llvm\.loop !(\d+)", text)
    block.loop = loop[1] if loop else ""
    values = [v for v in _VALUE.findall(plain.replace("label %", "label ")) if v]
    block.condition = values[0] if values and opcode in {"br", "switch"} else ""


class Types:
    """Sizes of a module's types, in bytes, as x86-64 lays them out; both sides of a design are compiled with that."""

    def __init__(self, module_text: str) -> None:
        self._named = dict(re.findall(r'^(%"[^"]*"|%[\w.:]+) = type (.*)$', module_text, re.MULTILINE))
        self._known: dict[str, tuple[int, int]] = {}

    def size(self, text: str) -> int:
        """Return a type's size."""
        return self._layout(text.strip())[0]

    def _layout(self, text: str) -> tuple[int, int]:
        if text not in self._known:
            self._known[text] = self._find(text)
        return self._known[text]

    def _find(self, text: str) -> tuple[int, int]:
        if text.endswith("*"):
            return 8, 8
        if text in self._named:
            return self._layout(self._named[text])
        whole = re.fullmatch(r"i(\d+)", text)
        bits = int(whole[1]) if whole else _BITS.get(text, 0)
        if bits:
            size = 1 << max(0, (bits - 1) // 8).bit_length()
            return size, min(size, 16)
        many = re.fullmatch(r"([\[<])(\d+) x (.*)[\]>]", text)
        if many:
            size, align = self._layout(many[3])
            return size * int(many[2]), align if many[1] == "[" else size * int(many[2])
        return self._struct(text)

    def _struct(self, text: str) -> tuple[int, int]:
        if not text.strip("<>").strip().startswith("{"):
            return 0, 1
        end, most = 0, 1
        for offset, align, member in self._members(text):
            end, most = offset + self.size(member), max(most, align)
        return -(-end // most) * most, most

    def _members(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield the members of a structure with their offsets and alignments."""
        packed, end = text.startswith("<{"), 0
        for member in split_list(text.strip("<>").strip()[1:-1]):
            size, align = self._layout(member)
            align = 1 if packed else align
            offset = -(-end // align) * align
            yield offset, align, member
            end = offset + size

    def element(self, text: str) -> str:
        """Return the number of which a type consists: the first in it."""
        text = self._named.get(text.strip(), text.strip())
        many = re.fullmatch(r"[\[<](\d+) x (.*)[\]>]", text)
        if many:
            return self.element(many[2])
        members = split_list(text.strip("<>").strip()[1:-1]) if text.strip("<").startswith("{") else []
        return self.element(members[0]) if members else text

    def step(self, text: str, index: int | None) -> tuple[int, str]:
        """Return the offset of an element of an aggregate, and the element's type."""
        text = self._named.get(text, text)
        many = re.fullmatch(r"[\[<](\d+) x (.*)[\]>]", text)
        if many:
            return (index or 0) * self.size(many[2]), many[2]
        found = next(islice(self._members(text), index or 0, None), None)
        return (found[0], found[2]) if found else (0, "i8")


class Places:
    """Where the instructions of a module come from: the line of the innermost function that stands in a user's file."""

    def __init__(self, module: Module, own: str) -> None:
        self._nodes = module.nodes
        self._own = own
        self._line = cache(self._find)

    def line(self, debug: str) -> int:
        """Return the line in the source; 0 when there is none."""
        return self._line(debug) if debug else 0

    def _find(self, debug: str) -> int:
        node = self._nodes.get(debug, "")
        line, scope = re.search(r"\bline: (\d+)", node), re.search(r"\bscope: !(\d+)", node)
        inlined = re.search(r"inlinedAt: !(\d+)", node)
        if line and scope and self._is_users(scope[1]):
            return int(line[1])
        return self._find(inlined[1]) if inlined else 0

    def _is_users(self, scope: str) -> bool:
        file = re.search(r"\bfile: !(\d+)", self._nodes.get(scope, ""))
        name = re.search(r'filename: "([^"]*)"', self._nodes.get(file[1], "")) if file else None
        return bool(name) and not name[1].startswith((self._own, "/usr/"))  # type: ignore[index]
