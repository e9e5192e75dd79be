"""The object of a kernel's source in a timed build: the code that was scheduled, with a counter in every block.

It is linked with the headers' functions as they are, so that it computes what the functional build computes.
"""

from __future__ import annotations

import re
from pathlib import Path

from aieloom.digests import text_digest
from aieloom.emulator.compiler import Unit, run_tool
from aieloom.emulator.timed.kernels import save, study, with_counters
from aieloom.emulator.timed.lower import find_clang, lower, read_source
from aieloom.emulator.timed.pointers import OBJECT
from aieloom.emulator.timed.policy import fills, gains_by_flattening
from aieloom.errors import ToolError
from aieloom.schedule import lists
from aieloom.spec.architecture import Architecture

MACRO = "AIELOOM_OPERATIONS"
_REMEDY = "report it: the kernel's code was taken apart and could not be put together"
_EMPTY = re.compile(
    r"^declare (?:!dbg !\d+ )?(?:dso_local )?(?P<head>(?:\w+ )*(?P<type>void|i1) @aieloom_(?:count|mark)_\w+\([^)]*\)).*$",
    re.MULTILINE,
)
_SAME = re.compile(rf"^declare (\w+\*) @({OBJECT}\w+)\(.*$", re.MULTILINE)
_GIVES_IT = r"define internal \1 @\2(\1 %0) alwaysinline {\n  ret \1 %0\n}"


def costs_of(target: Path) -> Path:
    """Return the file beside an object that holds its blocks' cycles."""
    return target.with_suffix(".cycles.json")


def compile_timed(unit: Unit, architecture: Architecture, target: Path) -> None:
    """Compile a unit of kernels to `target`, and leave its blocks' cycles beside it.

    Raises:
        ToolError: clang is missing, or refuses the source.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    options = [
        *(o for o in unit.options if not o.startswith(("-fno-gnu", "-O", "-g", "-fno-semantic"))),
        *(f"-I{folder}" for folder in unit.includes),
        *(f"-D{name}" for name in (*unit.defines, MACRO)),
    ]
    first = read_source(unit.source, options, target.parent, target.stem)
    whole = first.read_text(encoding="utf-8")
    stamp, made_of = target.with_suffix(".timed"), text_digest(_own_digest(), architecture.value, whole)
    known = stamp.read_text(encoding="utf-8") if stamp.is_file() else ""
    if known == made_of and target.is_file() and costs_of(target).is_file():
        return
    stamp.unlink(missing_ok=True)
    source = study(lower(first, target.parent, target.stem), architecture)
    kept = frozenset(name for name, cost in source.costs.items() if not gains_by_flattening(cost))
    source = study(lower(first, target.parent, target.stem, kept), architecture)
    empty = frozenset(name for name, cost in source.costs.items() if name in kept and not fills(cost))
    if empty:
        source = study(lower(first, target.parent, target.stem, kept - empty), architecture)
    counted, bodies = target.with_suffix(".counted.ll"), target.with_suffix(".bodies.ll")
    counted.write_text(_SAME.sub(_GIVES_IT, with_counters(source)), encoding="utf-8")
    bodies.write_text(_bodies(whole), encoding="utf-8")
    _object(counted, bodies, target)
    save(source, architecture, costs_of(target))
    stamp.write_text(made_of, encoding="utf-8")


def _own_digest() -> str:
    folders = (Path(__file__).parent, Path(lists.__file__).parent)
    files = sorted(f for folder in folders for f in folder.rglob("*") if f.suffix in {".py", ".yaml"})
    return text_digest(*(f.read_text(encoding="utf-8") for f in files))


def _bodies(whole: str) -> str:
    """Return the whole module, its constructors left to the counted one, with counters that count nothing."""
    text = re.sub(r"^@llvm\.global_ctors = .*$", "", whole, flags=re.MULTILINE)

    def empty(found: re.Match[str]) -> str:
        head = re.sub(r" (?:signext|zeroext|noundef)", "", found["head"]).replace("zeroext ", "")
        result = "ret void" if found["type"] == "void" else "ret i1 true"
        return f"define linkonce_odr {head} alwaysinline {{\n  {result}\n}}"

    return _EMPTY.sub(empty, text)


def _object(counted: Path, bodies: Path, target: Path) -> None:
    tools, linked = find_clang(), target.with_suffix(".linked.bc")
    log = target.with_suffix(".link.log")
    run_tool(
        [tools.link, str(bodies), f"--override={counted}", "-o", str(linked)],
        log,
        remedy=_REMEDY,
        makes=(linked,),
    )
    command = [
        tools.clang,
        "-O2",
        "-march=native",
        "-ffp-contract=off",
        "-fPIC",
        "-w",
        "-c",
        str(linked),
        "-o",
        str(target),
    ]
    run_tool(command, target.with_suffix(".object.log"), remedy=_REMEDY, makes=(target,))


def compile_ways(ways: tuple[Unit, ...], architecture: Architecture, target: Path) -> None:
    """Compile the first of a unit's ways that clang accepts."""
    for unit in ways[:-1]:
        try:
            compile_timed(unit, architecture, target)
        except ToolError as error:
            if not error.log:  # there is no clang
                raise
        else:
            return
    compile_timed(ways[-1], architecture, target)
