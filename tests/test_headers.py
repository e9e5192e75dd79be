"""Headers are guarded by `#pragma once` alone, those that templates print among them; but for programs in the styles of others."""

from __future__ import annotations

import re

import pytest

from tests.designs import ROOT

TOPS = (
    "scripts",
    "aie_templates",
    "pl_templates",
    "host_templates",
    "projects",
    "tests",
    "benchmarks",
    "tools",
    "docs",
)
GUARD = re.compile(
    r"^#\s*ifndef\s+(\w+)[^\n]*\n#\s*define\s+\1\s*$", re.MULTILINE
)  # of a whole file or of nothing


@pytest.mark.parametrize("top", TOPS)
def test_no_header_has_a_guard_of_macros(top: str) -> None:
    headers = [
        f
        for f in (ROOT / top).rglob("*")
        if re.search(r"\.(h|hpp)(\.j2)?$", f.name) and "styles" not in f.parts
    ]
    assert headers or top not in TOPS[:4]
    guarded = [f.relative_to(ROOT).as_posix() for f in headers if GUARD.search(f.read_text(encoding="utf-8"))]
    assert guarded == []
