"""`aieloom watch`: what counts as a change, what is shown of it, and a real run after a real edit."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from aieloom.edits import edited
from aieloom.flow.watch import Watch, changed, figures
from tests.flow.conftest import SMALL, SMALL_SHAPES, make_project


def test_edits_are_named_by_their_keys() -> None:
    before = {"name": "a", "mapping": {"c": {"tile": [8, 8, 8]}}, "layers": [{"name": "c", "op": "conv2d"}]}
    after = {
        "name": "a",
        "mapping": {"c": {"tile": [4, 8, 8], "plio": 64}},
        "layers": [{"name": "c", "op": "conv2d", "stride": 2}],
    }
    assert list(edited(before, after)) == [
        "mapping.c.tile: [8, 8, 8] -> [4, 8, 8]",
        "mapping.c.plio: not there -> 64",
        "layers.c.stride: not there -> 2",
    ]
    assert list(edited(before, before)) == []


def test_only_what_changed_is_shown() -> None:
    before = {"cores": (160, ",d"), "latency": (500.0, ",.1f"), "conv9, cycles": (7, ",d")}
    after = {"cores": (96, ",d"), "latency": (500.0, ",.1f"), "conv8, cycles": (9, ",d")}
    lines = list(changed(before, after))
    assert [" ".join(line.split()) for line in lines] == [
        "cores 160 -> 96 (0.60 x)",
        "conv9, cycles 7 -> none",
        "conv8, cycles none -> 9",
    ]
    assert list(changed(after, after)) == ["nothing that is watched has changed"]


def test_a_change_counts_when_it_has_been_quiet(tmp_path: Path) -> None:
    folder = make_project(tmp_path / "p", SMALL, SMALL_SHAPES).path
    watch = Watch(folder=folder, root=tmp_path, target=None, say=lambda _: None)
    seen = watch._look()
    assert {Path(name).name for name in seen} >= {"network.yaml", "weights.safetensors"}
    file = folder / "network.yaml"
    text = file.read_text()

    def write() -> None:
        for end in range(len(text) - 40, len(text), 10):  # an editor that writes in steps
            file.write_text(text[:end])
            time.sleep(0.05)
        file.write_text(text + "# done\n")

    thread = threading.Timer(0.3, write)
    thread.start()
    assert watch._wait(seen) == ["network.yaml"]
    thread.join()
    assert file.read_text().endswith("# done\n"), "not woken in the middle"


def test_a_broken_file_is_still_watched(tmp_path: Path) -> None:
    folder = make_project(tmp_path / "p", SMALL, SMALL_SHAPES).path
    (folder / "network.yaml").write_text("name: [")
    watch = Watch(folder=folder, root=tmp_path, target=None, say=lambda _: None)
    assert str(folder / "network.yaml") in watch._look()


def test_figures_are_the_summary_s() -> None:
    summary: Any = {
        "resources": {"aie_cores": 2, "aie_tiles": 3, "pl": {"bram36": 4}},
        "performance": {
            "latency_us": 5.0,
            "throughput_fps": 6.0,
            "rates": {"array": {"images_per_s": 8.0}, "memory": {"images_per_s": 7.0}},
            "per_layer": [{"name": "a", "cycles": 7}],
        },
        "golden": {"max_abs_err": 0.0},
        "quality": {"psnr_db": 30.0},
    }
    assert {k: v for k, (v, _) in figures(summary).items()} == {
        "cores": 2,
        "tiles": 3,
        "BRAM36": 4,
        "latency, us (modelled)": 5.0,
        "images/s, end to end (modelled)": 6.0,
        "images/s, the array (modelled)": 8.0,
        "images/s with movers and memory (modelled)": 7.0,
        "largest error": 0.0,
        "psnr db": 30.0,
        "a, cycles": 7,
    }
