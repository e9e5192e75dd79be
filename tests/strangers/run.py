"""Running other people's graphs as shipped: `python -m tests.strangers.run [part of a name ...]`.

--new takes those without an outcome, --old those whose outcome is another commit's, --failed those that failed, --count N the
first N of them: a long run can be interrupted and goes on where it was. What each said is beside the outcomes, in logs/.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.strangers.compare import differs, differs_by_shape
from tests.strangers.projects import LIBRARIES, Stranger, checkouts, library_arguments, strangers
from tests.strangers.references import REFERENCES

NOTES = "outcomes.json"
TIMEOUT = 600  # seconds for one graph
EQUAL, RAN, REFUSED, FAILED, ABSENT = "equal", "ran", "refused", "failed", "absent"
UNREADABLE = (
    "cannot be read",
    "has no file for its data",
)  # what the emulator says of data that are not there


@dataclass(frozen=True)
class Outcome:
    """How a graph fared, and what there is to say about it."""

    status: str
    text: str = ""


class NotPrepared(Exception):
    """A command that makes a project's data failed."""


@dataclass(frozen=True)
class Prepared:
    """A copy of a project: the command that runs its graph, and where and how."""

    command: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str]

    def run(self, *more: str) -> subprocess.CompletedProcess[str]:
        """Run it, with more options.

        Raises:
            subprocess.TimeoutExpired: it takes too long.
        """
        return subprocess.run(
            (*self.command, *more),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
            check=False,
        )


@contextmanager
def prepared(stranger: Stranger, checkouts: Path) -> Iterator[Prepared]:
    """Give a copy of a graph's project with all that its README makes.

    Raises:
        NotPrepared: one of its commands failed.
    """
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
        if stranger.library:  # some name it by its place beside their repository
            beside = checkouts / LIBRARIES[stranger.library][0]
            (Path(temporary) / beside.parent.name).symlink_to(beside.parent)
        graph = top / Path(stranger.graph).relative_to(stranger.project)
        what = ["--project", "."] if stranger.whole else [str(graph)]
        command = [sys.executable, "-m", "aieloom", "emulate", *what, *stranger.arguments]
        command += () if stranger.whole else library_arguments(stranger, checkouts)
        environment = {**os.environ, "COLUMNS": "200"}
        if stranger.library:  # what its Makefiles and generators go by
            environment |= {"DSPLIB_ROOT": str(beside), "DSPLIB_VITIS": str(beside.parent)}
        for words in stranger.prepare:
            made = subprocess.run(
                words, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            if made.returncode:
                raise NotPrepared(
                    f"'{words}' ends with {made.returncode}: {_last(made.stdout + made.stderr)}"
                )
        yield Prepared(tuple(command), folder, environment)


def run(stranger: Stranger, checkouts: Path) -> Outcome:
    """Run one graph in a copy of its project, and compare."""
    try:
        with prepared(stranger, checkouts) as copy:
            done = copy.run()
            _log(checkouts, stranger, done)
            return judge(stranger, done, copy.folder)
    except NotPrepared as e:
        return Outcome(FAILED, str(e))
    except subprocess.TimeoutExpired:
        return Outcome(FAILED, f"still runs after {TIMEOUT} s")


def _log(checkouts: Path, stranger: Stranger, done: subprocess.CompletedProcess[str]) -> None:
    path = checkouts / "logs" / (re.sub(r"[^\w.-]", "+", stranger.name)[-200:] + ".txt")
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        f"exit code {done.returncode}\n{done.stdout}\n--- errors\n{done.stderr}", encoding="utf-8"
    )


def judge(stranger: Stranger, done: subprocess.CompletedProcess[str], folder: Path) -> Outcome:
    """Return how a run ended, compared with what its row of the table says."""
    said = done.stdout + done.stderr
    if stranger.refused:
        stopped = done.returncode == 2 or "AddressSanitizer" in said
        if stopped and stranger.refused in said:
            return Outcome(ABSENT if stranger.refused in UNREADABLE else REFUSED, stranger.why)
        return Outcome(
            FAILED, f"should be refused with '{stranger.refused}': exit code {done.returncode}: {_last(said)}"
        )
    if done.returncode:
        return Outcome(FAILED, f"exit code {done.returncode}: {_last(said)}")
    return _compare(stranger, said, folder)


def _compare(stranger: Stranger, said: str, folder: Path) -> Outcome:
    out = folder / "x86simulator_output"  # where programs that compare by themselves look
    compared = 0
    for way in (_by_name, _by_shape, _by_reference, _by_its_word, _by_its_check):
        count, text = way(stranger, folder, out, said)
        if text:
            return Outcome(FAILED, text)
        compared += count
    by = f", by the definition in references.py: {stranger.reference}" if stranger.reference else ""
    apart = "".join(f"; not compared: {name}, {why}" for name, why in stranger.without.items())
    if not compared and stranger.by_shape:
        return Outcome(
            FAILED, f"no output has a file of its shape in {stranger.by_shape}: nothing was compared"
        )
    return Outcome(EQUAL, f"{compared} files{by}{apart}") if compared else Outcome(RAN)


def _by_name(stranger: Stranger, folder: Path, out: Path, said: str) -> tuple[int, str]:
    del said
    for got, wanted in _named(stranger, folder):
        written = out / got
        if not written.is_file() and got != wanted:  # a program may write beside its data
            written = folder / got
        text = differs(written, folder / wanted, stranger.tolerance, stranger.steps)
        if text:
            return 0, text
    return len(_named(stranger, folder)), ""


def _named(stranger: Stranger, folder: Path) -> list[tuple[str, str]]:
    """Return the pairs of files; a star stands for any name, the same in both."""
    pairs: list[tuple[str, str]] = []
    for got, wanted in stranger.compare.items():
        before, star, after = wanted.partition("*")
        found = sorted(str(p.relative_to(folder)) for p in folder.glob(wanted)) if star else []
        pairs += [(got.replace("*", name[len(before) : len(name) - len(after)]), name) for name in found]
        pairs += [] if found else [(got, wanted)]  # of a star without files, which then is told
    return pairs


def _by_shape(stranger: Stranger, folder: Path, out: Path, said: str) -> tuple[int, str]:
    del said
    if not stranger.by_shape:
        return 0, ""
    golden = folder / stranger.by_shape
    return differs_by_shape(out, golden, stranger.tolerance, stranger.without, stranger.steps)


def _by_reference(stranger: Stranger, folder: Path, out: Path, said: str) -> tuple[int, str]:
    del said
    return REFERENCES[stranger.reference](folder, out) if stranger.reference else (0, "")


def _by_its_word(stranger: Stranger, folder: Path, out: Path, said: str) -> tuple[int, str]:
    del folder, out
    if not stranger.prints:
        return 0, ""
    good = re.search(stranger.prints, said) is not None
    return 1, "" if good else f"does not say '{stranger.prints}': {_last(said)}"


def _by_its_check(stranger: Stranger, folder: Path, out: Path, said: str) -> tuple[int, str]:
    del out, said
    for words in stranger.check:
        done = subprocess.run(words, shell=True, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            return 0, f"'{words}' ends with {done.returncode}: {_last(done.stdout + done.stderr)}"
    return len(stranger.check), ""


def _last(said: str) -> str:
    lines = [line for line in said.splitlines() if "error" in line.lower()] or said.splitlines()
    return lines[0].strip() if lines else "nothing said"


def keep(folder: Path, stranger: Stranger, outcome: Outcome) -> None:
    """Note an outcome and our commit beside the checkouts, for the page that is made of all of them (page.py)."""
    notes = kept(folder)
    notes[stranger.name] = [outcome.status, outcome.text, our_commit()]
    (folder / NOTES).write_text(json.dumps(notes, indent=1, sort_keys=True), encoding="utf-8")


@cache
def our_commit() -> str:
    """Return the commit of aieloom that runs; "+" behind it where files differ from it."""
    command = ["git", "describe", "--always", "--abbrev=8", "--exclude=*", "--dirty=+"]
    root = Path(__file__).resolve().parent
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.strip()


def kept(folder: Path) -> dict[str, list[str]]:
    """Return the outcomes that were noted: status, text and our commit by the graph's name."""
    path = folder / NOTES
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def main() -> int:
    """Run what the arguments name (all without one) and print a line for each."""
    folder = checkouts()
    if folder is None:
        print("set AIELOOM_STRANGERS to a folder of checkouts, OWNER/NAME below it")
        return 2
    counts: dict[str, int] = {}
    for stranger in _wanted(folder):
        outcome = run(stranger, folder)
        keep(folder, stranger, outcome)
        counts[outcome.status] = counts.get(outcome.status, 0) + 1
        print(f"{outcome.status:8} {stranger.name}: {outcome.text}", flush=True)
    print(counts)
    return 0


def _wanted(folder: Path) -> list[Stranger]:
    parser = argparse.ArgumentParser(description="Run other people's graphs as shipped.")
    parser.add_argument("names", nargs="*", help="parts of names; all without one")
    parser.add_argument("--new", action="store_true", help="only those without an outcome")
    parser.add_argument("--old", action="store_true", help="only those without an outcome of this commit")
    parser.add_argument("--failed", action="store_true", help="only those that failed")
    parser.add_argument("--count", type=int, help="at most this many")
    given = parser.parse_args()
    notes = kept(folder)

    def is_wanted(stranger: Stranger) -> bool:
        status, _, commit = (*notes.get(stranger.name, ["", ""]), "")[:3]
        asked = (given.new, given.old, given.failed)
        chosen = not any(asked) or any(
            a and is_so
            for a, is_so in zip(asked, (not status, commit != our_commit(), status == FAILED), strict=True)
        )
        named = not given.names or any(name in stranger.name for name in given.names)
        return chosen and named and (folder / stranger.repository).is_dir()

    return [s for s in strangers() if is_wanted(s)][: given.count]


if __name__ == "__main__":
    sys.exit(main())
