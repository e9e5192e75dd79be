"""`python -m tools.measured`: every row of the file is in its answer, and every figure says what it is."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from tests.cost.made import COLUMNS, conv, row
from tools.measured.__main__ import main
from tools.measured.rows import MeasuredRow


def file_of(folder: Path, rows: list[MeasuredRow]) -> Path:
    file = folder / "rows.csv"
    lines = [",".join(f'"{getattr(r, f.name)}"' for f in fields(r)) for r in rows]
    file.write_text("\n".join([COLUMNS, *lines]) + "\n", encoding="utf-8")
    return file


ROWS = [
    row(id="A-1", value="4448"),
    conv(id="B-1", value="10603"),
    row(id="B-2", op="sorting"),
    row(id="C-1", what="graph", op="matvec", shape="16x32 (x1 frames)", metric="latency_us", value="0.4"),
]


def test_every_row_is_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(file_of(tmp_path, ROWS))
    assert main([file]) == 0
    text = capsys.readouterr().out
    for r in ROWS:
        assert r.id in text
    assert "a model, not a measurement" in text and "rows that no fit saw" in text
    assert "no kernel model for the operation 'sorting'" in text
    assert "not modelled: 1 of 4 rows" in text
    assert main([file, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [r["id"] for r in found["rows"]] == [r.id for r in ROWS]
    assert found["kind"] == "modelled, not measured" and found["produced_by"].startswith("aieloom cost model")
    first = found["rows"][0]
    assert first["error_pct"] == pytest.approx(100 * (first["modelled"] / 4448 - 1), abs=1e-3)
    assert found["rows"][2]["modelled"] is None and "sorting" in found["rows"][2]["reason"]
    assert found["errors"]["source"]["B"]["not_modelled"] == 1
    assert found["errors"]["what"]["all"]["rows"] == 3


def test_the_same_file_gives_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, said = file_of(tmp_path, ROWS), []
    for words in ([], [], ["--json"], ["--json"]):
        main([str(file), *words])
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] and said[2] == said[3]


def test_a_wrong_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a,b\n1,2\n", encoding="utf-8")
    assert main([str(file)]) == 2
    error = capsys.readouterr().err
    assert "[value]" in error and "column id" in error and "fix:" in error
    assert main([str(tmp_path)]) == 2


def test_an_empty_file_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(file_of(tmp_path, []))]) == 0
    assert "not modelled: 0 of 0 rows" in capsys.readouterr().out
