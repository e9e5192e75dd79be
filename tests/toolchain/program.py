"""Compiling a graph for the stand-in AIE compiler: with aieloom's emulator, once for each set of sources."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def build_program(graph: Path, includes: list[str], architecture: str) -> tuple[Path, list[dict[str, Any]]]:
    """Return a program that runs the graph's main(), and the graph's PLIOs."""
    from aieloom.paths import cache_folder  # noqa: PLC0415 - starts only where it is needed

    sources = sorted(p for p in graph.parent.rglob("*") if p.suffix in {".h", ".cc", ".cpp"})
    key = hashlib.sha256(architecture.encode())
    for path in (*sources, *sorted(HERE.glob("*.cpp")), *_emulator_sources()):
        key.update(path.name.encode() + b"\0" + path.read_bytes())
    folder = cache_folder() / "standin" / key.hexdigest()[:32]
    program, listing = folder / "program", folder / "plios.json"
    if not listing.is_file():
        _build(graph, [Path(i).resolve() for i in includes], architecture, program)
        done = subprocess.run(
            [program],
            env={**os.environ, "AIELOOM_STANDIN_DUMP": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        temporary = folder / f"plios.{os.getpid()}"
        temporary.write_text(done.stdout)
        temporary.replace(listing)
    return program, json.loads(listing.read_text())


def _emulator_sources() -> list[Path]:
    from aieloom.paths import package_folder  # noqa: PLC0415

    folder = package_folder()
    return sorted(p for base in ("src", "include") for p in (folder / base).rglob("*") if p.is_file())


def _build(graph: Path, includes: list[Path], architecture: str, program: Path) -> None:
    from aieloom.emulator.build import Design, compile_step, design_steps, runtime_steps  # noqa: PLC0415
    from aieloom.emulator.compiler import Unit, compile_unit, link  # noqa: PLC0415
    from aieloom.paths import package_folder as own  # noqa: PLC0415
    from aieloom.spec.architecture import Architecture  # noqa: PLC0415

    folder = program.parent / str(os.getpid())
    folder.mkdir(parents=True, exist_ok=True)
    design = Design(
        name="standin",
        architecture=Architecture(architecture),
        graph=graph.resolve(),
        kernels=tuple(sorted(p.resolve() for p in graph.parent.rglob("*.cc"))),
        includes=tuple(includes),
        defines=("main=graph_main",),
    )
    steps = (*runtime_steps(folder), *design_steps(design, folder))
    for step in steps:
        compile_step(step)
    dump = folder / "dump.o"
    compile_unit(Unit(source=HERE / "plio_dump.cpp", includes=(own() / "include", own() / "src")), dump)
    link([*(s.target for s in steps), dump], folder / "program")
    (folder / "program").replace(program)
