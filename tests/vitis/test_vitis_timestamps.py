"""Interval and latency from output files in aiesimulator's documented format, written here by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aieloom.vitis import simdata
from aieloom.vitis.timestamps import Arrivals, timing_of

# Three images of two 64-bit words each; the unit changes inside the file, TLAST stands before the last word.
FILE = """\
T 1000 ns
1.5 2
T 1010000 ps
TLAST
3 4
T 1.4 us
5 6
T 1410 ns
TLAST
7 8
T 1700 ns
9 10
T 1710 ns
TLAST
11 12
"""


def _arrivals(
    path: Path, text: str, *, stream: str = "a_out_0", layer: str = "a", words: int = 2
) -> Arrivals:
    file = path / f"{stream}.txt"
    file.write_text(text)
    return Arrivals(stream=stream, layer=layer, words=words, times_ns=simdata.read_output(file).times_ns)


def test_the_interval_is_that_of_the_steady_state(tmp_path: Path) -> None:
    timing = timing_of([_arrivals(tmp_path, FILE)])
    assert timing is not None
    assert timing.interval_us == 0.3, "1400 to 1700 ns; the 400 ns before it fill the pipeline"
    assert timing.throughput_fps == pytest.approx(1e9 / 300)
    assert (timing.latency_us, timing.end_us) == (1.01, 1.71)
    assert timing.layers[0].first_us == 1.0 and timing.layers[0].last_us == 1.01


def test_two_images_give_their_only_gap_and_one_gives_none(tmp_path: Path) -> None:
    lines = FILE.splitlines()
    two = timing_of([_arrivals(tmp_path, "\n".join(lines[:10]) + "\n")])
    assert two is not None and two.interval_us == 0.4
    one = timing_of([_arrivals(tmp_path, "\n".join(lines[:5]) + "\n")])
    assert one is not None and one.interval_us is None and one.throughput_fps is None
    assert timing_of([_arrivals(tmp_path, "1 2\n3 4\n")]) is None, "x86simulator: no times"
    assert timing_of([_arrivals(tmp_path, lines[0] + "\n1 2\n")]) is None, "no whole image"


def test_the_slowest_layer_decides_and_latencies_add_up(tmp_path: Path) -> None:
    slow = "".join(f"T {2000 + 500 * i} ns\n1 2\n" for i in range(6))
    timing = timing_of(
        [
            _arrivals(tmp_path, FILE, stream="a_out_0"),
            _arrivals(tmp_path, FILE.replace("T 1000 ns", "T 900 ns"), stream="a_out_1"),
            _arrivals(tmp_path, slow, stream="b_out_0", layer="b"),
        ]
    )
    assert timing is not None
    assert (timing.slowest_layer, timing.interval_us) == ("b", 1.0)
    assert timing.latency_us == pytest.approx(1.01 + 2.5)
    assert [la.layer for la in timing.layers] == ["a", "b"]


def test_subgraphs_that_run_one_after_another_add_up() -> None:
    def arrivals(layer: str, subgraph: str, every: float) -> Arrivals:
        times = np.arange(1, 7) * every / 2
        return Arrivals(stream=f"{layer}_out_0", layer=layer, words=2, times_ns=times, subgraph=subgraph)

    layers = [arrivals("a", "a", 1000), arrivals("b", "a", 4000), arrivals("c", "c", 3000)]
    timing = timing_of(layers)
    assert timing is not None
    assert (timing.interval_us, timing.slowest_layer) == (7.0, "b")
    assert timing.slowest_of_subgraphs == ("b", "c")
    alone = timing_of([*layers[:2], arrivals("c", "a", 3000)])
    assert alone is not None and alone.interval_us == 4.0


def test_times_need_not_be_sorted_by_unit() -> None:
    times = np.array([10.0, 20.0, 40.0, 50.0, 70.0, 80.0])
    timing = timing_of([Arrivals(stream="s", layer="l", words=2, times_ns=times)])
    assert timing is not None and timing.interval_us == 0.03
