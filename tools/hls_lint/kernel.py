"""LLVM IR of a kernel: its pipelined loops, and which of its arrays are memories."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tools.hls_lint import ir
from tools.hls_lint.ir import Function
from tools.hls_lint.source import DATA, FLAGS, Source, marked_for_clang
from tools.hls_lint.timing import Timing

UNCERTAINTY = (
    0.27  # of a period, that HLS keeps for routing [UG1399, default clock uncertainty in the Vitis flow]
)
COMPLETE = (
    4  # elements up to which an array becomes registers without being told [UG1399, complete_threshold]
)
CLANG = "clang++"
OPTIONS = (
    *("-O2", "-fno-vectorize", "-fno-slp-vectorize", "-fno-exceptions", "-fno-discard-value-names"),
    *("-gline-tables-only", "-mllvm", "-inline-threshold=100000"),
    *("-mllvm", "-enable-loop-distribute=false", "-mllvm", "-sink-common-insts=false"),
    *("-mllvm", "-hoist-common-insts=false", "-S", "-emit-llvm", "-o", "-"),
)
MARK = re.compile(r"@lint_loop\(i32 (?:noundef )?(\d+), i32 (?:noundef )?(-?\d+)\)")
ARRAY_TYPE = re.compile(r".*?(?:alloca|global|constant) ((?:\[\d+ x )+)")


def is_there() -> bool:
    """Tell whether clang++ is on the path."""
    return shutil.which(CLANG) is not None


@dataclass(frozen=True, slots=True)
class Loop:
    """A pipelined loop: the line of its pragma, the interval it asks for, and its times."""

    f: Function
    line: int
    ii: int
    time: Timing

    @property
    def is_endless(self) -> bool:
        """Whether nothing leaves it."""
        return not self.f.exits(self.time.body)


def bound(s: Source) -> dict[str, dict[str, str]]:
    """Return what is said of arrays that are bound by a type of the kernel's traits (storage.h)."""
    aliases = {
        m[1]: m[2].lower() for t in s.lines if (m := re.match(r"\s*using (\w+) = (Bram|Lutram|Uram);", t))
    }
    calls = (re.match(r"\s*bind_storage\((\w+), typename T::(\w+)\(\)\);", text) for text in s.lines)
    return {m[1]: {"type": "ram_s2p", "impl": aliases[m[2]]} for m in calls if m and m[2] in aliases}


class Kernel:
    """IR of a kernel at a clock, and what its pragmas say of arrays."""

    def __init__(self, s: Source, mhz: float) -> None:
        self.s, self.budget = s, 1000 / mhz * (1 - UNCERTAINTY)
        self.text, self.errors = _compiled(s)
        self.partition: defaultdict[str, set[int]] = defaultdict(set)
        self.cyclic: dict[tuple[str, int], int] = {}
        for p in s.marked("array_partition"):
            name, dim, factor = (
                p.options["variable"],
                int(p.options.get("dim", 1)),
                p.options.get("factor", "0"),
            )
            self.partition[name].add(dim)
            if "cyclic" in (p.options.get("type"), *p.options):
                self.cyclic[name, dim] = self._number(factor)
        self.reshaped: defaultdict[str, set[int]] = defaultdict(set)
        for p in s.marked("array_reshape"):
            self.reshaped[p.options["variable"]].add(int(p.options.get("dim", 1)))
        self.storage = {p.options["variable"]: p.options for p in s.marked("bind_storage")} | bound(s)
        self.free = {p.options["variable"]: p.options for p in s.marked("dependence")}
        self.arrays = {n.spelling for n in s.nodes if n.kind in DATA}

    @cached_property
    def loops(self) -> list[Loop]:
        """The pipelined loops: natural loops with a mark of their own, which no loop inside has."""
        return [loop for f in ir.functions(self.text) for loop in self._loops_of(f)]

    def _loops_of(self, f: Function) -> Iterator[Loop]:
        for head, body in f.loops.items():
            marks = [(b, m) for b in body for op in f.ops[b] if (m := MARK.search(op.text))]
            inner = [other for h, other in f.loops.items() if h != head and h in body]
            own = [m for b, m in marks if not any(b in other for other in inner)]
            if (
                own and len({m[1] for _, m in marks}) == 1
            ):  # several: a loop around, whose inner ones have gone
                yield Loop(f, int(own[0][1]), int(own[0][2]), Timing(f, head, self.budget, self.kind))

    def _number(self, expression: str) -> int:
        """Return the value of a product or quotient of constants of the source and of its headers; 0 of any other."""
        value = 1
        for sign, name in re.findall(r"([*/]?)\s*([\w:<>]+)", expression):
            factor = int(name) if name.isdigit() else self._constant(name.rpartition("::")[2])
            value = value // max(1, factor) if sign == "/" else value * factor
        return value

    def _constant(self, name: str) -> int:
        """Return the value of a constant; one that is called as what it is of, is of that."""
        said = re.compile(rf"(?:constexpr (?:int|unsigned) |, |^ +){re.escape(name)} = ([\w:<> */]+)[,;]")
        found = [m[1] for text in self.s.lines if (m := said.search(text))]
        own = next((e for e in found if name not in re.findall(r"\w+", e)), "0")
        return self._number(own)

    def sizes(self, f: Function, base: str) -> list[int]:
        """Return the sizes of an array; empty for what is none."""
        op = f.defs.get(base)
        text = op.text if op is not None else self._globals.get(base, "")
        dims = ARRAY_TYPE.match(text)
        return [int(x) for x in re.findall(r"\d+", dims[1])] if dims else []

    @cached_property
    def _globals(self) -> dict[str, str]:
        return {m[1]: m[0] for m in re.finditer(r"^(@\S+) = .*", self.text, re.M)}

    @staticmethod
    def name(pointer: str) -> str:
        """Return the source's name of an array: of %line.i.i, or of @_ZZ...E5store."""
        text = pointer.strip('%@"')
        for m in re.finditer(r"(\d+)(?=[A-Za-z_])", text):
            for digits in (m[1][i:] for i in range(len(m[1]))):  # "N_110rows": the last digits count
                end = m.end() + int(digits)
                if text.startswith("_Z") and end <= len(text) and text[end:] in ("", "E"):
                    return text[m.end() : end]
        return re.sub(r"(\.i|\.sroa.*|\d+$|\.\d+)+$", "", text)

    def kind(self, f: Function, pointer: str) -> str:
        """Return what holds a value: "ram", "uram", "rom" or "reg"."""
        base, _ = f.base(pointer)
        name = self.name(base)
        memory = "uram" if "uram" in self.storage.get(name, {}).get("impl", "") else "ram"
        if base.startswith("@"):
            if 0 in self.partition[name] or self._is_scalar(f, base):
                return "reg"
            return "rom" if re.search(r"\bconstant\b", self._globals.get(base, "")) else memory
        op = f.defs.get(base)
        is_array = op is not None and op.op == "alloca" and name in self.arrays
        return memory if is_array and name not in self.s.within and not self._is_scalar(f, base) else "reg"

    def _is_scalar(self, f: Function, base: str) -> bool:
        """Tell whether something is no memory: a struct, or an array that is partitioned in whole."""
        sizes, name = self.sizes(f, base), self.name(base)
        banks = (
            math.ceil(n / self.cyclic.get((name, d), n)) if d in self.partition[name] else n
            for d, n in enumerate(sizes, 1)
        )
        return not sizes or 0 in self.partition[name] or math.prod(banks) <= COMPLETE


def _compiled(s: Source) -> tuple[str, str]:
    """Return a kernel's IR, and what clang says."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cpp"
        path.write_text(marked_for_clang(s), encoding="utf-8")
        ran = subprocess.run(
            [CLANG, *FLAGS, *OPTIONS, str(path)], capture_output=True, text=True, check=False
        )
    return ran.stdout, ran.stderr
