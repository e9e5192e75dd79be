"""An HLS component: its sources and test bench, with the flags of each, as a configuration file or a script gives them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

SOURCES = frozenset({".c", ".cc", ".cpp", ".cxx", ".C"})
HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx", ".inc"})


@dataclass(frozen=True, slots=True)
class File:
    """A file of a component and the compiler's flags for it alone; flags are those of the host's compiler."""

    path: Path
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """What C simulation builds and runs: design, test bench with its data, and the arguments of main()."""

    name: str
    folder: Path  # relative paths in flags start here
    design: tuple[File, ...]
    bench: tuple[File, ...]  # sources, headers and data; whole folders too
    top: str = ""
    arguments: tuple[str, ...] = ()
    link_flags: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[File, ...]:
        """Return what is compiled; a file that design and bench both name is compiled once."""
        found: dict[Path, File] = {}
        for file in (*self.design, *self.bench):
            if file.path.suffix in SOURCES:
                found.setdefault(file.path.resolve(), file)
        return tuple(found.values())

    @property
    def data(self) -> tuple[Path, ...]:
        """Return the test bench's files that are read while it runs."""
        return tuple(f.path for f in self.bench if f.path.suffix not in SOURCES)


def split_flags(text: str, folder: Path) -> tuple[str, ...]:
    """Return the words of a flags string; relative -I folders start at `folder`; a -I without one is none.

    Raises:
        ValueError: a quotation mark is open.
    """
    options = {"-I", "-L", "-isystem"}
    words = shlex.split(text)
    # A folder that came of nothing leaves its option behind, which would take the next one for its folder.
    lost = [
        i for i, w in enumerate(words) if w in options and (words[i + 1 : i + 2] or ["-"])[0][:1] in {"-", ""}
    ]
    words = [w for i, w in enumerate(words) if i not in lost and not (i - 1 in lost and not w)]
    made: list[str] = []
    for i, word in enumerate(words):
        if i and words[i - 1] in options:
            made.append(str(folder / word))
        elif word[:2] in {"-I", "-L"} and len(word) > len("-I"):
            made.append(word[:2] + str(folder / word[2:]))
        else:
            made.append(word)
    return tuple(made)
