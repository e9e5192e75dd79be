"""C simulation of an HLS component: its sources and test bench as one program, run beside the test bench's data.

As Vitis does it [UG1399 Output of C Simulation]: the program runs in a folder of its own, csim/build, where the files that
the test bench reads are put and where what it writes stays. The test bench's main() decides: 0 is success.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from aieloom.cache import hold
from aieloom.emulator.compiler import OF_LOGIC, Unit, compile_unit, link
from aieloom.emulator.hls.component import Component, File
from aieloom.emulator.libraries import SANITIZED_LINK, SANITIZERS
from aieloom.emulator.pl_dataflow import write_queues
from aieloom.emulator.pl_source import check_there
from aieloom.emulator.program import Result, base_environment, run_program, stalling
from aieloom.errors import SpecError
from aieloom.parallel import compilers
from aieloom.paths import cache_folder, package_folder

# What tells a source that it is compiled for C simulation and by which tool [UG1399 C/C++ Language Support].
MACROS = ("__VITIS_HLS__", "__HLS_CSIM__")
# C as compilers took it until lately: test benches in C call what they do not declare.
_C_LANGUAGE = (
    "-xc",
    "-std=gnu17",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
)


def csim(
    component: Component,
    *,
    out: Path | None = None,
    sanitize: bool = False,
    stalls: int | None = None,
    timeout: float | None = None,
    capture: bool = True,
) -> Result:
    """Build and run a component's test bench; what it writes stays below `out` (default: csim/build).

    `stalls` is the seed of steps in which streams show neither data nor room. With `capture` false the program talks to the
    terminal itself, and the result's texts are empty.

    Raises:
        SpecError: there is no source, or nothing that the test bench could be.
        ToolError: a source does not compile or link, or the program is still running after `timeout` seconds.
    """
    _check(component)
    program = _build(component, _folder(component, sanitize), sanitize)
    place = (out or Path("csim") / "build").resolve()
    _lay_out(component, place)
    return run_program(
        [str(program), *component.arguments],
        base_environment() | stalling(stalls),
        timeout,
        place,
        what="the test bench",
        remedy="raise the limit",
        cwd=place,
        capture=capture,
    )


def _check(component: Component) -> None:
    sources = component.sources
    if not sources or not component.bench:
        text = f"component '{component.name}' has no {'source' if not sources else 'test bench'}"
        remedy = "name the design's files with syn.file or --source, the test bench's with tb.file or --tb"
        raise SpecError(rule="hls-component", text=text, remedy=remedy)
    check_there((f.path for f in (*component.design, *component.bench)), folders=True)


def _folder(component: Component, sanitize: bool) -> Path:
    key = repr(([(f.path.resolve(), f.flags) for f in component.sources], component.link_flags, sanitize))
    return cache_folder() / "csim" / hashlib.sha256(key.encode()).hexdigest()[:20]


def _build(component: Component, folder: Path, sanitize: bool) -> Path:
    """Compile and link; objects that were made before are found again (compiler.py)."""
    folder.mkdir(parents=True, exist_ok=True)
    hold(folder)
    options = SANITIZERS if sanitize else ("-O1", "-g1")
    units = [
        (_unit(f, component, options, folder), folder / f"{i}_{f.path.stem}.o")
        for i, f in enumerate(component.sources)
    ]
    own = package_folder()
    runtime = Unit(
        source=own / "src" / "units" / "csim.cpp", includes=(own / "include", own / "src"), options=("-O1",)
    )
    jobs = [(runtime, folder / "runtime.o"), *units]
    with ThreadPoolExecutor(compilers()) as pool:
        for done in [pool.submit(compile_unit, unit, target) for unit, target in jobs]:
            done.result()
    program = folder / "csim"
    libraries = (*component.link_flags, *(SANITIZED_LINK if sanitize else ()), "-lm")
    link([target for _, target in jobs], program, libraries)
    return program


def _unit(file: File, component: Component, options: Sequence[str], folder: Path) -> Unit:
    is_c = file.path.suffix == ".c"
    language = _C_LANGUAGE if is_c else OF_LOGIC
    includes = (package_folder() / "include", file.path.parent, component.folder)
    named = tuple(Path(f[2:]) for f in file.flags if f.startswith("-I") and len(f) > 2)
    source = file.path if is_c else write_queues(file.path, (*includes, *named), folder, dataflow=False)
    # The file's own version of C++ counts, as it comes last; of C it is ours.
    flags = tuple(f for f in file.flags if not f.startswith("-O") and not (is_c and f.startswith("-std=")))
    return Unit(
        source=source,
        includes=includes,
        defines=MACROS,
        options=(*options, *language, *flags),
        is_bench=file not in component.design,
    )


def _lay_out(component: Component, place: Path) -> None:
    """Put the test bench's files where it runs: each by its own name, a folder as a whole."""
    place.mkdir(parents=True, exist_ok=True)
    for data in component.data:
        target = place / data.name
        if data.resolve() == target.resolve() or place.is_relative_to(data.resolve()):
            continue
        if data.is_dir():
            shutil.copytree(data, target, dirs_exist_ok=True)
        else:
            shutil.copyfile(data, target)
