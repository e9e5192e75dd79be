"""Our HLS headers beside recorded answers of AMD's: a sample of the tables, most of it of what once differed.

A snippet's note is the answer: refused (-), taken (+), a type, or a type and a value. Where the published headers are at hand the
answers are tested too; `python -m tests.headers.test_recorded_answers` writes them anew.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.emit.compiling import compiler
from tests.headers.differ import HERE, plain
from tests.headers.places import places
from tests.headers.side import Side
from tests.headers.table import Snippet, Table, read

RECORDED = sorted((HERE / "recorded").glob("*.tab"))


def answers(side: Side, table: Table) -> dict[str, str]:
    """Return what headers answer to each snippet."""
    side.judge()
    taken = [s for s in table.snippets if side.takes(s) and not s.is_statement]
    values = side.values(taken) if table.run else {}
    return {s.text: _answer(side, s, values.get(s.number, "")) for s in table.snippets}


def _answer(side: Side, snippet: Snippet, value: str) -> str:
    if not side.takes(snippet):
        return "-"
    kind = "+" if snippet.is_statement else plain(side.says(snippet))
    return f"{kind} = {value.strip()}" if value not in ("", "-", "stopped") else kind


def different(table: Table, found: dict[str, str]) -> list[str]:
    """Return snippets whose answer is another one than the recorded; a value that the published headers do not link is not."""

    def compared(answer: str, recorded: str) -> str:
        return answer if " = " in recorded else answer.partition(" = ")[0]

    return [
        f"{s.text}  //! {found[s.text]}, not {s.note}"
        for s in table.snippets
        if compared(found[s.text], s.note) != s.note
    ]


@pytest.mark.parametrize("file", RECORDED, ids=lambda f: f.stem)
def test_our_headers_answer_as_the_published_ones(file: Path, tmp_path: Path) -> None:
    compiler("clang++")
    table = read(file, places())
    assert different(table, answers(Side(table, "ours", tmp_path), table)) == []


@pytest.mark.parametrize("file", RECORDED, ids=lambda f: f.stem)
def test_recorded_answers_are_those_of_the_published_headers(file: Path, tmp_path: Path) -> None:
    compiler("clang++")
    table = read(file, places())
    if not table.real:
        pytest.skip("the published headers are not here: bash scripts/oracles DIR, then AIELOOM_ORACLES=DIR")
    assert different(table, answers(Side(table, next(iter(table.real)), tmp_path), table)) == []


def main() -> None:
    """Write the answers of the published headers into the tables."""
    for file in RECORDED:
        table = read(file, places())
        with tempfile.TemporaryDirectory() as work:
            found = answers(Side(table, next(iter(table.real)), Path(work)), table)
        lines = file.read_text(encoding="utf-8").splitlines()
        snippets = (line for line in lines if line and line[0] not in "@#")
        new = {
            line: f"{text}  //! {found[text]}"
            for line in snippets
            if (text := line.partition("//!")[0].strip())
        }
        file.write_text("\n".join(new.get(line, line) for line in lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
