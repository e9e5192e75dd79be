"""Functions that kernels call and their sources do not define: named before anything runs, with the line of the call.

The vendor compiles each core's program apart, from the file that source() names and what it includes: a definition in
another kernel's source does not count [UG1079, Kernel source].
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from aieloom.emulator.symbols import Kernel, Symbols, demangle, in_library
from aieloom.errors import Problem, SpecError

RULE = "kernel-source"


def check_functions(
    source: Path,
    users: Sequence[Kernel],
    symbols: Symbols,
    obj: Path,
    *,
    slots: Collection[str],
    known: Collection[str],
) -> None:
    """Refuse a kernel source without a function that its kernels are, or call.

    `symbols` are those of its object `obj`; `slots` the functions that the graph only declares, `known` those that the
    program defines, as kernels that are inline in a header.

    Raises:
        SpecError: a function is missing.
    """
    there = {*slots, *known}
    problems = [*_own_functions(source, users, symbols, slots), *_calls(source, users, symbols, obj, there)]
    if problems:
        raise SpecError(problems)


def _own_functions(
    source: Path, users: Sequence[Kernel], symbols: Symbols, slots: Collection[str]
) -> Iterator[Problem]:
    """Find kernels whose function is not in their source, or is there with other parameters."""
    for symbol in dict.fromkeys(k.symbol for k in users if not k.is_class):
        if symbol in symbols.defined or symbol not in slots:
            continue
        name = _bare(demangle([symbol])[symbol])
        user = next(k for k in users if k.symbol == symbol)
        line = _line_of(source, name)
        there = f"; the one in line {line} has other parameters" if line else ""
        yield Problem(
            rule=RULE,
            file=str(source),
            line=line,
            text=f"{user.name}: {user.source} does not define {name} as the graph declares it{there}",
            remedy="define the function there, with the parameters that the graph's header declares",
        )


def _calls(
    source: Path, users: Sequence[Kernel], symbols: Symbols, obj: Path, known: Collection[str]
) -> Iterator[Problem]:
    """Find functions and variables that an object needs and nobody has."""
    missing = sorted(n for n in symbols.undefined - set(known) if not in_library(n))
    lines = _places(obj, missing) if missing else {}
    for name, line in lines.items():
        yield Problem(
            rule=RULE,
            file=str(source),
            line=line,
            text=f"{users[0].name} calls {demangle([name])[name]}, which its source does not define",
            remedy="define it in the file that source() names, or in a file that it includes",
        )


def _places(obj: Path, names: Sequence[str]) -> dict[str, int]:
    """Return those of an object's symbols that it cannot do without, each with the line that needs it, 0 if unknown.

    Objects are kept by content, so that the folder that they were compiled in may be another one: the line alone counts.
    """
    command = ("nm", "--undefined-only", "--line-numbers", str(obj))
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    found = {}
    for kind, name, place in re.findall(r"^\s*(\w) (\S+)(?:\t(.*))?$", said, re.MULTILINE):
        if kind == "U" and name in names:
            line = place.rpartition(":")[2]
            found[name] = int(line) if line.isdigit() else 0
    return found


def _bare(plain: str) -> str:
    """Return a function's name without result, parameters, arguments of a template and namespaces."""
    return plain.partition("(")[0].partition("<")[0].rpartition(" ")[2].rpartition("::")[2]


def _line_of(source: Path, name: str) -> int:
    """Return the line in which a source defines a function of this name, 0 if it does not."""
    text = source.read_text(encoding="utf-8", errors="replace")
    found = re.search(rf"^[^\n;#/]*\b{re.escape(name)}\s*\([^;{{}}]*\)\s*\{{", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 0
