"""explain, suggest, the search and the report of a design with a chain on the array."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from safetensors.numpy import save_file

from aieloom.explain.explain import explain
from aieloom.explain.suggest import suggest
from aieloom.flow.opening import open_project
from aieloom.flow.project import Project, write_plan
from aieloom.plan.whole import whole
from aieloom.report.floorplan import floorplan
from aieloom.report.graph import graph
from aieloom.report.memorymap import memory_map
from aieloom.report.roofline import points
from aieloom.report.summary import resources
from tests.designs import network_of, weights_of
from tests.strategies.chained.designs import CHAIN, TWO_PORTS

BFLOAT16 = "quantize: {activations: bfloat16, weights: bfloat16}\nmapping:\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return opened(tmp_path_factory.mktemp("chain"), CHAIN)


def opened(folder: Path, text: str) -> Project:
    (folder / "network.yaml").write_text(text.replace("mapping:\n", BFLOAT16))
    tensors = {f"{n}.{k}": v for n, t in weights_of(network_of(text)).items() for k, v in t.items()}
    save_file(tensors, folder / "w.safetensors")
    return open_project(folder, build=folder / "build")


def test_a_layer_of_a_chain_is_explained_with_numbers_that_add_up(project: Project) -> None:
    text = "\n".join(explain(project, "conv2"))
    assert "a core reads 8 rows x 2 blocks x 10 columns x 8 by 1 stream of 640 words of 4 B" in text
    assert "1280 x 2 B on 1 stream of 4 B a cycle = 676" in text  # 2560 / 4, and set-up and hops of 36
    assert "weights  2304 = 2304 B" in text  # 8 channels x 16 x 9 x 2 B
    assert re.search(r"memory tile \(\d+, 0\): conv2_input, 2 x 1536 B, 4 writers, 1 reader", text)
    assert "conv1 into the memory tile" in text


def test_a_layer_that_is_part_of_a_kernel_is_explained_by_it(project: Project) -> None:
    first, *rest = explain(project, "pool1")
    assert first.startswith("pool1 of chain on vek280")
    assert "the kernel does act1, pool1 as well" in "\n".join(rest)


def test_suggestions_change_cores_and_bands(project: Project) -> None:
    advice = suggest(project, "conv1")
    assert advice.tried > 4
    assert all({"cores", "bands"} <= set(s.changes) for s in advice.found)


def test_tables_of_weights_are_explained_and_drawn(tmp_path: Path) -> None:
    project = opened(tmp_path, TWO_PORTS)
    one, two = ("\n".join(explain(project, name)) for name in ("one", "two"))
    # 8 channels x 1 block x 9 taps x 8 of 2 B, 8 channels x 4 pixels of 4 B: 1280 B
    assert "weights with bias come once, before the first image: 2 streams of 160 words of 64 bits" in one
    assert "each stream is for the cores of its part in all 4 bands" in one
    assert "weights and bias 1280 = 1280 B" in one
    assert "their 1664 B lie in the memory beside the core's" in two
    assert re.search(r"laid out in 2 memories, .*: up to \d+ B \+ 1664 B", two)
    picture = memory_map(project.array, project.array.aie[1])
    assert "neighbour" in picture and "weights and bias: 1664 B, 0 to 1663" in picture
    write_plan(project)
    written = json.loads((project.build / "plan.json").read_text(encoding="utf-8"))
    assert written["units"][1]["body"]["streamed"] == {
        "rows_at": 1536,
        "bytes": 1664,
        "streams": 1,
        "fed": False,
    }


def test_the_report_shows_memory_tiles_and_who_uses_them(project: Project) -> None:
    plan = project.array
    tiles = {b.tile for b in plan.buffers}
    assert resources(whole(plan))["mem_tiles"] == len(tiles) == 3
    picture = floorplan(plan)
    for buffer in plan.buffers:
        assert f"memory tile {buffer.tile}: {buffer.name}" in picture
    assert "3 memory tiles" in picture
    assert "4 x 32 b" in graph(plan)  # four cores of conv1 write
    found = {p.layer: p for p in points(plan)}
    assert set(found) == {"conv1", "conv2", "fc"}
    assert all(0 < p.gmacs <= p.compute_roof for p in found.values())
