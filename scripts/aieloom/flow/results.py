"""When what a task made is up to date: its stamp has a digest of all that it was made of, and one of each file that it is.

Content decides, nothing else: neither dates nor a database of an earlier run. So a file that was edited with its date kept is
seen, what was damaged or deleted below build/ is made again, and any program that writes there, `doit` or Python, is judged
alike. A digest of inputs is taken before they are used: whatever is edited meanwhile has another one in the next run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypedDict

from aieloom.digests import digest_if_there
from aieloom.emit.files import write_text
from aieloom.errors import AieloomError
from aieloom.flow import outcome
from aieloom.lock import hold_to_the_end
from aieloom.paths import json_object

FOLDER = "stamps"


@dataclass(frozen=True, kw_only=True)
class Results:
    """Files below a build folder that a task makes: `made_of` is a digest of its inputs, `files` says which they are."""

    task: str
    build: Path
    made_of: Callable[[], str]
    files: Callable[[], Iterable[Path]]

    @property
    def stamp(self) -> Path:
        """The file that says what they were made of."""
        return self.build / FOLDER / f"{self.task}.json"

    def are_current(self) -> bool:
        """Tell whether making them again would give the same."""
        known = json_object(self.stamp)
        if not known:
            return False
        files = self._digests()
        return all(files.values()) and bool(known == {"made_of": self.made_of(), "files": files})

    def make(self, act: Callable[[], object]) -> None:
        """Make them; what is killed or fails on the way leaves no stamp.

        Raises:
            SpecError: the folder cannot be written.
        """
        made_of = self.made_of()
        self.stamp.unlink(missing_ok=True)
        act()
        stamp = {"made_of": made_of, "files": self._digests()}
        write_text(self.stamp, json.dumps(stamp, indent=1) + "\n")

    def _digests(self) -> dict[str, str]:
        return {f.relative_to(self.build).as_posix(): digest_if_there(f) for f in sorted(self.files())}


def alone(build: Path, act: Callable[[], object]) -> Callable[[], bool | outcome.Told]:
    """Return an action for doit that keeps other processes out of the build folder until this one ends."""

    def action() -> None:
        hold_to_the_end(build)
        act()

    return outcome.guarded(action)


def asked(build: Path, question: Callable[[], bool]) -> Callable[[], bool]:
    """Return what doit asks before a task, with other processes kept out of the build folder from then on.

    Else one of them could change what was just found up to date. What keeps the question from being answered, the task's
    own action says.
    """

    def answer() -> bool:
        try:
            hold_to_the_end(build)
            return question()
        except (AieloomError, OSError):
            return False

    return answer


class Task(TypedDict, total=False):
    """A task as doit reads it [pydoit.org/tasks.html]."""

    basename: str
    name: str | None
    actions: Sequence[object]
    doc: str
    task_dep: list[str]
    targets: list[str]
    uptodate: list[object]
    clean: object
    params: list[dict[str, object]]
    verbosity: int
    title: object
    setup: list[str]


def always(
    name: str,
    act: Callable[[], object],
    *,
    doc: str = "",
    after: Iterable[str] = (),
    build: Path | None = None,
) -> Task:
    """Return a task for doit that has something to do whenever it is asked for; with `build` alone in that folder."""
    return {
        "basename": name,
        "actions": [alone(build, act) if build else outcome.guarded(act)],
        "doc": doc,
        "task_dep": [*after],
        "uptodate": [False],
    }


def checked(
    name: str,
    build: Path,
    act: Callable[[], object],
    is_done: Callable[[], bool],
    *,
    doc: str,
    targets: Iterable[Path | str],
    after: Iterable[str] = (),
) -> Task:
    """Return a task for doit that works alone in a build folder, unless it finds there that all is done."""
    return {
        "basename": name,
        "actions": [alone(build, act)],
        "doc": doc,
        "task_dep": [*after],
        "targets": [*map(str, targets)],
        "uptodate": [asked(build, is_done)],
        "clean": True,
    }


def made(
    results: Results,
    act: Callable[[], object],
    *,
    doc: str,
    targets: Iterable[Path | str],
    after: Iterable[str] = (),
) -> Task:
    """Return a task for doit that makes results unless they are up to date."""
    act, name, build = partial(results.make, act), results.task, results.build
    return checked(name, build, act, results.are_current, doc=doc, targets=targets, after=after)
