"""What an instruction costs in the logic: cycles of a core, and nanoseconds between registers.

Nanoseconds are rough, of Versal at speed grade -2, within some 30 %. Latencies of dividers and of floats' cores are those that
names of AMD's cores in published reports have: `urem_8ns_4ns_3_12_1` takes 11, `srem_32ns_8ns_8_36_1` 35, so N bits take N + 3.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from tools.hls_lint.indices import bits, constant
from tools.hls_lint.ir import Function, Op

DIVIDERS = ("udiv", "sdiv", "urem", "srem")
FLOATS = {
    "fadd": 2,
    "fsub": 2,
    "fmul": 2,
    "fdiv": 12,
    "fcmp": 1,
    "sitofp": 1,
    "uitofp": 1,
    "fptosi": 1,
    "fptoui": 1,
}
MEMORIES = {"ram": 1, "rom": 1, "uram": 2}  # cycles of a read
PRODUCTS = ((18, 1), (32, 2), (64, 4))  # bits, cycles; to 10 bits none
FREE = (0, 0.0)
Cost = tuple[int, float]
Kind = Callable[[Function, str], str]  # "ram", "rom", "uram" or "reg" of a pointer


def is_power_of_two(op: Op) -> bool:
    """Tell whether a division is by a power of two, which is a shift."""
    by = constant(op)
    return by is not None and abs(by) & (abs(by) - 1) == 0


def cost(f: Function, op: Op, kind: Kind) -> Cost:
    """Return the cycles of an instruction's core and the nanoseconds of its logic."""
    if op.op in FLOATS:
        return FLOATS[op.op], 1.0
    return _COSTS[op.op](f, op, kind) if op.op in _COSTS else FREE


def _divider(f: Function, op: Op, _: Kind) -> Cost:
    if is_power_of_two(op):
        return FREE if op.op[0] == "u" else (0, 0.6)
    if op.op == "udiv" and constant(op) is not None:
        return 2, 1.0  # HLS multiplies
    width = min(op.width, 64)
    n = bits(f, op.args[0]) or width
    return n + 3 + (op.op[0] == "s" and n < width), 0.5


def _sum(f: Function, op: Op, _: Kind) -> Cost:
    if re.search(r"icmp s(lt|gt) \S+ \S+, (0|-1)\b", op.text):
        return FREE  # a sign
    width = min(op.width, 32)
    return 0, 0.5 + 0.012 * max((bits(f, a) or width for a in op.args), default=width)


def _select(_: Function, op: Op, __: Kind) -> Cost:
    is_condition = re.search(r"select i1 .*, i1 .*, i1 |, i1 true, i1 ", op.text)
    return 0, 0.1 if is_condition else 0.35


def _logic(_: Function, op: Op, __: Kind) -> Cost:
    return FREE if constant(op) is not None else (0, 0.2)


def _shift(_: Function, op: Op, __: Kind) -> Cost:
    return FREE if constant(op) is not None else (0, 0.25 * math.log2(max(min(op.width, 32), 2)))


def _product(_: Function, op: Op, __: Kind) -> Cost:
    width = min(op.width, 64)
    return (
        next(((cycles, 1.0) for most, cycles in PRODUCTS if width <= most), FREE) if width > 10 else (0, 1.6)
    )


def _load(f: Function, op: Op, kind: Kind) -> Cost:
    cycles = MEMORIES.get(kind(f, op.pointer))
    return (cycles, 0.9) if cycles else (0, 0.35)


def _call(_: Function, op: Op, __: Kind) -> Cost:
    if "lint_math" in op.text:
        return FLOATS["fdiv"], 1.0  # a root takes about as long
    if "lint_ask" in op.text or "lint_read" in op.text:
        return 0, 0.6
    return (0, 0.2) if re.search(r"llvm\.(s|u)(max|min)|llvm\.abs", op.text) else FREE


_COSTS: dict[str, Callable[[Function, Op, Kind], Cost]] = {
    **dict.fromkeys(DIVIDERS, _divider),
    **dict.fromkeys(("add", "sub", "icmp"), _sum),
    **dict.fromkeys(("and", "or", "xor"), _logic),
    **dict.fromkeys(("shl", "lshr", "ashr"), _shift),
    "select": _select,
    "mul": _product,
    "load": _load,
    "call": _call,
    "phi": lambda *_: (0, 0.35),
}
