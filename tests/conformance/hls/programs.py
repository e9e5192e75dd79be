"""Test programs that include the HLS headers: compiled once, run with cases on their standard input."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from aieloom.emulator.compiler import Unit, compile_unit, link
from aieloom.paths import package_folder

HERE = Path(__file__).parent
RUNTIME = Path("src", "units", "csim.cpp")  # of C simulation: streams, refusals, no array
LEVEL = ("-O1",)


@dataclass(frozen=True, slots=True)
class Program:
    """A built test program."""

    path: Path

    def run(self, lines: list[str], code: int = 0) -> list[str]:
        """Run it with cases as its input; return the lines it prints.

        Raises:
            AssertionError: it ends with another code; its last words are quoted.
        """
        done = subprocess.run(
            [self.path],
            input="\n".join(lines) + "\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, f"ends with {done.returncode}: {done.stderr[-500:]}"
        return (done.stdout if code == 0 else done.stderr).splitlines()


def build(folder: Path, source: Path, *, types: str = "", defines: tuple[str, ...] = ()) -> Program:
    """Compile a program; `types` is the text of the types.inc that it may include."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "types.inc").write_text(types, encoding="utf-8")
    own = package_folder()
    objects = []
    for file, options in ((source, (*LEVEL, "-Werror")), (own / RUNTIME, LEVEL)):
        unit = Unit(
            source=file, includes=(own / "include", own / "src", folder), defines=defines, options=options
        )
        target = folder / f"{file.stem}.o"
        compile_unit(unit, target)
        objects.append(target)
    program = folder / source.stem
    link(objects, program)
    return Program(program)
