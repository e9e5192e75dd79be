"""Running other people's graphs as shipped: `python -m tests.strangers.run [part of a name ...]`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.strangers.compare import differs, differs_by_shape
from tests.strangers.projects import Stranger, checkouts, strangers

NOTES = "outcomes.json"
TIMEOUT = 600  # seconds for one graph
EQUAL, RAN, REFUSED, FAILED = "equal", "ran", "refused", "failed"


@dataclass(frozen=True)
class Outcome:
    """How a graph fared, and what there is to say about it."""

    status: str
    text: str = ""


def run(stranger: Stranger, checkouts: Path) -> Outcome:
    """Run one graph in a copy of its project, and compare."""
    with tempfile.TemporaryDirectory(prefix="stranger_") as temporary:
        top = Path(temporary) / "project"
        shutil.copytree(
            checkouts / stranger.repository / stranger.project,
            top,
            ignore=shutil.ignore_patterns(".git", "images"),
            symlinks=True,
        )
        folder = top / Path(stranger.folder).relative_to(stranger.project)
        folder.mkdir(parents=True, exist_ok=True)  # some projects are run in a build folder of their own
        for target, source in stranger.copies.items():
            (folder / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / source, folder / target)
        graph = top / Path(stranger.graph).relative_to(stranger.project)
        command = [sys.executable, "-m", "aieloom", "emulate", str(graph), *stranger.arguments]
        environment = {**os.environ, "COLUMNS": "200"}
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Outcome(FAILED, f"still runs after {TIMEOUT} s")
        return _judge(stranger, done, folder)


def _judge(stranger: Stranger, done: subprocess.CompletedProcess[str], folder: Path) -> Outcome:
    said = done.stdout + done.stderr
    if stranger.refused:
        if done.returncode == 2 and stranger.refused in said:
            return Outcome(REFUSED, stranger.why)
        return Outcome(
            FAILED, f"should be refused with '{stranger.refused}': exit code {done.returncode}: {_last(said)}"
        )
    if done.returncode:
        return Outcome(FAILED, f"exit code {done.returncode}: {_last(said)}")
    return _compare(stranger, said, folder)


def _compare(stranger: Stranger, said: str, folder: Path) -> Outcome:
    out = folder / "x86simulator_output"  # where programs that compare by themselves look
    compared = len(stranger.compare)
    for got, wanted in stranger.compare.items():
        written = out / got
        if (
            not written.is_file() and got != wanted
        ):  # a program may write beside its data, as simulators do not
            written = folder / got
        text = differs(written, folder / wanted, stranger.tolerance, stranger.steps)
        if text:
            return Outcome(FAILED, text)
    if stranger.by_shape:
        compared, text = differs_by_shape(out, folder / stranger.by_shape, stranger.tolerance)
        if text:
            return Outcome(FAILED, text)
    if stranger.prints:
        compared += 1
        if re.search(stranger.prints, said) is None:
            return Outcome(FAILED, f"does not say '{stranger.prints}': {_last(said)}")
    return Outcome(EQUAL, f"{compared} files") if compared else Outcome(RAN)


def _last(said: str) -> str:
    lines = [line for line in said.splitlines() if "error" in line.lower()] or said.splitlines()
    return lines[0].strip() if lines else "nothing said"


def keep(folder: Path, stranger: Stranger, outcome: Outcome) -> None:
    """Note an outcome beside the checkouts, for the page that is made of all of them (page.py)."""
    notes = kept(folder)
    notes[stranger.name] = [outcome.status, outcome.text]
    (folder / NOTES).write_text(json.dumps(notes, indent=1, sort_keys=True), encoding="utf-8")


def kept(folder: Path) -> dict[str, list[str]]:
    """Return the outcomes that were noted: status and text by the graph's name."""
    path = folder / NOTES
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def main() -> int:
    """Run what the arguments name (all without one) and print a line for each."""
    folder = checkouts()
    if folder is None:
        print("set AIELOOM_STRANGERS to a folder of checkouts, OWNER/NAME below it")
        return 2
    wanted = [s for s in strangers() if not sys.argv[1:] or any(a in s.name for a in sys.argv[1:])]
    counts: dict[str, int] = {}
    for stranger in wanted:
        if not (folder / stranger.repository).is_dir():
            continue
        outcome = run(stranger, folder)
        keep(folder, stranger, outcome)
        counts[outcome.status] = counts.get(outcome.status, 0) + 1
        print(f"{outcome.status:8} {stranger.name}: {outcome.text}", flush=True)
    print(counts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
