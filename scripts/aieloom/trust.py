"""Whose operators may run: `operators/*.py` of a project are programs, and run from the folders alone that this user trusts.

A folder is trusted by its path, as by git's `safe.directory`: what its owner edits there asks for nothing again. What lies in
a trusted folder is trusted with it. The list is a file of the user's settings. `AIELOOM_TRUSTED` adds folders for one process
and what it starts, such as a CI job.
"""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from aieloom import answer, messages
from aieloom.errors import SpecError
from aieloom.paths import settings_folder, write_whole

ENVIRONMENT = "AIELOOM_TRUSTED"
EVERYTHING = "*"
RULE = "trust"


def is_trusted(folder: Path) -> bool:
    """Tell whether this user lets the operators of a project's folder run."""
    named = [f for f in os.environ.get(ENVIRONMENT, "").split(os.pathsep) if f]
    own = folder.resolve()
    return EVERYTHING in named or not {own, *own.parents}.isdisjoint([*_listed(), *_resolved(named)])


def trust(folder: Path) -> None:
    """Let the operators of a project's folder run from now on.

    Raises:
        SpecError: the list cannot be written.
    """
    if not is_trusted(folder):
        _write([*_listed(), folder.resolve()])


def distrust(folder: Path) -> None:
    """Take a folder off the list.

    Raises:
        SpecError: the list cannot be written.
    """
    _write([f for f in _listed() if f != folder.resolve()])


def refuse_strangers(project: Path, files: Sequence[Path]) -> None:
    """Refuse to run a project's files before its folder is trusted.

    Raises:
        SpecError: it is not.
    """
    if not files or is_trusted(project):
        return
    folder = project.resolve()
    word = shlex.quote(str(folder))
    names = ", ".join(f"{f.parent.name}/{f.name}" for f in files)
    text = f"this would run {names}: programs of a folder that you have not trusted yet"
    remedy = f"look at what they do, then: aieloom trust {word} (in CI: {ENVIRONMENT}={word})"
    raise SpecError(rule=RULE, file=str(folder), text=text, remedy=remedy)


def command(options: argparse.Namespace) -> int:
    """Trust a project's folder, or no longer."""
    folder = options.folder
    if not folder.is_dir():
        text, remedy = "there is no such folder", "name a project's folder"
        raise SpecError(rule="file", file=str(folder), text=text, remedy=remedy)
    (distrust if options.remove else trust)(folder)
    trusted = is_trusted(folder)
    answer.give(folder=folder.resolve(), trusted=trusted)
    word = (
        "trusted: the operators of this project run" if trusted else "not trusted: its operators do not run"
    )
    messages.console().print(f"{folder.resolve()} is {word}", markup=False)
    return 0


def _list_file() -> Path:
    return settings_folder() / "trusted"


def _listed() -> list[Path]:
    try:
        return [Path(line) for line in _list_file().read_text(encoding="utf-8").splitlines() if line]
    except (OSError, UnicodeDecodeError):
        return []


def _resolved(folders: Iterable[str]) -> list[Path]:
    return [Path(f).expanduser().resolve() for f in folders if f != EVERYTHING]


def _write(folders: Iterable[Path]) -> None:
    file = _list_file()
    try:
        write_whole(file, "".join(f"{f}\n" for f in folders).encode())
    except (OSError, UnicodeEncodeError) as e:
        text, remedy = f"cannot write here: {e}", f"make it writable, or name the folder in {ENVIRONMENT}"
        raise SpecError(rule="write", file=str(file), text=text, remedy=remedy) from e
