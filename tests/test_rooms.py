"""docs/architecture.md shows the rooms that the code has; tests have rooms too."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("grimp", reason="import-linter's graph: pip install 'aieloom[dev]'")

from tests.designs import ROOT
from tools import rooms


def test_the_picture_and_the_table_are_the_code_s() -> None:
    for path, text in rooms.pages().items():
        assert path.read_text(encoding="utf-8") == text, "python -m tools.rooms writes it; review the diff"


def test_arrows_go_down_and_none_follows_from_others() -> None:
    order = rooms.layers()
    level = {room: i for i, row in enumerate(order) for room in row}
    found = rooms.arrows(order)
    assert found["flow"] and found["plan"]
    for room, others in found.items():
        for other in others:
            assert level[room] < level[other]
            assert not any(other in found[between] for between in others - {other})


def test_no_test_file_is_imported_by_another() -> None:
    """What tests share is a module whose name says what it holds."""
    found = [
        f.relative_to(ROOT).as_posix()
        for f in (ROOT / "tests").rglob("*.py")
        if re.search(r"^\s*from tests[.\w]*\.test_\w+ import", f.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert found == []
