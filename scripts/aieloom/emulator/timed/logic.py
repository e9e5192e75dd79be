"""PL sources in a timed build: loops, dataflow regions and accesses to memory report to include/aieloom/logic.h.

Text is put between the source's own, on its lines; what HLS's pragmas say becomes arguments. Trips are counted by the
run itself. Rules, by UG1399: a loop with `pipeline` begins an iteration each II cycles and has the loops inside it
unrolled; the innermost loops without a pragma are pipelined with II 1 by Vitis HLS itself; a nest in which each loop
holds nothing but the next is flattened into one; processes of `dataflow` run side by side, as functions of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from aieloom.emulator.brackets import closing, opening
from aieloom.emulator.pl_dataflow import (
    Dataflow,
    bounds,
    depths,
    region_of,
    stream_names,
    tasks,
    waiting_regions,
)
from aieloom.emulator.pl_source import read_text
from aieloom.emulator.pl_text import (
    Edit,
    Loop,
    Region,
    applied,
    is_dataflow,
    own_files,
    scan,
    write_changed,
)

_FREE = re.compile(r"interface\b.*\bap_ctrl_none\b")
_MEMCPY = re.compile(r"(?<![\w:.>])(?:std\s*::\s*)?memcpy(?=\s*\()")
_NAMES = "::aieloom::logic::"


def timed_source(text: str, streams: frozenset[str] = frozenset()) -> str:
    """Return a PL source's text with its loops, regions and memory accesses reporting their time.

    `streams` are the names of types that are streams: queues of regions whose processes may wait for each other are as
    long as they are in hardware.
    """
    seen = scan(text)
    waiting = {begin for begin, _ in waiting_regions(seen, streams)}
    edits: list[Edit] = [*depths(text), *tasks(seen)]
    for number, loop in enumerate(seen.loops):
        if not _is_unrolled_by_outer(loop):
            edits += _of_loop(seen.code, loop, number, streams if loop.body[0] in waiting else None)
    for number, function in enumerate(seen.bodies):
        edits += _of_function(seen.code, function, number, streams if function.begin in waiting else None)
        edits += _accesses(seen.code, function)
    return applied(text, edits)


def _is_unrolled_by_outer(loop: Loop) -> bool:
    """Whether a loop stands in one that is pipelined by its pragma [UG1399 pragma HLS pipeline]."""
    outer = loop.outer
    return outer is not None and (_kind(outer)[0] == "kPipelined" or _is_unrolled_by_outer(outer))


def _kind(loop: Loop) -> tuple[str, str, int]:
    """Return a loop's kind, its interval as the source has it, and how many of its iterations are one."""
    words = {p.split()[0]: p for p in loop.pragmas if p.split()}
    factor = 1
    if "unroll" in words:
        found = re.search(r"factor\s*=\s*(\d+)", words["unroll"])
        if not found and "factor" not in words["unroll"] and "off" not in words["unroll"]:
            return "kUnrolled", "1", 1
        factor = int(found[1]) if found else 1
    if "pipeline" in words:
        if re.search(r"\boff\b", words["pipeline"]):
            return ("kPlain" if loop.inner else "kOff"), "1", factor
        interval = re.search(r"\bii\s*=\s*(\S+)", words["pipeline"])
        return "kPipelined", interval[1] if interval else "1", factor
    rolled = any(_kind(inner)[0] != "kUnrolled" for inner in loop.inner)
    return ("kPlain" if rolled else "kInnermost"), "1", factor


def _is_flattened(code: str, loop: Loop) -> bool:
    """Whether a loop is all that its outer loop holds, so that both become one [UG1399 loop_flatten]."""
    outer = loop.outer
    if outer is None or outer.word != "for" or loop.word != "for" or len(outer.inner) != 1:
        return False
    kind = _kind(outer)
    off = any(p.startswith("loop_flatten") and "off" in p for p in (*loop.pragmas, *outer.pragmas))
    around = code[outer.body[0] : loop.begin] + code[loop.end : outer.body[1]]
    around = re.sub(r"\b\w+\s*:(?!:)", "", around)  # labels
    return (
        kind[0] == "kPlain" and not off and not is_dataflow(outer.pragmas) and not around.strip("{} \t\r\n")
    )


def _of_loop(code: str, loop: Loop, number: int, streams: frozenset[str] | None) -> Iterator[Edit]:
    name = f"aieloom_loop_{number}"
    region = region_of(code, loop.body) if loop.braced and is_dataflow(loop.pragmas) else None
    if region:
        made = f"{_NAMES}Region {name}({len(region.processes)})"
    else:
        kind, interval, factor = _kind(loop)
        flat = str(_is_flattened(code, loop)).lower()
        made = f"{_NAMES}Loop {name}({_NAMES}Kind::{kind}, {interval}, {factor}, {flat})"
    first = "once_first" if loop.word == "do" and not region else "once"
    wrap = f"for ({made}; {name}.{first}(); ) "
    inside = code[loop.head[0] + 1 : loop.head[1]]
    if loop.word == "for":
        semicolons = list(_semicolons(inside))
        if len(semicolons) != 2:  # for (auto x : all)
            if not loop.braced:
                return
            yield Edit(loop.begin, 0, wrap)
            yield Edit(loop.body[0] + 1, 0, f" {name}.next();")
        else:
            a, b = (loop.head[0] + 1 + s for s in semicolons)
            yield Edit(loop.begin, 0, wrap)
            if code[a + 1 : b].strip():
                yield Edit(a + 1, 0, "(")
                yield Edit(b, 9, f") && {name}.next()")
            else:
                yield Edit(b, 9, f"{name}.next()")
    else:
        yield Edit(loop.begin, 0, wrap)
        yield Edit(loop.head[0] + 1, 0, "(")
        yield Edit(loop.head[1], 9, f") && {name}.next()")
    if region:
        yield from _starts(region, name, streams)


def _semicolons(text: str) -> Iterator[int]:
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == ";" and depth == 0:
            yield i


def _of_function(code: str, function: Region, number: int, streams: frozenset[str] | None) -> Iterator[Edit]:
    name = f"aieloom_function_{number}"
    if is_dataflow(function.pragmas):
        region = region_of(code, (function.begin, function.end + 1))
        if region:
            restarts = str(any(_FREE.match(p) for p in function.pragmas)).lower()
            made = f" {_NAMES}Region {name}({len(region.processes)}, {restarts});"
            yield Edit(function.begin + 1, 0, made)
            yield from _starts(region, name, streams)
    elif any(
        p.split()[0] == "pipeline" and not re.search(r"\boff\b", p) for p in function.pragmas if p.split()
    ):
        yield Edit(function.begin + 1, 0, f" {_NAMES}Loop {name}({_NAMES}Kind::kFunction, 1, 1, false);")


def _starts(region: Dataflow, name: str, streams: frozenset[str] | None) -> Iterator[Edit]:
    if streams is not None:
        yield from bounds(region, name, streams)
    for number, process in enumerate(region.processes):
        told = f"{number}, {region.after(number)}, {region.takers(number)}"
        yield Edit(process.begin, -1, f"{name}.process({told}, [&] {{ ")
        yield Edit(process.end, -9, " });")
    for place, which in region.joins():
        yield Edit(place, -1, f"{name}.join({which}); ")
    yield Edit(region.end, 9, f" {name}.join();")


def _accesses(code: str, function: Region) -> Iterator[Edit]:
    """Yield the edits that make p[i] at(p, i, ...) of each pointer or array that is a parameter."""
    close = code.rfind(")", 0, function.begin)
    begin = opening(code, close)
    names = {
        found[1]
        for text in code[begin + 1 : close].split(",")
        if "stream" not in text
        and (
            found := re.search(r"(?:\*\s*(?:const\s+|__?restrict_*\s+)*|\s)(\w+)\s*(?:\[[^\]]*\]\s*)*$", text)
        )
        and ("*" in text or "[" in text)
    }
    if not names:
        return
    pattern = re.compile(rf"(?<![\w.>])(?:{'|'.join(sorted(names))})\s*(?=\[)")
    for found in pattern.finditer(code, function.begin, function.end):
        bracket = found.end()
        end = closing(code, bracket)
        writes = re.compile(r"\]\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=)").match(code, end)
        yield Edit(found.start(), 5, f"{_NAMES}at(")
        yield Edit(bracket, 5, ", ", 1)
        yield Edit(end, 5, f", {'true' if writes else 'false'})", 1)
    for found in _MEMCPY.finditer(code, function.begin, function.end):
        yield Edit(found.start(), 5, f"{_NAMES}copy", len(found[0]))


def write_timed(source: Path, folders: Sequence[Path], folder: Path) -> Path:
    """Write a PL source's timed text, and that of its own headers which have loops, below `folder`; return its place.

    Args:
        source: what is synthesised.
        folders: where its headers are looked for.
        folder: of the build.

    Raises:
        SpecError: a file cannot be read.
    """
    streams = stream_names(read_text(path) for path in own_files(source, folders))

    def change(text: str) -> str:
        told = timed_source(text, streams)
        return told if told == text else f"#include <aieloom/logic.h>\n#line 1\n{told}"

    return write_changed(source, folders, folder, kind="timed", change=change)
