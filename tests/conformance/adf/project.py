"""Write a small ADF project, emulate it, read what it wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aieloom.emulator.program import Result, emulate
from aieloom.errors import ToolError

Numbers = NDArray[np.int64] | NDArray[np.float64]
LIMIT_S = 300  # a run that is still going by then hangs


@dataclass(frozen=True)
class Ran:
    """How a project ended."""

    result: Result

    def lines(self, name: str) -> list[str]:
        """Return the lines of an output file."""
        return (self.result.out / name).read_text(encoding="utf-8").splitlines()

    def ints(self, name: str) -> NDArray[np.int64]:
        """Return an output file's numbers."""
        return np.array(" ".join(self.lines(name)).split(), dtype=np.int64)

    def floats(self, name: str) -> NDArray[np.float64]:
        """Return an output file's numbers."""
        return np.array(" ".join(self.lines(name)).split(), dtype=np.float64)


def write_numbers(path: Path, values: Numbers, per_line: int = 1) -> None:
    """Write numbers as a PLIO file has them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = np.asarray(values).reshape(-1, per_line)
    path.write_text("\n".join(" ".join(str(v) for v in row) for row in rows) + "\n", encoding="utf-8")


def write_project(folder: Path, files: Mapping[str, str]) -> None:
    """Write sources and data."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def run_project(
    folder: Path,
    graph: str = "graph.cpp",
    *,
    arch: str = "aie",
    iterations: int | None = None,
    sanitize: bool = False,
) -> Ran:
    """Emulate the project in `folder`; its data are there, its results go to out/."""
    result = emulate(
        folder / graph,
        arch=arch,
        data=folder,
        out=folder / "out",
        iterations=iterations,
        sanitize=sanitize,
        timeout=LIMIT_S,
        folder=folder / "build",
    )
    return Ran(result)


def refusal(
    folder: Path, graph: str = "graph.cpp", *, arch: str = "aie", iterations: int | None = None
) -> str:
    """Return the message with which the project is refused, by compiler, elaboration or run."""
    try:
        ran = run_project(folder, graph, arch=arch, iterations=iterations)
    except ToolError as e:
        return str(e)
    assert ran.result.code == 2, f"it ran, with code {ran.result.code}: {ran.result.stderr}"
    return ran.result.stderr
