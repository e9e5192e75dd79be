"""What each operation of the API costs a core: unit, issue slots, latency, and how it takes its operands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import yaml

from aieloom.emulator.brackets import opening
from aieloom.emulator.timed.lower import Fact
from aieloom.emulator.timed.module import closing, split_list
from aieloom.schedule.machine import Machine

_FOLDER = Path(__file__).parent
_TEMPLATE = re.compile(r"<[^<>]*>")
_POINTER = re.compile(r'^(%"?[^*]*"?|[\w\[\]<> ]+)\*')


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of operations.yaml."""

    match: re.Pattern[str]
    unit: str
    kind: str
    per: str
    accumulates: bool = False


@cache
def _rules() -> tuple[Rule, ...]:
    rows = yaml.safe_load((_FOLDER / "operations.yaml").read_text(encoding="utf-8"))
    return tuple(
        Rule(re.compile(r["match"]), r["unit"], r["kind"], r["per"], bool(r.get("accumulates"))) for r in rows
    )


@dataclass(frozen=True, slots=True)
class Operand:
    """A pointer among an operation's parameters: bytes behind it, whether they are read and written."""

    index: int
    size: int
    reads: bool
    writes: bool
    type: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: its name as the report says it, unit, slots of issue, latency, and its operands."""

    name: str
    unit: str
    kind: str
    slots: int
    latency: int
    accumulator: int  # index of the parameter that is added to; -1: none
    is_float: bool
    operands: tuple[Operand, ...]
    returns: str  # the type of its result
    returns_pointer: bool
    is_known: bool


def qualified(spelling: str) -> str:
    """Return a function's qualified name without template arguments, parameters and result."""
    text = spelling.replace("operator<<", "operator shl").replace("operator>>", "operator shr")
    text = (
        text.replace("operator->", "operator arrow")
        .replace("operator<", "operator lt")
        .replace("operator>", "operator gt")
    )
    text = text.replace("operator()", "operator call").replace("(anonymous namespace)::", "")
    while _TEMPLATE.search(text):
        text = _TEMPLATE.sub("", text)
    text = text.partition("(")[0].strip()
    if "operator" not in text:
        return text.rpartition(" ")[2]
    return re.sub(r"^.* (?=[\w:]*operator)", "", text)


class Operations:
    """The operations of one source, by linker name."""

    def __init__(
        self,
        facts: Mapping[str, Fact],
        spellings: Mapping[str, str],
        size_of: Callable[[str], int],
        machine: Machine,
    ) -> None:
        self._facts, self._spellings, self._size, self._machine = facts, spellings, size_of, machine
        self._known: dict[str, Operation] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._facts

    def __getitem__(self, name: str) -> Operation:
        if name not in self._known:
            self._known[name] = self._make(name)
        return self._known[name]

    def _make(self, name: str) -> Operation:
        fact, spelling = self._facts[name], self._spellings.get(name, name)
        short = qualified(spelling)
        operands = self._operands(fact.head, spelling)
        rule = next((r for r in _rules() if r.match.search(short)), None)
        result = re.match(r"define (?:dso_local )?(.*?) ?@", fact.head)
        is_pointer = bool(result and result[1].rstrip().endswith("*"))
        made = rule or self._by_counts(fact.counts)
        # A place is no work; a store that gives its pointer back is a store all the same [aie_api, store_v].
        if (
            is_pointer
            and made.unit != "store"
            and not (rule and (rule.unit == "stream" or rule.kind == "ups"))
        ):
            made = Rule(re.compile(""), "none", "none", "once")
        is_float = "float" in spelling or "bf16" in spelling  # bfloat16 too
        if re.search(r"(^|::)(add|sub)$", short) and not is_float and "accum" not in spelling:
            made = replace(made, kind=self._machine.sums)
        slots = self._slots(made, fact.counts, operands, result[1] if result else "void")
        if "store_unaligned" in short:
            slots = self._unaligned(spelling, operands)
        return Operation(
            name=short,
            unit=self._machine.unit_of.get(made.kind, made.unit),
            kind=made.kind,
            slots=slots,
            latency=self._latency(made.kind, short, spelling, is_float=is_float),
            accumulator=_accumulator(made, short, operands),
            is_float=is_float,
            operands=operands,
            returns=result[1] if result else "void",
            returns_pointer=is_pointer,
            is_known=rule is not None or bool(fact.counts),
        )

    def _latency(self, kind: str, name: str, spelling: str, *, is_float: bool) -> int:
        """Return the cycles to the result; a reduction takes a step for each halving of its lanes."""
        known = self._machine.latency
        if kind == "reduce":
            lanes = re.search(r"vector<[\w: ]+, (\d+)u?>", spelling)
            steps = max(1, (int(lanes[1]) if lanes else 8).bit_length() - 1)
            sums = is_float and "add" in name
            return steps * known["reduce_float" if sums else "reduce"] + known["move"]
        return known["mac_float"] if kind == "mac" and is_float else known.get(kind, 0)

    def _operands(self, head: str, spelling: str) -> tuple[Operand, ...]:
        begin = head.index("(", head.index("@"))
        found = []
        parameters = split_list(head[begin + 1 : closing(head, begin)])
        is_const = spelling.rstrip().endswith("const")
        own = int("sret" in parameters[0]) if parameters else 0  # the object of a member function
        constant = _constants(spelling, len(parameters))
        for i, text in enumerate(parameters):
            pointer = _POINTER.match(text)
            if not pointer:
                continue
            attributes = text.replace("dereferenceable", "")
            result = "sret" in attributes or "writeonly" in attributes
            read = (
                "readonly" in attributes
                or "readnone" in attributes
                or (is_const and i == own)
                or i in constant
                or "byval" in text
            )
            found.append(Operand(i, self._size(pointer[1]), not result, not read, pointer[1]))
        return tuple(found)

    def _by_counts(self, counts: Mapping[str, int]) -> Rule:
        order = (
            ("mac", "vector", "mac", "macs"),
            ("load", "load", "load", "loads"),
            ("store", "store", "store", "stores"),
            ("stream", "stream", "stream_read", "words"),
            ("cascade", "move", "move", "once"),
            ("shuffle", "vector", "shuffle", "shuffles"),
        )
        for counted, unit, kind, per in order:
            if counts.get(counted):
                return Rule(re.compile(""), unit, kind, per)
        return Rule(re.compile(""), "vector", "compare", "once")

    def _slots(self, rule: Rule, counts: Mapping[str, int], operands: Sequence[Operand], result: str) -> int:
        values = [o for o in operands if o.writes and not o.reads]
        size = max((o.size for o in values), default=0) or _scalar_bytes(result, self._size)
        inputs = max((o.size for o in operands if o.reads and not o.writes), default=4)
        bytes_ = self._machine.vector_bytes
        ways = {
            "result": -(-size // bytes_),
            "result2": -(-size // (2 * bytes_)),
            "operand": self._store_slots(inputs) if rule.unit == "store" else 1,
            "macs": counts.get("mac", 0) or -(-size // (2 * bytes_)),
            "loads": counts.get("load", 1),
            "stores": counts.get("store", 1),
            "shuffles": counts.get("shuffle", 1),
            # A value of a cascade a cycle [AM009 Cascade], a word of a stream.
            "words": counts.get("cascade", 0) or -(-counts.get("stream", 4) // self._machine.stream_bytes),
            "lanes8": max(1, size // 32) * self._machine.slots.get(rule.kind, 1) if size > 4 else 1,
        }
        return max(1, ways.get(rule.per, 1))

    def _unaligned(self, spelling: str, operands: Sequence[Operand]) -> int:
        """Return the issue slots of a store at any element: its elements go one by one, the core has none of vectors."""
        vector = re.search(r"vector<[^<>]*, (\d+)u?>", spelling)
        lanes = int(vector[1]) if vector else 1
        size = max((o.size for o in operands if o.reads and not o.writes), default=4)
        return lanes * self._store_slots(max(1, size // lanes))

    def _store_slots(self, size: int) -> int:
        """Return what a store takes; less than a word is read and written back."""
        return self._machine.slots["part_store"] if size < 4 else -(-size // self._machine.vector_bytes)


def _constants(spelling: str, many: int) -> frozenset[int]:
    """Return which parameters are references to constants, which LLVM does not see where a body is out of sight.

    In front of those that C++ spells stand the result's place and the object; values that are taken apart make more of them.
    """
    text = spelling.rstrip().removesuffix("const").rstrip()
    if not text.endswith(")"):
        return frozenset()
    said = split_list(text[opening(text, len(text) - 1) + 1 : -1])
    first = many - len(said)
    if first not in {0, 1, 2}:
        return frozenset()
    return frozenset(first + i for i, p in enumerate(said) if p.endswith("const&"))


def _scalar_bytes(result: str, size_of: Callable[[str], int]) -> int:
    words = result.split()
    return int(size_of(words[-1])) if words and words[-1] != "void" else 0


def _accumulator(rule: Rule, name: str, operands: Sequence[Operand]) -> int:
    """Return the parameter that an operation adds to: an accumulator, or else the first that is read; -1: none.

    Products of the API and of the AIE have it first, AIE-ML's intrinsics last: `mac_4x8_8x4(a, b, acc)` [AI Engine-ML
    Intrinsics User Guide, Multiply Accumulate]; the AIE's sums of floats are vectors. Sums of an accumulator and a vector go
    through the accumulator's own adder as products do [TD2 II_VACCf; UG1078 fpadd].
    """
    read = [o for o in operands if o.reads]
    is_product = rule.accumulates or (rule.kind == "mac" and re.search(r"mmul::mac$|::mac$", name))
    is_sum = rule.kind == "mac" and bool(re.search(r"(^|::)(fpadd|fpsub|add|sub)$", name))
    if not read or not (
        is_product or (is_sum and (name.startswith("fp") or "class.aie::accum" in read[0].type))
    ):
        return -1
    sums = [o for o in read if "class.aie::accum" in o.type]
    return (sums or read)[0].index
