"""docs/emulator.md says what the tests show, no more and no less."""

from __future__ import annotations

from tests.conformance import coverage


def test_every_row_names_tests_that_exist() -> None:
    assert coverage.problems() == []


def test_the_document_has_the_present_table() -> None:
    remedy = "run: python -m tests.conformance.coverage"
    assert coverage.DOCUMENT.read_text(encoding="utf-8") == coverage.document(), remedy


def test_there_are_enough_rows() -> None:
    assert len(coverage.rows()) >= 80
