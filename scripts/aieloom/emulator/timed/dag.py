"""Operations of a block with what each waits for: values, places on the stack that stand for registers, and memory.

Vectors live in the text's stack slots, because operations take them by address: a slot is a register here, and a copy from
slot to slot is a name. Copies between a slot and other memory are loads and stores.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from aieloom.cost.machine import FLOAT_PRODUCTS, split_macs
from aieloom.emulator.timed.ir import Block, Function, Instruction, Types
from aieloom.emulator.timed.module import split_list
from aieloom.emulator.timed.operations import Operand, Operation, Operations
from aieloom.emulator.timed.pointers import OBJECT, Pointer, Pointers, operand_pointer
from aieloom.schedule.machine import Machine, Op, shorten

_FREE = {
    "bitcast",
    "ptrtoint",
    "inttoptr",
    "freeze",
    "zext",
    "sext",
    "trunc",
    "alloca",
    "fence",
    "extractvalue",
    "insertvalue",
    "addrspacecast",
}
_ALU = {"add", "sub", "and", "or", "xor", "shl", "lshr", "ashr", "icmp", "select"}
_FLOAT_COMPARE = {"fcmp", "fptosi", "fptoui", "sitofp", "uitofp", "fpext", "fptrunc", "fneg"}
_SUMS = {"fadd", "fsub", "fmul"}
_IGNORED = re.compile(
    r"@llvm\.(lifetime|dbg|assume|experimental\.noalias|invariant|prefetch|stack|donothing|annotation|var\.annotation)|@aieloom_|@__assert_fail|@(?:printf|puts|putchar|sprintf|fprintf)\("
)
_VALUE_TYPE = re.compile(r'class\.aie::(vector|accum|mask)[.\d]*"?$|^(float|i\d+|double)$|Lanes')
_MINMAX = re.compile(
    r"@llvm\.(s|u)?(min|max|abs|ctlz|cttz|fshl|fshr|usub|uadd|bswap|ctpop)|@llvm\.(minnum|maxnum|fabs|copysign)"
)
_MODE = re.compile(r"(^|::)(set_(rounding|saturation|rnd|sat|round)|clr_(sat|rnd))$")
_SCALAR_BYTES, _WORD_BYTES = 8, 4
_FLAGS = (
    "nuw|nsw|exact|fast|contract|nnan|ninf|nsz|arcp|afn|reassoc|volatile|noundef|zeroext|signext|inbounds"
)
_TYPE = re.compile(rf"^(?:[a-z]+ )?(?:(?:{_FLAGS}) )*(.*)$")


def _type_of(i: Instruction) -> str:
    """Return the type of what an instruction defines, as far as it takes a register: of numbers."""
    text = i.text.split(", !")[0]
    if i.opcode in {"icmp", "fcmp"}:
        return "i1"
    if i.opcode == "select":
        return split_list(text)[1].split(" ", 1)[0]
    if " to " in text and i.opcode != "call":
        return text.rpartition(" to ")[2]
    found = _TYPE.match(text)
    rest = found[1] if found else ""
    return split_list(rest)[0] if i.opcode == "load" else rest.split(" ", 1)[0]


class Builder:
    """Makes the operations of a function's blocks."""

    def __init__(self, function: Function, types: Types, operations: Operations, machine: Machine) -> None:
        self.function, self._types, self._operations, self._m = function, types, operations, machine
        self.pointers = Pointers(function, types)
        self._users: dict[str, list[Instruction]] = {}
        for b in function.blocks.values():
            for i in b.instructions:
                for v in i.values:
                    self._users.setdefault(v, []).append(i)
        self._conditions = {b.condition for b in function.blocks.values()}
        self.unknown: set[str] = set()

    def build(self, blocks: Sequence[Block], *, is_run: bool = False) -> list[Op]:
        """Return the operations of blocks in order, as one iteration of the loop that they are, or as a run from end to end."""
        run = _Run(self, blocks, is_run=is_run)
        for block in blocks:
            for instruction in block.instructions:
                run.add(instruction)
        return run.finish()

    def is_address(self, instruction: Instruction, seen: frozenset[str] = frozenset()) -> bool:
        """Whether all that an integer is used for is addresses, or the loop's own counting."""
        if instruction.dest in seen:
            return True
        users = self._users.get(instruction.dest, [])
        phis = [
            d
            for b in self.function.blocks.values()
            for d, vs in b.phis.items()
            if instruction.dest in vs.values()
        ]
        if instruction.dest in self._conditions:
            return True
        chains = seen | {instruction.dest}
        for user in users:
            if user.opcode in {"getelementptr", "inttoptr"} or (
                user.opcode == "icmp" and user.dest in self._conditions
            ):
                continue
            if user.opcode in _ALU | {"zext", "sext", "trunc", "mul"} and self.is_address(user, chains):
                continue
            return False
        for d in phis:
            phi = Instruction(d, "phi", "", ())
            if not self.is_address(phi, chains):
                return False
        return bool(users or phis)

    def register(self, type_text: str) -> tuple[tuple[str, int], ...]:
        """Return the file and the bits that a value of a type takes; nothing for what is no number."""
        text, size = type_text.strip(), self._types.size(type_text)
        if text.endswith("*") or not size:
            return ()
        if "class.aie::accum" in text or "class.aie::mmul" in text:
            element = self._types.element(text)
            lanes = size // max(1, self._types.size(element))
            if "class.aie::mmul" in text:  # a power of two of them, and what says whether there is a sum yet
                lanes = 1 << (lanes.bit_length() - 1)
            bits = self._m.lane_bits.get(element, 32)
            return ((self._m.float_sums if element == "float" else "accumulator", lanes * bits),)
        if "class.aie::vector" in text or "Lanes" in text or "<" in text:
            return (("vector", 8 * size),)
        return (("scalar", 32 * max(1, size // 4)),) if size <= 8 else ()

    def element(self, type_text: str) -> str:
        """Return what the vectors of a type are of."""
        return self._types.element(type_text)

    def slot_register(self, base: str) -> tuple[tuple[str, int], ...]:
        """Return the same of a place on the stack."""
        made = self.pointers.definition(base)
        return self.register(split_list(made.text.removeprefix("alloca "))[0]) if made else ()

    def place(self, text: str) -> Pointer:
        """Return where an argument points."""
        value = operand_pointer(text)
        return self.pointers.find(value) if value.startswith("%") else Pointer(value, 0)

    def is_slot(self, pointer: Pointer) -> bool:
        """Whether it is a place on the stack."""
        return pointer.base in self.pointers.slots


@dataclass(frozen=True, slots=True)
class _Write:
    begin: int
    end: int
    producer: int  # -1: defined before this run


def _covers(written: Sequence[_Write], begin: int, end: int) -> bool:
    """Whether what was written, all together, fills a place: values of 16 bytes come in two halves."""
    for w in sorted(written, key=lambda w: w.begin):
        if w.begin > begin:
            break
        begin = max(begin, w.end)
    return begin >= end


def _sets_mode(op: Op) -> bool:
    return bool(_MODE.search(op.name))


def _moves_data(o: Operation) -> bool:
    return o.unit in {"load", "store", "stream"}


class _Run:
    """One pass over a run of blocks."""

    def __init__(self, builder: Builder, blocks: Sequence[Block], *, is_run: bool) -> None:
        self.b, self.blocks, self.is_run = builder, blocks, is_run
        self.m, self.ops = builder._m, list[Op]()
        self.values: dict[str, set[int]] = {}  # what a value waits for
        self.slots: dict[str, list[_Write]] = {}
        self.early: list[tuple[int, str, int, int, bool]] = []  # reads of slots before any write in this run
        self.late: list[tuple[int, str, bool]] = []  # uses of phis
        self.modes = list[
            int
        ]()  # what sets rounding and saturation, and conversions, which read them, in order
        self.parts = dict[tuple[str, frozenset[int]], int]()  # operands of float32 that were taken apart
        self.phis = {d: v for b in blocks for d, v in b.phis.items()}
        self.labels = {b.label for b in blocks}

    # ---- reading and writing ----
    def _wait(self, op: int, value: str, *, accumulates: bool = False) -> None:
        if value in self.phis:
            inside = [v for label, v in self.phis[value].items() if label in self.labels and label != ""]
            self.ops[op].varies = self.ops[op].varies or any(v != value for v in inside)
            for v in inside:
                self.late.append((op, v, accumulates))
                if self.is_run:  # what comes from a block before
                    for producer in self.values.get(v, ()):
                        self._edge(producer, self.ops[op].inputs, accumulates=accumulates)
        for producer in self.values.get(value, ()):
            self._edge(producer, self.ops[op].inputs, accumulates=accumulates)
        if value not in self.values and value not in self.phis:
            self.ops[op].read_outside(value, self._outside(value))

    def _outside(self, value: str) -> tuple[tuple[str, int], ...]:
        """Return the register of a number that was defined before the run; addresses go by their objects."""
        made = self.b.pointers.definition(value)
        if made is None or made.opcode not in _ALU | _SUMS | _FLOAT_COMPARE | {
            "load",
            "call",
            "mul",
            "zext",
            "sext",
            "trunc",
        }:
            return ()
        found = self.b.register(_type_of(made))
        return found if found and found[0][0] != "pointer" else ()

    def _edge(self, producer: int, into: dict[int, int], *, accumulates: bool) -> None:
        p = self.ops[producer]
        cycles = p.accumulate if accumulates and p.accumulate else p.latency + p.slots - 1
        into[producer] = max(into.get(producer, 0), cycles)

    def _range(self, pointer: Pointer, size: int) -> tuple[int, int]:
        return (0, 1 << 30) if pointer.offset is None else (pointer.offset, pointer.offset + max(size, 1))

    def _read_slot(self, op: int, pointer: Pointer, size: int, *, accumulates: bool = False) -> None:
        begin, end = self._range(pointer, size)
        written = [w for w in self.slots.get(pointer.base, []) if w.begin < end and begin < w.end]
        for w in written:
            if w.producer >= 0:
                self._edge(w.producer, self.ops[op].inputs, accumulates=accumulates)
        if not _covers(written, begin, end):
            self.early.append((op, pointer.base, begin, end, accumulates))

    def _write_slot(self, pointer: Pointer, size: int, producers: set[int]) -> None:
        begin, end = self._range(pointer, size)
        kept = [
            w
            for w in self.slots.get(pointer.base, [])
            if pointer.offset is None or not (begin <= w.begin and w.end <= end)
        ]
        self.slots[pointer.base] = [*kept, *(_Write(begin, end, p) for p in producers or {-1})]

    def _slot_producers(self, pointer: Pointer, size: int) -> set[int]:
        begin, end = self._range(pointer, size)
        return {
            w.producer
            for w in self.slots.get(pointer.base, [])
            if w.begin < end and begin < w.end and w.producer >= 0
        }

    def _new(
        self, i: Instruction, name: str, unit: str, kind: str, *, slots: int = 1, latency: int | None = None
    ) -> int:
        op = Op(name, unit, slots, self.m.latency[kind] if latency is None else latency, i.debug, kind)
        op.line = i.line
        if i.opcode not in {"store", "call"}:
            op.results = self.b.register(_type_of(i))
        self.ops.append(op)
        return len(self.ops) - 1

    def _simple(self, i: Instruction, unit: str, kind: str, *, slots: int = 1, accumulate: int = 0) -> int:
        n = self._new(i, i.opcode, unit, kind, slots=slots)
        self.ops[n].accumulate = accumulate
        for v in i.values:
            self._wait(n, v, accumulates=bool(accumulate))
        self.values[i.dest] = {n}
        return n

    # ---- instructions ----
    def add(self, i: Instruction) -> None:
        """Add an instruction's operations."""
        if i.opcode == "call":
            self._call(i)
        elif i.opcode in {"load", "store"}:
            self._access(i)
        elif i.opcode in _FREE or i.opcode == "getelementptr":
            self._pass(i)
        elif i.opcode in _ALU | {"mul"}:
            self._integer(i)
        elif i.opcode in _SUMS:
            self._simple(
                i, "vector", "mac", accumulate=0 if i.opcode == "fmul" else self.m.latency["accumulate_float"]
            )
        elif i.opcode in _FLOAT_COMPARE:
            self._simple(i, "scalar", "scalar_float")
        elif i.opcode in {"sdiv", "udiv", "srem", "urem", "fdiv", "frem"}:
            self._divide(i)
        else:
            self._pass(i)

    def _divide(self, i: Instruction) -> None:
        kind = "nonlinear" if i.opcode == "fdiv" else "divide"
        self._simple(i, "scalar", kind, slots=self.m.slots.get(kind, 1))

    def _pass(self, i: Instruction) -> None:
        """A name for what it reads: no operation."""
        found: set[int] = set()
        for v in i.values:
            found |= self.values.get(v, set())
            if v in self.phis and i.dest not in self.phis:
                self.phis[i.dest] = self.phis[v]
        self.values[i.dest] = found

    def _integer(self, i: Instruction) -> None:
        if self.b.is_address(i):
            n = self._simple(i, "address", "address")
            self.ops[n].only_addresses = True
        else:
            self._simple(i, "scalar", "scalar_multiply" if i.opcode == "mul" else "scalar")

    def _access(self, i: Instruction) -> None:
        parts = split_list(i.text.split(", !")[0])
        pointer = self.b.place(next(p for p in parts[::-1] if "*" in p and not p.startswith("align")))
        of = parts[0].removeprefix(i.opcode).removeprefix(" volatile").strip()
        size = self.b._types.size(of.rsplit(" ", 1)[0] if i.opcode == "store" else of)
        if i.opcode == "load":
            if self.b.is_slot(pointer):
                self.values[i.dest] = self._held(i, pointer, size)
            else:
                loaded = self._load(i, pointer, size)
                self.ops[loaded].is_pointer = of.endswith("*")
                self.values[i.dest] = {loaded}
            return
        stored = self.values.get(parts[0].rsplit(" ", 1)[1], set())
        if self.b.is_slot(pointer):
            self._write_slot(pointer, size, stored)
        else:
            self._store(i, pointer, size, stored)

    def _held(self, i: Instruction, pointer: Pointer, size: int) -> set[int]:
        """Return what makes the value that a slot holds."""
        producers = self._slot_producers(pointer, size)
        begin, end = self._range(pointer, size)
        if not _covers(self.slots.get(pointer.base, []), begin, end):
            # The value of the iteration before: known when the run is complete.
            n = self._new(i, "name", "none", "address", latency=0)
            self.early.append((n, pointer.base, begin, end, False))
            producers.add(n)
        return producers

    def _load(self, i: Instruction, pointer: Pointer, size: int, name: str = "load") -> int:
        n = self._new(i, name, "load", "load", slots=max(1, -(-size // self.m.vector_bytes)))
        op = self.ops[n]
        if i.opcode == "call":  # a vector, or the operand of an operation
            op.results = (("vector", 8 * size),) if size > _SCALAR_BYTES else (("scalar", 32),)
        op.base, op.offset, op.size, op.is_load = pointer.base, pointer.offset, size, True
        for v in i.values:
            self._wait(n, v)
        return n

    def _store(
        self, i: Instruction, pointer: Pointer, size: int, stored: set[int], name: str = "store"
    ) -> None:
        slots = self.m.slots["part_store"] if size < _WORD_BYTES else max(1, -(-size // self.m.vector_bytes))
        n = self._new(i, name, "store", "store", slots=slots)
        op = self.ops[n]
        op.results = ()
        op.base, op.offset, op.size, op.is_store = pointer.base, pointer.offset, size, True
        for v in i.values:
            self._wait(n, v)
        for p in stored:
            self._edge(p, op.inputs, accumulates=False)

    def _call(self, i: Instruction) -> None:
        name = i.callee
        if name.startswith(OBJECT):
            self._pass(i)
            return
        if _IGNORED.search(i.text):
            return
        if "@llvm.mem" in i.text:
            self._copy(i)
        elif name in self.b._operations:
            self._operation(i, self.b._operations[name])
        elif _MINMAX.search(i.text):
            self._simple(i, "scalar", "scalar")
        elif "@llvm.fmuladd" in i.text or "@llvm.fma." in i.text:
            self._simple(i, "vector", "mac", accumulate=self.m.latency["accumulate_float"])
        else:
            self._routine(i, name)

    def _routine(self, i: Instruction, name: str) -> None:
        if name.startswith("_Z"):  # of the user's own, which is counted where it stands
            self._simple(i, "scalar", "scalar", slots=self.m.call)
        elif "sqrt" in name:
            self._simple(i, "scalar", "nonlinear")
        else:
            self.b.unknown.add(name)
            self._simple(i, "scalar", "routine", slots=self.m.slots["routine"])

    def _copy(self, i: Instruction) -> None:
        arguments = i.arguments
        number = re.search(r"(\d+)$", arguments[2])
        size = int(number[1]) if number else self.m.vector_bytes
        target, is_set = self.b.place(arguments[0]), "@llvm.memset" in i.text
        source = None if is_set else self.b.place(arguments[1])
        producers: set[int] = set()
        if source is not None and self.b.is_slot(source):
            producers = self._held(i, source, size)
        elif source is not None:
            producers = {self._load(i, source, size, "vector load")}
        if self.b.is_slot(target):
            self._write_slot(target, size, producers)
        else:
            self._store(i, target, size, producers, "vector store")

    def _operation(self, i: Instruction, o: Operation) -> None:
        if not o.is_known:
            self.b.unknown.add(o.name)
        arguments = i.arguments
        places = [self.b.place(arguments[k.index]) for k in o.operands]
        loads = [self._implicit_load(i, o, k, arguments) for k in range(len(o.operands))]
        parts = [self._in_parts(i, o, k, places[k], loads[k]) for k in range(len(o.operands))]
        slots = o.slots // FLOAT_PRODUCTS * FLOAT_PRODUCTS if any(p >= 0 for p in parts) else o.slots
        n = self._new(i, o.name, o.unit, "address", slots=slots if o.unit != "none" else 1, latency=o.latency)
        op = self.ops[n]
        op.kind = o.kind
        if o.kind == "mac" and o.accumulator >= 0:
            again = self.m.latency["accumulate_float" if o.is_float else "accumulate_fixed"]
            # Wide vectors go in parts, each with sums of its own; the terms of a matrix product meet in the same ones.
            op.accumulate = slots - 1 + again if "mmul" in o.name else max(o.slots, again)
        if o.unit == "stream":
            # A stream, or the number of the core's port: each of its two passes words by itself [AM009 Stream Interfaces].
            port = arguments[0] if arguments else ""
            op.unit = f"{o.kind} {self.b.place(port).base or port.rpartition(' ')[2]}"
        for operand, pointer, load, part in zip(o.operands, places, loads, parts, strict=True):
            if part >= 0:
                self._edge(part, op.inputs, accumulates=False)
            else:
                self._take(n, o, operand, pointer, load)
        for v in i.values:
            self._wait(n, v)
        self._memory_of(op, o, arguments)
        self._give(i, n, o, places)
        if o.unit == "srs" or _sets_mode(op):
            self.modes.append(n)

    def _in_parts(self, i: Instruction, o: Operation, k: int, pointer: Pointer, load: int) -> int:
        """Take an operand of float32 apart where the multiplier has bfloat16, once for all products; -1: not needed."""
        operand = o.operands[k]
        # Sums, which mul() writes and mac() adds to, are no operand of the multiplier.
        is_float = (
            not operand.writes and operand.index != o.accumulator and self.b.element(operand.type) == "float"
        )
        if not (self.m.splits_floats and "mmul" in o.name and o.kind == "mac" and operand.reads and is_float):
            return -1
        producers = frozenset(self._slot_producers(pointer, operand.size)) or frozenset({load})
        key = (pointer.base if producers == {-1} else "", producers)
        if key not in self.parts:
            n = self._new(i, "float32 in parts", "vector", "mac_float", slots=split_macs(operand.size // 4))
            self.ops[n].results = (("vector", 12 * operand.size),)
            self._take(n, o, operand, pointer, load)
            self.parts[key] = n
        return self.parts[key]

    def _take(self, n: int, o: Operation, operand: Operand, pointer: Pointer, load: int) -> None:
        """Wait for an operand: a register, what was loaded, or the turn at a window or stream."""
        if self.b.is_slot(pointer):
            if operand.reads:
                self._read_slot(n, pointer, operand.size, accumulates=operand.index == o.accumulator)
            return
        if operand.reads and load >= 0:
            self._edge(load, self.ops[n].inputs, accumulates=False)
        if operand.type.startswith('%"class.adf::') or o.unit == "stream":
            self._in_turn(n, pointer)

    def _give(self, i: Instruction, n: int, o: Operation, places: Sequence[Pointer]) -> None:
        """Leave results in registers; those that go to memory are stored."""
        op = self.ops[n]
        if not o.returns_pointer:
            op.results = self.b.register(
                o.returns.split(" ", 1)[1] if o.returns.startswith("noundef ") else o.returns
            )
        for operand, pointer in zip(o.operands, places, strict=True):
            if operand.writes and self.b.is_slot(pointer):
                self._write_slot(pointer, operand.size, {n})
                if "class.aie::" in operand.type and "iterator" not in operand.type:
                    op.results = self.b.register(operand.type)
            elif (
                operand.writes and not operand.reads and "class.aie::" in operand.type and not _moves_data(o)
            ):
                self._store(i, pointer, operand.size, {n}, "vector store")
        if i.dest:
            self.values[i.dest] = {n}

    def _implicit_load(self, i: Instruction, o: Operation, k: int, arguments: Sequence[str]) -> int:
        """An operand in memory is loaded first: `aie::mac(acc, *p, w[j])`, `v.insert(0, *p)`.

        Not an object of which an operation gives a place: that is loaded where it is used.
        """
        operand = o.operands[k]
        pointer = self.b.place(arguments[operand.index])
        if (
            not operand.reads
            or operand.writes
            or self.b.is_slot(pointer)
            or not _VALUE_TYPE.search(operand.type)
        ):
            return -1
        is_text = pointer.base.startswith("@.") or (o.unit == "none" and operand.type.startswith("i"))
        gives_place = o.returns_pointer and operand.index == 0
        if gives_place or is_text or _moves_data(o):
            return -1
        value = operand_pointer(arguments[operand.index])
        return self._load(replace(i, values=(value,)), pointer, operand.size, "load of an operand")

    def _in_turn(self, n: int, pointer: Pointer) -> None:
        """Accesses by one window's or iterator's pointer, and words of one stream, are in order, one a cycle."""
        slot = f"turn {pointer.base}"
        for w in self.slots.get(slot, []):
            self.ops[n].inputs[w.producer] = max(
                self.ops[n].inputs.get(w.producer, 0), self.ops[w.producer].slots
            )
        if not self.slots.get(slot):
            self.early.append((n, slot, 0, 1, False))
        self.slots[slot] = [_Write(0, 1, n)]

    def _memory_of(self, op: Op, o: Operation, arguments: Sequence[str]) -> None:
        if o.unit in {"load", "store"} and o.operands:
            inside = [k for k in o.operands if not self.b.is_slot(self.b.place(arguments[k.index]))]
            if inside:
                op.base, op.offset = self.b.place(arguments[inside[0].index]).base, None
                op.size = max((k.size for k in o.operands), default=0)
                op.is_load, op.is_store = o.unit == "load", o.unit == "store"

    # ---- the end of the run ----
    def finish(self) -> list[Op]:
        """Join the end of an iteration to the beginning of the next."""
        for op, value, accumulates in self.late:
            for producer in self.values.get(value, ()):
                if producer < len(self.ops):
                    self._edge(producer, self.ops[op].carried, accumulates=accumulates)
        for op, slot, begin, end, accumulates in self.early:
            written = [w for w in self.slots.get(slot, []) if w.producer >= 0]
            if not written and not slot.startswith("turn "):
                self.ops[op].read_outside(slot, self.b.slot_register(slot))
            for w in written:
                if w.begin < end and begin < w.end:
                    self._carry(op, w.producer, slot, accumulates=accumulates)
        self._order_modes()
        self._fuse()
        shorten(self.ops, self.m)
        return self.ops

    def _order_modes(self) -> None:
        """Keep conversions between the settings of rounding and saturation that hold for them; without any they are free."""
        settings = [n for n in self.modes if _sets_mode(self.ops[n])]
        for k, n in enumerate(self.modes if settings else ()):
            of = self.ops[n]
            before = self.modes[:k][::-1] + self.modes[k:][::-1]
            for place, p in enumerate(before):
                into = of.inputs if place < k else of.carried
                if _sets_mode(self.ops[p]) or _sets_mode(of):
                    into[p] = max(into.get(p, 0), 1)
                if _sets_mode(self.ops[p]):
                    break

    def _carry(self, op: int, producer: int, slot: str, *, accumulates: bool) -> None:
        if slot.startswith("turn "):
            self.ops[op].carried[producer] = self.ops[producer].slots
        else:
            self._edge(producer, self.ops[op].carried, accumulates=accumulates)

    def _fuse(self) -> None:
        """A scalar product whose only use is a sum is one operation with it, as on the vector unit."""
        users: dict[int, list[int]] = {}
        for n, op in enumerate(self.ops):
            for p in {*op.inputs, *op.carried}:
                users.setdefault(p, []).append(n)
        for n, op in enumerate(self.ops):
            products = [p for p in op.inputs if self.ops[p].name == "fmul" and users.get(p) == [n]]
            if op.name in {"fadd", "fsub"} and products:
                self._join(op, products[0])

    def _join(self, total: Op, p: int) -> None:
        product = self.ops[p]
        del total.inputs[p]
        for into, of in ((total.inputs, product.inputs), (total.carried, product.carried)):
            for q, cycles in of.items():
                into[q] = max(into.get(q, 0), cycles)
        product.unit, product.latency, product.inputs, product.carried = "none", 0, {}, {}
