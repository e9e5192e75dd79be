"""Kernel sources as libraries: each compiled and linked apart, as the vendor compiles a core's program.

The file that source() names instantiates its kernels: templates that only it defines are instantiated in it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from aieloom.emulator.brackets import split
from aieloom.emulator.builtins import kernel_names, project_text
from aieloom.emulator.compiler import Unit, compile_unit, find_compiler, run_tool, ways_of
from aieloom.emulator.missing_functions import check_functions
from aieloom.emulator.symbols import Kernel, Symbols, demangle, read_symbols
from aieloom.errors import SpecError, ToolError
from aieloom.parallel import compilers
from aieloom.paths import package_folder
from aieloom.spec.architecture import Architecture

KERNELS = ".kernels"  # the list of libraries, beside the program (src/kernels.cpp)
SANITIZERS = (
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=undefined",
    "-fno-omit-frame-pointer",
    "-O1",
    "-g1",
)
SANITIZED_LINK = ("-fsanitize=address,undefined",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """An ADF project: the graph, and for a whole system PL kernels, host and system.cfg."""

    graph: Path
    architecture: Architecture = Architecture.AIE
    includes: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    pl: tuple[Path, ...] = ()
    host: tuple[Path, ...] = ()
    config: Path | None = None
    sanitize: bool = False
    timed: bool = False
    directory: Path = Path()  # the working directory of the command

    def folders(self) -> tuple[Path, ...]:
        """Return where headers and kernel sources are looked for, as aiecompiler looks: the working directory last."""
        return (self.graph.parent, *self.includes, self.directory)

    def options(self) -> tuple[str, ...]:
        """Return what every unit is compiled with."""
        return SANITIZERS if self.sanitize else ()

    def all_defines(self) -> tuple[str, ...]:
        """Return the user's macros and those of the kind of build."""
        return (*self.defines, *(("AIELOOM_SANITIZE",) if self.sanitize else ()))


def build_kernels(
    program: Program,
    kernels: Sequence[Kernel],
    slots: Sequence[str],
    folder: Path,
    *,
    known: Collection[str] = (),
) -> None:
    """Build the library of every kernel source, and the list by which the program finds them.

    `known` are the linker names that the program itself defines.

    Raises:
        SpecError: a source is in none of the folders, or does not define what its kernels call.
        ToolError: the compiler refuses a source.
    """
    named = sorted({k.source for k in kernels if k.source})
    places = {source: _find_source(program, source, kernels) for source in named}
    _check_headers(program, kernels, places)
    unique = {path: f"kernel_{i}_{path.stem}" for i, path in enumerate(sorted(set(places.values())))}
    plain = demangle(slots)

    def make(path: Path) -> tuple[Path, bool]:
        users = [k for k in kernels if places.get(k.source) == path]
        inits = tuple(sorted({k.init for k in users if "<" in k.init}))
        functions = _wanted(users, plain) | _bases(path, plain)
        target = folder / f"{unique[path]}.o"
        symbols = _build_library(program, path, _Wanted(functions, inits), target)
        check_functions(path, users, symbols, target, slots=slots, known=known)
        return path, symbols.has_variables or program.timed  # whose counters are variables

    with ThreadPoolExecutor(compilers()) as pool:
        own = dict(pool.map(make, unique))  # whether every core needs a copy with variables of its own
    lines = [f"{s}\t{unique[p]}.so\t{'own' if own[p] else 'shared'}\n" for s, p in places.items()]
    (folder / "program").with_suffix(KERNELS).write_text("".join(lines), encoding="utf-8")


_SOURCE = re.compile(r'\bsource\s*\([^;"]*=\s*"([^"]+)"')


def expected_sources(program: Program) -> list[Path]:
    """Return the kernel sources that the graph's own files name in plain text, by a first look at them.

    Only to compile them while the graph is compiled; what its kernels really have is asked of the graph itself.
    """
    folders = program.folders()
    names = set(_SOURCE.findall(project_text(program.graph, folders)))
    found = (next((f / n for f in folders if (f / n).is_file()), None) for n in names)
    return sorted({p.resolve() for p in found if p})


def compile_ahead(program: Program, source: Path, target: Path) -> None:
    """Leave a kernel source's object in the cache; what is wrong with it, build_kernels() says."""
    if program.timed:  # its object is made of the instances that it needs
        return
    with suppress(ToolError):
        compile_unit(_kernel_unit(program, source), target)


def _find_source(program: Program, source: str, kernels: Sequence[Kernel]) -> Path:
    """Return a kernel's source: relative to the graph's folder, an include folder or the working directory."""
    folders = program.folders()
    for folder in folders:
        if (folder / source).is_file():
            return (folder / source).resolve()
    user = next(k.name for k in kernels if k.source == source)
    text = f"the source '{source}' of kernel {user} is in none of: {', '.join(map(str, folders))}"
    remedy = "correct source(k), or add the folder with -I"
    raise SpecError(rule="kernel-source", file=str(program.graph), text=text, remedy=remedy)


def _check_headers(program: Program, kernels: Sequence[Kernel], places: dict[str, Path]) -> None:
    """Refuse headers(k) that are nowhere: the vendor's tool includes them where it calls the kernel."""
    for kernel in kernels:
        near = [places[kernel.source].parent] if kernel.source in places else []
        folders = [*program.folders(), *near]
        for header in kernel.headers:
            if not any((folder / header).is_file() for folder in folders):
                text = f"the header '{header}' of kernel {kernel.name} is in none of: {', '.join(map(str, folders))}"
                remedy = "correct headers(k), or add the folder with -I"
                raise SpecError(rule="kernel-header", file=str(program.graph), text=text, remedy=remedy)


def _wanted(users: Sequence[Kernel], plain: dict[str, str]) -> dict[str, str]:
    """Return the functions that a source must define for its kernels: linker name to C++ spelling."""
    functions = {k.symbol for k in users if not k.is_class}
    classes = {
        k.symbol.rpartition("::")[0].rpartition("::")[2].partition("<")[0].strip()
        for k in users
        if k.is_class
    }
    return {
        name: text
        for name, text in plain.items()
        if name in functions or any(_class_of(text) == c for c in classes if c)
    }


def _bases(path: Path, plain: dict[str, str]) -> dict[str, str]:
    """Return the members of class templates that a source defines itself: of the classes that its kernels' derive from."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return {
        name: member
        for name, member in plain.items()
        if "<" in _scope(_qualified(member))
        and re.search(rf"\b{re.escape(_class_of(member))}\s*<[^<>()]*>\s*::", text)
    }


def _qualified(text: str) -> str:
    """Return the qualified name in a function's C++ spelling, without result and parameters."""
    depth, begin = 0, 0
    for i, c in enumerate(text):
        depth += (c == "<") - (c == ">")
        if depth == 0 and c == " ":
            begin = i + 1
        if depth == 0 and c == "(":
            return text[begin:i]
    return text[begin:]


def _scope(qualified: str) -> str:
    """Return what stands before the last :: outside of <>."""
    depth = 0
    for i in range(len(qualified) - 1, 0, -1):
        depth += (qualified[i] == ">") - (qualified[i] == "<")
        if depth == 0 and qualified[i - 1 : i + 1] == "::":
            return qualified[: i - 1]
    return ""


def _class_of(text: str) -> str:
    scope = _scope(_qualified(text))
    return scope.partition("<")[0].rpartition("::")[2]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a source must define: functions by linker name, and instances of initialization templates."""

    functions: dict[str, str]
    inits: tuple[str, ...]


def _build_library(program: Program, path: Path, wanted: _Wanted, target: Path) -> Symbols:
    """Compile one kernel source to an object, and link it beside it; return what it defines, other linkage included."""
    unit = _kernel_unit(program, path)
    _compile(program, unit, target)
    symbols = read_symbols(target)
    missing = {
        n: text
        for n, text in wanted.functions.items()
        if n not in symbols.defined and "<" in _qualified(text)
    }
    if missing or wanted.inits:
        make = partial(_instances, unit, path, missing, wanted.inits, target)
        try:
            _compile(program, make(), target)
        except ToolError:
            try:  # a member that is no kernel's function, as a static one with a result
                _compile(program, make(whole=True), target)
            except ToolError:
                _compile(program, make(), target)  # what it says is about the kernels' functions alone
        symbols = read_symbols(target)
        if hidden := _hidden(missing, symbols.defined):
            _compile(program, make(hidden=hidden), target)
            symbols = read_symbols(target)
    library = target.with_suffix(".so")
    linkage = _other_linkage(wanted.functions, symbols.defined)
    sanitizer = SANITIZED_LINK if program.sanitize else ()
    command = [
        find_compiler().path,
        "-shared",
        "-Wl,-Bsymbolic",
        *sanitizer,
        *(f"-Wl,--defsym={name}={same}" for name, same in linkage.items()),
        str(target),
        "-o",
        str(library.with_suffix(".new")),
    ]
    run_tool(command, library.with_suffix(".link.log"), remedy="see the log")
    library.with_suffix(".new").replace(library)
    return replace(symbols, defined=symbols.defined | set(linkage))


def _other_linkage(wanted: Collection[str], defined: Collection[str]) -> dict[str, str]:
    """Return the names by which the graph knows functions that the source defines under others, and those others.

    A header may declare kernels extern "C" that the source, which does not include it, defines as C++ functions (AMD's
    beamforming tutorial), or the other way round: the vendor's compiler takes the source's function of that name.
    """
    found = {}
    for name in sorted(set(wanted) - set(defined)):
        plain = re.match(r"_Z(\d+)", name)
        if plain is None:
            same = [
                d for d in defined if d.startswith(f"_Z{len(name)}{name}") and "." not in d
            ]  # no .cold part
        else:
            c_name = name[plain.end() : plain.end() + int(plain[1])]
            same = [d for d in defined if d == c_name]
        if len(same) == 1:
            found[name] = same[0]
    return found


def _compile(program: Program, unit: Unit, target: Path) -> None:
    """Compile a source of kernels; for a timed run with counters in its blocks."""
    if program.timed:
        from aieloom.emulator.timed.compile import compile_ways  # noqa: PLC0415 - needs clang, and only a timed run does

        compile_ways(ways_of(unit), program.architecture, target)
    else:
        compile_unit(unit, target)


def _kernel_unit(program: Program, path: Path) -> Unit:
    gcc_only = () if "clang" in find_compiler().version else ("-fno-gnu-unique",)
    # Each library keeps its symbols to itself, so calls inside it may be inlined.
    pic = ("-fPIC", "-fno-semantic-interposition", "-g1", *gcc_only)
    folders = (path.parent, *program.folders())
    return Unit(
        source=path,
        includes=(package_folder() / "include", *folders),
        defines=(f"__AIE_ARCH__={program.architecture.macro}", "__X86SIM__", *program.all_defines()),
        options=(*pic, *kernel_names(path, folders), *program.options()),
        kernels_alone=True,
    )


def _init_name(init: str) -> str:
    """Return the name by which the runtime finds an instance of an initialization template (src/kernels.cpp)."""
    return "aieloom_init" + "".join(f"_{b:02x}" for b in init.encode())


def _hidden(missing: dict[str, str], defined: Collection[str]) -> dict[str, str]:
    """Return the constructors that g++ keeps to its object file although their class is instantiated.

    It takes a signature for local in which an array's length is computed with a constant of a namespace.
    """
    if "clang" in find_compiler().version:
        return {}
    return {name: text for name, text in missing.items() if name not in defined and _is_constructor(text)}


def _is_constructor(text: str) -> bool:
    return _qualified(text).rpartition("::")[2] == _class_of(text)


def _member(text: str) -> str:
    """Return the declaration of a class template's member: linker names have no results, and kernels give none."""
    return text if _is_constructor(text) or text.startswith("void ") else f"void {text}"


def _parameters(text: str) -> list[str]:
    """Return the types of a function's parameters, from its C++ spelling."""
    inside = text[text.index(_qualified(text)) + len(_qualified(text)) + 1 : -1]
    return [p.strip() for p in split(inside, "<([>)]") if p.strip()]


def _maker(number: int, name: str, text: str) -> str:
    """Return code that needs a hidden constructor, so that it is there, and makes its name known outside."""
    types = _parameters(text)
    given = "".join(f", std::type_identity_t<{t}> x{i}" for i, t in enumerate(types))
    passed = ", ".join(f"static_cast<{t}>(x{i})" for i, t in enumerate(types))
    return (
        f'asm(".globl {name}");\n'
        f'extern "C" __attribute__((used, optimize("O0"))) void aieloom_make_{number}(void* at{given}) '
        f"{{ new (at) {_scope(_qualified(text))}({passed}); }}"
    )


def _instances(
    unit: Unit,
    path: Path,
    missing: dict[str, str],
    inits: Sequence[str],
    target: Path,
    *,
    hidden: Mapping[str, str] | None = None,
    whole: bool = False,
) -> Unit:
    """Return a unit that is the source with the templates that its kernels use instantiated in it.

    Of classes the constructors and the kernels' functions alone, as a compiler does that meets a call: other members
    may be none for these arguments (DSPLIB's filters with and without a cascade). `whole`: the classes with all members.
    """
    of_classes = {n: t for n, t in missing.items() if _scope(_qualified(t)).endswith(">")}
    if whole:
        templates = [
            f"template class {c};" for c in sorted({_scope(_qualified(t)) for t in of_classes.values()})
        ]
    else:
        templates = [f"template {_member(t)};" for n, t in of_classes.items() if n not in (hidden or {})]
    functions = [f"template {t};" for n, t in missing.items() if n not in of_classes]
    started = [f'extern "C" void {_init_name(i)}() {{ {i}(); }}' for i in inits]
    made = [_maker(i, n, t) for i, (n, t) in enumerate((hidden or {}).items())]
    source = target.with_suffix(".instances.cpp")
    lines = [
        f"// Instances of the templates in {path.name} that the graph's kernels use.",
        f'#include "{path.name}"',
    ]
    source.write_text("\n".join([*lines, *templates, *functions, *started, *made, ""]), encoding="utf-8")
    return replace(unit, source=source)
