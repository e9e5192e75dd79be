"""Generated sources through strict compilers."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from aieloom.emit.files import FileTree, write_tree
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


def together(folder: Path, files: list[Path], headers: Sequence[Path] = ()) -> Path:
    """Return one source that includes all, each in a namespace of its own: what they and `headers` of theirs include is read once."""
    read = [f.read_text() for f in (*files, *headers)]
    includes = {line: None for text in read for line in text.splitlines() if line.startswith("#include <")}
    library = re.compile(r'^#include "(\.\./include/[^"]+)"', re.MULTILINE)  # has a namespace of its own
    includes |= {
        f'#include "{f.parent / header}"': None for f in files for header in library.findall(f.read_text())
    }
    parts = [f'namespace unit_{i} {{\n#include "{f}"\n}}' for i, f in enumerate(files)]
    unit = folder / "unit.cpp"
    unit.write_text("\n".join([*includes, *parts, ""]))
    return unit


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
