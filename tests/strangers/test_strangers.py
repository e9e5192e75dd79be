"""Other people's graphs run as shipped, where AIELOOM_STRANGERS names a folder of checkouts (docs/evidence/strangers.md)."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.strangers.compare import differs, differs_by_shape
from tests.strangers.page import page
from tests.strangers.projects import VARIABLE, Stranger, checkouts, strangers
from tests.strangers.run import EQUAL, FAILED, RAN, judge, run

WHY = f"{VARIABLE} names no folder of checkouts (OWNER/NAME below it)"


@pytest.mark.slow
@pytest.mark.skipif(VARIABLE not in os.environ, reason=WHY)
@pytest.mark.parametrize("stranger", strangers(), ids=lambda s: s.name)
def test_a_public_graph_runs_as_shipped(stranger: Stranger) -> None:
    folder = checkouts()
    assert folder is not None
    if not (
        folder / stranger.repository / stranger.project
    ).is_dir():  # some graphs are made by a script of theirs
        pytest.skip(f"{stranger.repository} is not in {folder}")
    outcome = run(stranger, folder)
    assert outcome.status != FAILED, outcome.text


def test_every_graph_of_the_table_has_a_name_of_its_own_and_refusals_have_reasons() -> None:
    rows = strangers()
    assert len({s.name for s in rows}) == len(rows)
    assert all(s.why for s in rows if s.refused)
    assert all(len(s.commit) == 40 for s in rows)


def test_files_are_compared_number_by_number(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.txt", tmp_path / "theirs.txt"
    ours.write_text("1 2\n3 4\n")
    theirs.write_text("T 100 ns\n1\n2\nTLAST\n3\nT 0.5 us\n5\n")
    assert (
        differs(ours, theirs) == "ours.txt: 1 of 4 numbers differ, the first is number 3: 4.0, expected 5.0"
    )
    assert differs(ours, theirs, steps=1) == ""
    assert differs(ours, theirs, tolerance=0.21) == ""
    assert differs(tmp_path / "none.txt", theirs) == "none.txt was not written"
    theirs.write_text("")
    assert differs(ours, theirs) == "ours.txt has 4 numbers, the expected 0"


def test_rows_of_a_shape_may_be_padded(tmp_path: Path) -> None:
    out, golden = tmp_path / "out", tmp_path / "golden"
    out.mkdir()
    golden.mkdir()
    (out / "sum_shape2x3_Kernel.txt").write_text("1 2 3 0\n4 5 6 0\n")
    (golden / "sum_shape2x3.txt").write_text("1 2 3\n4 5 6\n")
    assert differs_by_shape(out, golden, 0) == (1, "")
    (golden / "sum_shape2x3.txt").write_text("1 2 3\n4 5 7\n")
    assert differs_by_shape(out, golden, 0)[1].startswith("sum_shape2x3_Kernel.txt: 1 of 6 numbers differ")


def test_an_author_s_own_comparison_decides(tmp_path: Path) -> None:
    done = subprocess.CompletedProcess(("emulate",), 0, "", "")
    row = replace(strangers()[0], prints="", check=("test -f made.bin",))
    assert judge(row, done, tmp_path).status == FAILED
    (tmp_path / "made.bin").touch()
    assert judge(row, done, tmp_path).status == EQUAL


def test_the_page_counts_by_repository_and_says_why() -> None:
    rows = strangers()[:3]
    notes = {
        rows[0].name: ["equal", "", "1234abcd"],
        rows[1].name: ["failed", "exit code 2: /tmp/x/y/graph.cpp:3: no"],
    }
    text = page(rows, notes)
    assert "by commit of aieloom: 1 by 1234abcd, 1 by not noted." in text
    assert "| **all** |  | 2 | 1 | 0 | 0 | 0 | 1 | 1 |" in text
    assert f"- `{rows[1].name}`: exit code 2: graph.cpp:3: no" in text


def test_a_comparison_that_finds_nothing_to_compare_is_no_success(tmp_path: Path) -> None:
    done = subprocess.CompletedProcess(("emulate",), 0, "", "")
    plain = replace(strangers()[0], prints="", check=(), compare={}, by_shape="", reference="")
    assert judge(plain, done, tmp_path).status == RAN
    (tmp_path / "data").mkdir()
    for row in (replace(plain, compare={"out/*.txt": "data/*.txt"}), replace(plain, by_shape="data")):
        assert judge(row, done, tmp_path).status == FAILED
