"""What a compilation read and where it looked: enough to tell whether compiling again would read the same.

The compiler's dependency list has the files that it read. A file that newly stands where the compiler looks earlier is on no
such list, so the names that were looked for and the folders are kept too, with which name is in which folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from aieloom.digests import file_digest, installed_digest, text_digest
from aieloom.paths import package_folder

Folders = Mapping[
    str, Path
]  # search folders in order, by short names that do not depend on where a project lies
SOURCE = "s"  # the folder of the source itself
_ABSOLUTE = "a"  # a file in none of the search folders: the compiler's own or the system's
_ASKED = re.compile(
    rb'#\s*(?:include(?:_next)?|embed)\s*["<]([^">\n]+)[">]|__has_(?:include|embed)\s*\(\s*["<]([^">\n]+)'
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The files that a compilation read, the names that they ask for, the folders in which those are looked for.

    `digest` is that of all the files' contents, and of which names each folder has.
    """

    files: tuple[str, ...]
    names: tuple[str, ...]
    places: tuple[str, ...]
    digest: str

    @classmethod
    def of(cls, folders: Folders, source: Path, files: Iterable[Path]) -> Reading:
        """Return what is known of a compilation that has just read `files` and its `source`.

        Raises:
            OSError: one of them cannot be read now.
        """
        read = [*files]
        named = sorted({_name(folders, f) for f in read})
        asked = sorted({name for f in (source, *read) for name in _asked(f, _digest(str(f)))})
        # A name in quotes is looked for beside the file that asks, and only then in the search folders.
        beside = {_parent(name) for name in named if not name.startswith(f"{_ABSOLUTE}:")}
        places = sorted({*(f"{label}:." for label in folders), *beside})
        made = cls(tuple(named), tuple(asked), tuple(places), "")
        return cls(made.files, made.names, made.places, made.state(folders))

    def state(self, folders: Folders) -> str:
        """Return the digest as it is now, seen from a unit with these search folders.

        Raises:
            OSError: a file is not there.
            KeyError: there is no such folder.
        """
        files = (part for name in self.files for part in (name, _digest(_place(folders, name))))
        firsts = {name: name.partition("/")[0] for name in self.names}
        found = (part for place in self.places for part in (place, *_present(_place(folders, place), firsts)))
        return text_digest(*folders, "files", *files, "names", *self.names, "found", *found)

    def holds(self, folders: Folders) -> bool:
        """Tell whether a compilation from these folders would read the same."""
        try:
            return self.state(folders) == self.digest
        except (OSError, KeyError, ValueError):  # ValueError: a name with a zero byte, of a damaged record
            return False

    def as_json(self) -> dict[str, object]:
        """Return it as what JSON can hold."""
        return {"files": self.files, "names": self.names, "places": self.places, "digest": self.digest}

    @classmethod
    def from_json(cls, data: object) -> Reading | None:
        """Return what `as_json` made; None of anything else."""
        if not isinstance(data, dict) or not isinstance(data.get("digest"), str):
            return None
        lists = [data.get(key) for key in ("files", "names", "places")]
        if not all(isinstance(v, list) and all(isinstance(n, str) for n in v) for v in lists):
            return None
        files, names, places = (tuple(v) for v in lists if v is not None)
        return cls(files, names, places, data["digest"])


def paths_of(reading: Reading, folders: Folders) -> tuple[Path, ...]:
    """Return the files that a compilation from these folders read."""
    return tuple(Path(_place(folders, name)) for name in reading.files)


def standing(folder: Path, names: Iterable[str]) -> bool:
    """Tell whether one of the names that includes ask for stands in a folder."""
    return any(_present(str(folder), {name: name.partition("/")[0] for name in names}))


def _name(folders: Folders, path: Path) -> str:
    """Return a file's name, which begins with that of its search folder."""
    for label, base in folders.items():
        if path.is_relative_to(base):
            return f"{label}:{path.relative_to(base)}"
    return f"{_ABSOLUTE}:{path}"


def _parent(name: str) -> str:
    label, _, rest = name.partition(":")
    return f"{label}:{Path(rest).parent}"


def _place(folders: Folders, name: str) -> str:
    """Return the file or folder that a name stands for."""
    label, _, rest = name.partition(":")
    return rest if label == _ABSOLUTE else f"{folders[label]}{os.sep}{rest}"


def _digest(path: str) -> str:
    """Return a file's digest; those of the installation are remembered, a project's are read."""
    return installed_digest(path) if path.startswith(_installed()) else file_digest(Path(path))


@cache
def _installed() -> tuple[str, ...]:
    return tuple(f"{folder}{os.sep}" for folder in (package_folder(), "/usr/include", "/usr/lib"))


def _present(folder: str, names: Mapping[str, str]) -> Iterator[str]:
    """Yield those of the names (with their first parts) that are files below a folder."""
    try:
        listed = {*os.listdir(folder), "..", ".", ""}  # noqa: PTH208 - names alone, of folders with many files
    except OSError:
        return
    for name, first in names.items():
        if first in listed and Path(folder, name).is_file():
            yield name


@cache
def _asked(path: Path, _digest: str) -> tuple[str, ...]:
    """Return the names that a file's text asks for, in whatever branch of it."""
    found = _ASKED.findall(path.read_bytes())
    return tuple({(a or b).decode("utf-8", errors="surrogateescape") for a, b in found})
