"""Finding a PL kernel's top function in its source: parameter names, array bounds, and its control protocol.

Types are left to the C++ compiler: the wrapper that the builder makes includes the source and asks the function's
own type. Only what a type forgets is read from the text: names, how many streams an array has, and which pointers
are registers. The top function is the one with C linkage, with interface pragmas, or the one that nobody calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from aieloom.emulator.pl_source import Function, Outline, Pragma, outline, read_text
from aieloom.errors import Problem, SpecError

_OPEN, _CLOSE = "(<[{", ")>]}"
_MODES = (
    "m_axi",
    "s_axilite",
    "axis",
    "ap_none",
    "ap_vld",
    "ap_ovld",
    "ap_ack",
    "ap_hs",
    "ap_fifo",
    "ap_memory",
    "bram",
    "ap_stable",
)
_CONTROLS = ("ap_ctrl_none", "ap_ctrl_hs", "ap_ctrl_chain")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter's name, the text of its array bound (empty when it is no array), and whether it is a register."""

    name: str
    bound: str = ""
    is_register: bool = False  # a pointer with s_axilite and without m_axi [UG1399 S_AXILITE]
    bundle: str = "gmem"  # its memory port, which arguments of one name share [UG1399 AXI4 Master Interface]


@dataclass(frozen=True, slots=True)
class TopFunction:
    """A PL kernel as its source declares it."""

    name: str
    parameters: tuple[Parameter, ...]
    free_running: bool  # ap_ctrl_none [UG1399 block-level control protocols]
    scope: tuple[str, ...] = ()  # namespaces
    is_certain: bool = True  # False: one of several functions that could be kernels


def find_functions(source: Path) -> tuple[TopFunction, ...]:
    """Return the functions of a PL source that are kernels.

    Raises:
        SpecError: the file cannot be read, defines no function that could be a kernel, or a pragma contradicts
            the function it is in.
    """
    text = read_text(source)
    found = outline(text)
    tops = _tops(found, source.stem)
    if not tops:
        text = "defines no function that could be a PL kernel"
        remedy = 'write extern "C" void kernel(...) { ... } outside of classes and unnamed namespaces'
        raise SpecError(rule="pl-kernel", file=str(source), text=text, remedy=remedy)
    return tuple(
        _checked(source, f, found.macros, is_certain=len(tops) == 1 or bool(_interfaces(f))) for f in tops
    )


def _tops(found: Outline, stem: str) -> list[Function]:
    """Choose the kernels: by linkage, by pragmas, by the file's name, at last by not being called."""
    possible = [
        f
        for f in found.functions
        if "" not in f.scope and not re.search(r"\bstatic\b", f.before) and f.name != "main"
    ]
    for group in ([f for f in possible if f.is_c], possible):
        with_pragmas = [f for f in group if _interfaces(f)]
        if with_pragmas or (group and group[0].is_c):
            return with_pragmas or group
    by_name = [f for f in possible if f.name == stem]
    uncalled = [
        f
        for f in possible
        if not any(re.search(rf"\b{f.name}\s*\(", g.body) for g in found.functions if g is not f)
    ]
    return by_name or uncalled


def _interfaces(function: Function) -> list[Pragma]:
    return [p for p in function.pragmas if re.match(r"interface\b", p.text, re.IGNORECASE)]


@dataclass(frozen=True, slots=True)
class _Interface:
    mode: str
    port: str
    pragma: Pragma
    bundle: str = ""

    @property
    def parameter(self) -> str:
        """The parameter that the port is, or is a part of."""
        return re.split(r"[.\[]", self.port)[0]


def _interface(pragma: Pragma) -> _Interface:
    """Take an interface pragma apart: `interface m_axi port=a` or `interface mode=m_axi port=a`."""
    words = re.sub(r"\s*=\s*", "=", pragma.text).split()[1:]
    named = dict(w.split("=", 1) for w in words if "=" in w)
    plain = [w for w in words if "=" not in w]
    modes = [w for w in plain if w.lower() in (*_MODES, *_CONTROLS)]
    ports = [w for w in plain if w not in modes and w.lower() not in ("register", "both")]
    port = named.get("port", ports[-1] if ports else "return")
    return _Interface(
        named.get("mode", modes[0] if modes else "").lower(), port, pragma, named.get("bundle", "")
    )


def _checked(source: Path, function: Function, macros: dict[str, str], *, is_certain: bool) -> TopFunction:
    """Make a top function of what the source shows, and compare its pragmas with it."""
    texts = _split(_expanded(function.parameters, macros))
    parameters = [_parameter(t) for t in texts]
    interfaces = [_interface(p) for p in _interfaces(function)]
    free_running = any(i.mode == "ap_ctrl_none" for i in interfaces)
    problems = [
        Problem(rule="pl-interface", file=str(source), line=line, text=text, remedy=remedy)
        for line, text, remedy in _contradictions(
            function, [*zip(texts, parameters, strict=True)], interfaces
        )
    ]
    if problems:
        raise SpecError(problems)
    modes = {p.name: {i.mode for i in interfaces if i.parameter == p.name} for p in parameters}
    bundles = {i.port: i.bundle for i in interfaces if i.mode == "m_axi" and i.bundle}
    made = tuple(
        Parameter(
            p.name,
            p.bound,
            "s_axilite" in modes[p.name] and "m_axi" not in modes[p.name],
            bundles.get(p.name, "gmem"),
        )
        for p in parameters
    )
    name = macros.get(function.name, function.name)
    return TopFunction(name, made, free_running, function.scope, is_certain)


def _contradictions(
    function: Function, parameters: Sequence[tuple[str, Parameter]], interfaces: Sequence[_Interface]
) -> Iterator[tuple[int, str, str]]:
    """Yield what a function's parameters, with their declarations, and its pragmas do not agree in: line, text, remedy."""
    kernel, known = f"kernel '{function.name}'", dict.fromkeys(p.name for _, p in parameters)
    for declared, p in parameters:
        if not p.name:
            text = f"parameter '{declared}' of {kernel} has no name"
            yield function.line, text, "name every parameter of a top function"
    free_running = any(i.mode == "ap_ctrl_none" for i in interfaces)
    for i in interfaces:
        # Without a mode it is none that UG1399 knows, such as `ap_clk port=ap_clk`: the tool ignores it.
        if i.mode and i.parameter not in known:
            if i.port != "return":
                remedy = f"its parameters are: {', '.join(known) or 'none'}"
                yield i.pragma.line, f"{kernel} has no parameter '{i.port}'", remedy
            known[i.parameter] = None
        if i.mode == "m_axi" and free_running:
            text = f"{kernel} is free running (ap_ctrl_none) and has memory '{i.port}' (m_axi)"
            remedy = "a kernel that nobody starts has only streams: use ap_ctrl_hs or ap_ctrl_chain"
            yield i.pragma.line, text, remedy


def _expanded(text: str, macros: dict[str, str]) -> str:
    """Replace the file's own macros, also those inside others."""
    for _ in range(8):  # macros in macros; a macro that names itself ends here too
        replaced = re.sub(r"\b[A-Za-z_]\w*\b", lambda m: macros.get(m[0], m[0]), text)
        if replaced == text:
            break
        text = replaced
    return text


def _split(text: str) -> list[str]:
    """Split a parameter list at its top-level commas; inside round brackets < and > compare."""
    parts: list[str] = []
    open_brackets: list[str] = []
    begin = 0
    for i, c in enumerate(text):
        compares = c in "<>" and bool(open_brackets) and open_brackets[-1] != "<"
        if c in _OPEN and not compares:
            open_brackets.append(c)
        elif c in _CLOSE and not compares:
            del open_brackets[-1:]
        elif c == "," and not open_brackets:
            parts.append(text[begin:i])
            begin = i + 1
    return [" ".join(p.split()) for p in [*parts, text[begin:]] if p.strip() and p.strip() != "void"]


def split_parameters(text: str, macros: dict[str, str]) -> list[str]:
    """Return the declarations of a parameter list, the file's own macros replaced."""
    return _split(_expanded(text, macros))


_DECLARATOR = re.compile(
    r"(?:\(\s*[&*]\s*(?P<ref>\w+)\s*\)|(?P<name>[A-Za-z_]\w*))\s*(?P<bounds>(?:\[[^\]]*\]\s*)*)$"
)
_TYPE_WORDS = {"int", "float", "double", "char", "short", "long", "bool", "unsigned", "signed", "half"}


def _parameter(text: str) -> Parameter:
    """Take a parameter's declaration apart; the name is empty when there is none."""
    declaration = re.split(r"(?<![<>=!])=(?!=)", text)[0].rstrip()
    found = _DECLARATOR.search(declaration)
    name = (found["ref"] or found["name"]) if found else ""
    alone = found is not None and not declaration[: found.start()].strip()
    if not found or alone or name in _TYPE_WORDS or declaration[: found.start()].rstrip().endswith("::"):
        return Parameter("")
    bounds: list[str] = re.findall(r"\[([^\]]*)\]", found["bounds"])
    return Parameter(name, bounds[0].strip() if bounds else "")


def wrapper(included: str, functions: tuple[TopFunction, ...]) -> str:
    """Return a C++ file that includes a source and registers its kernels with the emulator."""
    lines = [
        "// Registers a PL source's kernels with the emulator; see aieloom/pl_kernel.h.",
        f'#include "{included}"',
        "",
    ]
    lines += ["#include <aieloom/pl_kernel.h>", ""]
    for f in functions:
        # Inside the function's own namespaces, where the names in its bounds mean what they mean there.
        scopes = [*(f"namespace {s} {{" for s in f.scope), "namespace {"]
        parameters = ", ".join(
            f'{{"{p.name}", {p.bound or 0}, {str(p.is_register).lower()}, "{p.bundle}"}}'
            for p in f.parameters
        )
        facts = f"{str(f.is_certain).lower()}, {str(f.free_running).lower()}"
        kernel = f"aieloom::PlRegistration<decltype(&{f.name}), &{f.name}>"
        lines += [*scopes, "", f"const {kernel} register_{f.name}("]
        lines += [
            f'    "{f.name}", {facts}, {{{parameters}}});',
            "",
            "}  // namespace",
            *("}" for _ in f.scope),
            "",
        ]
    return "\n".join(lines)
