"""The site builds without a warning: no dead link or anchor, no page that the navigation misses."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.skipif(
    importlib.util.find_spec("material") is None, reason="needs mkdocs-material: pip install 'aieloom[docs]'"
)
def test_the_site_builds_strictly(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for page in ("index.html", "errors.html", "reference/operators.html", "concepts.svg", "tour.ipynb"):
        assert (tmp_path / page).is_file(), page
    assert "fonts.googleapis" not in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_every_page_is_in_the_navigation() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").as_posix()
        assert re.search(rf"(^|\s){re.escape(name)}$", nav, re.MULTILINE), f"{name} is not in mkdocs.yml"
