"""What bad input is told: projects with one thing wrong in their network.yaml, each through `aieloom check`.

One thing wrong is a key that is misspelt, a key that is gone, or a value of another kind or size. A file for each project has
the edits and what is said of them; an edit that is no fault is not in it. `python -m tools.ledger.refusals INTO`.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from aieloom.cli import main as aieloom
from tools.ledger.designs import TOP

PROJECTS = ("xor", "jet", "espcn", "caffe-conv")
EDITS = 110  # of each project, spread over all that there are
VALUES: tuple[object, ...] = ("nonsense", -1, 0, 10**9, [], {}, None, [1, 2, 3, 4, 5])
WRONG_INPUT = 2  # the exit code
Path_ = tuple[str | int, ...]


def write_refusals(into: Path) -> None:
    """Write what each project's faults are told, a file for each project, in a process of its own."""
    subprocess.run([sys.executable, "-m", "tools.ledger.refusals", str(into)], check=True, cwd=TOP)


def main() -> None:
    """Write the files."""
    into = Path(sys.argv[1]).absolute()
    into.mkdir(parents=True, exist_ok=True)
    for name in PROJECTS:
        with tempfile.TemporaryDirectory() as made:
            shutil.copytree(TOP / "projects" / name, Path(made) / name)
            os.chdir(made)
            told = [text for edit, spec in chosen(name) for text in _refused(name, edit, spec)]
        (into / f"{name}.txt").write_text("\n".join(told), encoding="utf-8")


def chosen(name: str) -> Sequence[tuple[str, Any]]:
    """Return some edits of a project, spread over all: what each is, and what network.yaml says then."""
    spec = yaml.safe_load((TOP / "projects" / name / "network.yaml").read_text(encoding="utf-8"))
    found = [*edits(spec)]
    return found[:: max(1, len(found) // EDITS)]


def edits(spec: Any) -> Iterator[tuple[str, Any]]:
    """Yield all edits of one key or value."""
    for path in _paths(spec):
        where = ".".join(map(str, path))
        parent = _at(spec, path[:-1])
        if isinstance(parent, dict):
            made = deepcopy(spec)
            of = _at(made, path[:-1])
            of[f"{path[-1]}x"] = of.pop(path[-1])
            yield f"{where} misspelt", made
        made = deepcopy(spec)
        del _at(made, path[:-1])[path[-1]]
        yield f"no {where}", made
        for value in VALUES:
            made = deepcopy(spec)
            _at(made, path[:-1])[path[-1]] = value
            yield f"{where}: {value}", made


def _paths(spec: Any, before: Path_ = ()) -> Iterator[Path_]:
    """Yield where there is a value, of the whole first."""
    for key, value in spec.items() if isinstance(spec, dict) else enumerate(spec):
        yield (*before, key)
        if isinstance(value, dict | list):
            yield from _paths(value, (*before, key))


def _at(spec: Any, path: Path_) -> Any:
    for key in path:
        spec = spec[key]
    return spec


def _refused(name: str, edit: str, spec: Any) -> Iterator[str]:
    """Yield an edit and what is said of it, where it is refused."""
    text = yaml.safe_dump(spec, sort_keys=False, default_flow_style=None, width=120)
    Path(name, "network.yaml").write_text(text, encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = aieloom(["-q", "check", name])
    if code == WRONG_INPUT:
        yield f"# {name}: {edit}\n{err.getvalue()}"


if __name__ == "__main__":
    main()
