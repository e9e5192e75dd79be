"""When a stage is done: its stamp names the tool's version, the command, and digests of all it read and made.

Content decides, not dates: a file that was written again with the same text changes nothing. A stage may make gigabytes, whose
digests are remembered beside the stamps with inode, size and ctime, which no program can keep when it changes a file (see
digests.py); those of a file that was written just now are not, for it may be written again in the same tick of the clock.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from pathlib import Path

from aieloom.digests import file_digest, is_still, stamp_of
from aieloom.emit.files import write_text
from aieloom.errors import SpecError
from aieloom.paths import json_object
from aieloom.vitis.commands import STAMP, Stage

_CACHE = "vitis/.digests.json"
_lock = threading.Lock()


class Digests:
    """SHA-256 of files below one build folder."""

    def __init__(self, build: Path) -> None:
        self.build = build

    def of(self, names: Iterable[str]) -> dict[str, str]:
        """Return the digest of each file; empty for one that is not there."""
        with _lock:
            known = self._load()
            found: dict[str, str] = {}
            changed = False
            for name in names:
                entry = self._entry(name, known.get(name))
                found[name] = str(entry[-1]) if entry else ""
                changed |= entry is not None and entry != known.get(name)
                if entry:
                    known[name] = entry
            if changed:
                self._store(known)
            return found

    def _entry(self, name: str, known: list[int | str | None] | None) -> list[int | str | None] | None:
        path = self.build / name
        try:
            stat = path.stat()
            stamp = list(stamp_of(stat))
            if known and known[:-1] == stamp:
                return known
            return [*(stamp if is_still(stat) else [None] * len(stamp)), file_digest(path)]
        except OSError:
            return None

    def _load(self) -> dict[str, list[int | str | None]]:
        found = json_object(self.build / _CACHE)
        return {k: v for k, v in found.items() if isinstance(v, list) and len(v) == 4}

    def _store(self, known: dict[str, list[int | str | None]]) -> None:
        try:
            write_text(self.build / _CACHE, json.dumps(known, indent=0) + "\n")
        except SpecError:
            return  # asking again later costs time, nothing else


def _wanted(stage: Stage, version: str, reads: dict[str, str]) -> dict[str, object]:
    return {"tool": version, "argv": list(stage.argv), "files": dict(stage.files), "reads": reads}


def is_done(stage: Stage, version: str, build: Path) -> bool:
    """Return whether the stage ran with this tool, command and input, and what it made is unchanged."""
    stamp = json_object(build / stage.stamp)
    if not isinstance(stamp.get("made"), dict):
        return False
    digests = Digests(build)
    made = stamp.pop("made")
    return stamp == _wanted(stage, version, digests.of(stage.reads)) and made == digests.of(made)


def write_stamp(stage: Stage, version: str, build: Path, made: Iterable[str]) -> None:
    """Declare the stage done; the file appears at once or not at all."""
    digests = Digests(build)
    stamp = _wanted(stage, version, digests.of(stage.reads))
    stamp["made"] = digests.of(sorted(made))
    write_text(build / stage.stamp, json.dumps(stamp, indent=1) + "\n")


def remove_stamp(stage: Stage, build: Path) -> None:
    """Declare the stage not done."""
    (build / stage.folder / STAMP).unlink(missing_ok=True)
