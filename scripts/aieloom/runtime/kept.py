"""The projects that sessions make of models: kept in the cache, each in a folder that its target and its content name.

So sessions of one model for two boards, or in two processes, never write over each other's files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from aieloom.api import DesignHandle, design
from aieloom.cache import hold, kept
from aieloom.cached_arrays import digest
from aieloom.emit.files import write_bytes
from aieloom.errors import Problem, SpecError
from aieloom.lock import held
from aieloom.paths import cache_folder

FOLDER = "sessions"  # of the cache
NAME = "net"  # of every such project
_DIGITS = 32  # of a folder's name


def kept_design(files: Mapping[str, bytes], target: str, *, shown_as: str) -> DesignHandle:
    """Return the design of a project called `NAME`, by its files' names and contents, of which a plan was made.

    One that does not fit the board leaves nothing in the cache: it is planned elsewhere before it is kept. `shown_as` is the
    model in messages.

    Raises:
        SpecError: it does not fit, or the cache cannot be written.
    """
    folder = cache_folder() / FOLDER / _digest(files, target) / NAME
    hold(folder)
    made = _kept(folder, files, target)
    if made is not None:
        _ = made.plan
        return made
    with TemporaryDirectory(prefix="aieloom-session-") as trial:
        _write(Path(trial) / NAME, files)
        try:
            _ = design(Path(trial) / NAME, target=target).plan
        except SpecError as e:
            raise SpecError(_called(p, Path(trial), shown_as) for p in e.problems) from e
    with held(folder.parent):
        hold(folder)
        _write(folder, files)
        return design(folder, target=target)


def _kept(folder: Path, files: Mapping[str, bytes], target: str) -> DesignHandle | None:
    """Return the design of a folder that has exactly these contents; None of another."""
    if not all((folder / f).is_file() and (folder / f).read_bytes() == data for f, data in files.items()):
        return None
    return design(folder, target=target)


def _called(problem: Problem, trial: Path, shown: str) -> Problem:
    """Return a problem of a file that is gone when it is told as one of the model."""
    if not problem.file or not Path(problem.file).absolute().is_relative_to(trial.absolute()):
        return problem
    return replace(problem, file=shown, line=0, column=0)


def _digest(files: Mapping[str, bytes], target: str) -> str:
    return digest(target, *(part for item in files.items() for part in item))[:_DIGITS]


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        write_bytes(folder / name, data)
        kept(folder / name)
