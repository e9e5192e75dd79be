"""Building and running any ADF project, as the vendor's functional simulator would.

The graph's program is compiled and asked which sources its kernels have; each source becomes a library of its own,
compiled as the vendor compiles a core's program: the file that source() names instantiates its kernels.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from aieloom.emulator.build import Design, Step, compile_step, design_steps, runtime_steps, write_xclbin
from aieloom.emulator.compiler import Unit, cache_folder, compile_unit, find_compiler, link, run_tool
from aieloom.emulator.paths import package_folder
from aieloom.emulator.symbols import Symbols, demangle, read_symbols, slot_source, slots_of
from aieloom.errors import Problem, SpecError, ToolError
from aieloom.spec.types import Architecture

REFUSED = 97  # the runtime's exit code when it refuses a design (include/aieloom/report.h)
BAD_INPUT = 2  # ours
JOBS = 2
SANITIZERS = (
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=undefined",
    "-fno-omit-frame-pointer",
    "-O1",
    "-g1",
)


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

    def options(self) -> tuple[str, ...]:
        """Return what every unit is compiled with."""
        return SANITIZERS if self.sanitize else ()

    def all_defines(self) -> tuple[str, ...]:
        """Return the user's macros and those of the kind of build."""
        kinds = (("AIELOOM_SANITIZE", self.sanitize), ("AIELOOM_TIMED", self.timed))
        return (*self.defines, *(name for name, wanted in kinds if wanted))


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a run ended: its exit code (2: refused), what it said, and where its files are."""

    code: int
    stdout: str
    stderr: str
    out: Path


@dataclass(frozen=True, slots=True)
class _Kernel:
    name: str
    source: str
    symbol: str
    is_class: bool


def build(program: Program, folder: Path) -> Path:
    """Build a project below `folder`; return the program.

    Raises:
        SpecError: a file is missing, or the graph is refused while its kernels are listed.
        ToolError: the compiler or the linker refuses a source.
    """
    _check_files(program)
    folder.mkdir(parents=True, exist_ok=True)
    design = _design(program)
    steps = _steps(program, design, folder)
    _in_parallel(compile_step, steps)
    objects = [s.target for s in steps]
    symbols = [read_symbols(o) for o in objects]
    graph = next(i for i, s in enumerate(steps) if s.name == "graph")
    slots = slots_of(symbols[graph], symbols)
    target = folder / "program"
    _link_program(
        program, (*objects[: graph + 1], _compile_slots(slots, folder), *objects[graph + 1 :]), target
    )
    _build_kernels(program, _list_kernels(target, folder), slots, folder)
    if program.config:
        write_xclbin(program.config, folder / "program.xclbin")
    return target


def _check_files(program: Program) -> None:
    files = (program.graph, *program.pl, *program.host, *((program.config,) if program.config else ()))
    missing = [f for f in files if not f.is_file()]
    if missing:
        remedy = "check the path"
        raise SpecError(
            Problem(rule="file", file=str(f), text="there is no such file", remedy=remedy) for f in missing
        )
    if bool(program.pl) != bool(program.host) or bool(program.config) != bool(program.host):
        text = "a whole system has PL kernels, a host program and system.cfg; one of them is missing"
        raise SpecError(
            Problem(rule="system", text=text, remedy="give --pl, --host and --config, or none of them")
        )


def _design(program: Program) -> Design:
    return Design(
        name=program.graph.stem,
        architecture=program.architecture,
        graph=program.graph,
        kernels=(),
        pl=program.pl,
        host=program.host,
        config=program.config,
        includes=(program.graph.parent, *program.includes),
        defines=program.all_defines(),
    )


def _steps(program: Program, design: Design, folder: Path) -> list[Step]:
    """Return graph, PL and host first and the runtime last: its last object runs when all graphs exist."""
    options = program.options()
    own = runtime_steps(program.architecture, folder, system=design.is_system, options=options)
    user = [
        replace(s, unit=replace(s.unit, options=(*_level(s), *options))) for s in design_steps(design, folder)
    ]
    return [*user, *own]


def _level(step: Step) -> tuple[str, ...]:
    """Return the optimisation of a unit of the user's: a graph runs once, what it runs is in other units."""
    return ("-O1",) if step.name == "graph" else step.unit.options


def _in_parallel(function: object, items: Iterable[object]) -> None:
    assert callable(function)
    with ThreadPoolExecutor(JOBS) as pool:
        # Large units first would be best; the order of the list is close to it.
        for done in [pool.submit(function, item) for item in items]:
            done.result()


def _compile_slots(slots: Sequence[str], folder: Path) -> Path:
    source, target = folder / "slots.s", folder / "slots.o"
    source.write_text(slot_source(slots), encoding="utf-8")
    run_tool(
        [find_compiler().path, "-c", str(source), "-o", str(target)], folder / "slots.log", remedy="report it"
    )
    return target


def _link_program(program: Program, objects: Sequence[Path], target: Path) -> None:
    """Link unless the same objects were linked before."""
    digest = hashlib.sha256(repr(program.options()).encode())
    for o in objects:
        digest.update(o.read_bytes())
    stamp = target.with_suffix(".stamp")
    if target.is_file() and stamp.is_file() and stamp.read_text(encoding="utf-8") == digest.hexdigest():
        return
    stamp.unlink(missing_ok=True)
    link(objects, target, ("-fsanitize=address,undefined",) if program.sanitize else ())
    stamp.write_text(digest.hexdigest(), encoding="utf-8")


def _list_kernels(target: Path, folder: Path) -> list[_Kernel]:
    """Ask the program which kernels its graphs have."""
    listing = folder / "kernels.txt"
    listing.unlink(missing_ok=True)
    environment = {**_environment(), "AIELOOM_DISCOVER": str(listing)}
    done = subprocess.run(
        [target], env=environment, cwd=folder, capture_output=True, text=True, errors="replace", check=False
    )
    if not listing.is_file():
        if done.returncode == REFUSED:
            raise Refused(done.stderr)
        return []  # a program without graphs; running it says the rest
    rows = [line.split("\t") for line in listing.read_text(encoding="utf-8").splitlines()]
    return [_Kernel(name, source, symbol, kind == "class") for name, source, symbol, kind in rows]


class Refused(SpecError):
    """The runtime refused the design; the message is its own."""

    def __init__(self, text: str) -> None:
        super().__init__(())
        self.args = (text.strip().removeprefix("aieloom: error: "),)


def _build_kernels(program: Program, kernels: Sequence[_Kernel], slots: Sequence[str], folder: Path) -> None:
    named = sorted({k.source for k in kernels if k.source})
    places = {source: _find_source(program, source, kernels) for source in named}
    unique = {path: f"kernel_{i}_{path.stem}" for i, path in enumerate(sorted(set(places.values())))}
    plain = demangle(slots)

    def make(path: Path) -> tuple[Path, bool]:
        users = [k for k in kernels if places.get(k.source) == path]
        return path, _build_library(program, path, unique[path], _wanted(users, plain), folder)

    with ThreadPoolExecutor(JOBS) as pool:
        own = dict(pool.map(make, unique))
    lines = [f"{s}\t{unique[p]}.so\t{'own' if own[p] else 'shared'}\n" for s, p in places.items()]
    (folder / "program.kernels").write_text("".join(lines), encoding="utf-8")


def _find_source(program: Program, source: str, kernels: Sequence[_Kernel]) -> Path:
    """Return a kernel's source: relative to the graph's folder or an include folder, as the vendor looks for it."""
    folders = (program.graph.parent, *program.includes)
    for folder in folders:
        if (folder / source).is_file():
            return (folder / source).resolve()
    user = next(k.name for k in kernels if k.source == source)
    text = f"the source '{source}' of kernel {user} is in none of: {', '.join(map(str, folders))}"
    remedy = "correct source(k), or add the folder with -I"
    raise SpecError(Problem(rule="kernel-source", file=str(program.graph), text=text, remedy=remedy))


def _wanted(users: Sequence[_Kernel], plain: dict[str, str]) -> dict[str, str]:
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


def _build_library(program: Program, path: Path, name: str, wanted: dict[str, str], folder: Path) -> bool:
    """Compile and link one kernel source; return whether it has variables, of which every core has its own."""
    target = folder / f"{name}.o"
    unit = _kernel_unit(program, path)
    compile_unit(unit, target)
    symbols = read_symbols(target)
    missing = {n: text for n, text in wanted.items() if n not in symbols.defined and "<" in _qualified(text)}
    if missing:
        symbols = _compile_instances(unit, path, missing, target)
    library = folder / f"{name}.so"
    sanitizer = ("-fsanitize=address,undefined",) if program.sanitize else ()
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
    return symbols.has_variables


def _kernel_unit(program: Program, path: Path) -> Unit:
    gcc_only = () if "clang" in find_compiler().version else ("-fno-gnu-unique",)
    # Each library keeps its symbols to itself, so calls inside it may be inlined.
    pic = ("-fPIC", "-fno-semantic-interposition", "-g1", *gcc_only)
    return Unit(
        source=path,
        includes=(package_folder() / "include", path.parent, program.graph.parent, *program.includes),
        defines=(f"__AIE_ARCH__={program.architecture.macro}", "__X86SIM__", *program.all_defines()),
        options=(*pic, *program.options()),
    )


def _compile_instances(unit: Unit, path: Path, missing: dict[str, str], target: Path) -> Symbols:
    """Compile the source once more with the templates that its kernels use instantiated in it."""
    classes = sorted({_scope(_qualified(t)) for t in missing.values()} - {""})
    templates = [f"template class {c};" for c in classes if c.endswith(">")]
    functions = [f"template {t};" for t in missing.values() if not _scope(_qualified(t)).endswith(">")]
    source = target.with_suffix(".instances.cpp")
    lines = [
        f"// Instances of the templates in {path.name} that the graph's kernels use.",
        f'#include "{path.name}"',
    ]
    source.write_text("\n".join([*lines, *templates, *functions, ""]), encoding="utf-8")
    compile_unit(replace(unit, source=source), target)
    return read_symbols(target)


def _environment() -> dict[str, str]:
    sanitizers = {
        "ASAN_OPTIONS": f"detect_leaks=0:exitcode={REFUSED}:detect_stack_use_after_return=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": f"print_stacktrace=1:exitcode={REFUSED}",
    }
    return {**os.environ, "LC_ALL": "C", **sanitizers}


def run(
    target: Path,
    *,
    data: Path | None = None,
    out: Path | None = None,
    iterations: int | None = None,
    arguments: Sequence[str] = (),
    timed: bool = False,
    timeout: float | None = None,
) -> Result:
    """Run a program that build() made.

    Input files are read below `data` (default: the current folder), output files are written below `out`
    (default: x86simulator_output, as the vendor's simulator calls it).
    """
    base = Path.cwd()
    out = base / (out or "x86simulator_output")
    out.mkdir(parents=True, exist_ok=True)
    environment = {**_environment(), "AIELOOM_DATA": str(base / (data or ".")), "AIELOOM_OUT": str(out)}
    if iterations:
        environment["AIELOOM_ITERATIONS"] = str(iterations)
    if timed:
        environment["AIELOOM_TIMED"] = "1"
    command = [str(target), *arguments]
    try:
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired as e:
        what = f"the program still runs after {timeout:g} s"
        raise ToolError(
            command=command, first_error=what, log=None, remedy="raise the limit, or give run(n) a number"
        ) from e
    code, text = done.returncode, done.stderr
    if code < 0:
        text += f"aieloom: error: [crash] the program ended with signal {-code}\n"
    return Result(
        code=BAD_INPUT if code < 0 or code == REFUSED else code, stdout=done.stdout, stderr=text, out=out
    )


def program_folder(program: Program) -> Path:
    """Return where a project's program is kept between runs: below the cache of objects."""
    key = repr((program.graph.resolve(), replace(program, graph=Path("graph"))))
    return cache_folder() / "programs" / hashlib.sha256(key.encode()).hexdigest()[:20]


def emulate(
    graph: str | Path,
    *,
    includes: Iterable[str | Path] = (),
    defines: Iterable[str] = (),
    arch: str = "aie",
    data: str | Path | None = None,
    out: str | Path | None = None,
    pl: Iterable[str | Path] = (),
    config: str | Path | None = None,
    host: Iterable[str | Path] = (),
    iterations: int | None = None,
    sanitize: bool = False,
    timed: bool = False,
    timeout: float | None = None,
    folder: str | Path | None = None,
) -> Result:
    """Build and run an ADF project; main() in `graph` (or the host program) drives it.

    Returns:
        The run's result; a design that the emulator refuses has code 2 and its message in `stderr`.

    Raises:
        SpecError: a file is missing.
        ToolError: a source does not compile.
    """
    program = Program(
        graph=Path(graph),
        architecture=Architecture(arch),
        includes=tuple(map(Path, includes)),
        defines=tuple(defines),
        pl=tuple(map(Path, pl)),
        host=tuple(map(Path, host)),
        config=Path(config) if config else None,
        sanitize=sanitize,
        timed=timed,
    )
    place = Path(folder) if folder else program_folder(program)
    try:
        target = build(program, place)
    except Refused as e:
        return Result(code=BAD_INPUT, stdout="", stderr=f"aieloom: error: {e}\n", out=Path(out or "."))
    arguments = (str(place / "program.xclbin"),) if program.config else ()
    return run(
        target,
        data=Path(data) if data else None,
        out=Path(out) if out else None,
        iterations=iterations,
        arguments=arguments,
        timed=timed,
        timeout=timeout,
    )


def clean(program: Program) -> None:
    """Forget a project's built program; objects stay in the cache."""
    shutil.rmtree(program_folder(program), ignore_errors=True)
