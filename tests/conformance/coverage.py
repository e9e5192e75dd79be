"""The coverage table of docs/emulator.md, made from coverage.yaml and the tests it names, so that it cannot drift.

    python -m tests.conformance.coverage        writes the table between the marks in docs/emulator.md

A row names what the facts or the vendor's documents name, its status on each architecture (supported, refused because the
vendor refuses it too, missing), and the tests that show it. A test that does not exist, or a supported row without
one, is an error.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).parent / "coverage.yaml"
DOCUMENT = ROOT / "docs" / "emulator.md"
BEGIN, END = "<!-- coverage: begin -->", "<!-- coverage: end -->"
STATUSES = ("supported", "refused", "missing")


@dataclass(frozen=True)
class Row:
    """One line of the table; `tests` are `file.py::test_name` below tests/."""

    section: str
    what: str
    aie: str
    aie_ml: str
    tests: tuple[str, ...]
    note: str


def rows() -> tuple[Row, ...]:
    """Return all rows of coverage.yaml."""
    data = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    found = []
    for section, entries in data.items():
        for entry in entries:
            status = entry.get("status", "supported")
            found.append(
                Row(
                    section=section,
                    what=entry["what"],
                    aie=entry.get("aie", status),
                    aie_ml=entry.get("aie-ml", status),
                    tests=tuple(entry.get("tests", ())),
                    note=entry.get("note", ""),
                )
            )
    return tuple(found)


@cache
def test_names(file: str) -> frozenset[str]:
    """Return the test functions that a file below tests/ defines."""
    path = ROOT / "tests" / file
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(
        n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")
    )


def problems() -> list[str]:
    """Return what is wrong with the table."""
    wrong = []
    for row in rows():
        wrong += [f"{row.what}: unknown status '{s}'" for s in (row.aie, row.aie_ml) if s not in STATUSES]
        if not row.tests and "missing" not in {row.aie, row.aie_ml}:
            wrong.append(f"{row.what}: no test shows it")
        for test in row.tests:
            file, _, name = test.partition("::")
            if name not in test_names(file):
                wrong.append(f"{row.what}: there is no test {test}")
    return wrong


def table() -> str:
    """Return the table as Markdown."""
    lines: list[str] = []
    section = ""
    for row in rows():
        if row.section != section:
            section = row.section
            lines += ["", f"### {section}", "", "| | AIE | AIE-ML | shown by |", "|---|---|---|---|"]
        shown = ", ".join(f"`{t}`" for t in row.tests)
        note = f" ({row.note})" if row.note else ""
        lines.append(f"| {row.what}{note} | {row.aie} | {row.aie_ml} | {shown} |")
    return "\n".join(lines).strip() + "\n"


def document() -> str:
    """Return docs/emulator.md with the present table."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table()}\n{END}{after}"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
