"""What the documents tell people to type, and the folder in which they would."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.flow.conftest import DODO

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *(p for p in (ROOT / "docs").rglob("*.md") if p.name != "errors.md")])
RUN = re.compile(r"<!-- run(: slow)? -->\n```console\n(.*?)```", re.DOTALL)


def commands_of(page: Path) -> list[str]:
    """Return the lines of indented and console blocks that call aieloom or doit."""
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^(?:    |\$ )((?:aieloom|doit) .*)$", text, re.MULTILINE)
    return [re.split(r"\s+#|\s{3,}", line)[0] for line in lines]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the repository's projects and a dodo.py, and with the commands on PATH."""
    shutil.copytree(
        ROOT / "projects", tmp_path / "projects", ignore=shutil.ignore_patterns("build", "__pycache__")
    )
    (tmp_path / "dodo.py").write_text(DODO)
    programs = tmp_path / ".programs"
    programs.mkdir()
    for name, module in (("aieloom", "aieloom.cli"), ("doit", "doit")):
        (programs / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m {module} "$@"\n')
        (programs / name).chmod(0o755)
    return tmp_path
