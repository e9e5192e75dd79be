"""What our headers of the AIE API take, give and refuse is what AMD's do on each architecture, but for what is meant (allowed/).

The real headers judge where AIELOOM_ORACLES has them. What they said last time stands in tables/aie_api.tsv, for the default suite: it is made by
`AIELOOM_REGEN=1 pytest tests/headers/test_aie_api_differences.py` from their verdicts alone.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.emit.compiling import compiler
from tests.headers.aie_api import SNIPPETS, aie_table
from tests.headers.differ import HERE, Row, judge, plain, read_allowed, unexpected
from tests.headers.side import Side
from tests.oracles.checkouts import checkout

RECORDED = HERE / "tables" / "aie_api.tsv"
ARCHITECTURES = (10, 20)
PART = 4  # the default suite asks about each fourth snippet: all take a minute


def read_recorded() -> list[list[str]]:
    """Return the recorded rows: the snippet, then a verdict and a type for each architecture."""
    return [line.split("\t") for line in RECORDED.read_text(encoding="utf-8").splitlines()]


def record(arch: int, rows: list[Row]) -> None:
    """Write down what the real headers said: + taken, - refused, ? told by a stub alone; and types."""
    old = read_recorded() if RECORDED.is_file() else [[r.snippet.text, "?", "", "?", ""] for r in rows]
    at = 1 + 2 * ARCHITECTURES.index(arch)
    for line, row in zip(old, rows, strict=True):
        taken = row.verdict in ("both", "strict", "type")
        mark = "?" if row.verdict == "untold" or "stub::" in row.real else "+" if taken else "-"
        line[at : at + 2] = [mark, plain(row.real) if mark == "+" and not row.snippet.is_statement else ""]
    RECORDED.write_text("".join("\t".join(line) + "\n" for line in old), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_every_difference_from_the_aie_api_is_meant(arch: int, tmp_path: Path) -> None:
    compiler("clang++")
    rows = judge(aie_table(arch, checkout("aie_api"), tmp_path / "stubs"), tmp_path / "work")
    if os.environ.get("AIELOOM_REGEN"):
        record(arch, rows)
    assert "\n".join(unexpected(rows, read_allowed(HERE / "allowed" / f"aie{arch}.txt"))) == ""


@pytest.mark.integration
@pytest.mark.parametrize(
    "arch", [10, *(pytest.param(a, marks=pytest.mark.slow) for a in ARCHITECTURES if a != 10)]
)
def test_our_headers_do_what_the_real_ones_were_seen_to_do(arch: int, tmp_path: Path) -> None:
    """A part of the snippets, against the recorded verdicts and types."""
    compiler("clang++")
    table = aie_table(arch, None, tmp_path)
    allowed = {text for _, text in read_allowed(HERE / "allowed" / f"aie{arch}.txt")}
    recorded = dict(enumerate(read_recorded()))
    assert [s.text for s in table.snippets] == [line[0] for line in recorded.values()], (
        f"{SNIPPETS.name} and {RECORDED.name}"
    )
    table.snippets = [s for s in table.snippets if s.number % PART == 0 and s.text not in allowed]
    ours, at = Side(table, "ours", tmp_path / "ours").judge(), 1 + 2 * ARCHITECTURES.index(arch)
    wrong = []
    for snippet in table.snippets:
        mark, kind = recorded[snippet.number][at : at + 2]
        takes = ours.takes(snippet)
        if mark != "?" and (takes != (mark == "+") or (takes and kind and plain(ours.says(snippet)) != kind)):
            wrong.append(f"{mark} {snippet.text}: {ours.says(snippet)}; {kind}")
    assert wrong == []
