"""`aieloom upgrade`: the scaffolded files of a project, as a newer aieloom writes them; what its owner edited is kept.

A project remembers (.aieloom.json) which texts it was given. A file that is still as given is replaced. One that was
edited stays, and the new text is put beside it as FILE.new where it differs from the one that was given. One that was
removed stays away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from aieloom.emit.files import write_text
from aieloom.errors import SpecError
from aieloom.flow.scaffold import STATE, digest, scaffold_texts, write_state
from aieloom.paths import json_object

KEPT, SAME, UPDATED, ADDED, REMOVED = "kept", "up to date", "updated", "added", "left away"


@dataclass(frozen=True, kw_only=True)
class Step:
    """What happens to a file; `beside` is written instead of it."""

    file: str
    what: str
    note: str = ""
    writes: str = ""  # the file's new text
    beside: bool = False


def upgrade(folder: Path, *, dry_run: bool = False) -> tuple[Step, ...]:
    """Bring a project's scaffolded files up to date; return what was done, or would be.

    Raises:
        SpecError: the folder is no project.
    """
    if not (folder / "network.yaml").is_file():
        raise SpecError(
            rule="new", text=f"{folder} has no network.yaml", remedy="name the folder of a project"
        )
    given = _given(folder)
    steps = tuple(_steps(folder, given))
    if not dry_run:
        for step in steps:
            if step.writes:
                write_text(folder / (f"{step.file}.new" if step.beside else step.file), step.writes)
        write_state(folder, scaffold_texts())
    return steps


def _given(folder: Path) -> dict[str, str]:
    """Return the digests of the texts that the project was given; none where it is older than this file."""
    files = json_object(folder / STATE).get("files")
    return {k: str(v) for k, v in files.items()} if isinstance(files, dict) else {}


def _steps(folder: Path, given: dict[str, str]) -> Iterator[Step]:
    for name, text in scaffold_texts().items():
        file = folder / name
        if not file.exists():
            if name in given:
                yield Step(file=name, what=REMOVED, note="you removed it")
            else:
                yield Step(file=name, what=ADDED, writes=text)
            continue
        present = digest(file.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n"))
        if present == digest(text):
            yield Step(file=name, what=SAME)
        elif present == given.get(name):
            yield Step(file=name, what=UPDATED, writes=text)
        elif given.get(name) == digest(text):
            yield Step(file=name, what=KEPT, note="edited by you, nothing new for it")
        else:
            note = f"edited by you; the new text is in {name}.new"
            yield Step(file=name, what=KEPT, note=note, writes=text, beside=True)
