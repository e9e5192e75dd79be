"""Three journeys of somebody new, each in an empty home: README line by line, a module to PASS, an ONNX file to a report.

    python -m benchmarks.journeys

Prints what each line takes. tests/test_journeys.py makes the same journeys.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.espcn import ROOT
from benchmarks.user import MODULE, export

README = ROOT / "README.md"
# What a line of README becomes here: the environment is there; nobody answers; a small network learns; one run is watched.
INSTEAD = {
    r"bash scripts/bootstrap sim": "doit sim",
    r"bash scripts/test": "",
    r"source ": "",
    r"aieloom new$": "",  # asks
    r"aieloom emulate ": "",  # a project of the user's own
    r"doit train$": "doit train project=xor",
    r"aieloom watch$": "aieloom watch --runs 1",
    r"aieloom new (\w+)": r"rm -rf \1 && \g<0>",  # ways to begin that stand beside each other
}
ONNX = ("aieloom new mynet --model net.onnx --target vck190", "doit sim", "doit report")


def readme_lines() -> list[str]:
    """Return README's commands in their order, as they are run here."""
    text = README.read_text(encoding="utf-8")
    found = re.findall(r"^    ((?:bash|source|cd|aieloom|doit) .*)$", text, re.MULTILINE)
    return [line for said in found if (line := _instead(re.split(r"\s+#|\s{3,}", said)[0]))]


def _instead(line: str) -> str:
    for pattern, other in INSTEAD.items():
        if re.match(pattern, line):
            return re.sub(f"^{pattern}", other, line) if other else ""
    return line


def at_home(folder: Path) -> dict[str, str]:
    """Return the environment of a home that is empty, with the commands on PATH and a browser that opens nothing."""
    home, programs = folder / "home", folder / "programs"
    for made in (home, programs):
        made.mkdir()
    for name in ("aieloom", "doit"):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {name} "$@"\n')
    (programs / "browser").write_text("#!/bin/sh\n")
    for program in programs.iterdir():
        program.chmod(0o755)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AIELOOM_", "XDG_"))}
    path = f"{programs}:{kept['PATH']}"
    return kept | {
        "HOME": str(home),
        "PATH": path,
        "PYTHONPATH": str(ROOT / "scripts"),
        "BROWSER": str(programs / "browser"),
    }


def timed(line: str, folder: Path, env: dict[str, str]) -> tuple[float, str]:
    """Run a line of the shell; return its seconds and what it said.

    Raises:
        RuntimeError: it fails; with what it said.
    """
    began = time.perf_counter()
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{line}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return time.perf_counter() - began, done.stdout


def readme(folder: Path) -> Iterator[tuple[str, float, str]]:
    """Type README's commands one after another in a copy of the repository's projects; yield each with seconds and words."""
    env, place = at_home(folder), folder / "aieloom"
    unwanted = shutil.ignore_patterns("build", "__pycache__")
    shutil.copytree(ROOT / "projects", place / "projects", ignore=unwanted)
    shutil.copy(ROOT / "dodo.py", place)
    shutil.copy(ROOT / "projects" / "espcn" / "weights.pt", place / "my_espcn.pth")
    shutil.copy(ROOT / "projects" / "iris" / "iris.onnx", place / "net.onnx")
    for line in readme_lines():
        seconds, said = timed(line, place, env)
        yield line, seconds, said


def own_module(folder: Path) -> tuple[float, str]:
    """Run a Python file of at most ten lines, from a module to what is emulated and equals the reference."""
    env = at_home(folder)
    (folder / "quick.py").write_text(MODULE)
    return timed(f'"{sys.executable}" quick.py', folder, env)


def own_onnx(folder: Path) -> Iterator[tuple[str, float, str]]:
    """Type three commands, from an exported ONNX file to a report; yield each with its seconds and words."""
    env, place = at_home(folder), folder
    export(folder / "net.onnx")
    for line in ONNX:
        seconds, said = timed(line, place, env)
        yield line, seconds, said
        place = folder / "mynet"


def main() -> None:
    """Make the journeys and print what they take."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "module"
        folder.mkdir()
        lines = sum(bool(line.strip()) for line in MODULE.splitlines())
        print(
            f"{f'PyTorch module to PASS, {lines} lines of Python':<52} {own_module(folder)[0]:6.1f} s",
            flush=True,
        )
        for name, journey in (("ONNX, three commands", own_onnx), ("README, line by line", readme)):
            folder, total = Path(temporary) / name[:4], 0.0
            folder.mkdir()
            for line, seconds, _ in journey(folder):
                total += seconds
                print(f"  {line:<50} {seconds:6.1f} s", flush=True)
            print(f"{name:<52} {total:6.1f} s", flush=True)


if __name__ == "__main__":
    main()
