"""Kernel sources as libraries: each compiled and linked apart, as the vendor compiles a core's program.

The file that source() names instantiates its kernels: templates that only it defines are instantiated in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from aieloom.emulator.builtins import kernel_names, project_text
from aieloom.emulator.compiler import Unit, compile_unit, find_compiler, run_tool, ways_of
from aieloom.emulator.symbols import demangle, read_symbols
from aieloom.errors import Problem, SpecError, ToolError
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


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel as the program lists it: the linker name of its function, or its class's function as written."""

    name: str
    source: str
    symbol: str
    is_class: bool
    init: str = ""
    headers: tuple[str, ...] = ()


def build_kernels(program: Program, kernels: Sequence[Kernel], slots: Sequence[str], folder: Path) -> None:
    """Build the library of every kernel source, and the list by which the program finds them.

    Raises:
        SpecError: a source is in none of the folders.
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
        return path, _build_library(program, path, unique[path], _Wanted(functions, inits), folder)

    with ThreadPoolExecutor(compilers()) as pool:
        own = dict(pool.map(make, unique))
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
    raise SpecError(Problem(rule="kernel-source", file=str(program.graph), text=text, remedy=remedy))


def _check_headers(program: Program, kernels: Sequence[Kernel], places: dict[str, Path]) -> None:
    """Refuse headers(k) that are nowhere: the vendor's tool includes them where it calls the kernel."""
    for kernel in kernels:
        near = [places[kernel.source].parent] if kernel.source in places else []
        folders = [*program.folders(), *near]
        for header in kernel.headers:
            if not any((folder / header).is_file() for folder in folders):
                text = f"the header '{header}' of kernel {kernel.name} is in none of: {', '.join(map(str, folders))}"
                remedy = "correct headers(k), or add the folder with -I"
                raise SpecError(
                    Problem(rule="kernel-header", file=str(program.graph), text=text, remedy=remedy)
                )


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


def _build_library(program: Program, path: Path, name: str, wanted: _Wanted, folder: Path) -> bool:
    """Compile and link one kernel source; return whether it has variables, of which every core has its own."""
    target = folder / f"{name}.o"
    unit = _kernel_unit(program, path)
    _compile(program, unit, target)
    symbols = read_symbols(target)
    missing = {
        n: text
        for n, text in wanted.functions.items()
        if n not in symbols.defined and "<" in _qualified(text)
    }
    if missing or wanted.inits:
        _compile(program, _instances(unit, path, missing, wanted.inits, target), target)
        symbols = read_symbols(target)
    library = folder / f"{name}.so"
    sanitizer = SANITIZED_LINK if program.sanitize else ()
    command = [
        find_compiler().path,
        "-shared",
        "-Wl,-Bsymbolic",
        *sanitizer,
        str(target),
        "-o",
        str(library.with_suffix(".new")),
    ]
    run_tool(command, library.with_suffix(".link.log"), remedy="see the log")
    library.with_suffix(".new").replace(library)
    return symbols.has_variables or program.timed  # whose counters are variables


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


def _instances(unit: Unit, path: Path, missing: dict[str, str], inits: Sequence[str], target: Path) -> Unit:
    """Return a unit that is the source with the templates that its kernels use instantiated in it."""
    classes = sorted({_scope(_qualified(t)) for t in missing.values()} - {""})
    templates = [f"template class {c};" for c in classes if c.endswith(">")]
    functions = [f"template {t};" for t in missing.values() if not _scope(_qualified(t)).endswith(">")]
    started = [f'extern "C" void {_init_name(i)}() {{ {i}(); }}' for i in inits]
    source = target.with_suffix(".instances.cpp")
    lines = [
        f"// Instances of the templates in {path.name} that the graph's kernels use.",
        f'#include "{path.name}"',
    ]
    source.write_text("\n".join([*lines, *templates, *functions, *started, ""]), encoding="utf-8")
    return replace(unit, source=source)
