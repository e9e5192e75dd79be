"""Finding a PL kernel's top function in its source: parameter names, array bounds, and its control protocol.

Types are left to the C++ compiler: the wrapper that the builder makes includes the source and asks the function's
own type. Only what a type forgets is read from the text: names, and how many streams an array has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from aieloom.errors import Problem, SpecError

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_FREE_RUNNING = re.compile(r"#\s*pragma\s+HLS\s+interface\b[^\n]*\bap_ctrl_none\b", re.IGNORECASE)
_OPEN, _CLOSE = "(<[{", ")>]}"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter's name, and the text of its array bound (empty when it is no array)."""

    name: str
    bound: str


@dataclass(frozen=True, slots=True)
class TopFunction:
    """A PL kernel as its source declares it."""

    name: str
    parameters: tuple[Parameter, ...]
    free_running: bool  # ap_ctrl_none [UG1399 block-level control protocols]


def _plain(text: str) -> str:
    """Return the text without comments and strings; lines keep their numbers."""
    without = _COMMENT.sub(lambda m: "\n" * m[0].count("\n") or " ", text)
    return _STRING.sub('""', without)


def _matching(text: str, start: int) -> int:
    """Return the index of the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return -1


def _split(text: str) -> list[str]:
    """Split a parameter list at its top-level commas."""
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        if c in _OPEN:
            depth += 1
        elif c in _CLOSE:
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[begin:i])
            begin = i + 1
    return [p.strip() for p in [*parts, text[begin:]] if p.strip() and p.strip() != "void"]


_DECLARATOR = re.compile(
    r"(?:\(\s*&\s*(?P<ref>\w+)\s*\)|(?P<name>\w+))\s*(?:\[(?P<bound>[^\]]*)\])?\s*(?:=.*)?$", re.DOTALL
)


def _parameter(text: str) -> Parameter:
    found = _DECLARATOR.search(text)
    if not found:
        return Parameter("", "")
    return Parameter(found["ref"] or found["name"], (found["bound"] or "").strip())


def find_functions(source: Path) -> tuple[TopFunction, ...]:
    """Return the functions that a PL source defines with C linkage, or all that it defines outside namespaces.

    Raises:
        SpecError: the file cannot be read or defines no function that could be a kernel.
    """
    try:
        text = _plain(source.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as e:
        raise SpecError(
            Problem(rule="file", file=str(source), text=f"cannot read it: {e}", remedy="check the path")
        ) from e
    outside = _without_namespaces(text)
    found = tuple(_definitions(outside))
    linked = {m[1] for m in re.finditer(r'extern\s+""\s+void\s+(\w+)', outside)}
    blocks = [
        outside[m.end() - 1 : _matching(outside, m.end() - 1)]
        for m in re.finditer(r'extern\s+""\s*\{', outside)
    ]
    linked |= {m[1] for block in blocks for m in re.finditer(r"\bvoid\s+(\w+)\s*\(", block)}
    kernels = tuple(f for f in found if f.name in linked) or found
    if not kernels:
        text = "defines no function that could be a PL kernel"
        remedy = 'write extern "C" void kernel(...) { ... } outside of namespaces'
        raise SpecError(Problem(rule="pl-kernel", file=str(source), text=text, remedy=remedy))
    return kernels


def _without_namespaces(text: str) -> str:
    """Blank out the bodies of namespaces: what is inside is no top function."""
    out = text
    for m in re.finditer(r"\bnamespace\b[^;{}()=]*\{", text):
        end = _matching(text, m.end() - 1)
        if end > 0:
            out = out[: m.end()] + re.sub(r"[^\n]", " ", out[m.end() : end]) + out[end:]
    return out


def _definitions(text: str) -> list[TopFunction]:
    functions = []
    for m in re.finditer(r"\bvoid\s+(\w+)\s*\(", text):
        close = _matching(text, m.end() - 1)
        body = close + 1 + len(text[close + 1 :]) - len(text[close + 1 :].lstrip())
        if close < 0 or body >= len(text) or text[body] != "{":
            continue
        inside = text[body : _matching(text, body)]
        parameters = tuple(_parameter(p) for p in _split(text[m.end() : close]))
        functions.append(TopFunction(m[1], parameters, bool(_FREE_RUNNING.search(inside))))
    return functions


def wrapper(source: Path, functions: tuple[TopFunction, ...]) -> str:
    """Return a C++ file that includes the source and registers its kernels with the emulator."""
    lines = [
        "// Registers a PL source's kernels with the emulator; see aieloom/pl_kernel.h.",
        f'#include "{source.name}"',
        "",
    ]
    lines += ["#include <aieloom/pl_kernel.h>", "", "namespace {", ""]
    for f in functions:
        parameters = ", ".join(f'{{"{p.name}", {p.bound or 1}}}' for p in f.parameters)
        lines.append(f"const aieloom::PlRegistration<&{f.name}> register_{f.name}(")
        lines.append(f'    "{f.name}", {str(f.free_running).lower()}, {{{parameters}}});')
    return "\n".join([*lines, "", "}  // namespace", ""])
