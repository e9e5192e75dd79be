"""The drawings say what the plan says: every tile, every stream, well-formed SVG."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from aieloom.flow.opening import open_project
from aieloom.plan.types import ArrayPart
from aieloom.plan.whole import whole
from aieloom.report.floorplan import floorplan
from aieloom.report.graph import graph
from aieloom.report.summary import performance, resources

ESPCN = Path(__file__).resolve().parents[2] / "projects" / "espcn"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def plan() -> ArrayPart:
    return open_project(ESPCN).array


def titles(svg: str) -> list[str]:
    return [t.text or "" for t in ElementTree.fromstring(svg).iter(f"{SVG}title")]


def test_the_floor_plan_shows_each_tile_once(plan: ArrayPart) -> None:
    tiles = [t for t in titles(floorplan(plan)) if t.startswith("tile (")]
    array = plan.device.array
    assert len(tiles) == array.columns * array.core_rows
    assert sum("free" not in t for t in tiles) == plan.tiles_in_use == 288
    assert sum(bool(re.search(r"conv\d\[\d+\]: group", t)) for t in tiles) == 160


def test_a_line_leads_from_each_core_to_the_memory_it_borrows(plan: ArrayPart) -> None:
    lines = list(ElementTree.fromstring(floorplan(plan)).iter(f"{SVG}line"))
    assert len(lines) == 128, "conv2's cores use the memory beside them"
    for line in lines:
        ends = [float(line.get(k, "0")) for k in ("x1", "y1", "x2", "y2")]
        assert abs(ends[0] - ends[2]) + abs(ends[1] - ends[3]) == 18, "a tile's width: it is a neighbour"


def test_the_floor_plan_places_every_plio(plan: ArrayPart) -> None:
    columns = " ".join(t for t in titles(floorplan(plan)) if t.startswith("column "))
    for plio in plan.plios:
        assert re.search(rf"\b{plio.name}\b", columns), plio.name


def test_the_graph_has_a_box_for_each_stage(plan: ArrayPart) -> None:
    svg = ElementTree.fromstring(graph(plan))
    words = [t.text for t in svg.iter(f"{SVG}text")]
    for stage in plan.cost.stages:
        assert stage.name in words
    assert "128 x 64 b" in words  # conv2's outputs
    assert any("not measured" in (w or "") for w in words)


def test_resources_are_the_plan_s(plan: ArrayPart) -> None:
    r = resources(whole(plan))
    assert (r["aie_cores"], r["aie_tiles"], r["plio_in"], r["plio_out"]) == (160, 288, 52, 160)
    weights = 4 * (64 * 25 + 32 * 576 + 4 * 288)  # each once; every group of cores has a copy
    assert r["memory_bytes"] > weights
    assert "estimate" in r["pl"]["produced_by"]


def test_modelled_figures_say_so(plan: ArrayPart) -> None:
    p = performance(plan)
    assert p["kind"] == "modelled, not measured"
    assert p["produced_by"].startswith("aieloom cost model")
    slowest = max(p["per_layer"], key=lambda s: s["interval_us"])
    assert p["bottleneck"] == slowest["name"]
    host = p["rates"]["host"]
    wanted = 1e6 / (slowest["interval_us"] + host["batch_us"] / host["images"])
    assert p["throughput_fps"] == pytest.approx(wanted, rel=1e-3), "end to end"
