"""The objects behind pointers: which window, array or place on the stack an address is in, and how far.

An iterator of the API walks over the object that it began in, and a buffer's data() points into the buffer; an iterator of
`begin_restrict_...` walks over an object that nothing else reaches, and so does a parameter that is `__restrict`, as the word
says [UG1529, Memory].
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from aieloom.emulator.timed.ir import Function, Instruction, Types
from aieloom.emulator.timed.module import split_list

_RESTRICTED = re.compile(r"^_ZN3aie\d+c?begin_restrict_")
_BEGINS = re.compile(r"^_ZN3aie\d+(?:c?begin|store_)")  # store_v gives its pointer back
OBJECT = "aieloom_object_"  # functions that a restricted parameter goes through, where what it is of is inlined (lower.py)
_DATA = re.compile(r"^_ZNK?3adf\d+io_buffer\w*?4dataEv$")
_ITERATES = re.compile(r"^_ZNK?3aie\d+\w*iterator")
_STEPS = re.compile(r"^_ZN3aie(?:pl|mi)E\w*iterator")  # `it + n` is an iterator of the same object


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where a pointer points: the object, and the offset when it is a number."""

    base: str
    offset: int | None


class Pointers:
    """The objects behind a function's pointers."""

    def __init__(self, function: Function, types: Types) -> None:
        self._types = types
        self._of = {i.dest: i for b in function.blocks.values() for i in b.instructions if i.dest}
        self._phis = {d: v for b in function.blocks.values() for d, v in b.phis.items()}
        self._known: dict[str, Pointer] = {}
        self.slots = {i.dest for i in self._of.values() if i.opcode == "alloca"}
        self.restricted = frozenset(
            p.split()[-1] for p in split_list(function.definition.parameters) if "noalias" in p
        ) | {d for d, i in self._of.items() if _RESTRICTED.match(i.callee) or i.callee.startswith(OBJECT)}
        self._windows = frozenset(
            p.split()[-1] for p in split_list(function.definition.parameters) if '"class.adf::io_' in p
        )
        self._stored = [
            i.values
            for b in function.blocks.values()
            for i in b.instructions
            if i.opcode == "store" and len(i.values) == 2
        ]
        self.parameters = frozenset(function.parameters)

    def definition(self, value: str) -> Instruction | None:
        """Return the instruction that defines a value; none for parameters, phis and globals."""
        return self._of.get(value)

    def home(self, base: str) -> str:
        """Return the object behind the names that it has as restricted parameters of functions that stand inside."""
        made = self._of.get(base)
        while made and made.callee.startswith(OBJECT):
            place = operand_pointer(made.arguments[0])
            base = self.find(place).base if place.startswith("%") else place
            made = self._of.get(base)
        return base

    def find(self, value: str) -> Pointer:
        """Return what a pointer value points to."""
        if value not in self._known:
            self._known[value] = Pointer(value, None)  # of a circle of phis
            self._known[value] = self._find(value)
        return self._known[value]

    def _find(self, value: str) -> Pointer:
        made = self._of.get(value)
        if made is None:
            bases = self._roots(value) if value in self._phis else set()
            return Pointer(bases.pop(), None) if len(bases) == 1 else Pointer(value, 0)
        if made.opcode in {"bitcast", "addrspacecast"} and made.values:
            return self.find(made.values[0])
        if made.opcode == "getelementptr":
            return self._element(made)
        if made.opcode == "load" and made.values:
            return self._member(value, made)
        if made.opcode == "select" and len(made.values) == 3:
            bases = {self.find(v).base for v in made.values[1:]}
            return Pointer(bases.pop(), None) if len(bases) == 1 else Pointer(value, 0)
        return (self._walked(made) if made.opcode == "call" else None) or Pointer(
            value, 0
        )  # a place on the stack is itself

    def _roots(self, phi: str) -> set[str]:
        """Return the objects that a pointer comes from through the phis of nested loops and the steps between them."""
        seen, todo, found = {phi}, list(self._phis[phi].values()), set[str]()
        while todo:
            value = todo.pop()
            while (
                (made := self._of.get(value)) and made.opcode in {"getelementptr", "bitcast"} and made.values
            ):
                value = made.values[0]
            if value in self._phis:
                todo += self._phis[value].values() if value not in seen else ()
                seen.add(value)
            else:
                found.add(self.find(value).base)
        return found

    def _member(self, value: str, made: Instruction) -> Pointer:
        """Return what a pointer among an object's members points to: as often as it is loaded, the same."""
        at = self.find(made.values[-1])
        if at.base in self._windows:
            return Pointer(at.base, None)  # into its buffer: `(v8float*)in->ptr`
        if at.base in self.slots and (bases := self._put_into(at.base) - {value}):
            return Pointer(bases.pop(), None) if len(bases) == 1 else Pointer(value, 0)
        known = at.base in self.parameters and at.offset is not None
        return Pointer(f"*{at.base}+{at.offset}" if known else value, 0)

    def _walked(self, made: Instruction) -> Pointer | None:
        """Return the object that an iterator which begins, or gives an element, walks over; none where that is not told."""
        begins = _BEGINS.match(made.callee) or _DATA.match(made.callee)
        iterates, steps = _ITERATES.match(made.callee), _STEPS.match(made.callee)
        if not (begins or iterates or steps) or _RESTRICTED.match(made.callee):
            return None
        place = self.find(operand_pointer(made.arguments[0]))
        if begins or steps:
            return Pointer(place.base, None)
        bases = self._put_into(place.base) - {made.dest}
        return Pointer(bases.pop(), None) if len(bases) == 1 else None

    def _put_into(self, slot: str) -> set[str]:
        """Return the objects of the pointers that are stored in a place."""
        return {self.find(value).base for value, to in self._stored if self.find(to).base == slot}

    def _element(self, made: Instruction) -> Pointer:
        parts = split_list(
            made.text.removeprefix("getelementptr").removeprefix(" inbounds").split(", !dbg")[0]
        )
        pointer = re.search(r"(%[\w.$-]+|@[\w.$\"-]+)$", parts[1])
        start = (
            self.find(pointer[1])
            if pointer and pointer[1].startswith("%")
            else Pointer(pointer[1] if pointer else "", 0)
        )
        offset, of = start.offset, parts[0]
        for i, part in enumerate(parts[2:]):
            number = re.search(r" (-?\d+)$", part)
            if i == 0:
                offset = (
                    offset + int(number[1]) * self._types.size(of) if number and offset is not None else None
                )
                continue
            step, of = self._types.step(of, int(number[1]) if number else None)
            offset = offset + step if number and offset is not None else None
        return Pointer(start.base, offset)


def operand_pointer(text: str) -> str:
    """Return the value or global that an argument names."""
    found = re.search(r'(%[\w.$-]+|@[\w.$-]+|@"[^"]*")(?:[ ,)]*)$', text)
    inner = re.search(r"@[\w.$-]+", text) if "getelementptr" in text or "bitcast" in text else None
    return inner[0] if inner else found[1] if found else ""
