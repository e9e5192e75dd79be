"""The house does not grow: tools/ratchet.py's figures are at most its table's."""

from __future__ import annotations

import ast

import pytest

from tools.ratchet import LINES, asks_kind, figures, read, risen


def test_no_figure_has_risen() -> None:
    assert [*risen(figures(), read())] == []


def test_a_room_may_grow_where_another_falls() -> None:
    allowed = {LINES: 30, "room a": 10, "room b": 20, "classes": 3}
    assert [*risen({LINES: 30, "room a": 15, "room b": 15, "classes": 2}, allowed)] == []
    told = [*risen({LINES: 31, "room a": 11, "room b": 20, "classes": 4, "room c": 0}, allowed)]
    assert told == [f"{LINES}: 31, the table has 30", "classes: 4, the table has 3"]


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("isinstance(x, ConvStep)", True),
        ("isinstance(x, ConvStep | RowStep)", True),
        ("isinstance(x, (str, LogicPlan))", True),
        ("isinstance(StepX, str)", False),
        ("len(ConvStep)", False),
    ],
)
def test_a_question_for_the_kind_is_counted(text: str, *, asks: bool) -> None:
    (node,) = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call))
    assert asks_kind(node) == asks
