"""Reading an HLS component's configuration file [UG1702 v++ mode HLS]: `key=value` below [hls], paths from its folder."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from aieloom.emulator.hls.component import Component, File, split_flags
from aieloom.emulator.pl_source import read_text
from aieloom.errors import Problem, SpecError

_FLAG_KEYS = ("syn.cflags", "syn.csimflags", "tb.cflags")
_FILE_FLAG_KEYS = ("syn.file_cflags", "syn.file_csimflags", "tb.file_cflags")


@dataclass(frozen=True, slots=True)
class _Entry:
    value: str
    line: int


def read_config(path: Path) -> Component:
    """Return the component that a configuration file describes.

    Raises:
        SpecError: the file cannot be read, names files that are not there, or has no test bench.
    """
    entries = _entries(path)
    folder = path.parent
    _check_files(path, [*entries["syn.file"], *entries["syn.blackbox.file"], *entries["tb.file"]])
    flags = {key: _flags(path, entries[key], folder) for key in _FLAG_KEYS}
    own = _file_flags(path, entries, folder)
    design = [
        _file(f, (*flags["syn.cflags"], *flags["syn.csimflags"]), own)
        for f in _files(path, entries["syn.file"])
    ]
    boxes = _files(path, entries["syn.blackbox.file"])
    design += [File(model, flags["syn.cflags"]) for box in boxes for model in blackbox_models(box)]
    bench = [_file(f, flags["tb.cflags"], own) for f in _files(path, entries["tb.file"])]
    return Component(
        name=path.stem if path.stem != "hls_config" else path.resolve().parent.name,
        folder=folder,
        design=tuple(design),
        bench=tuple(bench),
        top="".join(e.value for e in entries["syn.top"][-1:]),
        arguments=_flags(path, entries["csim.argv"][-1:], folder),
        link_flags=_flags(path, entries["csim.ldflags"], folder),
    )


def _entries(path: Path) -> dict[str, list[_Entry]]:
    found: dict[str, list[_Entry]] = defaultdict(list)
    for number, line in enumerate(read_text(path).splitlines(), 1):
        key, equals, value = line.partition("=")
        if equals and not line.lstrip().startswith(("#", ";", "[")):
            found[key.strip()].append(_Entry(value.strip(), number))
    return found


def _flags(path: Path, entries: list[_Entry], folder: Path) -> tuple[str, ...]:
    made: list[str] = []
    for entry in entries:
        try:
            made += split_flags(entry.value, folder)
        except ValueError as e:
            text, remedy = f"'{entry.value}': {e}", "close its quotation marks"
            raise SpecError(
                rule="hls-config", file=str(path), line=entry.line, text=text, remedy=remedy
            ) from e
    return tuple(made)


def _file_flags(path: Path, entries: dict[str, list[_Entry]], folder: Path) -> dict[Path, tuple[str, ...]]:
    found: dict[Path, tuple[str, ...]] = {}
    for key in _FILE_FLAG_KEYS:
        for entry in entries[key]:
            name, _, flags = entry.value.partition(",")
            place = (folder / name.strip()).resolve()
            found[place] = (*found.get(place, ()), *_flags(path, [_Entry(flags, entry.line)], folder))
    return found


def _file(place: Path, flags: tuple[str, ...], own: dict[Path, tuple[str, ...]]) -> File:
    return File(place, (*flags, *own.get(place.resolve(), ())))


def _files(path: Path, entries: list[_Entry]) -> list[Path]:
    return [path.parent / e.value for e in entries]


def _check_files(path: Path, entries: list[_Entry]) -> None:
    remedy = "paths start at the configuration file's folder"
    missing = [e for e in entries if not (path.parent / e.value).exists()]
    if missing:
        raise SpecError(
            Problem(rule="file", file=str(path), line=e.line, text=f"there is no '{e.value}'", remedy=remedy)
            for e in missing
        )


def blackbox_models(description: Path) -> list[Path]:
    """Return the C models of an RTL black box: what C simulation runs in its place [UG1399 JSON File for RTL Blackbox].

    Raises:
        SpecError: the description cannot be read, or names no models.
    """
    try:
        said = json.loads(description.read_text(encoding="utf-8"))
        names = [f["c_file"] for f in said["c_files"]]
    except (OSError, ValueError, KeyError, TypeError) as e:
        remedy = 'an RTL black box names its C models: "c_files": [{"c_file": "model.cpp"}]'
        text = f"cannot be read: {e!r}"
        raise SpecError(rule="hls-config", file=str(description), text=text, remedy=remedy) from e
    return [description.parent / n for n in names]
