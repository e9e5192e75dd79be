"""Building and running any ADF project, as the vendor's functional simulator would.

The graph's program is compiled and asked which sources its kernels have; each source becomes a library of its own,
compiled as the vendor compiles a core's program: the file that source() names instantiates its kernels.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from aieloom.digests import file_digest, text_digest
from aieloom.emulator.build import (
    AIESIM,
    Design,
    Step,
    compile_step,
    design_steps,
    runtime_steps,
    write_packet_ids,
    write_xclbin,
)
from aieloom.emulator.compiler import find_compiler, link, run_tool
from aieloom.emulator.libraries import (
    KERNELS,
    SANITIZED_LINK,
    Program,
    build_kernels,
    compile_ahead,
    expected_sources,
)
from aieloom.emulator.members import DEBUG, MEMBERS, write_members
from aieloom.emulator.pl_source import check_there, read_text, without_comments
from aieloom.emulator.scratch import scratch_folder
from aieloom.emulator.symbols import Kernel, arrays_of, read_symbols, slot_source, slots_of
from aieloom.emulator.units import unit_objects, with_local_names
from aieloom.errors import SpecError, ToolError
from aieloom.lock import held
from aieloom.parallel import compilers
from aieloom.paths import cache_folder, write_whole
from aieloom.progress import working
from aieloom.spec.architecture import Architecture

if TYPE_CHECKING:
    from aieloom.emulator.arrays import Array
    from aieloom.emulator.timed.result import Cycles

__all__ = ["Program", "Refused", "Result", "build", "clean", "emulate", "program_folder", "run"]

XCLBIN = "program.xclbin"
REFUSED = 97  # the runtime's exit code when it refuses a design (include/aieloom/report.h)
BAD_INPUT = 2  # ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a run ended: its exit code (2: refused), what it said, and where its files are."""

    code: int
    stdout: str
    stderr: str
    out: Path
    arrays: dict[str, Array] = field(default_factory=dict)  # of output PLIOs, when inputs were arrays
    cycles: Cycles | None = None  # of a timed run


def build(program: Program, folder: Path) -> Path:
    """Build a project below `folder`; return the program.

    Raises:
        SpecError: a file is missing, or the graph is refused while its kernels are listed.
        ToolError: the compiler or the linker refuses a source.
    """
    _check_files(program)
    with working("compiling the graph and its kernels"):
        return _built(program, folder)


def _built(program: Program, folder: Path) -> Path:
    """Do what build says."""
    folder.mkdir(parents=True, exist_ok=True)
    design = _design(program)
    if design.is_system:
        write_packet_ids(design, folder)
    steps = _steps(program, design, folder)
    # The runtime's halves take longest: they start first, the user's units fill the gaps.
    in_order = sorted(steps, key=lambda s: not s.name.startswith("runtime_"))
    ahead = [
        partial(compile_ahead, program, source, folder / f"ahead_{i}.o")
        for i, source in enumerate(expected_sources(program))
    ]
    _in_parallel([*(partial(compile_step, step) for step in in_order), *ahead])
    graph = next(s for s in steps if s.name == "graph")
    _find_main(program, design, graph, folder)
    objects = _without_graph_of(steps, unit_objects(steps, program.config, folder))
    symbols = {o: read_symbols(o) for o in objects}
    # The graph's kernels are functions of other libraries, also where the host includes the graph.
    slots = tuple(
        sorted({n for s in _with_graphs(steps, objects) for n in slots_of(symbols[s], symbols.values())})
    )
    arrays = sorted(
        {n for s in _with_graphs(steps, objects) for n in arrays_of(symbols[s], symbols.values())}
    )
    target = folder / "program"
    _link_program(program, (objects[0], _compile_slots(slots, arrays, folder), *objects[1:]), target)
    known = frozenset().union(*(s.defined for s in symbols.values()))
    build_kernels(program, _list_kernels(target, folder), slots, folder, known=known)
    if program.config:
        write_members(_with_graphs(steps, objects), target.with_suffix(MEMBERS))
        write_xclbin(program.config, folder / XCLBIN)
    return target


MAKES_GRAPHS = "_ZN7aieloom9add_graphEPKv"  # what the constructor of every graph calls


def _with_graphs(steps: Sequence[Step], objects: Sequence[Path]) -> list[Path]:
    """Return the objects that may define graphs: the graph's source and the host's."""
    ours = [s.target for s in steps if s.name.startswith(("graph", "host_"))]
    return [o for target in ours for o in objects if o in (target, _own(target))]


def _without_graph_of(steps: Sequence[Step], objects: Sequence[Path]) -> list[Path]:
    """Leave out the graph's object where the host defines the same graphs: it includes graph.cpp, or its header.

    On the device the host's copies stand for the graph that aiecompiler has compiled; here the host's are the graph.
    """
    graph, *hosts = _with_graphs(steps, objects)
    by_target = {s.target: s for s in steps}
    outside = graph in by_target and connects_outside(by_target[graph].unit.source)
    names = read_symbols(graph).strong
    kept = list(objects)
    if "main" in names and any("main" in read_symbols(h).strong for h in hosts):
        # The graph's main() is for simulation alone: on the device it is no part of the host's program.
        kept[kept.index(graph)] = with_local_names(graph, ("main",), _own(graph))
        names = names - {"main"}
    for host in hosts:
        symbols = read_symbols(host)
        shared = names & symbols.strong
        if shared and MAKES_GRAPHS in symbols.undefined:
            declared = _declared_only(by_target[host], shared) if outside and host in by_target else None
            if declared:
                kept[kept.index(host)] = declared
                continue
            return [o for o in kept if o not in (graph, _own(graph))]
        if shared:  # arrays of weights in headers of both, which are two programs on the device
            kept[kept.index(host)] = with_local_names(host, shared, _own(host))
    return kept


_NET = re.compile(r"^\s*(?:adf\s*::\s*)?connect\s*<[^;{}]*>\s*\w+\s*[({]", re.MULTILINE)


def connects_outside(source: Path) -> bool:
    """Tell whether a graph's source connects its graph by objects beside it: connect<> net(platform.src[0], g.in)."""
    text = without_comments(read_text(source))
    depth = 0
    for line in text.splitlines():
        if depth == 0 and _NET.match(line):
            return True
        depth += line.count("{") - line.count("}")
    return False


def _declared_only(host: Step, names: Iterable[str]) -> Path | None:
    """Compile a host program again whose graphs are only declared: the graph's source, which connects them, defines them.

    Returns None where the definitions are not in the host's source itself.
    """
    source = host.unit.source
    text = read_text(source)
    made = text
    for name in names:
        begins = r"^(?!\s*(?:extern|return|using|typedef)\b)([ \t]*)([A-Za-z_][\w:<>, ]*\s)"
        definition = begins + rf"{name}\s*(?:\([^;()]*\)|\{{[^;{{}}]*\}})?\s*;"
        made = re.sub(definition, rf"\1extern \2{name};", made, flags=re.MULTILINE)
    if made == text:
        return None
    target = _own(host.target)
    again = target.with_suffix(source.suffix)
    again.write_text(f'#line 1 "{source}"\n{made}', encoding="utf-8")
    unit = replace(host.unit, source=again, includes=(source.parent, *host.unit.includes))
    compile_step(replace(host, unit=unit, target=target))
    return target


def _own(obj: Path) -> Path:
    """Return where the copy of an object file with names of its own is."""
    return obj.with_suffix(".own.o")


def _find_main(program: Program, design: Design, graph: Step, folder: Path) -> None:
    """Compile the graph once more as for aiesimulator, if only that has main() in it.

    Raises:
        SpecError: main() is nowhere.
    """
    if design.is_system or "main" in read_symbols(graph.target).defined:
        return
    for step in _steps(program, replace(design, simulator=AIESIM), folder):
        if step.name == "graph":
            compile_step(step)
    if "main" not in read_symbols(graph.target).defined:
        text = "the graph's source defines no main() that runs it, under __X86SIM__, under __AIESIM__ or without either"
        remedy = "write int main() { graph.init(); graph.run(1); graph.end(); } in it, or give --host with --pl and --config"
        raise SpecError(rule="main", file=str(program.graph), text=text, remedy=remedy)


def _check_files(program: Program) -> None:
    files = (program.graph, *program.pl, *program.host, *((program.config,) if program.config else ()))
    check_there(files)
    if bool(program.pl) != bool(program.host) or bool(program.config) != bool(program.host):
        parts = {"--pl": program.pl, "--host": program.host, "--config": program.config}
        missing_parts = ", ".join(name for name, given in parts.items() if not given)
        text = f"a whole system has PL kernels, a host program and system.cfg; {missing_parts} is missing"
        raise SpecError(rule="system", text=text, remedy="give --pl, --host and --config, or none of them")


def _design(program: Program) -> Design:
    return Design(
        name=program.graph.stem,
        architecture=program.architecture,
        graph=program.graph,
        kernels=(),
        pl=program.pl,
        host=program.host,
        config=program.config,
        includes=program.folders(),
        defines=program.all_defines(),
        timed=program.timed,
    )


def _steps(program: Program, design: Design, folder: Path) -> list[Step]:
    """Return graph, PL and host first and the runtime last: its last object runs when all graphs exist."""
    options = program.options()
    own = runtime_steps(folder, system=design.is_system, timed=design.timed, options=options)
    user = [
        replace(s, unit=replace(s.unit, options=(*s.unit.options, *options, *_naming(s, design))))
        for s in design_steps(design, folder)
    ]
    return [*user, *own]


def _naming(step: Step, design: Design) -> tuple[str, ...]:
    """Return what keeps names of a graph's members, by which a host asks for parameters, and lines of a PL kernel."""
    if not design.is_system:
        return ()
    return ("-g1",) if step.wraps else (DEBUG,) if step.name.startswith(("graph", "host_")) else ()


def _in_parallel(jobs: Iterable[Callable[[], object]]) -> None:
    with ThreadPoolExecutor(compilers()) as pool:
        for done in [pool.submit(job) for job in jobs]:
            done.result()


def _compile_slots(slots: Sequence[str], arrays: Sequence[str], folder: Path) -> Path:
    source, target = folder / "slots.s", folder / "slots.o"
    source.write_text(slot_source(slots, arrays), encoding="utf-8")
    run_tool(
        [find_compiler().path, "-c", str(source), "-o", str(target)], folder / "slots.log", remedy="report it"
    )
    return target


def _link_program(program: Program, objects: Sequence[Path], target: Path) -> None:
    """Link unless the program is there that was linked of the same objects."""
    made_of = text_digest(find_compiler().identity, repr(program.options()), *map(file_digest, objects))
    stamp = target.with_suffix(".stamp")
    known = stamp.read_bytes() if stamp.is_file() else b""
    if target.is_file() and known == text_digest(made_of, file_digest(target)).encode():
        return
    stamp.unlink(missing_ok=True)
    link(objects, target, SANITIZED_LINK if program.sanitize else ())
    write_whole(stamp, text_digest(made_of, file_digest(target)).encode())


def _list_kernels(target: Path, folder: Path) -> list[Kernel]:
    """Ask the program which kernels its graphs have."""
    listing = folder / "kernels.txt"
    listing.unlink(missing_ok=True)
    environment = {**base_environment(), "AIELOOM_DISCOVER": str(listing)}
    done = subprocess.run(
        [target], env=environment, cwd=folder, capture_output=True, text=True, errors="replace", check=False
    )
    if not listing.is_file():
        if done.returncode == REFUSED:
            raise Refused(done.stderr)
        return []  # a program without graphs; running it says the rest
    rows = [line.split("\t") for line in listing.read_text(encoding="utf-8").splitlines()]
    return [
        Kernel(name, source, symbol, kind == "class", init, tuple(h for h in headers.split(":") if h))
        for name, source, symbol, kind, init, headers in rows
    ]


class Refused(SpecError):
    """The runtime refused the design; the message is its own."""

    def __init__(self, text: str) -> None:
        super().__init__(())
        self.args = (text.strip().removeprefix("aieloom: error: "),)


def base_environment() -> dict[str, str]:
    """Return what every emulated program runs in: messages in English, and how sanitizers end it."""
    sanitizers = {
        "ASAN_OPTIONS": f"detect_leaks=0:exitcode={REFUSED}:detect_stack_use_after_return=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": f"print_stacktrace=1:exitcode={REFUSED}",
    }
    return {**os.environ, "LC_ALL": "C", **sanitizers}


def stalling(seed: int | None) -> dict[str, str]:
    """Return what makes an emulated program's PL streams stall (include/aieloom/stall.h)."""
    return {} if seed is None else {"AIELOOM_STALLS": str(seed)}


def run(
    target: Path,
    *,
    data: Path | None = None,
    out: Path | None = None,
    iterations: int | None = None,
    arguments: Sequence[str] = (),
    shared_memory: bool = False,
    timed: Path | None = None,
    board: str = "",
    timestamps: bool = False,
    timeout: float | None = None,
    kernel_timeout: float | None = None,
    misplaced: Literal["refuse", "warn"] = "refuse",
    stalls: int | None = None,
    inputs: Mapping[str, Array] | None = None,
) -> Result:
    """Run a program that build() made.

    A kernel that computes for `kernel_timeout` seconds without coming back is refused (60 unless given, 600 for a PL
    kernel and the host; 0: never). `stalls` is the seed of steps in which streams of PL kernels show neither data nor room.
    A placement that only the mapper of a device refuses is refused too, unless `misplaced` says "warn".

    `timed` names the file for what a timed run found; `board` are the figures of its memory and processor (timed/board.py).

    With `inputs`, arrays by the PLIOs' logical names take the place of files, and the result has arrays too.
    Input files are read below `data` (default: the current folder), output files are written below `out`
    (default: x86simulator_output, as the vendor's simulator calls it).
    """
    base = Path.cwd()
    out = base / (out or "x86simulator_output")
    out.mkdir(parents=True, exist_ok=True)
    said = {
        "AIELOOM_DATA": base / (data or "."),
        "AIELOOM_OUT": out,
        "AIELOOM_MISPLACED": misplaced,
        "AIELOOM_ITERATIONS": iterations or None,
        "AIELOOM_TIMED": timed,
        "AIELOOM_BOARD": board if timed else None,
        "AIELOOM_TIMESTAMPS": 1 if timestamps else None,
        "AIELOOM_KERNEL_TIMEOUT": kernel_timeout,
        "AIELOOM_SHARED_MEMORY": 1 if shared_memory else None,
    }
    given = {name: str(value) for name, value in said.items() if value is not None}
    environment = {**base_environment(), **given, **stalling(stalls)}
    command = [str(target), *arguments]
    if inputs is None:
        with working(f"running {target.name}"):
            return run_program(command, environment, timeout, out)
    with tempfile.TemporaryDirectory() as temporary, working(f"running {target.name}"):
        arrays = Path(temporary)
        from aieloom.emulator.arrays import read_outputs, write_inputs  # noqa: PLC0415 - NumPy only where it is used

        write_inputs(arrays, inputs)
        done = run_program(command, {**environment, "AIELOOM_ARRAYS": temporary}, timeout, out)
        return replace(done, arrays=read_outputs(arrays))


def run_program(
    command: list[str],
    environment: Mapping[str, str],
    timeout: float | None,
    out: Path,
    *,
    what: str = "the program",
    remedy: str = "raise the limit, or give run(n) a number",
    cwd: Path | None = None,
    capture: bool = True,
) -> Result:
    """Run a program, whose files are in `out`; a signal or a refusal is bad input.

    With `capture` false it talks to the terminal itself, and the result's texts are empty.

    Raises:
        ToolError: it is still running after `timeout` seconds.
    """
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=environment,
            capture_output=capture,
            text=True,
            errors="replace",
            check=False,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired as e:
        first = f"{what} still runs after {timeout:g} s"
        raise ToolError(command=command, first_error=first, log=None, remedy=remedy) from e
    code, said = done.returncode, done.stderr or ""
    if code < 0:
        said += f"aieloom: error: [crash] the program ended with signal {-code}\n"
    refused = code < 0 or code == REFUSED
    return Result(code=BAD_INPUT if refused else code, stdout=done.stdout or "", stderr=said, out=out)


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
    arguments: Iterable[str] = (),
    shared_memory: bool = False,
    xclbin: Iterable[str] = (),
    sanitize: bool = False,
    timed: bool = False,
    timestamps: bool = False,
    timeout: float | None = None,
    kernel_timeout: float | None = None,
    stalls: int | None = None,
    folder: str | Path | None = None,
    inputs: Mapping[str, Array] | None = None,
) -> Result:
    """Build and run an ADF project; main() in `graph` (or the host program) drives it.

    Calls from several threads and processes do not touch each other's runs; those of one project build one after another.

    `inputs` are arrays by the PLIOs' logical names, instead of text files; the result's `arrays` then has the outputs.
    `arguments` are the host program's behind the xclbin's name; `xclbin` are names by which it opens the xclbin instead.
    With `shared_memory` host and device see one memory, as on an embedded board; else copies of their own until they are
    synchronised, as with a card. `stalls` is the seed of steps in which streams of PL kernels show neither data nor room,
    as late neighbours make them. A kernel that computes for `kernel_timeout` seconds (60 unless given; 0: for ever) without
    reading, writing or returning is refused. A placement that only the mapper of a device would refuse is a warning; a
    timed run refuses it.

    Returns:
        The run's result; a design that the emulator refuses has code 2 and its message in `stderr`.

    Raises:
        SpecError: a file is missing.
        ToolError: a source does not compile; for a timed run, clang 14 is missing.
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
        directory=Path.cwd(),
    )
    if timed:
        from aieloom.emulator.timed.lower import find_clang  # noqa: PLC0415 - only a timed run needs it

        find_clang()  # before anything is compiled
    place = (Path(folder) if folder else program_folder(program)).absolute()
    with ExitStack() as ending:
        try:
            with held(place):
                target = build(program, place)
                mine = ending.enter_context(scratch_folder(place, _runs(target, program)))
        except Refused as e:
            return Result(code=BAD_INPUT, stdout="", stderr=f"aieloom: error: {e}\n", out=Path(out or "."))
        for name in xclbin:
            ending.enter_context(_placed(mine / XCLBIN, Path(name)))
        blocks = mine / "blocks.txt"
        done = run(
            mine / target.name,
            data=Path(data) if data else None,
            out=Path(out) if out else None,
            iterations=iterations,
            arguments=(str(mine / XCLBIN), *arguments) if program.config else (),
            shared_memory=shared_memory,
            timed=blocks if timed else None,
            board=_board(program) if timed else "",
            timestamps=timestamps,
            timeout=timeout,
            kernel_timeout=kernel_timeout,
            misplaced="refuse" if timed else "warn",
            stalls=stalls,
            inputs=inputs,
        )
        return replace(done, cycles=cycles_of(blocks, target)) if timed and blocks.is_file() else done


@contextmanager
def _placed(source: Path, target: Path) -> Iterator[None]:
    """Have a file under another name meanwhile, if there is none; hosts open their xclbin beside them."""
    if target.exists() or not source.is_file():
        yield
        return
    shutil.copyfile(source, target)
    try:
        yield
    finally:
        target.unlink(missing_ok=True)


def _board(program: Program) -> str:
    from aieloom.emulator.timed.board import board_facts  # noqa: PLC0415 - only a timed run needs it

    return board_facts(program.architecture)


def cycles_of(blocks: Path, target: Path) -> Cycles:
    """Read what a timed run of `target` left in the file `blocks`."""
    from aieloom.emulator.timed.result import read_cycles  # noqa: PLC0415 - only a timed run needs it

    return read_cycles(blocks, target.parent, target.with_suffix(KERNELS))


def _runs(target: Path, program: Program) -> list[Path]:
    """Return what a built program consists of: itself, its kernels' libraries and their list, what the host loads and names."""
    listed = target.with_suffix(KERNELS)
    names = (line.split("\t")[1] for line in listed.read_text(encoding="utf-8").splitlines())
    libraries = [target.with_name(name) for name in dict.fromkeys(names)]
    system = [target.with_name(XCLBIN), target.with_suffix(MEMBERS)] if program.config else []
    return [target, listed, *libraries, *system]


def clean(program: Program) -> None:
    """Forget a project's built program; objects stay in the cache."""
    shutil.rmtree(program_folder(program), ignore_errors=True)
