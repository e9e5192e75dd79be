"""docs/architecture.md shows the rooms that the code has."""

from __future__ import annotations

import pytest

pytest.importorskip("grimp", reason="import-linter's graph: pip install 'aieloom[dev]'")

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
