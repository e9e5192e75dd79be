"""What is known of a number in the IR: its bits, and what it is modulo a power of two."""

from __future__ import annotations

import re
from collections.abc import Callable

from tools.hls_lint.ir import Function, Op

STEPS = 8  # how far back is looked
NUMBER = re.compile(r"-?\d+")
Look = Callable[[str], "set[int]"]


def constant(op: Op) -> int | None:
    """Return the constant that an instruction's last operand is."""
    found = re.search(r", (-?\d+)\s*(?:,|$)", op.bare)
    return int(found[1]) if found else None


def bits(f: Function, name: str, steps: int = STEPS - 1) -> int | None:
    """Return how many bits a value needs, as far as a few steps back show."""
    op = f.defs.get(name)
    if op is None or not steps:
        return None
    by, known = constant(op), [bits(f, a, steps - 1) for a in op.args]
    if op.op == "zext":
        inner = re.search(r"i(\d+) ", op.text)
        return min([int(inner[1])] + [n for n in known if n]) if inner else None
    if op.op in ("and", "urem") and by is not None and by >= 0:
        return by.bit_length()
    if op.op == "lshr" and by is not None and known:
        return max(1, (known[0] or op.width) - by)
    if op.op in ("shl", "mul") and by is not None and known and known[0]:
        return min(op.width, known[0] + (by if op.op == "shl" else by.bit_length()))
    return _sum(op, known[1:] if op.op == "select" else known)


def _sum(op: Op, known: list[int | None]) -> int | None:
    found = [n for n in known if n]
    if op.op not in ("add", "or", "select") or not known or len(found) < len(known):
        return None
    constants = [int(c).bit_length() for c in re.findall(r", (?:i\d+ )?(\d+)\b", op.text)]
    return min(op.width, max(found + constants) + (op.op == "add"))


def residues(f: Function, index: str, n: int, steps: int = STEPS) -> set[int]:
    """Return what an index can be modulo `n`, a power of two: HLS leaves out banks that cannot be meant."""
    if NUMBER.fullmatch(index):
        return {int(index) % n}
    op = f.defs.get(index)
    if op is None or not steps or n & (n - 1):
        return set(range(n))

    def look(name: str) -> set[int]:
        return residues(f, name.rsplit(maxsplit=1)[-1], n, steps - 1)

    return _of(f, op, n, look) or set(range(n))


def _of(f: Function, op: Op, n: int, look: Look) -> set[int]:
    """Return the residues of an instruction's value; empty where nothing is known."""
    if op.op in ("zext", "sext", "trunc"):
        return look(op.args[0]) if op.args else set()
    if op.op == "select":
        values = re.findall(r", i\d+ (%[\w.$-]+|-?\d+)", op.text)[:2]
        return set().union(*map(look, values))
    if op.op == "phi":
        return _counter(f, op, n)
    words = re.sub(r", !.*", "", op.text)
    for flag in ("nuw ", "nsw ", "exact "):
        words = words.replace(flag, "")
    left, comma, right = words.split(" ", 2)[-1].partition(",")
    return _binary(op.op, left.strip(), right.strip(), n, look) if comma else set()


def _binary(op: str, left: str, right: str, n: int, look: Look) -> set[int]:
    do: dict[str, Callable[[int, int], int]] = {
        "add": int.__add__,
        "sub": int.__sub__,
        "or": int.__or__,
        "mul": int.__mul__,
        "xor": int.__xor__,
    }
    if op in do:
        return {do[op](a, b) % n for a in look(left) for b in look(right)}
    if op == "and" and NUMBER.fullmatch(right):
        return {a & int(right) % n for a in look(left)}
    if op == "shl" and right.isdigit():
        return {(a << int(right)) % n for a in look(left)}
    return set()


def _counter(f: Function, op: Op, n: int) -> set[int]:
    """Return the residues of a counter that starts at a constant and goes up by one."""
    values = [v for v, _ in op.incoming]
    step = [f.defs[v] for v in values if v in f.defs and f.defs[v].op == "add" and op.name in f.defs[v].args]
    start = [int(v) for v in values if NUMBER.fullmatch(v)]
    by = constant(step[0]) if step else None
    if len(values) != 2 or len(start) != 1 or by is None:
        return set()
    return {(start[0] + i * by) % n for i in range(n)}
