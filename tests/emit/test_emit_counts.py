"""Counts in generated kernels: a loop that runs 0 times sends nothing, and what waits for it waits for ever."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aieloom.emit.project import render
from aieloom.errors import CannotFit
from aieloom.flow.opening import open_project
from tests.designs import ROOT, array_projects
from tests.ops.networks import design_of_yaml, random_graph_yaml, random_yaml

PROJECTS = array_projects()
QUICK = ("iris", "jet", "mnist", "mnist_wide", "xor")  # planned in a second or two
ZERO = re.compile(r"\bconstexpr int k(\w+) = 0;")
PLACES = re.compile(  # not how many; an average counts places itself
    r"Count|Offset|Zero[ABY]?|Channel|Row|Column|Padding[XY]|Shift[XY]?|Turn|Skew|Top|Left|RowStep|LastRow|RowsBefore"
)


def zero_counts(files: dict[str, str]) -> list[tuple[str, str]]:
    """Return the constants of 0 in kernels, but for places and distances."""
    return [
        (file, name)
        for file, text in files.items()
        if file.startswith(("src/pl/", "src/aie/"))
        for name in ZERO.findall(text)
        if not PLACES.fullmatch(name)
    ]


def test_a_count_of_nothing_is_seen() -> None:
    text = "constexpr int kPaddingX = 0;\nconstexpr int kOutBlockWords = 0;  // 8 x 1 / 16\n"
    assert zero_counts({"src/pl/a.cpp": text}) == [("src/pl/a.cpp", "OutBlockWords")]


@pytest.mark.parametrize("board", ["vck190", "vek280"])
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in QUICK else [pytest.mark.slow]) for n in PROJECTS]
)
def test_no_kernel_of_a_project_counts_to_nothing(name: str, board: str, tmp_path: Path) -> None:
    try:
        project = open_project(ROOT / "projects" / name, target=board, build=tmp_path)
    except CannotFit:  # no such types there, or too few cores for what is mapped by hand
        assert board not in (ROOT / "projects" / name / "network.yaml").read_text()
        return
    assert zero_counts(dict(render(project.array, project.parameters))) == []


def test_no_kernel_of_random_networks_counts_to_nothing() -> None:
    texts = [make(seed) for seed in range(8) for make in (random_yaml, random_graph_yaml)]
    designs = [d for i, text in enumerate(texts) if (d := design_of_yaml(text, i))]
    assert len(designs) > 8
    assert [zero_counts(dict(d.files())) for d in designs] == [[]] * len(designs)
