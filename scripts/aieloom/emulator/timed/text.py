"""What `aieloom emulate --timed` prints: a table of the kernels, one of their time in the design, one of the ports."""

from __future__ import annotations

from collections.abc import Iterable

from aieloom.emulator.timed.result import Cycles, KernelCycles
from aieloom.emulator.timed.times import CoreTimes, PortTimes, UnitTimes

LUCK = {
    "registers": "whether its values fit the registers",
    "aliasing": "whether it knows that pointers never meet (__restrict)",
}
LEFT_OUT = (
    "left out: recurrences and memory ports inside PL loops (II is the pragma's, 1 where it names none), refresh and turns of "
    "the memory, work of the processor (docs/evidence/timed.md)"
)
KINDS = ("lock", "stream", "cascade")


def as_text(cycles: Cycles) -> str:
    """Return the tables."""
    if not cycles.kernels:
        return "No kernel ran.\n"
    lines = _table(("kernel", "calls", "cycles a call", "range", "slowest loop"), map(_row, cycles.kernels))
    guessed = sorted({g for k in cycles.kernels for g in k.guessed})
    if guessed:
        lines.append(f"no public number is known for: {', '.join(guessed)} (see docs/evidence/timed.md)")
    return "\n".join(["", *lines, "", *_design(cycles), ""])


def _table(head: tuple[str, ...], found: Iterable[tuple[str, ...]]) -> list[str]:
    rows = [head, *found]
    widths = [max(len(r[i]) for r in rows) for i in range(len(head) - 1)]
    return ["  ".join([*(c.ljust(w) for c, w in zip(r, widths, strict=False)), r[-1]]).rstrip() for r in rows]


def _row(k: KernelCycles) -> tuple[str, ...]:
    slow, wide = k.slowest, k.decides
    said = ""
    if slow:
        where = f"lines {slow.lines[0]}-{slow.lines[-1]}" if slow.lines else "its source"
        said = f"{where}: a new iteration every {slow.interval} cycles, by {slow.bound_by}"
    if wide and k.most > 1.1 * k.least:
        at = f" at line {wide.lines[0]}" if wide.lines else ""
        said += f"; the range hangs on whether the loop{at} is pipelined"
    if k.bank_stalls >= 0.5:
        said += f"; {k.bank_stalls:,.0f} more cycles a call stall at memory banks, where accesses of one cycle meet"
    if k.luck:
        said += f"; the compiler's luck: {' and '.join(LUCK[x] for x in k.luck)}"
    return k.name, str(k.calls), f"{k.cycles:,.0f}", f"{k.least:,.0f}-{k.most:,.0f}", said


def _design(cycles: Cycles) -> list[str]:
    """Return what the design does in time: cores with what they wait for, ports with rates, the latency."""
    times, kernels = cycles.times, {k.name: k for k in cycles.kernels}
    waits = (f"waits: {k}" for k in KINDS)
    head = ("kernel", "calls", "least", "mean", "most", "busy", *waits, "memory", "most of all for")
    lines = _table(head, (_core(c, kernels[c.name]) for c in times.cores if c.name in kernels))
    if times.units:
        head = ("compute unit", "MHz", "calls", "a call takes, us", "first begins, us", "last ends, us")
        lines += ["", *_table(head, (_unit(u, times.mhz) for u in times.units))]
    lines += ["", *_table(("port", "bytes", "first", "last", "MB/s"), map(_port, times.ports))]
    lines += [
        "",
        f"all: {times.end:,} cycles, {times.end / times.mhz:,.3f} us at {times.mhz:g} MHz; "
        f"first word in to first word out: {times.latency:,} cycles",
    ]
    if times.units:
        lines += [
            f"the host program: {times.host / times.mhz:,.1f} us, without what it computes itself",
            LEFT_OUT,
        ]
    return lines


def _unit(u: UnitTimes, mhz: float) -> tuple[str, ...]:
    short, long = u.shortest / mhz, u.longest / mhz
    took = f"{short:,.2f}" if u.shortest == u.longest else f"{short:,.2f}-{long:,.2f}"
    ends = (f"{u.first / mhz:,.2f}", f"{u.last / mhz:,.2f}") if u.calls else ("-", "-")
    return u.name, f"{u.mhz:g}", str(u.calls), took if u.calls else "-", *ends


def _core(c: CoreTimes, k: KernelCycles) -> tuple[str, ...]:
    """Return a row: cycles of a call without its waits, shares of the time; bank stalls come on top of it."""
    whole = max(1, c.last - c.first)
    most = f"{c.waits[0].on}: {c.waits[0].cycles:,} cycles" if c.waits else "-"
    took = (f"{c.shortest:,}", f"{c.busy / max(k.calls, 1):,.0f}", f"{c.longest:,}")
    waits = (f"{c.waited(kind) / whole:.0%}" for kind in KINDS)
    memory = f"{k.bank_stalls * k.calls / whole:.0%}"
    return c.name, str(k.calls), *took, f"{c.share:.0%}", *waits, memory, most


def _port(p: PortTimes) -> tuple[str, ...]:
    way = "in " if p.is_input else "out"
    return (
        f"{way} {p.name}",
        f"{p.bytes:,}",
        f"{p.first:,}",
        f"{p.last:,}",
        (f"{p.rate:,.0f}" if p.rate >= 100 else f"{p.rate:.3g}") if p.rate else "-",
    )
