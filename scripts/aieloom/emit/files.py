"""A set of generated files as a value, and the one place that writes it to disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from aieloom.errors import SpecError
from aieloom.paths import PUBLIC, write_whole

FileTree = Mapping[str, str]  # path below the build folder -> text
Files = Mapping[str, str | bytes]  # the same with files that a program reads as bytes


def checked_path(path: str) -> PurePosixPath:
    """Return `path` as a path that stays below the build folder.

    Raises:
        ValueError: it is absolute or climbs out; a defect of a template list, not of the user.
    """
    relative = PurePosixPath(path)
    if relative.is_absolute() or ".." in relative.parts:
        raise ValueError(f"a generated file may not leave its folder: {path}")
    return relative


def write_text(path: Path, text: str) -> bool:
    """Write a text file as `write_bytes` does; return whether it changed.

    Raises:
        SpecError: the place cannot be written.
    """
    return write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> bool:
    """Write a file under a temporary name and rename it; leave an equal file alone.

    Returns whether it changed.

    Raises:
        SpecError: the place cannot be written.
    """
    try:
        if path.is_file() and path.read_bytes() == data:
            return False
        write_whole(path, data, mode=PUBLIC)
    except OSError as e:
        text = f"cannot write here: {e.strerror or e}"
        remedy = "make the folder writable, free some space, or build elsewhere: build=FOLDER"
        raise SpecError(rule="write", file=str(path), text=text, remedy=remedy) from e
    return True


def write_tree(folder: Path, tree: Files, *, owned: tuple[str, ...]) -> list[str]:
    """Write all files below `folder`; return those that changed.

    Files of an earlier run that lie in the folders `owned` and are not in the tree are removed: a layer that
    was renamed leaves no source behind that a compiler might still find.
    """
    as_bytes = {name: data.encode() if isinstance(data, str) else data for name, data in tree.items()}
    changed = [name for name, data in as_bytes.items() if write_bytes(folder / checked_path(name), data)]
    for base in owned:
        for old in sorted((folder / base).rglob("*")):
            if old.is_file() and old.relative_to(folder).as_posix() not in tree:
                old.unlink()
    return changed
