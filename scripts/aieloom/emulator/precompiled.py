"""Headers read once for many sources: g++ keeps what it made of adf.h and loads it again in a tenth of the time.

Most kernels begin with the same headers of the emulator, and reading those is four fifths of compiling a kernel. A source
that begins with them and with nothing else before (comments, guards, headers of the user's that do the same) is compiled
with `-include` of a precompiled header [GCC manual, Using Precompiled Headers], which says the same as its own includes
and no more: a name that a source does not include stays unknown to it. The second source that asks has the header made; the
first ones, and those that come while it is made, are compiled without.

g++ itself refuses a precompiled header whose options or macros are others, and reads the text instead. That the headers are
as they were, and that no folder of the user's has one of the same name, is asked here. Other compilers do without.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypedDict, cast

from aieloom.cache import kept, used
from aieloom.digests import file_digest, stamp_of, text_digest
from aieloom.emulator.pl_source import uncommented
from aieloom.emulator.readings import Folders, Reading, paths_of, standing
from aieloom.paths import json_object, package_folder, write_whole

FOLDER = "headers"
TEXT, MADE, RECORD = "all.h", "all.h.gch", "all.json"
_INCLUDE = re.compile(r'#\s*include\s*(?:"([^"]+)"|<([^>]+)>)\s*$')
_GUARD = re.compile(r"#\s*ifndef\s+(\w+)$|#\s*if\s+!\s*defined\s*\(?\s*(\w+)\s*\)?$")
_DEFINE = re.compile(r"#\s*define\s+(\w+)$")
_NOTHING = re.compile(r"#\s*(?:pragma\s+once|endif)\b.*$")
_CONDITION = re.compile(rb"^\s*#\s*(?:el)?if(?:n?def)?\b(.*(?:\\\n.*)*)", re.MULTILINE)
_WORD = re.compile(rb"[A-Za-z_]\w*")


@dataclass(slots=True)
class Beginning:
    """What a source begins with: headers of the emulator in order, and the guards of headers of the user's around them."""

    headers: list[str] = field(default_factory=list)
    guards: set[str] = field(default_factory=set)
    seen: set[Path] = field(default_factory=set)


def beginning_of(source: Path, includes: Sequence[Path]) -> Beginning:
    """Return what a source begins with; `includes` are the folders in which its compiler looks, the emulator's first."""
    found = Beginning()
    _read(source, includes, found)
    return found


def _read(path: Path, includes: Sequence[Path], found: Beginning) -> bool:
    """Read a file up to what is no include; return whether it has nothing else."""
    try:
        text = uncommented(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    found.seen.add(path)
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    guarded = _guard(lines)
    if guarded:
        found.guards.add(guarded)
        lines = lines[2:]
    for line in lines:
        include = _INCLUDE.match(line)
        if include:
            if not _follow(include[1] or include[2], bool(include[1]), path, includes, found):
                return False
        elif not _NOTHING.match(line):
            return False
    return True


def _guard(lines: Sequence[str]) -> str:
    """Return the macro that keeps a header from being read twice, where it begins with one."""
    first = _GUARD.match(lines[0]) if len(lines) > 1 else None
    second = _DEFINE.match(lines[1]) if first else None
    name = (first[1] or first[2]) if first else ""
    return name if second and second[1] == name else ""


def _follow(name: str, quoted: bool, path: Path, includes: Sequence[Path], found: Beginning) -> bool:
    """Take in what an include brings; return whether what stands behind it is still the beginning."""
    own = package_folder() / "include"
    for folder in (*([path.parent] if quoted else []), *includes):
        file = folder / name
        if not file.is_file():
            continue
        if folder == own:
            found.headers += [] if name in found.headers else [name]
            return True
        return file in found.seen or _read(file, includes, found)
    return True  # the compiler's own, or nowhere, which the compiler says


@dataclass(frozen=True, slots=True)
class Precompiled:
    """A header that is made: `text` is what the compiler is told to include, `files` what it was made of."""

    text: Path
    files: tuple[Path, ...]


class Headers:
    """Precompiled headers in a folder, by compiler, options and the headers that they have."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / FOLDER

    def place(self, key: str) -> Path:
        """Return the folder of one of them."""
        return self.folder / key

    def find(self, key: str, folders: Folders, guards: set[str]) -> Precompiled | None:
        """Return a header that says what the texts say now, for a unit with these folders and guards."""
        place = self.place(key)
        record = _record(place / RECORD)
        reading = Reading.from_json(record.get("reading")) if record else None
        if not record or not reading or guards & set(record["conditions"]):
            return None
        own = own_folders(place)
        users = [f for f in folders.values() if f != package_folder() / "include"]
        if any(standing(f, reading.names) for f in users) or not reading.holds(own):
            return None
        if not _is_whole(place / MADE, str(record["made"])):
            return None
        used(place)
        return Precompiled(place / TEXT, tuple(p for p in paths_of(reading, own) if p != place / TEXT))

    def wanted(self, key: str) -> bool:
        """Tell whether somebody has asked for a header before; whoever asks first is remembered."""
        asked = self.place(key) / "asked"
        if asked.exists():
            return True
        with suppress(OSError):
            asked.parent.mkdir(parents=True, exist_ok=True)
            asked.touch()
        return False

    @contextmanager
    def making(self, key: str) -> Iterator[Path | None]:
        """Give the folder to make a header in; None where somebody else makes it, or nobody can write there."""
        place = self.place(key)
        try:
            place.mkdir(parents=True, exist_ok=True)
            handle = os.open(place / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            yield None
            return
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield None
        else:
            yield place
        finally:
            os.close(handle)

    def keep(self, place: Path, reading: Reading) -> None:
        """Write down what a header was made of.

        Raises:
            OSError: the folder cannot be written.
        """
        conditions = {w for p in paths_of(reading, own_folders(place)) for w in _conditions(p)}
        record: _Record = {
            "reading": reading.as_json(),
            "made": file_digest(place / MADE),
            "conditions": sorted(conditions),
        }
        write_whole(place / RECORD, json.dumps(record).encode())
        kept(place / MADE)


def own_folders(place: Path) -> Folders:
    """Return where the compiler looks for headers when it makes one."""
    return {"s": place, "i0": package_folder() / "include"}


def key_of(headers: Sequence[str], *options: str) -> str:
    """Return a digest of what a precompiled header is made with, but the headers' contents."""
    return text_digest("headers", *sorted(headers), "options", *options)


def text_of(headers: Sequence[str]) -> str:
    """Return the text of a header that includes others."""
    return "".join(f"#include <{name}>\n" for name in sorted(headers))


class _Record(TypedDict):
    reading: dict[str, object]
    made: str
    conditions: list[str]


def _record(file: Path) -> _Record | None:
    data = json_object(file)
    whole = isinstance(data.get("conditions"), list) and "made" in data
    return cast(_Record, data) if whole else None


_whole: dict[tuple[object, ...], bool] = {}


def _is_whole(file: Path, digest: str) -> bool:
    """Tell whether a file is what was made; asked once in a process as long as the file is not touched."""
    try:
        key = (str(file), digest, *stamp_of(file.stat()))
        if key not in _whole:
            _whole[key] = file_digest(file) == digest
        return _whole[key]
    except OSError:
        return False


@cache
def _conditions(path: Path) -> frozenset[str]:
    """Return the words of a file's conditions: what a macro of the same name would change."""
    try:
        text = path.read_bytes()
    except OSError:
        return frozenset()
    return frozenset(w.decode() for c in _CONDITION.findall(text) for w in _WORD.findall(c))
