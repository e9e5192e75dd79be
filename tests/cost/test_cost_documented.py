"""The rates that docs/evidence/rates.md and README.md print are the model's."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.errors import CannotFit
from aieloom.flow.opening import open_project
from aieloom.simulation.of_plan import modelled_rates, simulate_plan
from tests.designs import ROOT, array_projects

PROJECTS = array_projects()
QUICK = ("espcn-fast", "jet", "mnist", "mnist_wide", "xor")  # neither searched nor large


def rows(file: str) -> list[list[str]]:
    """Return the cells of the rows of a page whose first names a project, and whose second a board."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    found = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")
    ]
    return [cells for cells in found if cells[1] in ("VCK190", "VEK280")]


def name(cell: str) -> str:
    return cell.split("`")[1]


@pytest.mark.parametrize("board", ["vck190", "vek280"])
@pytest.mark.parametrize(
    "project", [pytest.param(n, marks=[] if n in QUICK else [pytest.mark.slow]) for n in PROJECTS]
)
def test_the_rates_of_every_project_are_the_model_s(project: str, board: str, tmp_path: Path) -> None:
    documented = [
        r[2:8] for r in rows("docs/evidence/rates.md") if (name(r[0]), r[1]) == (project, board.upper())
    ]
    try:
        plan = open_project(ROOT / "projects" / project, target=board, build=tmp_path).array
    except CannotFit:
        assert documented == []
        return
    run = simulate_plan(plan)
    rates = modelled_rates(plan, run)
    figures = [f"{r.images_per_s:,.0f}" for r in rates.all]
    latency, share = f"{run.latency_us:,.1f}", f"{rates.host.share:.1%}".replace("%", " %")
    assert documented == [[str(plan.cores), *figures, latency, share]]


def test_the_readme_prints_some_of_them() -> None:
    every = {(name(r[0]), r[1]): r[2:6] for r in rows("docs/evidence/rates.md")}
    printed = rows("README.md")
    assert len(printed) == 9
    for row in printed:
        cores, *figures = every[name(row[0]), row[1]]
        assert row[2:6] == [cores, *figures], row
