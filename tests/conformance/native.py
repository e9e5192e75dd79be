"""Compile a C++ text against the emulator's headers, run it, exchange numbers as bytes.

The program includes `support.h`: `take<T>(n)` reads n numbers from standard input, `give(...)` writes results to
standard output. Objects are cached by content, so that a second run of the suite compiles nothing.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import aieloom.emulator
from aieloom.emulator import compiler
from aieloom.errors import ToolError

HERE = Path(__file__).resolve().parent
INCLUDE = Path(aieloom.emulator.__file__).resolve().parent / "include"
MACRO = {"aie": 10, "aie-ml": 20}
REFUSED = 97


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a program ended."""

    code: int
    output: bytes
    errors: str


def _unit(source: Path, arch: str, defines: tuple[str, ...], options: tuple[str, ...]) -> compiler.Unit:
    return compiler.Unit(
        source=source,
        includes=(INCLUDE, HERE, HERE / "aie_api"),
        defines=(f"__AIE_ARCH__={MACRO[arch]}", *defines),
        options=("-O1", "-Werror", *options),
    )


def build(text: str, arch: str, defines: tuple[str, ...] = (), options: tuple[str, ...] = ()) -> Path:
    """Return the program made of a C++ text; one build, or one failure, per text and test process."""
    made = _build(text, arch, defines, options)
    if isinstance(made, Exception):
        raise made
    return made


@cache
def _build(text: str, arch: str, defines: tuple[str, ...], options: tuple[str, ...]) -> Path | ToolError:
    folder = Path(tempfile.mkdtemp(prefix="aieloom-native-"))
    source = folder / "program.cpp"
    source.write_text(text, encoding="utf-8")
    objects = []
    for unit_source in (source, HERE / "support.cpp"):
        target = folder / f"{unit_source.stem}.o"
        try:
            compiler.compile_unit(_unit(unit_source, arch, defines, options), target)
        except ToolError as error:
            return error
        objects.append(target)
    program = folder / "program"
    compiler.link(objects, program)
    return program


def execute(
    text: str,
    arch: str,
    data: bytes = b"",
    arguments: tuple[str, ...] = (),
    *,
    defines: tuple[str, ...] = (),
    options: tuple[str, ...] = (),
) -> Outcome:
    """Run the program made of a C++ text and return how it ended."""
    command = [str(build(text, arch, defines, options)), *arguments]
    done = subprocess.run(command, input=data, capture_output=True, check=False, timeout=120)
    return Outcome(done.returncode, done.stdout, done.stderr.decode())


def run(text: str, arch: str, data: bytes = b"", *, defines: tuple[str, ...] = ()) -> bytes:
    """Run a program that must succeed and return what it wrote."""
    outcome = execute(text, arch, data, defines=defines)
    assert outcome.code == 0, f"exit code {outcome.code}: {outcome.errors}"
    return outcome.output


def refusals(text: str, arch: str) -> dict[int, list[str]]:
    """Compile a text that must not compile and return the compiler's errors by the line that caused them.

    An error inside a header is filed under the line of the text that asked for it.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.cpp"
        source.write_text(text, encoding="utf-8")
        command = [
            compiler.find_compiler().path,
            "-std=c++20",
            f"-D__AIE_ARCH__={MACRO[arch]}",
            "-fsyntax-only",
        ]
        command += [f"-I{INCLUDE}", f"-I{HERE}", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0, "the text compiles, but none of it should"
    return _by_line(done.stderr)


def _by_line(log: str) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    line = 0
    for entry in log.splitlines():
        asked = re.match(r".*program\.cpp:(\d+):\d+:\s+(?:required from|error:)", entry)
        if asked:
            line = int(asked[1])
        error = re.search(r"error: (.*)", entry)
        if error:
            found.setdefault(line, []).append(error[1])
    return found
