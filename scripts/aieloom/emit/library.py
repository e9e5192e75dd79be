"""The C++ libraries of templates, header-only: a project is given a copy of the headers that its sources include.

`lib/aieloom/NAME/*.h` of a template folder goes to src/include/aieloom/NAME/. Sources and headers include by a path from where
they lie, so that no tool needs another -I.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath

FOLDER = "src/include"
LIBRARIES = {"host": "host_templates", "pl": "pl_templates"}  # the template folder that has it
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"(?P<path>[^"\n]+)"', re.MULTILINE)
_OURS = re.compile(r"(?:^|/)(?P<header>aieloom/(?P<library>[a-z]+)/[\w/]+\.h)$")


@cache
def template_folder(name: str) -> Path:
    """Return the folder of templates `name`: inside the installed package, or at the top of a checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "templates" / name, package.parents[1] / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"{name} is missing from this installation of aieloom")


def library_file(header: str) -> Path:
    """Return where the header `aieloom/NAME/...` of a library lies in the installation.

    Raises:
        FileNotFoundError: there is none; a defect of a template, not of the user.
    """
    library = PurePosixPath(header).parts[1]
    found = template_folder(LIBRARIES[library]) / "lib" / header
    if not found.is_file():
        raise FileNotFoundError(f"{header} is included, and is no header of aieloom's libraries")
    return found


def included(texts: Iterable[str]) -> dict[str, str]:
    """Return the libraries' headers that sources include, and those that these include: path below the build folder -> text."""
    return copies(header for text in texts for header in _of_source(text))


def copies(headers: Iterable[str]) -> dict[str, str]:
    """Return headers of the libraries, and those that they include: path below the build folder -> text."""
    waiting = list(headers)
    found: dict[str, str] = {}
    while waiting:
        header = waiting.pop()
        if header not in found:
            found[header] = library_file(header).read_text(encoding="utf-8")
            waiting += _of_header(header, found[header])
    return {f"{FOLDER}/{header}": found[header] for header in sorted(found)}


def _of_source(text: str) -> Iterator[str]:
    """Yield the libraries' headers that a source includes by any path that ends in theirs."""
    for include in _INCLUDE.finditer(text):
        ours = _OURS.search(include["path"])
        if ours and ours["library"] in LIBRARIES:
            yield ours["header"]


def _of_header(header: str, text: str) -> Iterator[str]:
    """Yield what a header includes: others, by their path from its own folder."""
    for include in _INCLUDE.finditer(text):
        path = PurePosixPath(header).parent
        for part in PurePosixPath(include["path"]).parts:
            path = path.parent if part == ".." else path / part
        yield str(path)
