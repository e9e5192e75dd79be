"""What the documents tell people to type: every command exists, and what stands below `<!-- run -->` is run and says so.

A `console` block holds commands (`$ ...`) and lines of what they say; `...` in a line stands for anything. The blocks run in a
copy of the repository's projects, beside the page's Python files: blocks whose first line is `# NAME.py`.
`<!-- run: slow -->` marks what compiles.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from aieloom.commands import make_parser
from aieloom.flow.listing import DOCS as TASK_DOCS
from tests.documents import PAGES, ROOT, RUN, commands_of, place

pytestmark = pytest.mark.documents

__all__ = ["place"]  # the fixture

BLOCKS = [
    pytest.param(page, text, id=f"{page.stem}-{i}", marks=[pytest.mark.slow] if slow else [])
    for page in PAGES
    for i, (slow, text) in enumerate(RUN.findall(page.read_text(encoding="utf-8")))
]
PYTHON_FILE = re.compile(r"```python\n# (\w+\.py)\n(.*?)```", re.DOTALL)
NOTEBOOK = ROOT / "docs" / "tour.ipynb"


@cache
def parser() -> argparse.ArgumentParser:
    """Return aieloom's command line."""
    return make_parser()


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_commands_exist(page: Path) -> None:
    tasks = {*TASK_DOCS, "list", "clean", "run", "-n"}
    names = set(next(a for a in parser()._actions if a.dest == "COMMAND" or a.choices).choices or ())
    for line in commands_of(page):
        words = line.split()
        if words[0] == "doit":
            assert words[1] in tasks, line
        else:
            given = [w for w in words[1:] if w not in {"-q", "--quiet"}]
            assert given[0] in names or given[0].startswith(("-", "COMMAND", "new")), line
            for option in re.findall(r"(?<=[\s\[])--[a-z-]+", line):
                assert option in options_of(given[0]), f"{line}: {option}"


def options_of(command: str) -> set[str]:
    """Return a command's options."""
    found = next(a for a in parser()._actions if a.choices and not a.option_strings)
    choices = found.choices
    assert isinstance(choices, dict)
    subs = [choices[command]] if command in choices else [*choices.values(), parser()]
    return {o for sub in subs for a in sub._actions for o in a.option_strings}


@pytest.mark.parametrize(("page", "text"), BLOCKS)
def test_what_is_shown_is_said(page: Path, text: str, place: Path) -> None:
    for name, code in PYTHON_FILE.findall(page.read_text(encoding="utf-8")):
        (place / name).write_text(code)
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    script = "\n".join(f"{part.splitlines()[0]}\necho '=== {i}'" for i, part in enumerate(parts))
    env = os.environ | {
        "PATH": f"{place / '.programs'}:{os.environ['PATH']}",
        "COLUMNS": "200",
        "PYTHONPATH": f"{ROOT / 'scripts'}:{ROOT}",
    }
    done = subprocess.run(
        ["bash", "-c", script], cwd=place, env=env, capture_output=True, text=True, check=False
    )
    said = re.split(r"^=== \d+$", done.stdout, flags=re.MULTILINE)
    assert len(said) == len(parts) + 1, f"{page.name}: {done.stdout}{done.stderr}"
    for part, output in zip(parts, said, strict=False):
        for line in part.splitlines()[1:]:
            pattern = "^" + ".*".join(re.escape(piece) for piece in line.rstrip().split("...")) + "$"
            assert re.search(pattern, output, re.MULTILINE), (
                f"{page.name}: '{line}' is not in:\n{output}{done.stderr}"
            )


def run_tour(place: Path, *, slow: bool) -> None:
    """Run the notebook's cells in one name space, as a kernel does."""
    (place / "docs").mkdir()
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = [
        "".join(c["source"])
        for c in cells
        if c["cell_type"] == "code" and (slow or "slow" not in c["metadata"].get("tags", []))
    ]
    assert len(code) >= 5
    script = "\n".join(code)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=place / "docs", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "fc1: 64 x 16 x 1 on" in done.stdout and "same class: 1" in done.stdout.replace(
        "same class: 9", "same class: 1"
    )
    assert ("bit for bit equal" in done.stdout) == slow


def test_the_tour(place: Path) -> None:
    run_tour(place, slow=False)


@pytest.mark.slow
def test_the_whole_tour(place: Path) -> None:
    run_tour(place, slow=True)


def test_the_notebook_is_kept_without_results() -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None
