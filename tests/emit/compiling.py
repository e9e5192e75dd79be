"""Generated sources through strict compilers."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from aieloom.emit.files import FileTree, write_tree
from aieloom.emit.library import FOLDER, LIBRARIES, included, library_file, template_folder
from tests.designs import ROOT

INCLUDE = ROOT / "scripts" / "aieloom" / "emulator" / "include"
TOGETHER = 2  # compilers at a time: the machine that CI runs on has two cores
STRICT = ("-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas")


def compiler(name: str) -> str:
    path = shutil.which(name)
    if not path:
        pytest.skip(f"there is no {name} here")
    return path


def written(folder: Path, tree: FileTree, wanted: tuple[str, ...] = (".cc", ".cpp")) -> list[Path]:
    write_tree(folder, tree, owned=())
    return sorted(folder / path for path in tree if path.endswith(wanted))


def together(folder: Path, files: list[Path], own: Sequence[Path] = ()) -> Path:
    """Return one source that includes all, each in a namespace of its own: what they and `own` headers of theirs include is read once.

    So are the libraries' headers: those of the installation stand where each project has copies, as one file is read once.
    """
    read = [f.read_text() for f in (*files, *own)]
    includes = {line: None for text in read for line in text.splitlines() if line.startswith("#include <")}
    headers = sorted(headers_of(read))
    for name in headers:  # both libraries beside each other, as in a project: one may include the other's
        (folder / "library" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "library" / name).symlink_to(library_file(name))
    library = [f'#include "{folder}/library/{name}"' for name in headers]
    for copies in {f.parents[1] / "include" / "aieloom" for f in files}:
        for copy in (f for f in copies.glob("*") if not f.is_symlink()):
            shutil.rmtree(copy)
            copy.symlink_to(template_folder(LIBRARIES[copy.name]) / "lib" / "aieloom" / copy.name)
    parts = [f'namespace unit_{i} {{\n#include "{f}"\n}}' for i, f in enumerate(files)]
    unit = folder / "unit.cpp"
    unit.write_text("\n".join([*includes, *library, *parts, ""]))
    return unit


def headers_of(texts: Sequence[str]) -> list[str]:
    """Return the libraries' headers that sources include, by themselves and by others."""
    return [path.removeprefix(f"{FOLDER}/") for path in included(texts)]


def complaints(jobs: list[list[str]]) -> str:
    """Run all commands, two at a time, and return what the compilers say."""
    said = []
    for i in range(0, len(jobs), TOGETHER):
        batch = [
            subprocess.Popen(job, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for job in jobs[i : i + TOGETHER]
        ]
        for process in batch:
            out, _ = process.communicate()
            said.append(out if out or not process.returncode else f"failed: {process.args!r}")
    return "".join(said)
