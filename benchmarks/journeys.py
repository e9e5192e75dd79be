"""Three journeys of somebody new, each in an empty home: README line by line, a module to PASS, an ONNX file to a report.

    python -m benchmarks.journeys

Prints what each line takes: seconds of the clock, and of the processor with all that it starts. tests/test_journeys.py
makes the same journeys.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
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
MODULE = """\
import torch
import aieloom

nn = torch.nn
module = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(72, 10))
x = torch.rand(32, 1, 8, 8)
design = aieloom.from_torch(module, x, quantize="int8")
print(design.compare())
assert (design.emulate(x) == design.reference(x)).all()
"""
ONNX = ("aieloom new mynet --model net.onnx --target vck190", "doit sim", "doit report")


def export(file: Path) -> None:
    """Write a classifier of 32x32 pictures with PyTorch's exporter."""
    import torch  # noqa: PLC0415 - two seconds, which the tests that read INSTEAD need not wait for

    torch.manual_seed(1)
    layers = [
        torch.nn.Conv2d(3, 16, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(16, 32, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(2048, 10),
        torch.nn.Softmax(-1),
    ]
    model = torch.nn.Sequential(*layers).eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what PyTorch says of its own ways to compute
        torch.onnx.export(model, (torch.randn(1, 3, 32, 32),), file, external_data=False, verbose=False)


def readme_lines() -> list[str]:
    """Return README's commands in their order, as they are run here."""
    text = README.read_text(encoding="utf-8")
    found = re.findall(r"^    ((?:bash|source|cd|aieloom|doit) .*)$", text, re.MULTILINE)
    return [line for said in found if (line := instead(re.split(r"\s+#|\s{3,}", said)[0]))]


def instead(line: str) -> str:
    """Return what stands for a line of README; "" for nothing."""
    for pattern, other in INSTEAD.items():
        if re.match(pattern, line):
            return re.sub(f"^{pattern}", other, line) if other else ""
    return line


def at_home(folder: Path) -> dict[str, str]:
    """Return the environment of an empty home; commands are on PATH, a browser notes in `opened` what it is given."""
    home, programs = folder / "home", folder / "programs"
    for made in (home, programs):
        made.mkdir()
    for name in ("aieloom", "doit"):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {name} "$@"\n')
    (programs / "browser").write_text(f"#!/bin/sh\necho \"$1\" >> '{folder / 'opened'}'\n")
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


@dataclass(frozen=True, slots=True)
class Typed:
    """A line that was typed: what it said, its seconds by the clock and by the processor, with what it started."""

    line: str
    said: str
    clock: float
    processor: float


def typed(line: str, folder: Path, env: dict[str, str]) -> Typed:
    """Run a line of the shell.

    Raises:
        RuntimeError: it fails; with what it said.
    """
    before, began = os.times(), time.perf_counter()
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{line}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    clock, after = time.perf_counter() - began, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return Typed(line, done.stdout, clock, used)


def readme(folder: Path) -> Iterator[Typed]:
    """Type README's commands one after another in a copy of the repository's projects."""
    env, place = at_home(folder), folder / "aieloom"
    unwanted = shutil.ignore_patterns("build", "__pycache__")
    shutil.copytree(ROOT / "projects", place / "projects", ignore=unwanted)
    shutil.copy(ROOT / "dodo.py", place)
    shutil.copy(ROOT / "projects" / "espcn" / "weights.pt", place / "my_espcn.pth")
    shutil.copy(ROOT / "projects" / "iris" / "iris.onnx", place / "net.onnx")
    for line in readme_lines():
        yield typed(line, place, env)


def own_module(folder: Path) -> Iterator[Typed]:
    """Run a Python file of at most ten lines twice, from a module to what is emulated and equals the reference."""
    env = at_home(folder)
    (folder / "quick.py").write_text(MODULE)
    for _ in range(2):  # with empty caches, and again
        yield typed(f'"{sys.executable}" quick.py', folder, env)


def own_onnx(folder: Path) -> Iterator[Typed]:
    """Type three commands, from an exported ONNX file to a report."""
    env, place = at_home(folder), folder
    export(folder / "net.onnx")
    for line in ONNX:
        yield typed(line, place, env)
        place = folder / "mynet"


def main() -> None:
    """Make the journeys and print what they take."""
    lines = sum(bool(line.strip()) for line in MODULE.splitlines())
    journeys = {
        f"PyTorch module to PASS, {lines} lines of Python": own_module,
        "ONNX, three commands": own_onnx,
        "README, line by line": readme,
    }
    print(f"{'seconds':<62} {'clock':>8} {'processor':>10}")
    with tempfile.TemporaryDirectory() as temporary:
        for number, (name, journey) in enumerate(journeys.items()):
            folder = Path(temporary) / str(number)
            folder.mkdir()
            done = []
            for one in journey(folder):
                done.append(one)
                shown = one.line.replace(f'"{sys.executable}"', "python")
                print(f"  {shown:<60} {one.clock:8.1f} {one.processor:10.1f}", flush=True)
            print(
                f"{name:<62} {sum(one.clock for one in done):8.1f} {sum(one.processor for one in done):10.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
