"""`python -m tools.ledger.record FOLDER INTO [--target BOARD] [--layer NAME] [--run]`: a project's design as files.

A process of its own for each design: operators and templates of one project are not seen by the next. Written are

    src/...              what `doit gen` prints, weights.bin and commands.bin among it
    check.txt            what `aieloom check` says
    explain/LAYER.txt    what `aieloom explain LAYER` says
    refused.txt          why the board does not take it, in place of all others
    summary.json         of the emulated run, without what was measured on this machine    (--run)
    outputs.npy          what the run gives for the project's samples                      (--run)
"""

from __future__ import annotations

import argparse
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np

from aieloom.arrays import Values
from aieloom.cli import main as aieloom
from aieloom.errors import SpecError
from aieloom.flow.batch import Run
from aieloom.flow.designs import Design, design_of
from aieloom.flow.opening import open_any
from aieloom.flow.programs import Program
from aieloom.flow.sim import simulate
from tools.measured_keys import unmeasured


def main() -> None:
    """Write the record of one design."""
    parser = argparse.ArgumentParser(prog="python -m tools.ledger.record", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("into", type=Path)
    parser.add_argument("--target")
    parser.add_argument("--layer")
    parser.add_argument("--run", action="store_true")
    options = parser.parse_args()
    try:
        project = open_any(options.folder, target=options.target)
    except SpecError as e:  # a mapping for one board need not be one for the other
        _write(options.into / "refused.txt", f"{e}\n")
        return
    design = design_of(project)
    if options.layer:
        alone = design.alone(options.layer)
        design, project = design_of(alone.project), alone.project
    else:
        board = ["--target", options.target] if options.target else []
        _write(options.into / "check.txt", _said(["check", str(options.folder), *board]))
        for layer in project.network.spec.layers:
            words = ["explain", layer.name, "--project", str(options.folder), *board]
            _write(options.into / "explain" / f"{layer.name}.txt", _said(words))
    for name, text in design.render().items():
        _write(options.into / "src" / name, text)
    if options.run:
        _run(design, project.build, options.into)


def _said(words: list[str]) -> str:
    """Return what a command prints, with its exit code."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = aieloom(["-q", *words])
    return f"{out.getvalue()}{err.getvalue()}exit code {code}\n"


def _run(design: Design, build: Path, into: Path) -> None:
    """Emulate the project's samples; write what came and what is said of it."""
    results: list[Values] = []

    def run(x: Values) -> Run:
        found = Program.of(design).run(x)
        results.append(found.y)
        return found

    simulate(design, run)
    np.save(into / "outputs.npy", results[0])
    summary = json.loads((build / "report" / "summary.json").read_text(encoding="utf-8"))
    _write(into / "summary.json", json.dumps(unmeasured(summary), indent=1, sort_keys=True) + "\n")


def _write(file: Path, content: bytes | str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())


if __name__ == "__main__":
    main()
