"""The page of designs whose layers share units: engines, a circuit, the matrix engine, alone and beside another build."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_any
from aieloom.report.compare import read_other
from tests.report.kinds import KINDS, told_of

OTHERS = [kind for kind in KINDS if kind != "spatial"]


@pytest.mark.parametrize("kind", OTHERS)
def test_the_page_has_every_layer_its_unit_and_where_the_time_goes(kind: str, tmp_path: Path) -> None:
    project = open_any(KINDS[kind](tmp_path / kind), build=tmp_path / "build")
    summary = told_of(project)
    design = design_of(project)
    design.write_report()
    folder = project.build / "report"
    page = (folder / "index.html").read_text()
    assert {name for name in design.shown.files if not (folder / name).is_file()} == set()
    assert "✔ PASS" in page and 'id="compare"' not in page
    for stage in summary["performance"]["per_layer"]:
        (row,) = re.findall(rf'<tr[^>]*><td class="id">{stage["name"]}</td>(.*?)</tr>', page)
        assert f"</i>{stage['on']}</td>" in row and float(stage["us_per_image"]) > 0
    assert ('id="memory"' in page) == (kind in {"in_turn", "in_logic", "hybrid"})
    assert ('id="floorplan"' in page) == (kind in {"in_turn", "hybrid"})
    shares = [float(x) for x in re.findall(r'<td class="n">([\d.]+)%</td><td class="graph">', page)]
    assert sum(shares) == pytest.approx(100, abs=0.1 * len(shares))
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


def test_a_circuit_stands_beside_layers_in_turn(tmp_path: Path) -> None:
    """Builds of different kinds are compared by the same figures; the edits of network.yaml say what was changed."""
    builds = {}
    for kind in ("circuit", "in_turn"):
        project = open_any(KINDS[kind](tmp_path / kind), build=tmp_path / f"{kind}_build")
        told_of(project)
        builds[kind] = project
    other = builds["in_turn"].build
    design_of(builds["circuit"]).write_report(other)
    page = (builds["circuit"].build / "report" / "index.html").read_text()
    assert 'id="compare"' in page and f"the other: {read_other(other)[0]}" in page
    (rate,) = re.findall(r"(?s)<td>images/s end to end \(modelled\)</td>(.*?)</tr>", page)
    assert "▲ better" in rate or "▼ worse" in rate
    assert "FF (estimate)" not in page, "the engines' flip-flops are not counted"
    assert re.search(r"<td>AIE cores</td><td class=\"n\">0</td><td class=\"n\">[1-9]", page)
