"""Three journeys of somebody new, each in an empty home (benchmarks/journeys.py has them, and times them)."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.journeys import MODULE, ONNX, own_module, own_onnx, readme, readme_lines

pytestmark = pytest.mark.documents


def test_readme_is_typed_from_its_first_command_to_its_last() -> None:
    lines = readme_lines()
    assert lines[0] == "doit sim" and "cd mynet && doit sim" in lines
    for word in (
        "doit plan",
        "doit gen",
        "doit report",
        "doit dse",
        "aieloom check",
        "aieloom explain",
        "aieloom suggest",
    ):
        assert any(line.startswith(word) for line in lines), word


def test_a_module_and_a_model_of_one_s_own_take_few_lines() -> None:
    assert sum(bool(line.strip()) for line in MODULE.splitlines()) <= 10
    assert len(ONNX) == 3


@pytest.mark.slow
def test_readme_line_by_line_in_an_empty_home(tmp_path: Path) -> None:
    said = {one.line: one.said for one in readme(tmp_path)}
    assert list(said) == list(dict.fromkeys(readme_lines()))
    assert "PASS" in said["doit sim"] and "PASS" in said["cd mynet && doit sim"]
    assert (tmp_path / "opened").read_text().strip().endswith("/report/index.html")
    assert (tmp_path / "home").is_dir() and (
        tmp_path / "aieloom" / "build" / "espcn" / "vck190" / "report" / "index.html"
    ).is_file()


@pytest.mark.slow
def test_a_module_of_one_s_own_to_pass_in_an_empty_home(tmp_path: Path) -> None:
    first = next(own_module(tmp_path))
    assert "dB" in first.said


@pytest.mark.integration
def test_an_onnx_file_of_one_s_own_in_three_commands(tmp_path: Path) -> None:
    said = [one.said for one in own_onnx(tmp_path)]
    assert len(said) == 3 and "PASS" in said[1]
    assert (tmp_path / "mynet" / "build" / "mynet" / "vck190" / "report" / "index.html").is_file()
